"""The runs of the SR8000 study, each made on first use and cached."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from simulator.config.formats import MACHINE as MACHINES
from simulator.run import load, load_plan, run_plan
from simulator.study.change import NOTHING, Change
from simulator.study.work import Work

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.plan.plan import Plan
    from simulator.result.result import PartResult, Result
    from simulator.run import EngineName

MACHINE = "sr8000"
PROCESSES = (2, 4, 8)
MOST = 8
INTERFACES = ("ut", "fv", "col")
OPERATIONS = ("read", "write")
GAPS = tuple(16 << k for k in range(9))
"""Gaps of data sieving, in KiB: 16 KiB to 4 MiB."""
SIEVED = 2048
"""Number of pieces of 16 KiB that data sieving reads."""

COUNT = "workload.jobs.0.processes"
PHASES = "workload.jobs.0.phases"
METHOD = f"{PHASES}.0.method"
SIZE = "workload.files.array.size"
LAYOUT = "workload.files.array.layout"
PREFETCH = "machine.buffer_caches.buffers.prefetch"
CACHE = "machine.buffer_caches.buffers.capacity"
COMPUTED = 4
"""Computing time of the job of sr8000-nonblocking; s."""
Setting = tuple[str, str]


@dataclass(frozen=True, slots=True)
class IoRun:
    """A finished run, and the quantities that the study uses."""

    plan: Plan
    result: Result

    @property
    def engine(self) -> str:
        """The engine of the run."""
        return self.result.engine

    @property
    def elapsed_ns(self) -> int:
        """Time until the last process ended."""
        return self.result.elapsed_ns

    @property
    def bytes(self) -> int:
        """Bytes that the processes read and wrote."""
        return sum(one.read.bytes + one.write.bytes for one in self.result.processes)

    @property
    def rate(self) -> float:
        """Bytes per second of all processes together."""
        return self.bytes / self.elapsed_ns * 1e9

    @property
    def sent(self) -> int:
        """Bytes between nodes, headers included."""
        return sum(one.bytes for one in self._ports())

    @property
    def messages(self) -> int:
        """Messages between nodes."""
        return sum(one.requests for one in self._ports())

    @property
    def calls(self) -> int:
        """Calls of the file system."""
        assert self.plan.asked is not None
        return self.plan.asked.work.calls + self.plan.asked.work.server_calls

    @property
    def copied(self) -> int:
        """Bytes copied by libraries and servers in addition to I/O nodes."""
        assert self.plan.asked is not None
        return self.plan.asked.work.copied

    @property
    def memory(self) -> int:
        """Bytes of buffers."""
        assert self.plan.asked is not None
        return sum(self.plan.asked.work.memory.values())

    def total(self, name: str) -> int:
        """Return the sum of a counter over all buffer caches."""
        return sum(one.counts[name] for one in self.result.stores.values())

    def spent_ns(self, column: str) -> int:
        """Return the time of all processes in an account category, waiting and service."""
        return sum(sum(one.spent.get(column, (0, 0))) for one in self.result.processes)

    def _ports(self) -> list[PartResult]:
        return [one for one in self.result.parts.values() if one.part == "crossbar.out"]


class Sr8000Runs:
    """All runs of one study."""

    def __init__(
        self, engine: EngineName, seed: int, work: Work | None = None, change: Change = NOTHING
    ) -> None:
        self.engine = engine
        self.engine_used = ""
        self.change = change
        self.seed = seed
        self.work = work or Work(1)
        self._made: dict[tuple[str, tuple[Setting, ...]], IoRun] = {}

    @cached_property
    def machine(self) -> Machine:
        """The machine of the study."""
        return load(MACHINES, MACHINE, self.change.of_machine)

    def plan(self, workload: str, *settings: Setting) -> Plan:
        """Return the plan of a shipped workload with settings."""
        name = self.change.job(workload)
        return self.change.made(
            lambda given: load_plan(MACHINE, f"sr8000-{name}", settings=given, seed=self.seed),
            settings,
        )

    def run(self, workload: str, *settings: Setting) -> IoRun:
        """Return its run."""
        key = (workload, settings)
        if key not in self._made:
            plan = self.plan(workload, *settings)
            self._made[key] = IoRun(plan, run_plan(plan, engine=self.engine))
            self.engine_used = self._made[key].engine
            self.work.add()
        return self._made[key]

    def case(self, operation: str, interface: str, processes: int, *settings: Setting) -> IoRun:
        """Return one of the paper's 18 cases, or a modified one."""
        count = (COUNT, str(processes))
        return self.run(f"{operation}-{interface}", count, *settings)

    def rate(self, operation: str, interface: str, processes: int, *settings: Setting) -> float:
        """Return its throughput in bytes per second."""
        return self.case(operation, interface, processes, *settings).rate

    def ratio(
        self, operation: str, interface: str, other: str, processes: int = MOST, *settings: Setting
    ) -> float:
        """Return the speedup of one interface over another."""
        rate = self.rate(operation, interface, processes, *settings)
        return rate / self.rate(operation, other, processes, *settings)

    def growth(self, operation: str, interface: str, few: int, *settings: Setting) -> float:
        """Return the speedup of 8 processes over ``few``."""
        many = self.rate(operation, interface, MOST, *settings)
        return many / self.rate(operation, interface, few, *settings)

    def sieved(self, gap_KiB: int, method: str) -> IoRun:
        """Return a run of one process that reads pieces with gaps between them."""
        stride = 16 + gap_KiB
        return self.run(
            "read-fv",
            (COUNT, "1"),
            (SIZE, f"{SIEVED * stride - gap_KiB} KiB"),
            ("workload.jobs.0.phases.0.size", f"{SIEVED * 16} KiB"),
            ("workload.jobs.0.phases.0.stride", f"{stride} KiB"),
            (METHOD, method),
        )

    def break_even_KiB(self, method: str) -> float:
        """Return the gap from which sieving is slower than ``method``; infinite if it never is.

        It is interpolated linearly in the logarithms of gap and time.
        """
        import math

        before: tuple[float, float] | None = None
        for gap in GAPS:
            lag = math.log(self.sieved(gap, "sieving").elapsed_ns)
            lag -= math.log(self.sieved(gap, method).elapsed_ns)
            if lag > 0:
                if before is None:
                    return float(gap)
                at, lead = before
                share = lead / (lead - lag)
                return math.exp(math.log(at) + share * (math.log(gap) - math.log(at)))
            before = (float(gap), lag)
        return math.inf

    def striped(self, workload: str, stripe: str) -> IoRun:
        """Return a run of 8 processes with another stripe on 8 sub-files."""
        return self.run(workload, (LAYOUT, f"[{{stripe: {stripe}, over: 8}}]"))

    @property
    def streaming(self) -> float:
        """Return the streaming rate of all RAID units in bytes per second."""
        parts = self.plan("read-fv").parts
        return sum(float(one.spec.rate) * one.count for one in parts if one.kind == "raid")

    def two_files(self, *, waits: bool, computed_s: float = COMPUTED) -> int:
        """Return the time in ns of a job that reads two files and computes.

        ``waits``: calls are blocking, so that the job does one after the other.
        """
        computing = f"{{do: compute, time: {computed_s} s}}"
        if not waits:
            return self.run("nonblocking", (f"{PHASES}.2.time", f"{computed_s} s")).elapsed_ns
        reads = [
            f"{{do: mpi-read, file: {one}, block: 16 KiB, access: view}}"
            for one in ("first", "second")
        ]
        return self.run("nonblocking", (PHASES, f"[{', '.join([*reads, computing])}]")).elapsed_ns
