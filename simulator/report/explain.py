"""Why a run took as long as it did: one or two sentences, and what to try.

Each rule looks at one way to spend time, and says how much of it the run spent that way; the
largest are told. The figures are the run's own. A rule that has to divide the time of one part
among two causes (fetches and read-backs) divides it by their bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.report.where import COMPUTING, Kinds, Spent, masters, percent, spent_by
from simulator.units import format_rate, format_size, format_time

if TYPE_CHECKING:
    from simulator.engine.plan import PhasePlan, Plan
    from simulator.engine.result import Result

MOST_TOLD = 2
LEAST_SHARE = 0.1
"""Causes below this share of the time are not told, unless there is no other."""

_QUEUES = {
    "ssu.read": "more channels: --set machine.ssu.channels=N",
    "ssu.write": "more channels: --set machine.ssu.channels=N",
    "ssu.in": "a faster port: --set machine.crossbar.port_rate=RATE",
    "ssu.out": "a faster port: --set machine.crossbar.port_rate=RATE",
    "pe*.in": "a faster port: --set machine.crossbar.port_rate=RATE",
    "pe*.out": "a faster port: --set machine.crossbar.port_rate=RATE",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """One way to spend time: how much of it, and the sentence that says so."""

    time_ns: int
    text: str


class Evidence:
    """The figures of a run that rules look at."""

    def __init__(self, result: Result, plan: Plan) -> None:
        self.result = result
        self.plan = plan
        self.cache = result.cache
        self.clients = masters(result, plan)
        self.kinds = Kinds(plan)
        self.spent = {row.kind: row for row in spent_by(self.clients, self.kinds)}
        self.total_ns = sum(client.elapsed_ns for client in self.clients)

    def of(self, *kinds: str) -> int:
        """Time spent at parts of these kinds, waiting and service."""
        return sum(self.spent[kind].total_ns for kind in kinds if kind in self.spent)

    def share(self, time_ns: int) -> str:
        """A share of the clients' time, in words."""
        return f"{percent(time_ns, self.total_ns)} of the time"

    def phases(self, work: str) -> list[PhasePlan]:
        """The phases of all jobs that read, or that write."""
        return [phase for job in self.plan.jobs for phase in job.phases if phase.work == work]

    def storage_ns(self) -> int:
        """Time that clients themselves spend at volumes and at the paths to them."""
        return self.of(*self.kinds.storage)

    def moved_units(self) -> int:
        """Bytes that clients themselves brought into the SSU: fetched, or read back."""
        return self.cache["fetched_bytes"] + self.cache["read_back_bytes"]

    def by_bytes(self, part: str) -> int:
        """The part of the storage time that belongs to ``part``, by bytes moved."""
        both = self.moved_units()
        return self.storage_ns() * self.cache[part] // both if both else 0


def explain(result: Result, plan: Plan) -> list[str]:
    """Say in one or two sentences where most of the time went, and what to try."""
    evidence = Evidence(result, plan)
    causes = [cause for rule in RULES for cause in rule(evidence) if cause.time_ns > 0]
    causes.sort(key=lambda cause: -cause.time_ns)
    told = [one for one in causes if one.time_ns >= LEAST_SHARE * evidence.total_ns]
    return [cause.text for cause in (told or causes[:1])[:MOST_TOLD]]


def _rewrites(run: Evidence) -> Iterator[Cause]:
    """Writes that go back over dirty data force its write-back, and wait for it."""
    waits = run.cache["rewrites_waited"]
    time_ns = run.of("ssu.writeback")
    if waits:
        text = (
            f"Output waits for the disk: {run.share(time_ns)} a write that goes back to a record"
            f" length waits until the unit it changes is on disk ({counted(waits, 'such wait')};"
            f" {_on_the_way(run)}). {_without_going_back(run)}."
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
        full = f"a file has outgrown its share of the SSU ({format_size(ssu.share)})"
        advice = "a larger share (--share SIZE)"
    else:
        full = f"the SSU ({format_size(ssu.capacity)}) is full of units that are not on disk yet"
        advice = "a larger SSU (--ssu SIZE)"
    text = (
        f"{run.share(time_ns)} writes wait for room: {full}, and the next unit gets in when another"
        f" is on disk ({_on_the_way(run)}). Try {advice}, or more disks (--disks N)."
    )
    yield Cause(time_ns, text)


def _read_back(run: Evidence) -> Iterator[Cause]:
    """A unit that has been given away comes back before a part of it can change."""
    time_ns = run.by_bytes("read_back_bytes")
    text = (
        f"{run.share(time_ns)} a unit that the SSU had given away is read back from disk, because a"
        f" write changes a part of it ({counted(run.cache['read_back'], 'unit')}{_behind(run)})."
        f" {_without_going_back(run)}, or a larger share of the SSU (--share SIZE)."
    )
    yield Cause(time_ns, text)


def _fetches(run: Evidence) -> Iterator[Cause]:
    """Input that is not in the SSU when it is read."""
    time_ns = run.by_bytes("fetched_bytes")
    files = {phase.file for phase in run.phases("read") if phase.path == "scfs"}
    unstaged = [number for number in files if not run.plan.files[number].prestaged]
    if unstaged:
        why = "the input is not in the SSU when it is read"
        advice = f"Prestage it: --set workload.files.{_own_name(run, min(unstaged))}.prestage=true."
    else:
        why = "not all of the prestaged input is still in the SSU when it is read"
        advice = "Try a larger SSU (--ssu SIZE)."
    text = (
        f"{run.share(time_ns)} a read waits for a unit from disk"
        f" ({counted(run.cache['fetched'], 'unit')}{_behind(run)}): {why}. {advice}"
    )
    yield Cause(time_ns, text)


def _processor(run: Evidence) -> Iterator[Cause]:
    """What the PE itself does: turns of the buffer, statements, copies."""
    time_ns = run.of("pe*")
    pe = run.plan.machine.pe
    phases = [*run.phases("read"), *run.phases("write")]
    records = sum(
        job.repeat * phase.lengths.count
        for job in run.plan.jobs
        for phase in job.phases
        if phase.lengths is not None
    )
    smallest = min((phase.buffer for phase in phases), default=1)
    moved = sum(client.read.bytes + client.write.bytes for client in run.clients)
    turns = moved // smallest * (pe.turn_overhead_ns + pe.call_overhead_ns)
    statements = records * pe.record_overhead_ns
    if 2 * turns >= time_ns:
        what = f"turning over Fortran buffers ({format_size(smallest)}), call by call"
        advice = "Try a larger one (--buffer SIZE)."
    elif 2 * statements >= time_ns:
        what, advice = "executing READ and WRITE statements", "Try longer records (--record SIZE)."
    else:
        what = f"copying between user data and Fortran buffers, at {format_rate(pe.copy_rate)}"
        advice = "Only a faster PE (--set machine.pe.copy_rate=RATE) helps."
    yield Cause(time_ns, f"{run.share(time_ns)} goes into the PEs' own work, mostly {what}. {advice}")


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
    phases = [p for p in (*run.phases("read"), *run.phases("write")) if p.path == "nfs"]
    lan = run.plan.machine.lan
    if phases and lan is not None:
        time_ns = run.of("lan", "nfs.server", "cp*.in", "cp*.out")
        text = (
            f"{run.share(time_ns)} goes to NFS, over a LAN of {format_rate(lan.link.rate)} in pieces"
            f" of {format_size(lan.rpc_size)}, one after the other. Try the SSU: --path scfs."
        )
        yield Cause(time_ns, text)


def _transfers(run: Evidence) -> Iterator[Cause]:
    """Bytes under way between PEs and SSU: what is left when nobody waits."""
    for row in run.spent.values():
        if row.kind in ("ssu.read", "ssu.write", "ssu.in", "ssu.out", "pe*.in", "pe*.out"):
            text = (
                f"{run.share(row.service_ns)} bytes move, and {row.label} is the slowest part on"
                f" their way ({run.kinds.what(row.kind)}{_rate_of(run, row)})."
            )
            yield Cause(row.service_ns, text)


def _other(run: Evidence) -> Iterator[Cause]:
    """Computing, and waiting for the fetches of others."""
    computing, cache = run.of(COMPUTING), run.of("ssu.cache")
    yield Cause(computing, f"{run.share(computing)} the clients compute.")
    text = f"{run.share(cache)} a client waits for a unit that another one is already fetching."
    yield Cause(cache, text)


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


def _without_going_back(run: Evidence) -> str:
    """Say how to write so that no record length is written twice."""
    policies = {phase.policy for phase in run.phases("write")}
    if "nwt-predicted" in policies:
        return "Try records of one length, which are predicted right"
    return "Try --policy nwt-predicted"


def _on_the_way(run: Evidence) -> str:
    """Say how busy the way to the disk was."""
    busy = run.result.parts
    paths = busy["frontend.paths"].busy_ns if "frontend.paths" in busy else 0
    volumes = -paths
    for name, part in busy.items():
        volumes += part.busy_ns if run.kinds.kind(name) in run.kinds.storage else 0
    return f"I/O paths were busy for {format_time(paths)}, disks for {format_time(volumes)}"


def _behind(run: Evidence) -> str:
    """Say how much of the storage time is queueing."""
    wait_ns = sum(run.spent[kind].wait_ns for kind in run.kinds.storage if kind in run.spent)
    share = percent(wait_ns, run.storage_ns())
    return f"; {share} of this behind other requests" if wait_ns else ""


def _rate_of(run: Evidence, row: Spent) -> str:
    channels = run.plan.machine.channels
    if channels is not None and row.kind in ("ssu.read", "ssu.write"):
        spec = channels.read if row.kind == "ssu.read" else channels.write
        return f", {format_rate(spec.rate)} each"
    return ""


def _own_name(run: Evidence, number: int) -> str:
    """Give the name that a file has in the workload."""
    name = run.plan.files[number].name
    owners = [job.name for job in run.plan.jobs if name.startswith(f"{job.name}/")]
    return name.removeprefix(f"{max(owners, key=len)}/") if owners else name
