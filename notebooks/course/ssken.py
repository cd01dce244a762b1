"""Jobs of the SS-ken report: printed numbers beside simulated ones, and what a change would do."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simulator.experiments.ssken.figures import functions, raw_study
from simulator.experiments.ssken.runs import SskenRuns
from simulator.study.studies import read_own
from simulator.study.study_file import load_study_file

from .exercises import Said

COSTS = ("machine.parts.cpu.call_overhead", "machine.parts.fefs.rate")
"""Settings of the machine of Super-Kamiokande: what each call takes, and the file system's rate."""


COUNTERS = Path(__file__).resolve().parents[1] / "data" / "ssken-counters.yaml"
UNITS = {"k": 2**10, "m": 2**20}


@functools.cache
def printed() -> Mapping[str, Any]:
    """Return what the report prints beside times of calls, and the commands that it counted."""
    return dict(read_own(COUNTERS.read_text(encoding="utf-8")))


def alone() -> str:
    """Return how many of these numbers have nothing beside them, in a sentence."""
    rows = [row for one in printed()["items"].values() for row in one]
    without = sum("missing" in row for row in rows)
    return (
        f"Of {len(rows)} counters, quotients, values of machines and single calls of SS-ken"
        f" {without} have nothing beside them; the lessons say what is missing."
    )


def number(row: Mapping[str, Any]) -> float:
    """Return a printed number, or the difference of two."""
    text = row["printed"]
    size = float(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else float(text)
    return size - float(row.get("from", 0))


@functools.cache
def runs() -> SskenRuns:
    """Return the jobs, each of which is simulated once."""
    return SskenRuns("auto")


def beside(*refs: str) -> Said:
    """Show what tables or figures of the report print beside what the simulated job takes."""
    texts = {one["id"]: one.get("printed") for one in raw_study()["figures"]}
    measure, rows, found = functions(), [], []
    for ref in refs:
        rows.append(f"{ref:62}    printed  simulated")
        for one in load_study_file("ssken").figures:
            if one.ref != ref:
                continue
            simulated = measure[one.id](runs())
            found.append(one.low <= simulated <= one.high)
            printed = texts[one.id] or f"{one.low:g} to {one.high:g}"
            digits = f"{simulated:.4g}" if simulated < 1000 else f"{simulated:.0f}"
            mark = "" if found[-1] else "  off"
            rows.append(f"  {one.what:60} {printed:>10} {digits:>10} {one.unit}{mark}")
    return Said("\n".join([*rows, f"{sum(found)} of {len(found)} within 10 %"]))


def superk(job: str = "before", call_us: float = 9.704, rate: float = 1) -> float:
    """Simulate a job of Super-Kamiokande; the seconds that its calls take.

    ``call_us``: the processor's time in each call; ``rate``: how many times as fast the file
    system is.
    """
    settings = tuple(zip(COSTS, (f"{call_us} us", f"{200 * rate} MB/s"), strict=True))
    return sum(one.seconds for one in runs().run(f"superk-{job}", settings).spent.values())
