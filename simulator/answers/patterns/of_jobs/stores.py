"""Stores that could have helped: too small for what is read again, or empty at the start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from simulator.answers.advise import Finding
from simulator.answers.levers import set_to
from simulator.answers.paths import MachinePath
from simulator.answers.patterns.of_jobs.facts import concerned, cure, unrolled, with_phases
from simulator.kinds.phases.transfer import Transfer
from simulator.units import format_size
from simulator.wording import about_size, counted

if TYPE_CHECKING:
    from simulator.answers.advise import Cure
    from simulator.answers.patterns.of_jobs.facts import Facts, Move
    from simulator.config.phase import Phase

_MOST_TIMES = 64
"""The largest factor of the present capacity that is tried."""


def re_read(facts: Facts) -> Iterator[Finding]:
    """Look for files that are read again though a store could not keep them."""
    if not facts.matters("read"):
        return
    reads = [one for one in facts.moves if not one.writes]
    for _, moves in groupby(sorted(reads, key=_of), key=_of):
        several = list(moves)
        times = sum(_rounds(facts, one) for one in several)
        shared = several[0].file.shared and not all(one.own for one in several)
        processes = several[0].job.ranks if shared else 1
        if times * processes < 2:
            continue
        move = several[0]
        told = (
            f"{move.phase.file} ({about_size(move.file.size)}) is read"
            f" {counted(times * processes, 'time')}, and {_misses(facts, several)}."
        )
        for cures in (tuple(_capacities(facts, several)), tuple(_kept(facts, several))):
            if cures:
                calls = sum(one.calls for one in several)
                yield Finding("re-read", told, cures, (concerned(*several),), calls)


def _rounds(facts: Facts, move: Move) -> int:
    """Return how often a process goes through a phase, in one job if they arrive.

    Of a phase that goes on through its file: how often it goes through that.
    """
    job, phase = move.job, move.phase
    if job.arrivals is not None:
        rounds = job.repeat * job.times(move.place[1])
    else:
        rounds = facts.times(job, move.place[1]) // job.ranks
    if phase.order != "onward":
        return rounds
    return max(1, rounds * move.bytes_each * (job.ranks if move.own else 1) // move.file.size)


def _of(move: Move) -> tuple[int, str]:
    """Return the job and the file of a phase."""
    return move.place[0], move.phase.file


def _misses(facts: Facts, moves: Sequence[Move]) -> str:
    told = [
        f"{name} of {format_size(store.capacity)} has {counts['misses']:,} misses"
        for name, store in moves[0].stores
        if (counts := facts.result.counts(name))["misses"]
    ]
    return " and ".join(told) or "no store keeps it"


def _capacities(facts: Facts, moves: Sequence[Move]) -> Iterator[Cure]:
    """Yield larger stores, up to all that the job has files for; and another replacement."""
    whole = sum(one.size for one in facts.workload.files.values()) * moves[0].job.ranks
    for name, store in moves[0].stores:
        counts = facts.result.counts(name)
        if not counts["evicted"] and not counts["released"]:
            continue
        at = f"machine.stores.{name}"
        times = 2
        while times <= _MOST_TIMES:
            size = times * store.capacity
            how = f"give {name} a capacity of {format_size(size)}"
            yield cure(how, (set_to(f"{at}.capacity", store, "capacity", size),))
            if size >= 2 * whole:
                break
            times *= 2
        if store.policy == "fifo":
            setting = set_to(f"{at}.policy", store, "policy", "lru")
            yield cure(f"have {name} replace the block used least recently", (setting,))


def _kept(facts: Facts, moves: Sequence[Move]) -> Iterator[Cure]:
    """Yield the job that reads each file once, and keeps it in memory."""
    number, name = _of(moves[0])
    job = facts.workload.jobs[number]
    phases = unrolled(facts.phases(number), job.repeat)
    if phases is None or job.arrivals is not None or job.until is not None:
        return
    left = _read_once(phases, name)
    memory = facts.machine.nodes[job.on or next(iter(facts.machine.nodes))].memory
    held = moves[0].bytes_each * (job.per_node or 1)
    changed_by_others = any(
        one.writes and one.phase.file == name and one.place[0] != number for one in facts.moves
    )
    if len(left) == len(phases) or (memory is not None and held > memory) or changed_by_others:
        return
    settings = with_phases(number, left, job.repeat)
    facts.kept.add(settings[0])
    yield cure(
        f"read {name} once, and keep its {format_size(moves[0].bytes_each)} in the memory of the"
        " program",
        settings,
        "the program has the memory, and no other changes the file meanwhile",
    )


def _read_once(phases: Sequence[Phase], name: str) -> list[Phase]:
    """Leave out reads of a file that are equal to one before, with no write in between."""
    left: list[Phase] = []
    known: list[Phase] = []
    for phase in phases:
        again = isinstance(phase, Transfer) and phase.order != "sequential" and phase.draw != "once"
        if isinstance(phase, Transfer) and phase.file == name and phase.do == "read" and not again:
            if phase in known:
                continue
            known.append(phase)
        elif phase.uses == name and phase.do in ("write", "mpi-write"):
            known.clear()
        left.append(phase)
    return left


def no_prestage(facts: Facts) -> Iterator[Finding]:
    """Look for files that are there before the job, and could be in a store when it starts."""
    if not facts.matters("read"):
        return
    seen = set()
    for move in facts.moves:
        file, name = move.file, move.phase.file
        if move.writes or not file.exists or file.prestage or name in seen or not move.stores:
            continue
        seen.add(name)
        store = MachinePath(facts.machine, move.system_name, move.path_name).stages
        if not store or not facts.result.counts(store)["misses"]:
            continue
        setting = set_to(f"workload.files.{name}.prestage", file, "prestage", True)
        told = f"{name} ({about_size(file.size)}) exists before the job, and is read through"
        told += f" {store}, where it is not yet."
        how = f"bring {name} into {store} before the job starts (prestage: true)"
        presumes = "the time for that, before the job, does not count"
        yield move.finding("no-prestage", told, [cure(how, (setting,), presumes)])


def other_filesystem(facts: Facts) -> Iterator[Finding]:
    """Look for files on a file system of a machine that has others."""
    here = {move.system_name for move in facts.moves}
    if len(here) != 1 or any(move.phase.path or move.job.path for move in facts.moves):
        return
    (name,) = here
    others = [one for one in facts.machine.filesystems if one != name]
    files = {move.phase.file: move.file for move in facts.moves}
    if not others or any(file.path for file in files.values()):
        return
    cures = []
    for other in others:
        settings = [
            set_to(f"workload.files.{one}.filesystem", file, "filesystem", other)
            for one, file in files.items()
        ]
        made = cure(
            f"have the files on {other} instead of {name}",
            settings,
            "it has room for them, and what exists before is there",
            f"files on {other} may have no backup, or be removed after a while",
        )
        cures.append(replace(made, kind=other))
    told = f"all files are on {name}; the machine has {' and '.join(others)} as well."
    moved = tuple(concerned(move) for move in facts.moves)
    yield Finding("other-filesystem", told, tuple(cures), moved, sum(one.calls for one in moved))
