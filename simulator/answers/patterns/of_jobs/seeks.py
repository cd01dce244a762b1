"""Small records at random places: each has its device position anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.answers.advise import Finding
from simulator.answers.patterns.of_jobs.facts import cure, doubled, set_to
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.answers.patterns.of_jobs.facts import Facts


def seek_storm(facts: Facts) -> Iterator[Finding]:
    """Look for phases with ``order: random``."""
    for move in facts.moves:
        operation = move.phase.do
        if move.phase.order != "random" or not facts.matters(operation):
            continue
        cures = []
        if move.phase.size is None:  # Else its places are spread over the whole file.
            settings = (set_to(f"{move.at}.order", move.phase, "order", "sequential"),)
            cures.append(
                cure(
                    f"sort the places, and {operation} the file in rising order",
                    settings,
                    "the program can do without the order in which it wants the records",
                )
            )
        if move.record is not None:
            most = min(move.bytes_each, 1 << 30)
            cures += [
                cure(
                    f"keep together in the file what is {_past(operation)} together: records of"
                    f" {format_size(size)}",
                    (move.setting("record", size),),
                    "the program uses all of a larger record",
                )
                for size in doubled(move.record, most, *move.units)
            ]
        if cures:
            told = f"{move.job.name} {operation}s {move.phase.file} at random places, in records"
            told += f" of {format_size(move.mean_record)}."
            yield move.finding("seek-storm", told, cures)


def _past(operation: str) -> str:
    return "read" if operation == "read" else "written"
