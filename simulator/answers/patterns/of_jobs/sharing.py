"""Work that is on too few: members of a stripe group, processes, or calls of the MPI library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.answers.advise import Concerned, Finding
from simulator.answers.levers import set_to
from simulator.answers.patterns.of_jobs.facts import concerned, cure, with_phases
from simulator.config.errors import dotted
from simulator.config.quantities import ALL
from simulator.config.record import INTERLEAVED, RANK
from simulator.kinds.phases.barrier import Barrier
from simulator.kinds.phases.compute import Compute
from simulator.kinds.phases.loop import Loop
from simulator.kinds.phases.mpi import MpiTransfer
from simulator.kinds.phases.sync import Sync
from simulator.kinds.phases.transfer import Transfer
from simulator.kinds.tiers.locks.section import Locks
from simulator.kinds.tiers.stripe.section import Stripe
from simulator.units import format_size
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.advise import Cure
    from simulator.answers.patterns.of_jobs.facts import Facts, Move
    from simulator.config.phase import Phase
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Job


_MOST_MORE = (2, 4, 8)
"""Factors of the numbers of processes that are tried."""


def shared_hotspot(facts: Facts) -> Iterator[Finding]:
    """Look for files of many processes on a few members of a stripe group."""
    shared: dict[str, list[Move]] = {}
    for move in facts.moves:
        if move.file.shared and move.job.ranks > 1 and facts.matters(move.phase.do):
            shared.setdefault(move.way[0], []).append(move)
    for at, moves in shared.items():
        narrow = [
            (index, tier, _members(facts, tier.of))
            for index, tier in enumerate(moves[0].way[1].tiers)
            if isinstance(tier, Stripe) and tier.over != ALL
        ]
        narrow = [(index, tier, members) for index, tier, members in narrow if tier.over < members]
        by_file: dict[str, list[Move]] = {}
        for move in moves:
            by_file.setdefault(move.phase.file, []).append(move)
        own = [own_files(facts, one[0]) for one in by_file.values()]
        cures = [
            *(
                one
                for index, tier, members in narrow
                for one in _wider(f"{at}.tiers.{index}", tier, members)
            ),
            *(one for one in own if one is not None),
        ]
        if narrow and cures:
            told = " and ".join(f"{one.over} of {members} {one.of}" for _, one, members in narrow)
            most = max(one.job.ranks for one in moves)
            yield Finding(
                pattern="shared-hotspot",
                found=f"{counted(most, 'process')} share {' and '.join(by_file)}: each file is on"
                f" {told}.",
                cures=tuple(cures),
                files=tuple(concerned(*one) for one in by_file.values()),
                calls=sum(one.calls for one in moves),
            )


def _members(facts: Facts, name: str) -> int:
    """Return how many members a group has, in all: nodes, or parts in each of their nodes."""
    tables = facts.machine.tables
    if name in tables.group_of:
        return tables.groups[tables.group_of[name]].count
    part = facts.machine.parts[name]
    of = getattr(part, "at", None)
    nodes = tables.groups[tables.group_of[of]].count if of in tables.group_of else 1
    count = getattr(part, "count", 1)
    return nodes * (count if isinstance(count, int) else 1)


def _wider(at: str, tier: Stripe, members: int) -> Iterator[Cure]:
    over = tier.over
    while over < members:
        over = min(2 * over, members)
        yield cure(
            f"stripe the file over {over} {tier.of} (Lustre: lfs setstripe -c {over})",
            (set_to(f"{at}.over", tier, "over", over),),
        )


def own_files(facts: Facts, move: Move) -> Cure | None:
    """Return the job with a file for each process; None if others use it, or its parts differ."""
    number, name = move.place[0], move.phase.file
    phases = list(facts.phases(number))
    users = [
        (index, one)
        for index, job in enumerate(facts.workload.jobs)
        for _, one in job.every_phase()
        if one.uses == name
    ]
    ranks = move.job.ranks
    for index, one in users:
        parts = isinstance(one, Transfer) and one.offset in ("rank", "interleaved")
        if index != number or not (parts or not isinstance(one, Transfer | MpiTransfer)):
            return None
        if isinstance(one, Transfer) and (one.order != "sequential" or one.size is not None):
            return None
    if move.file.size % ranks or move.file.layout is not None or move.job.nodes > 1:
        return None
    left = _without_offsets(phases, name)
    settings: tuple[Setting, ...] = (
        set_to(f"workload.files.{name}.shared", move.file, "shared", False),
        set_to(f"workload.files.{name}.size", move.file, "size", move.file.size // ranks),
        *with_phases(number, left),
    )
    return cure(
        f"give each process a file of its own, of {format_size(move.file.size // ranks)}",
        settings,
        "programs that read the data can take many files",
    )


def _without_offsets(phases: Sequence[Phase], name: str) -> list[Phase]:
    """Return phases that read or write all of a file, in loops too."""
    return [_without_offset(phase, name) for phase in phases]


def _without_offset(phase: Phase, name: str) -> Phase:
    if isinstance(phase, Loop):
        return phase.with_value("phases", tuple(_without_offsets(phase.phases, name)))
    if not isinstance(phase, Transfer) or phase.file != name:
        return phase
    return Transfer(**{key: getattr(phase, key) for key in phase.given if key != "offset"})


def more_processes(facts: Facts) -> Iterator[Finding]:
    """Try a job whose processes share the work with more processes; computing stays for each."""
    for number, job in enumerate(facts.workload.jobs):
        if not _divisible(facts, number, job) or not facts.matters("read", "write"):
            continue
        mine = [one for one in facts.moves if one.place[0] == number]
        cures = []
        for times in _MOST_MORE:
            path, many = f"workload.jobs.{number}.processes", times * job.processes
            settings = [set_to(path, job, "processes", many)]
            own = {one.phase.file: one.file for one in mine if not one.file.shared}
            if any(one.size % times for one in own.values()):
                continue
            settings += [
                set_to(f"workload.files.{name}.size", file, "size", file.size // times)
                for name, file in own.items()
            ]
            cures.append(
                cure(
                    f"divide the input and output among {many} processes",
                    settings,
                    "the data can be divided (computing is not divided here)",
                )
            )
        if cures:
            yield Finding(
                pattern="few-processes",
                found=f"{counted(job.processes, 'process')} of {job.name} "
                f"{'does' if job.processes == 1 else 'do'} all its input and output.",
                cures=tuple(cures),
                files=tuple(concerned(one) for one in mine),
                calls=sum(one.calls for one in mine),
                resource=job.name,
            )


def _divisible(facts: Facts, number: int, job: Job) -> bool:
    """Return whether more processes would do the same work, in parts or in smaller own files."""
    if job.arrivals is not None or job.nodes > 1 or job.calls is not None:
        return False
    users: dict[str, set[int]] = {}
    for index, other in enumerate(facts.workload.jobs):
        for _, phase in other.every_phase():
            if phase.uses is not None:
                users.setdefault(phase.uses, set()).add(index)
    for _, phase in job.every_phase():
        if isinstance(phase, Compute | Barrier | Sync):
            continue
        if not isinstance(phase, Transfer) or phase.size is not None:
            return False
        file = facts.workload.files[phase.file]
        parts = phase.offset in ("rank", "interleaved")
        if file.shared != parts or isinstance(phase.offset, int):
            return False
        if not file.shared and (
            users[phase.file] != {number} or (file.exists and job.processes > 1)
        ):
            return False
    return True


def mpi_pieces(facts: Facts) -> Iterator[Finding]:
    """Look for arrays that are read or written piece by piece."""
    for number, job in enumerate(facts.workload.jobs):
        for place, phase in job.settable_phases():
            if not isinstance(phase, MpiTransfer) or phase.access == "collective":
                continue
            at = f"workload.jobs.{number}.{dotted(place)}"
            times = job.repeat * job.times(place)
            verb = "write" if phase.writes else "read"
            words = {
                "view": "with a file view, in one call",
                "collective": "in one collective call",
            }
            better = ["view", "collective"] if phase.access == "contiguous" else ["collective"]
            if phase.nonblocking:
                better = [one for one in better if one != "collective"]
            auto: tuple[Setting, ...] = ()
            if phase.method != "auto":
                auto = (set_to(f"{at}.method", phase, "method", "auto"),)
            cures = tuple(
                cure(
                    f"{verb} {phase.file} {words[one]}",
                    (*auto, set_to(f"{at}.access", phase, "access", one)),
                )
                for one in better
            )
            if cures:
                size = facts.workload.files[phase.file].size
                calls = size // phase.block
                yield Finding(
                    pattern="small-io",
                    found=f"{job.name} {verb}s {phase.file} in pieces of {format_size(phase.block)}"
                    f" ({phase.access} access).",
                    cures=cures,
                    files=(Concerned(phase.file, calls * times, size * times),),
                    calls=calls * times,
                )


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
