"""Opens, closes and syncs that are made again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.answers.advise import Concerned, Finding
from simulator.answers.patterns.of_jobs.facts import cure, phases_text, set_to
from simulator.answers.patterns.of_jobs.stores import MOST_PHASES
from simulator.config.phases import Metadata, Sync, Transfer
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.patterns.of_jobs.facts import Facts, cure
    from simulator.config.phase import Phase

_HOW = {
    "open": "open {file} once, and keep it open",
    "close": "close {file} once, at the end",
    "stat": "ask for the attributes of {file} once, and keep them",
}


def open_storm(facts: Facts) -> Iterator[Finding]:
    """Look for files that are opened, closed or looked at many times."""
    for number, job in enumerate(facts.workload.jobs):
        times = job.repeat * job.processes
        for index, phase in enumerate(job.phases or ()):
            if not isinstance(phase, Metadata) or phase.count < 2 or not facts.matters(phase.do):
                continue
            path = f"workload.jobs.{number}.phases.{index}.count"
            how = _HOW.get(phase.do, f"{phase.do} {{file}} once").format(file=phase.file)
            yield Finding(
                pattern="open-storm",
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
            text = _merged(list(facts.phases(number)))
            if text is not None:
                setting = (f"workload.jobs.{number}.phases", text)
                how = "write what follows each other in a file between one open and one close"
                yield Finding("close-flush", told, (cure(how, [setting]),), files, calls)
        free = cure(
            f"have closes in {name} start the write-back, and not wait for it (close: queue; in"
            " NFS the mount option nocto)",
            [set_to(f"machine.filesystems.{name}.close", move.system, "close", "queue")],
            "no other node reads the files at once, and a crash may lose them",
        )
        yield Finding("close-flush", told, (free,), files, calls)


def _merged(phases: list[Phase]) -> str | None:
    """Join writes of a file that follow each other in it; None if there are none."""
    joined: list[Phase] = []
    for phase in phases:
        last = joined[-1] if joined else None
        if isinstance(last, Transfer) and isinstance(phase, Transfer) and _follows(last, phase):
            assert last.size is not None
            assert phase.size is not None
            joined[-1] = last.with_value("size", last.size + phase.size)
        else:
            joined.append(phase)
    return None if len(joined) == len(phases) else phases_text(joined)


def _follows(last: Transfer, phase: Transfer) -> bool:
    """Whether a write begins where the last one ended, and is like it."""
    if last.size is None or phase.size is None or not isinstance(phase.offset, int):
        return False
    low = last.offset if isinstance(last.offset, int) else 0
    record = last.record if isinstance(last.record, int) else 1
    alike = all(
        getattr(last, key) == getattr(phase, key)
        for key in ("do", "file", "record", "buffer", "policy", "path", "order")
    )
    whole = last.offset is not None and last.size % record == 0
    return alike and whole and last.do == "write" and low + last.size == phase.offset


def sync_write(facts: Facts) -> Iterator[Finding]:
    """Look for syncs of a file that is written, and synced, again later."""
    if not facts.matters("sync"):
        return
    for number, job in enumerate(facts.workload.jobs):
        phases = list(job.phases or ()) * job.repeat
        if job.arrivals is not None or len(phases) > MOST_PHASES * 16:
            continue
        last = {one.file: at for at, one in enumerate(phases) if isinstance(one, Sync)}
        left = [
            one
            for at, one in enumerate(phases)
            if not isinstance(one, Sync) or last[one.file] == at
        ]
        syncs = sum(isinstance(one, Sync) for one in phases)
        if len(left) == len(phases):
            continue
        settings = _shortest(number, job.repeat, left)
        if settings is None:
            continue
        files = [Concerned(name, syncs * job.processes, 0) for name in last]
        yield Finding(
            pattern="sync-write",
            found=f"each process of {job.name} waits {counted(syncs, 'time')} until what it has"
            " written is on the device.",
            cures=(
                cure(
                    "sync each file once, after the last write of it",
                    settings,
                    "a crash may lose what was written before",
                ),
            ),
            files=tuple(files),
            calls=syncs * job.processes,
        )


def _shortest(
    number: int, repeat: int, left: Sequence[Phase]
) -> tuple[tuple[str, str], ...] | None:
    """Return the settings of a job with fewer phases; None if they were too many to be written."""
    at = f"workload.jobs.{number}"
    if len(left) > MOST_PHASES:
        return None
    again = ((f"{at}.repeat", "1"),) if repeat > 1 else ()
    return (f"{at}.phases", phases_text(left)), *again
