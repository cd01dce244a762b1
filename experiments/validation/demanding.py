"""Demanding claims: those that few machines bear out whose rates and times are none in particular.

Each rate and each time of a study's machine is multiplied by a factor of its own within a decade
(from 1/sqrt(10) to sqrt(10), by logarithms), nothing is fitted again, and the predicted claims are
tried. A claim that half of such machines bear out, or more, is *undemanding*: it follows from the
structure of the model, or from hardly anything, and its agreement with a paper says little about
the machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.config.sources import provenance
from simulator.mixing import mix
from simulator.plan.noise import stream_key
from simulator.report.lined import ruled
from simulator.shipped import shipped_root
from simulator.study.change import Settings
from simulator.study.executors import Executor, Processes
from simulator.study.studies import DEFAULT_SEED
from simulator.study.study_file import PREDICTED

from .assumptions import digests
from .plausible import Evaluator, Row, machine_of
from .ranged import template
from .strength import exact_interval

MACHINES = 40
"""Machines that are drawn of each study, unless told otherwise."""
HALF = 0.5
"""Share of machines from which on a claim is undemanding."""
STORED = "demanding.json"
_SCALED = re.compile(r" *(([kMGT]i?)?(B|bit)/s|ns|us|ms|s|min|h)(?![\w/])")
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RandomMachines:
    """Tries the predicted claims of a study on machines by their numbers."""

    evaluator: Evaluator

    def __call__(self, number: int) -> Row:
        """Return the row of a machine: broken conditions of each claim, or why it was skipped."""
        row: Row = {"point": number, "verdicts": {}, "skipped": {}}
        one = self.evaluator
        for site in one.sites:
            settings = self.settings(site, number)
            for claim in one.file.claims:
                if claim.role == PREDICTED and one.assumptions.site_of(claim.id) == site:
                    one.decide(row, settings, claim)
        return row

    def settings(self, site: str, number: int) -> Settings:
        """Return the settings of a machine: all rates and times that its file states."""
        head = f"{site}:machine." if site else "machine."
        stated = provenance(machine_of(self.evaluator.file, site))
        scaled = (one for one in stated if one.kind != "default" and is_scaled(one.value))
        return tuple(
            (head + one.path, self._drawn(one.value, head + one.path, number)) for one in scaled
        )

    def _drawn(self, text: str, path: str, number: int) -> str:
        part = mix(stream_key(self.evaluator.seed, number, path), 1) / 2**64
        found, factor = template(text), 10.0 ** (part - 0.5)
        return found.text([value * factor for value in found.numbers])


def is_scaled(text: str) -> bool:
    """Return whether all numbers of a value are rates or times.

    >>> [is_scaled(one) for one in ("41 MB/s", "{read: 1 s, write: 2 ms}", "8 MB", "3", "600 kB")]
    [True, True, False, False, False]
    """
    after = template(text).between[1:]
    return bool(after) and all(_SCALED.match(one) for one in after)


def demanding(
    study: str,
    *,
    machines: int = MACHINES,
    seed: int = DEFAULT_SEED,
    runs: int | None = None,
    heard: Callable[[float], None] = lambda _share: None,
    executor: Executor | None = None,
) -> dict[str, Any]:
    """Try a study's predicted claims on random machines; return the record.

    ``heard`` receives the completed share. ``executor``: of the machines (None: one process).
    """
    evaluator = Evaluator(study, seed, runs)
    if runs is None:
        evaluator.runs = evaluator.assumptions.runs
    rows = list[Row]()
    for row in _rows(RandomMachines(evaluator), machines, executor or Processes(1)):
        rows.append(row)
        heard(len(rows) / machines)
    rows.sort(key=lambda row: int(row["point"]))
    claims = [one for one in evaluator.file.claims if one.role == PREDICTED]
    return {
        "format": "demanding/1",
        "study": study,
        "title": evaluator.file.title,
        "machines": machines,
        "seed": seed,
        "runs": evaluator.runs,
        "files": digests(study),
        "claims": [_claim(one.id, one.text, rows) for one in claims],
    }


def _rows(try_one: RandomMachines, machines: int, executor: Executor) -> Iterator[Row]:
    if not executor.remote and min(executor.processes, machines) <= 1:
        yield from map(try_one, range(machines))
        return
    for _, row in executor.map(try_one, list(range(machines)), machines):
        yield row


def _claim(name: str, text: str, rows: Sequence[Row]) -> dict[str, Any]:
    verdicts = [row["verdicts"][name] for row in rows if name in row["verdicts"]]
    held, of = sum(not broken for broken in verdicts), len(verdicts)
    return {
        "id": name,
        "text": text,
        "held": held,
        "of": of,
        "interval_95": list(exact_interval(held, of)),
        "undemanding": of > 0 and held >= HALF * of,
    }


def render_demanding(records: Sequence[Record], form: str) -> str:
    """Return records as ``table`` or ``json`` text."""
    if form == "json":
        made = records[0] if len(records) == 1 else records
        return json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    return "\n\n".join(_text(one) for one in records) + "\n"


def _text(record: Record) -> str:
    rows = [
        [
            one["id"],
            f"{one['held']} of {one['of']}",
            "{:.0f} to {:.0f} %".format(*(100 * end for end in one["interval_95"])),
            "undemanding" if one["undemanding"] else "",
        ]
        for one in sorted(record["claims"], key=lambda one: -one["held"])
    ]
    few = sum(not one["undemanding"] for one in record["claims"])
    head = f"{record['title']}: predicted claims on {record['machines']} machines of any rates"
    table = ruled(("claim", "holds on", "95 % interval", ""), rows, align="lrll")
    return (
        f"{head}\n\n{table}\n\n{few} of {len(rows)} are demanding: fewer than half bear them out."
    )


def stored_demanding(study: str) -> Record | None:
    """Return the record that is stored for a study; None if there is none."""
    path = shipped_root("experiments") / study / STORED
    if not path.is_file():
        return None
    record: Record = json.loads(path.read_text(encoding="utf-8"))
    return record
