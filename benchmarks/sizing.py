"""Time of nwtsim size, from the command to the answer.

Whole commands on two processes, wall clock, without a store of results, so that all is simulated: a
checkpoint of 40 TB (``benchmarks/scratch-wide.yaml``: the shipped requirement with more choices),
of which one run takes a minute of a processor; the NWT's front end (``nwt-1997``), whose runs take
milliseconds; and the same with a target that no configuration meets and no bound excludes, so that
each is run. Only valid configurations count; those more expensive than the runner-up are skipped.
Targets: 2,000 configurations of the first in under 300 s, 20,000 of the NWT's in under 120 s.

    python -m benchmarks.sizing [--rounds N] [--short] [--format table|json]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.table import print_figures
from simulator.config.requirement_file import REQUIREMENT

JOBS = 2
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Case:
    """A requirement whose answer is timed."""

    name: str
    text: str
    """Text of its file."""
    target_s: float
    met: bool = True
    """True if a configuration meets it."""


def cases(*, short: bool) -> list[Case]:
    """Return the requirements; short ones have fewer configurations, or shorter runs."""
    wide = (HERE / "scratch-wide.yaml").read_text(encoding="utf-8")
    nwt = REQUIREMENT.shipped()["nwt-1997"].read_text(encoding="utf-8")
    if short:
        small = (
            "checkpoint-40tb, set: {checkpoint.size: 64 MB}"  # 64 GB: runs of a tenth of a second
        )
        wide = _changed(wide, "checkpoint-40tb, per_day: 24", small)
        wide = _changed(wide, "elapsed: 10 min", "elapsed: 2 s")
        nwt = _changed(nwt, "512 MB..4096 MB +512 MB", "512 MB..4096 MB +1792 MB")
        nwt = _changed(nwt, "4..32 +4", "4..32 +14")
        nwt = _changed(nwt, "18 MB/s..108 MB/s +4.5 MB/s", "18 MB/s..108 MB/s +45 MB/s")
    return [
        Case("40 TB checkpoint", wide, 300.0),
        Case("NWT", nwt, 120.0),
        Case("NWT, nothing meets it", _changed(nwt, "end: 32 s", "end: 8 s"), 120.0, met=False),
    ]


def _changed(text: str, old: str, new: str) -> str:
    """Return a text with one passage replaced, which must exist."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def answered(case: Case) -> dict[str, Any]:
    """Run the command once; return its record, with the seconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "requirement.yaml"
        file.write_text(case.text, encoding="utf-8")
        words = ["size", str(file), "--jobs", str(JOBS), "--no-store", "--format", "json"]
        began, before = time.perf_counter(), os.times()
        done = subprocess.run(
            [sys.executable, "-m", "simulator", *words, "--no-progress"],
            capture_output=True,
            check=False,
        )
        passed, after = time.perf_counter() - began, os.times()
    assert done.returncode == (0 if case.met else 1), done.stderr.decode()
    record: dict[str, Any] = json.loads(done.stdout)
    cpu = after.children_user + after.children_system
    record["cpu_s"] = cpu - before.children_user - before.children_system
    return record | {"s": passed}


def row_of(case: Case, rounds: int) -> dict[str, Any]:
    """Return the figures of a case: medians of seconds, and counts of configurations by outcome."""
    records = [answered(case) for _ in range(rounds)]
    record = records[0]
    return {
        "requirement": case.name,
        "configurations": record["buildable"],
        "target_s": case.target_s,
        "s": statistics.median(one["s"] for one in records),
        "cpu_s": statistics.median(one["cpu_s"] for one in records),
        "discarded_by_bound": record["discarded_by_bound"],
        "left_out_by_short_runs": record["left_out_by_short_runs"],
        "run_whole": record["run_whole"],
    }


def measure(rounds: int, *, short: bool = False) -> list[dict[str, Any]]:
    """Return a row for each requirement."""
    return [row_of(case, rounds) for case in cases(short=short)]


def target_sentence(row: dict[str, Any]) -> str:
    """Return a sentence on whether a target is met."""
    word = "met" if row["s"] <= row["target_s"] else "missed"
    return (
        f"{row['requirement']}: {row['configurations']:,} configurations in {row['s']:.1f} s;"
        f" the target is under {row['target_s']:.0f} s: {word}."
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1, help="of each requirement (default 1)")
    parser.add_argument("--short", action="store_true", help="small ones: whether it works")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args()
    for row in measure(options.rounds, short=options.short):
        print_figures(row, options.format)
        print(target_sentence(row) if options.format == "table" else "", flush=True)


if __name__ == "__main__":
    main()
