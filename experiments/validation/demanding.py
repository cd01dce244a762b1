"""Demanding claims: those that few machines bear out whose rates and times are none in particular.

Each rate and each time of a study's machine is multiplied by a factor of its own within a decade
(from 1/sqrt(10) to sqrt(10), by logarithms), nothing is fitted again, and the claims are tried to
which nothing was fitted. One that half of such machines bear out, or more, is *undemanding*: it
follows from the structure of the model, or from hardly anything, and its agreement with a paper
says little about the machine. The others are *predicted*. Machines whose drawn values do not go
together are replaced by further ones. The record of a study is stored beside it (``make
demanding``), and decides the roles of its claims.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator import __version__
from simulator.config.sources import provenance
from simulator.mixing import mix
from simulator.plan.noise import stream_key
from simulator.report.lined import ruled
from simulator.shipped import shipped_root
from simulator.study.change import Settings
from simulator.study.executors import Executor, Processes
from simulator.study.studies import DEFAULT_SEED
from simulator.study.study_file import (
    DEMANDING_RECORD,
    LEAST_MACHINES,
    PREDICTED,
    UNDEMANDING,
    Sentence,
    Share,
    load_study_file,
)

from .assumptions import digest_of, digests
from .plausible import Evaluator, Row, machine_of
from .ranged import template
from .strength import exact_interval

MOST_DRAWN = 4
"""Machines that are drawn at most, for each on which a claim is to be tried."""
_TRIED = (PREDICTED, UNDEMANDING)
"""Roles of claims that are tried."""
_SCALED = re.compile(r" *(([kMGT]i?)?(B|bit)/s|ns|us|ms|s|min|h)(?![\w/])")
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RandomMachines:
    """Tries the claims of a study, to which nothing was fitted, on machines by their numbers."""

    evaluator: Evaluator

    def __call__(self, number: int) -> Row:
        """Return the row of a machine: broken conditions of each claim, or why it was skipped."""
        row: Row = {"point": number, "verdicts": {}, "skipped": {}}
        one = self.evaluator
        for site in one.sites:
            settings = self.settings(site, number)
            for claim in one.file.claims:
                if claim.role in _TRIED and one.assumptions.site_of(claim.id) == site:
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
    machines: int = LEAST_MACHINES,
    seed: int = DEFAULT_SEED,
    runs: int | None = None,
    heard: Callable[[float], None] = lambda _share: None,
    executor: Executor | None = None,
) -> dict[str, Any]:
    """Try a study's claims, to which nothing was fitted, on random machines; return the record.

    ``machines``: how many each claim is tried on, of at most ``MOST_DRAWN`` times as many that are
    drawn. ``heard`` receives the completed share. ``executor``: of the machines (None: one
    process).
    """
    evaluator = Evaluator(study, seed, runs)
    if runs is None:
        evaluator.runs = evaluator.assumptions.runs
    claims = [one for one in evaluator.file.claims if one.role in _TRIED]
    try_one, rows = RandomMachines(evaluator), list[Row]()
    while len(rows) < MOST_DRAWN * machines and _fewest(claims, rows) < machines:
        numbers = range(len(rows), len(rows) + machines - _fewest(claims, rows))
        rows += sorted(_rows(try_one, numbers, executor or Processes(1)), key=_number)
        heard(_fewest(claims, rows) / machines)
    return {
        "format": "demanding/2",
        "study": study,
        "title": evaluator.file.title,
        "machines": machines,
        "drawn": len(rows),
        "seed": seed,
        "runs": evaluator.runs,
        "version": __version__,
        "inputs": inputs(study),
        "claims": [_claim(one, rows, machines) for one in claims],
    }


def inputs(study: str) -> dict[str, str]:
    """Return the digest of each input of a study's record, by its name.

    They are conditions of claims, and the files of machine and workloads; the model's code is not
    included.
    """
    claims = {
        one.id: [each.text for each in one.conditions]
        for one in load_study_file(study).claims
        if one.role in _TRIED
    }
    left = ("study.yaml", "assumptions.yaml")
    files = {name: one for name, one in digests(study).items() if not name.endswith(left)}
    return {"claims": digest_of(claims), **files}


def _rows(try_one: RandomMachines, numbers: range, executor: Executor) -> Iterator[Row]:
    if not executor.remote and min(executor.processes, len(numbers)) <= 1:
        yield from map(try_one, numbers)
        return
    for _, row in executor.map(try_one, list(numbers), len(numbers)):
        yield row


def _number(row: Row) -> int:
    return int(row["point"])


def _fewest(claims: Sequence[Sentence], rows: Sequence[Row]) -> int:
    """Return the least number of machines on which a claim could be tried."""
    return min((sum(one.id in row["verdicts"] for row in rows) for one in claims), default=0)


def _claim(claim: Sentence, rows: Sequence[Row], most: int) -> dict[str, Any]:
    """Return a claim's record: of the first ``most`` machines on which it could be tried."""
    verdicts = [row["verdicts"][claim.id] for row in rows if claim.id in row["verdicts"]][:most]
    held, of = sum(not broken for broken in verdicts), len(verdicts)
    interval = list(exact_interval(held, of))
    return {"id": claim.id, "text": claim.text, "held": held, "of": of, "interval_95": interval}


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
            str(share),
            "{:.0f} to {:.0f} %".format(*(100 * end for end in one["interval_95"])),
            PREDICTED if share.demanding else UNDEMANDING,
        ]
        for one, share in ((one, share_of(one)) for one in record["claims"])
    ]
    rows.sort(key=lambda row: -int(row[1].split()[0]))
    demanding = sum(row[-1] == PREDICTED for row in rows)
    head = f"{record['title']}: claims on {record['machines']} machines of any rates"
    table = ruled(("claim", "holds on", "95 % interval", ""), rows, align="lrll")
    return (
        f"{head}\n\n{table}\n\n{demanding} of {len(rows)} are demanding: fewer than half of "
        f"{LEAST_MACHINES} machines or more bear them out."
    )


def share_of(claim: Record) -> Share:
    """Return the share of machines in a claim's record."""
    return Share(claim["held"], claim["of"])


def stored_demanding(study: str) -> Record | None:
    """Return the record that is stored for a study; None if there is none."""
    path = shipped_root("experiments") / study / DEMANDING_RECORD
    if not path.is_file():
        return None
    record: Record = json.loads(path.read_text(encoding="utf-8"))
    return record


def stale_inputs(record: Record) -> list[str]:
    """Return the inputs of a study that have changed since its record was made."""
    now, then = inputs(record["study"]), record["inputs"]
    return sorted(name for name in {*now, *then} if now.get(name) != then.get(name))
