"""Files whose locks go from node to node: which processes share them, and how they need not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.answers.advise import Finding
from simulator.answers.patterns.of_jobs.facts import cure, set_to
from simulator.answers.patterns.of_jobs.sharing import own_files
from simulator.config.phases import INTERLEAVED, RANK
from simulator.config.tiers import Locks
from simulator.units import format_size
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.advise import Cure
    from simulator.answers.patterns.of_jobs.facts import Facts, Move

_MOST_WAITED = 0.01
"""A file system whose locks made processes wait for less of their time is left alone."""


def locked_units(facts: Facts) -> Iterator[Finding]:
    """Look for shared files that nodes write in pieces of the units that they lock."""
    for move in facts.moves:
        tier = next((one for one in move.way[1].tiers if isinstance(one, Locks)), None)
        record = move.record
        if tier is None or record is None or not move.file.shared or not move.writes:
            continue
        if move.phase.offset != INTERLEAVED or not _waited(facts, move):
            continue
        lost = sum(one.counts.get("called_back", 0) for one in facts.result.stores.values())
        who = f"{counted(move.job.ranks, 'process')} write {move.phase.file} in turns"
        told = (
            f"{who}, in records of {format_size(record)}; nodes lock units of"
            f" {format_size(tier.unit)}: {counted(lost, 'lock')} went from one node to another."
        )
        yield move.finding("shared-hotspot", told, _cures(facts, move, record, tier.unit))


def _cures(facts: Facts, move: Move, record: int, unit: int) -> Iterator[Cure]:
    """Yield whole units by turns, a part for each process, and a file for each."""
    whole = -(-record // unit) * unit
    if record != whole and whole <= move.bytes_each:
        yield cure(
            f"write {format_size(whole)} in one call: whole units of the locks",
            (move.setting("record", whole),),
        )
    yield cure(
        f"write a part of {format_size(move.bytes_each)} by each process, one after the other",
        (set_to(f"{move.at}.offset", move.phase, "offset", RANK),),
        "the data can be in another order in the file",
    )
    own = own_files(facts, move)
    if own is not None:
        yield own


def _waited(facts: Facts, move: Move) -> bool:
    """Return whether waiting for locks of its file system is worth a cure."""
    column = f"{move.system_name}.locks"
    processes = facts.result.masters()
    waited = sum(one.spent.get(column, (0, 0))[0] for one in processes)
    return waited > _MOST_WAITED * sum(one.elapsed_ns for one in processes)
