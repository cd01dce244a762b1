"""What a mutation run found: lines for people, a file for the next reader."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator import __version__
from tests.mutants.campaign import KILLED, SURVIVED, Outcome
from tests.mutants.listed import ROOT, Mutant

RESULTS = Path(__file__).with_name("results.json")


def line(outcome: Outcome) -> str:
    """Return an outcome as a line: result, seconds, name, file and the test that noticed it."""
    how = "hung" if outcome.hung else outcome.result
    head = f"{how:8} {outcome.seconds:6.1f} s  {outcome.mutant.id}  {outcome.mutant.file}"
    return f"{head}\n{'':20}{outcome.by or outcome.mutant.breaks}"


def table(outcomes: Sequence[Outcome]) -> str:
    """Return all outcomes as a table."""
    from tabulate import tabulate

    rows = [
        (
            one.mutant.id,
            one.mutant.file,
            "hung" if one.hung else one.result,
            one.by,
            f"{one.seconds:.1f}",
        )
        for one in outcomes
    ]
    return tabulate(
        rows, ["mutant", "file", "result", "test", "s"], colalign=("left",) * 4 + ("right",)
    )


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return how many mutants there were, and name those that were not killed."""
    lines = [f"{len(outcomes)} mutants, {_count(outcomes, KILLED)} killed"]
    for one in outcomes:
        if one.result != KILLED:
            about = one.mutant.breaks if one.result == SURVIVED else one.by
            lines.append(f"{one.result}: {one.mutant.id} ({one.mutant.file}): {about}")
    return "\n".join(lines)


def record(outcomes: Sequence[Outcome], sources: str) -> dict[str, Any]:
    """Return what the next reader wants to know; ``sources`` is a digest of what was mutated."""
    return {
        "version": __version__,
        "sources": sources,
        "mutants": [
            {
                "id": one.mutant.id,
                "file": one.mutant.file,
                "breaks": one.mutant.breaks,
                "result": one.result,
                "hung": one.hung,
                "by": one.by,
            }
            for one in outcomes
        ],
    }


def save(outcomes: Sequence[Outcome], sources: str, path: Path = RESULTS) -> None:
    """Write the record of a whole run."""
    text = json.dumps(record(outcomes, sources), indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def digest(mutants: Sequence[Mutant], root: Path = ROOT) -> str:
    """Return a digest of all files that are mutated."""
    made = hashlib.sha256()
    for file in sorted({one.file for one in mutants}):
        made.update(f"{file}\0".encode() + (root / file).read_bytes())
    return made.hexdigest()[:16]


def _count(outcomes: Sequence[Outcome], result: str) -> int:
    return sum(one.result == result for one in outcomes)
