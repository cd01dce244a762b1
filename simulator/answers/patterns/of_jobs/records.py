"""Records: too small, out of step with the units they meet, or with lengths to be gone back to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.answers.advise import Finding
from simulator.answers.levers import set_to
from simulator.answers.patterns.of_jobs.facts import cure, doubled
from simulator.runtime.policies import runtime_of
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.answers.advise import Cure
    from simulator.answers.patterns.of_jobs.facts import Facts, Move


_MARK = 4
"""Bytes of a record's length."""
_LEAST_CALLS = 16
"""Records that are too few to be worth another size."""
_MOST_RECORD = 1 << 30
"""The largest record, or buffer, that is tried."""


def record_length_rewrite(facts: Facts) -> Iterator[Finding]:
    """Fortran writes a record's length before its data, and goes back if it guessed wrong."""
    for move in facts.moves:
        if not (move.writes and runtime_of(move.policy).goes_back):
            continue
        if move.policy == "gfortran" and 2 * (move.mean_record + _MARK) <= move.buffer:
            continue  # The length is still in the buffer.
        if move.policy == "nwt" and move.bytes_each + 2 * _MARK <= move.buffer:
            continue
        cures = [_stream_access(facts, move)] if move.phase.offset is None else []
        if move.policy == "nwt":
            how = "link with a runtime that predicts the length of a record (policy nwt-predicted)"
            cures.append(cure(how, (move.setting("policy", "nwt-predicted"),)))
        cures += _buffers(move)
        told = (
            f"{move.policy} writes records of {format_size(move.mean_record)} of"
            f" {move.phase.file} through a buffer of {format_size(move.buffer)}, and goes back to"
            " write the length of each that does not fit into it."
        )
        yield move.finding("record-length-rewrite", told, cures)


def _stream_access(facts: Facts, move: Move) -> Cure:
    """Write without lengths: whoever reads the file in this job does so too."""
    readers = [
        one
        for one in facts.moves
        if one.phase.file == move.phase.file and one.policy == move.policy
    ]
    settings = tuple(one.setting("policy", "posix") for one in readers)
    return cure(
        "open the file with access='stream', which writes no lengths of records (policy posix)",
        settings,
        "no other program expects the lengths in the file",
    )


def _buffers(move: Move) -> Iterator[Cure]:
    """Yield larger buffers, the smallest first: the record's size, units, powers of 4."""
    twice = 1 << (2 * (move.mean_record + 2 * _MARK) - 1).bit_length()
    sizes = doubled(move.buffer, _whole(move), twice, 2 * move.buffer, *move.units)
    for size in sizes:
        if not move.holds(size):
            continue
        how = runtime_of(move.policy).how_buffer
        yield cure(how.format(bytes=size, size=format_size(size)), (move.setting("buffer", size),))


def _whole(move: Move) -> int:
    """Return the largest record or buffer that makes sense: what a process moves."""
    return min(_MOST_RECORD, 2 * move.bytes_each)


def small_io(facts: Facts) -> Iterator[Finding]:
    """Records, or a Fortran buffer, much smaller than what the machine moves at one time."""
    for move in facts.moves:
        if move.phase.order != "sequential" or not facts.matters(move.phase.do):
            continue
        if not runtime_of(move.policy).unbuffered:
            if move.writes and runtime_of(move.policy).goes_back:
                continue  # It is looked at above.
            cures = tuple(_buffers(move))
            what = f"through a buffer of {format_size(move.buffer)}"
        elif move.record is None or move.calls < _LEAST_CALLS * move.times:
            continue
        else:
            most = min(move.bytes_each, _MOST_RECORD)
            cures = tuple(
                cure(
                    f"{move.phase.do} {format_size(size)} in one call, instead of"
                    f" {format_size(move.record)}",
                    (move.setting("record", size),),
                )
                for size in doubled(move.record, most, *move.units)
            )
            what = f"in calls of {format_size(move.record)}"
        if cures:
            told = f"{move.job.name} {move.phase.do}s {move.phase.file} {what}."
            yield move.finding("small-io", told, cures)


def unaligned(facts: Facts) -> Iterator[Finding]:
    """Records, or where a process begins, that straddle the units into which files are cut."""
    for move in facts.moves:
        record = move.record
        if move.policy != "posix" or record is None or not facts.matters(move.phase.do):
            continue
        out = [one for one in move.units if one <= 64 * record and _straddles(record, one)]
        cures = [
            cure(
                f"{move.phase.do} {format_size(size)} in one call: as much as, or a whole number"
                f" of, units of {format_size(unit)}",
                (move.setting("record", size),),
            )
            for unit in out
            for size in (_in_step(record, unit),)
            if size <= move.bytes_each
        ]
        low = move.phase.offset
        if isinstance(low, int):
            for unit in (one for one in move.units if low % one):
                place = low // unit * unit
                how = f"begin at {format_size(place)}" if place else "begin at the file's begin"
                settings = (set_to(f"{move.at}.offset", move.phase, "offset", place),)
                cures.append(cure(how, settings))
        if cures:
            units = ", ".join(map(format_size, out or move.units))
            told = (
                f"{move.job.name} {move.phase.do}s {move.phase.file} in calls of"
                f" {format_size(record)}, which do not begin where units of {units} do."
            )
            yield move.finding("unaligned", told, cures)


def _straddles(record: int, unit: int) -> bool:
    return bool(record % unit and unit % record)


def _in_step(record: int, unit: int) -> int:
    """Return the smallest size from ``record`` on that is in step with a unit.

    >>> _in_step(1_000_000, 1 << 20), _in_step(3, 16), _in_step(1_500, 1_000)
    (1048576, 4, 2000)
    """
    if record > unit:
        return -(-record // unit) * unit
    size = unit
    while size % 2 == 0 and size // 2 >= record:
        size //= 2
    return size


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
