"""The figures of a run that explanations rest on, and the phrases that quote them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.where import Kinds, Spent, masters, spent_by
from simulator.units import format_rate, format_time
from simulator.wording import percent

if TYPE_CHECKING:
    from simulator.engine.plan import PhasePlan, Plan
    from simulator.engine.result import Result

_SAMPLE = 1000
"""Records whose lengths are looked at for a mean, if there are more."""


class Evidence:
    """What the clients of a run spent their time on, and what else it takes to say why."""

    def __init__(self, result: Result, plan: Plan) -> None:
        self.result = result
        self.plan = plan
        self.cache = result.cache
        self.clients = masters(result, plan)
        self.kinds = Kinds(plan)
        self.spent = {row.kind: row for row in spent_by(self.clients, self.kinds)}
        self.total_ns = sum(client.elapsed_ns for client in self.clients)

    @property
    def traced(self) -> bool:
        """Whether the calls are those of a trace, and no runtime of ours made them."""
        return self.plan.calls is not None

    # -- figures --------------------------------------------------------------------------

    def of(self, *kinds: str) -> int:
        """Time spent at parts of these kinds, waiting and service."""
        return sum(self.spent[kind].total_ns for kind in kinds if kind in self.spent)

    def phases(self, *works: str) -> list[PhasePlan]:
        """The phases of all jobs that do this."""
        return [phase for job in self.plan.jobs for phase in job.phases if phase.work in works]

    def policies(self) -> set[str]:
        """The Fortran runtimes in use."""
        return {phase.policy for phase in self.phases("read", "write")}

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

    def statements_ns(self) -> int:
        """Time for READ and WRITE statements."""
        return sum(
            job.repeat * phase.lengths.count * self.plan.machine.pe.record_overhead_ns
            for job in self.plan.jobs
            for phase in job.phases
            if phase.lengths is not None
        )

    def turns_ns(self) -> int:
        """Time for calls that turn a buffer over, about: as many as buffers fill, or records."""
        pe = self.plan.machine.pe
        calls = 0
        for job in self.plan.jobs:
            for phase in job.phases:
                if phase.lengths is not None:
                    records = job.repeat * phase.lengths.count
                    full = records * _mean_length(phase) // phase.buffer
                    calls += records if phase.policy in {"flang", "posix"} else full
        return calls * (pe.turn_overhead_ns + pe.call_overhead_ns)

    # -- phrases --------------------------------------------------------------------------

    def share(self, time_ns: int) -> str:
        """A share of the clients' time."""
        return f"{percent(time_ns, self.total_ns)} of the time"

    def way_to_disk(self) -> str:
        """How busy the way to the disk was."""
        busy = self.result.parts
        paths = busy["frontend.paths"].busy_ns if "frontend.paths" in busy else 0
        both = sum(
            part.busy_ns
            for name, part in busy.items()
            if self.kinds.kind(name) in self.kinds.storage
        )
        return (
            f"I/O paths were busy for {format_time(paths)}, disks for {format_time(both - paths)}"
        )

    def queueing(self) -> str:
        """How much of the storage time is queueing; nothing if none is."""
        wait_ns = sum(self.spent[kind].wait_ns for kind in self.kinds.storage & self.spent.keys())
        share = percent(wait_ns, self.storage_ns())
        return f"; {share} of this behind other requests" if wait_ns else ""

    def rate_of(self, row: Spent) -> str:
        """The rate of the SSU's channels, if it is these."""
        channels = self.plan.machine.channels
        if channels is None or row.kind not in ("ssu.read", "ssu.write"):
            return ""
        spec = channels.read if row.kind == "ssu.read" else channels.write
        return f", {format_rate(spec.rate)} each"

    def own_name(self, number: int) -> str:
        """The name that a file has in its workload."""
        name = self.plan.files[number].name
        owners = [job.name for job in self.plan.jobs if name.startswith(f"{job.name}/")]
        return name.removeprefix(f"{max(owners, key=len)}/") if owners else name

    def way_around(self) -> str:
        """How to write so that no record length is written twice."""
        if self.traced:
            return "Try a buffer that holds whole records (--buffer SIZE)"
        if "nwt-predicted" in self.policies():
            return "Try records of one length, which are predicted correctly"
        return "Try --policy nwt-predicted"


def _mean_length(phase: PhasePlan) -> int:
    """Mean length of a phase's records, from a sample if there are many."""
    lengths = phase.lengths
    if lengths is None or not lengths.count:
        return 0
    step = -(-lengths.count // _SAMPLE)
    sample = [lengths.length(number) for number in range(0, lengths.count, step)]
    return sum(sample) // len(sample)
