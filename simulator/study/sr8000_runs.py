"""The runs of the SR8000 study: each made when it is first asked for, and kept."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from simulator.config.load import load_file
from simulator.config.parallel import PARALLEL, ParallelIo
from simulator.parallel import load_io_plan, run_io_plan
from simulator.study.work import Work

if TYPE_CHECKING:
    from simulator.engine.ioplan import IoPlan
    from simulator.engine.ioresult import IoResult
    from simulator.run import EngineName

MACHINE = "sr8000"
PROCESSES = (2, 4, 8)
MOST = 8
INTERFACES = ("ut", "fv", "col")
OPERATIONS = ("read", "write")
GAPS = tuple(16 << k for k in range(9))
"""Of data sieving, in KiB: 16 KiB to 4 MiB."""


class Sr8000Runs:
    """All runs of one study."""

    def __init__(self, engine: EngineName, seed: int, work: Work | None = None) -> None:
        self.engine = engine
        self.seed = seed
        self.work = work or Work(1)
        self._made: dict[tuple[str, tuple[tuple[str, str], ...]], IoResult] = {}

    @cached_property
    def machine(self) -> ParallelIo:
        """The machine of the study."""
        return load_file(PARALLEL, MACHINE)

    def plan(self, workload: str, *settings: tuple[str, str]) -> IoPlan:
        """The plan of a shipped workload with settings."""
        return load_io_plan(MACHINE, f"sr8000-{workload}", settings=settings, seed=self.seed)

    def run(self, workload: str, *settings: tuple[str, str]) -> IoResult:
        """One run of it."""
        key = (workload, settings)
        if key not in self._made:
            self._made[key] = run_io_plan(self.plan(workload, *settings), engine=self.engine)
            self.work.add()
        return self._made[key]

    def case(
        self, operation: str, interface: str, processes: int, *settings: tuple[str, str]
    ) -> IoResult:
        """One of the paper's 18 cases, or a change of it."""
        count = ("workload.processes", str(processes))
        return self.run(f"{operation}-{interface}", count, *settings)

    def rate(
        self, operation: str, interface: str, processes: int, *settings: tuple[str, str]
    ) -> float:
        """Its throughput in bytes per second."""
        return self.case(operation, interface, processes, *settings).rate

    def ratio(self, operation: str, interface: str, other: str, processes: int = MOST) -> float:
        """How many times as fast one interface is as another."""
        rate = self.rate(operation, interface, processes)
        return rate / self.rate(operation, other, processes)

    def growth(self, operation: str, interface: str, few: int, *settings: tuple[str, str]) -> float:
        """How many times as fast 8 processes are as ``few``."""
        many = self.rate(operation, interface, MOST, *settings)
        return many / self.rate(operation, interface, few, *settings)

    def sieved(self, gap_KiB: int, method: str) -> IoResult:
        """One process that reads pieces with gaps between them."""
        return self.run(
            "read-fv",
            ("workload.processes", "1"),
            ("workload.array.size", "32 MiB"),
            ("workload.array.gap", f"{gap_KiB} KiB"),
            ("workload.method", method),
        )

    def break_even_KiB(self, method: str) -> float:
        """The gap from which sieving is slower than ``method``; infinite if it never is.

        Between two gaps by a straight line, in the logarithms of gap and time.
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

    def striped(self, workload: str, stripe: str) -> IoResult:
        """8 processes with another stripe on 8 sub-files."""
        return self.run(
            workload, ("workload.striping.block", stripe), ("workload.striping.subfiles", "8")
        )
