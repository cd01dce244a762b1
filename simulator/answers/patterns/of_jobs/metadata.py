"""Opens, closes and syncs that are made again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.answers.advise import Concerned, Finding
from simulator.answers.levers import set_to
from simulator.answers.patterns.of_jobs.facts import (
    MOST_PHASES,
    cure,
    unrolled,
    with_phases,
)
from simulator.config.errors import dotted
from simulator.kinds.phases.loop import Loop
from simulator.kinds.phases.metadata import Metadata
from simulator.kinds.phases.sync import Sync
from simulator.kinds.phases.transfer import Transfer
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.patterns.of_jobs.facts import Facts
    from simulator.config.phase import Phase
    from simulator.config.settings import Setting

_ONCE = {
    "open": ("open-storm", "open {file} once, and keep it open"),
    "close": ("open-storm", "close {file} once, at the end"),
    "stat": ("stat-storm", "ask for the attributes of {file} once, and keep them"),
    "readdir": ("stat-storm", "list the folder of {file} once, and keep the list"),
    "lookup": ("failed-lookup", "look for {file} once, and remember that it is not there"),
}
"""Kind of metadata operation -> the pattern of many, and what to do."""


def open_storm(facts: Facts) -> Iterator[Finding]:
    """Look for files that are opened, closed, asked for or looked for many times."""
    for number, job in enumerate(facts.workload.jobs):
        for at, phase in job.settable_phases():
            if not isinstance(phase, Metadata) or phase.count < 2 or phase.do not in _ONCE:
                continue
            if not facts.matters(phase.do):
                continue
            pattern, how = _ONCE[phase.do]
            times = facts.times(job, at)
            path = f"workload.jobs.{number}.{dotted(at)}.count"
            yield Finding(
                pattern=pattern,
                found=f"each process of {job.name} does {phase.do} {phase.file}"
                f" {counted(phase.count, 'time')} in a row.",
                cures=(cure(how, (set_to(path, phase, "count", 1),)),),
                files=(Concerned(phase.file, phase.count * times, 0),),
                calls=phase.count * times,
            )


def close_flush(facts: Facts) -> Iterator[Finding]:
    """Look for closes that wait until what was written is on its device."""
    if not facts.matters("close"):
        return
    seen = set()
    for move in facts.moves:
        name = move.system_name
        if not move.writes or move.system.close != "flush" or name in seen:
            continue
        seen.add(name)
        mine = [one for one in facts.moves if one.writes and one.system_name == name]
        files = tuple(Concerned(one.phase.file, one.times, one.bytes) for one in mine)
        told = f"closing a file of {name} waits until it is on its device."
        calls = sum(one.times for one in mine)
        for number in dict.fromkeys(one.place[0] for one in mine):
            joined = _joined(facts.phases(number))
            if joined != [*facts.phases(number)]:
                how = "write what follows each other in a file between one open and one close"
                once = cure(how, with_phases(number, joined))
                yield Finding("close-flush", told, (once,), files, calls)
        free = cure(
            f"have closes in {name} start the write-back, and not wait for it (close: queue; in"
            " NFS the mount option nocto)",
            [set_to(f"machine.filesystems.{name}.close", move.system, "close", "queue")],
            "no other node reads the files at once",
            "a crash may lose them",
        )
        yield Finding("close-flush", told, (free,), files, calls)


def _joined(phases: Sequence[Phase]) -> list[Phase]:
    """Join writes of a file that follow each other in it, in loops too."""
    joined: list[Phase] = []
    for phase in phases:
        last = joined[-1] if joined else None
        if isinstance(phase, Loop):
            joined.append(phase.with_value("phases", tuple(_joined(phase.phases))))
        elif isinstance(last, Transfer) and isinstance(phase, Transfer) and _follows(last, phase):
            assert last.size is not None
            assert phase.size is not None
            joined[-1] = last.with_value("size", last.size + phase.size)
        else:
            joined.append(phase)
    return joined


def _follows(last: Transfer, phase: Transfer) -> bool:
    """Return whether a write begins where the last one ended, and is like it."""
    if last.size is None or phase.size is None or not isinstance(phase.offset, int):
        return False
    low = last.offset if isinstance(last.offset, int) else 0
    record = last.record if isinstance(last.record, int) else 1
    alike = all(
        getattr(last, key) == getattr(phase, key)
        for key in ("do", "file", "record", "buffer", "policy", "path", "order")
    )
    alike = alike and not phase.truncate and phase.order != "onward"
    whole = last.offset is not None and last.size % record == 0
    return alike and whole and last.do == "write" and low + last.size == phase.offset


def sync_write(facts: Facts) -> Iterator[Finding]:
    """Look for files that are synced again and again, or written with O_SYNC."""
    for number, job in enumerate(facts.workload.jobs):
        durable = [(at, one) for at, one in job.settable_phases() if _durable(one)]
        calls = sum(
            one.calls for one in facts.moves if one.place[0] == number and _durable(one.phase)
        )
        calls += sum(facts.times(job, at) for at, one in durable if isinstance(one, Sync))
        ends = job.arrivals is None and job.until is None
        if not ends or not durable or not facts.matters("sync", "write"):
            continue
        phases, whole = unrolled(job.phases or ()), unrolled(job.phases or (), job.repeat)
        settings = [] if whole is None else [_with(number, job.repeat, _synced_once(whole))]
        if job.repeat > 1 and phases is not None:  # In each repetition, where these are too many.
            settings.append(_with(number, 1, _synced_once(phases)))
        settings = [one for one in settings if one and one != _with(number, 1, phases or ())]
        if settings:
            names = dict.fromkeys(one.uses for _, one in durable if one.uses is not None)
            yield Finding(
                pattern="sync-write",
                found=f"the {counted(job.processes, 'process')} of {job.name} wait"
                f"{'s' * (job.processes == 1)} {counted(calls, 'time')} until what they have"
                " written is on the device.",
                cures=(
                    cure(
                        "write without O_SYNC, and sync each file once, after its last write",
                        settings[0],
                        risk="a crash may lose what was written before",
                    ),
                ),
                files=tuple(Concerned(name, calls, 0) for name in names),
                calls=calls,
            )


def _durable(phase: Phase) -> bool:
    return isinstance(phase, Sync) or (isinstance(phase, Transfer) and phase.synchronous)


def _synced_once(phases: Sequence[Phase]) -> list[Phase]:
    """Return phases with one sync of each file, after the last write of it that is synced."""
    last = {one.uses: at for at, one in enumerate(phases) if _durable(one)}
    left: list[Phase] = []
    for at, one in enumerate(phases):
        if isinstance(one, Transfer) and one.synchronous:
            values = {key: getattr(one, key) for key in one.given if key != "synchronous"}
            left.append(Transfer(**values))
        elif not isinstance(one, Sync):
            left.append(one)
        if _durable(one) and last[one.uses] == at:
            left.append(Sync(do="sync", file=str(one.uses)))
    return left


def _with(number: int, repeat: int, phases: Sequence[Phase]) -> tuple[Setting, ...]:
    """Return the settings of a job with other phases; none if they are too many to be written."""
    return with_phases(number, phases, repeat) if len(phases) <= MOST_PHASES else ()
