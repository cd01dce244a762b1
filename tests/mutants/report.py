"""What a mutation run found: lines for people, a file for the next reader."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator import __version__
from tests.mutants.campaign import KILLED, SURVIVED, Outcome
from tests.mutants.listed import ROOT

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


def record(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return what the next reader wants to know."""
    return {
        "version": __version__,
        "sources": digest(),
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


def save(outcomes: Sequence[Outcome], path: Path = RESULTS) -> None:
    """Write the record of a whole run."""
    path.write_text(json.dumps(record(outcomes), indent=1) + "\n", encoding="utf-8")


def digest(root: Path = ROOT) -> str:
    """Return a digest of all sources of the simulator and of its studies."""
    made = hashlib.sha256()
    for folder, ends in (("simulator", ("*.py", "*.pxd")), ("experiments", ("*.yaml",))):
        for path in sorted(path for end in ends for path in (root / folder).rglob(end)):
            made.update(f"{path.relative_to(root).as_posix()}\0".encode())
            made.update(path.read_bytes())
    return made.hexdigest()[:16]


def _count(outcomes: Sequence[Outcome], result: str) -> int:
    return sum(one.result == result for one in outcomes)
