"""Why a run took as long as it did: one or two sentences, and what to try.

Each rule looks at one way to spend time, and says how much of it the run spent that way; the
largest are told. The figures are the run's own. A rule that has to divide the time at the storage
between fetches and read-backs divides it by their bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.report.evidence import Evidence
from simulator.report.where import COMPUTING
from simulator.units import format_rate, format_size
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.engine.plan import Plan
    from simulator.engine.result import Result

MOST_TOLD = 2
LEAST_SHARE = 0.1
"""Causes below this share of the time are not told, unless there is no other."""

_PORTS = ("ssu.in", "ssu.out", "pe*.in", "pe*.out")
_CHANNELS = ("ssu.read", "ssu.write")
_QUEUES = dict.fromkeys(_CHANNELS, "more channels: --set machine.ssu.channels=N")
_QUEUES |= dict.fromkeys(_PORTS, "a faster port: --set machine.crossbar.port_rate=RATE")


@dataclass(frozen=True, slots=True)
class Cause:
    """One way to spend time: how much of it, and the sentence that says so."""

    time_ns: int
    text: str


def explain(result: Result, plan: Plan) -> list[str]:
    """Say in one or two sentences where most of the time went, and what to try."""
    run = Evidence(result, plan)
    causes = [cause for rule in RULES for cause in rule(run) if cause.time_ns > 0]
    causes.sort(key=lambda cause: -cause.time_ns)
    told = [one for one in causes if one.time_ns >= LEAST_SHARE * run.total_ns]
    return [cause.text for cause in (told or causes[:1])[:MOST_TOLD]]


def _rewrites(run: Evidence) -> Iterator[Cause]:
    """Writes that go back over dirty data force its write-back, and wait for it."""
    waits = run.cache["rewrites_waited"]
    time_ns = run.of("ssu.writeback")
    if waits:
        text = (
            f"Output waits for the disk: {run.share(time_ns)} a write that goes back to a record"
            f" length waits until the unit it changes is on disk ({counted(waits, 'such wait')};"
            f" {run.way_to_disk()}). {run.way_around()}."
        )
        yield Cause(time_ns, text)


def _room(run: Evidence) -> Iterator[Cause]:
    """Without such waits, who waits for write-back waits for room."""
    ssu = run.plan.machine.ssu
    time_ns = run.of("ssu.writeback")
    if run.cache["rewrites_waited"] or ssu is None:
        return
    largest = max((file.size for file in run.plan.files if file.cached), default=0)
    if ssu.share < min(ssu.capacity, largest):
        full = f"a file has exceeded its quota of the SSU ({format_size(ssu.share)})"
        advice = "a larger quota (--share SIZE)"
    else:
        full = f"the SSU ({format_size(ssu.capacity)}) is full of units that are not yet on disk"
        advice = "a larger SSU (--ssu SIZE)"
    text = (
        f"{run.share(time_ns)} writes wait for space: {full}, and the next unit can enter when"
        f" another is on disk ({run.way_to_disk()}). Try {advice}, or more disks (--disks N)."
    )
    yield Cause(time_ns, text)


def _read_back(run: Evidence) -> Iterator[Cause]:
    """A unit that has been given away comes back before a part of it can change."""
    time_ns = run.by_bytes("read_back_bytes")
    text = (
        f"{run.share(time_ns)} a unit that the SSU has released is read back from disk, because a"
        f" write changes part of it ({counted(run.cache['read_back'], 'unit')}{run.queueing()})."
        f" {run.way_around()}, or a larger quota in the SSU (--share SIZE)."
    )
    yield Cause(time_ns, text)


def _fetches(run: Evidence) -> Iterator[Cause]:
    """Input that is not in the SSU when it is read."""
    time_ns = run.by_bytes("fetched_bytes")
    files = {phase.file for phase in run.phases("read") if phase.path == "scfs"}
    if run.traced:
        files = {number for number, file in enumerate(run.plan.files) if file.length}
    unstaged = [number for number in files if not run.plan.files[number].prestaged]
    if unstaged:
        why = "the input is not in the SSU when it is read"
        option = f"--set workload.files.{run.own_name(min(unstaged))}.prestage=true"
        advice = f"Prestage it: {'--prestage' if run.traced else option}."
    else:
        why = "not all of the prestaged input is still in the SSU when it is read"
        advice = "Try a larger SSU (--ssu SIZE)."
    text = (
        f"{run.share(time_ns)} a read waits for a unit from disk"
        f" ({counted(run.cache['fetched'], 'unit')}{run.queueing()}): {why}. {advice}"
    )
    yield Cause(time_ns, text)


def _processor(run: Evidence) -> Iterator[Cause]:
    """What the PE itself does: turns of the buffer, statements, copies."""
    time_ns = run.of("pe*")
    rate = run.plan.machine.pe.copy_rate
    if run.traced:
        what, advice = "making its calls", "Try fewer and longer ones (--buffer SIZE)."
    elif 2 * run.turns_ns() >= time_ns:
        what, advice = (
            "flushing and refilling Fortran buffers",
            "Try a larger buffer (--buffer SIZE).",
        )
        if {"flang", "posix"} & set(run.policies()):
            what, advice = "calls, one per record", "Try longer records (--record SIZE)."
    elif 2 * run.statements_ns() >= time_ns:
        what, advice = "executing READ and WRITE statements", "Try longer records (--record SIZE)."
    else:
        what = f"copying between user data and Fortran buffers, at {format_rate(rate)}"
        advice = "Only a faster PE helps (--set machine.pe.copy_rate=RATE)."
    text = f"{run.share(time_ns)} goes to the PEs' own work, mostly {what}. {advice}"
    yield Cause(time_ns, text)


def _queues(run: Evidence) -> Iterator[Cause]:
    """Clients that wait for each other at a part."""
    for row in run.spent.values():
        advice = _QUEUES.get(row.kind, "")
        if row.kind in run.kinds.storage and not run.moved_units():
            advice = "more disks: --disks N"
        if len(run.clients) > 1 and advice:
            text = (
                f"{run.share(row.wait_ns)} clients wait for each other at {row.label}"
                f" ({run.kinds.what(row.kind)}). Try {advice}."
            )
            yield Cause(row.wait_ns, text)


def _network(run: Evidence) -> Iterator[Cause]:
    """NFS: everything crosses the LAN in small pieces."""
    lan = run.plan.machine.lan
    paths = {phase.path for phase in run.phases("read", "write")}
    if run.traced:
        paths = {file.path for file in run.plan.files}
    if lan is not None and "nfs" in paths:
        time_ns = run.of("lan", "nfs.server", "cp*.in", "cp*.out")
        text = (
            f"{run.share(time_ns)} goes to NFS, over a LAN of {format_rate(lan.link.rate)} in"
            f" requests of {format_size(lan.rpc_size)}, one after the other. Try --path scfs, which"
            " goes over the SSU."
        )
        yield Cause(time_ns, text)


def _transfers(run: Evidence) -> Iterator[Cause]:
    """Bytes under way between PEs and SSU: what is left when nobody waits."""
    for row in run.spent.values():
        if row.kind in (*_CHANNELS, *_PORTS):
            text = (
                f"{run.share(row.service_ns)} bytes move, and {row.label} is the slowest resource"
                f" on their path ({run.kinds.what(row.kind)}{run.rate_of(row)})."
            )
            yield Cause(row.service_ns, text)


def _other(run: Evidence) -> Iterator[Cause]:
    """Computing, and waiting for the fetches of others."""
    computing, cache = run.of(COMPUTING), run.of("ssu.cache")
    yield Cause(computing, f"{run.share(computing)} the clients compute.")
    text = f"{run.share(cache)} a client waits for a unit that another client is already fetching."
    yield Cause(cache, text)
    others = run.of("other.processes")
    yield Cause(others, f"{run.share(others)} a process waits for another process (fork, wait).")


RULES: tuple[Callable[[Evidence], Iterator[Cause]], ...] = (
    _rewrites,
    _room,
    _read_back,
    _fetches,
    _processor,
    _queues,
    _network,
    _transfers,
    _other,
)
"""One for each way to spend time; no two count the same nanoseconds."""
