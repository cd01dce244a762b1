"""Machines and jobs as texts, run for the oracles, and their calls as series.

A bench has the engine, and the fraction of the samples. Texts are those that a user would write.
For random think times or offsets, a script replaces a job's phases: the drawn operations, one after
the other.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.inputfile import Text
from simulator.mixing import TABLE_BITS
from simulator.plan.codes import LISTED, OPERATIONS
from simulator.plan.jobs import Operations, PhasePlan
from simulator.run import EngineName, load_plan, run_plan

from .oracle_rows import MS, Times

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.plan.plan import Plan
    from simulator.result.result import Result

SEED = 1998
CPU = "{kind: cpu, copy_rate: 1000 PB/s, call_overhead: 0 ns, record_overhead: 0 ns}"
"""A processor of zero cost."""


class Bench:
    """An engine, its fraction of the samples, and a stream of seeds for random draws.

    ``off`` introduces deliberate errors: the aspect of a row (service, room, ...) differs from that
    of theory by a factor.
    """

    def __init__(self, engine: EngineName, divisor: int = 1, off: float = 1.0) -> None:
        self.engine = engine
        self.divisor = divisor
        self.off = off
        self._seeds = np.random.SeedSequence(SEED)

    # -- what is drawn ------------------------------------------------------------------------

    def count(self, count: int) -> int:
        """Return the number of samples, scaled from ``count``."""
        return count // self.divisor

    def generator(self) -> np.random.Generator:
        """Return a generator of its own for each caller."""
        return np.random.default_rng(self._seeds.spawn(1)[0])

    def exponential(self, mean_ms: float, count: int) -> Times:
        """Draw ``count`` exponential times in ns, without scaling their number."""
        drawn = self.generator().exponential(mean_ms * MS, count)
        return np.rint(drawn).astype(np.int64)

    # -- what is broken ------------------------------------------------------------------------

    def ns(self, time_ns: float) -> int:
        """Return a time of the machine, in ns."""
        return round(time_ns * self.off)

    def rate(self, rate: float) -> str:
        """Return a rate of the machine as text: it is lower where times are longer."""
        return f"{rate / self.off:.6f} B/s"

    def room(self, count: int) -> int:
        """Return a capacity of the machine."""
        return round(count * self.off)

    # -- runs ---------------------------------------------------------------------------------

    def run(self, machine: str, jobs: str, scripts: Sequence[Script] = ()) -> Result:
        """Run a machine and its jobs; process i follows script i, where there are any."""
        plan = plan_of(machine, jobs)
        return self.carry_out(scripted(plan, scripts) if scripts else plan)

    def carry_out(self, plan: Plan) -> Result:
        """Run a plan, check all identities, and keep the calls."""
        return run_plan(plan, engine=self.engine, debug=True, record=True)


def plan_of(machine: str, jobs: str, seed: int | None = SEED) -> Plan:
    """Make a plan of a machine (with ``parts: {...}``) and jobs, both without headers.

    Without a seed only exponential services and arrivals are random.
    """
    machine = machine.replace("parts: {", f"parts: {{cpu: {CPU}, ", 1)
    kinds = ("machine/2", "workload/2")
    heads = [f"format: {kind}\nname: oracle\ntitle: oracle\n" for kind in kinds]
    texts = Text(heads[0] + machine, "machine"), Text(heads[1] + jobs, "jobs")
    return load_plan(*texts, seed=seed)


def arrivals_of(plan: Plan, *counts: int) -> Plan:
    """Set the number of arrivals of each job, possibly above the limit of files."""
    rows = zip(plan.arrivals, counts, strict=True)
    return replace(plan, arrivals=tuple(replace(row, count=count) for row, count in rows))


# -- scripts ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Script:
    """Operations of one process, a row each; columns of equal length, or one value for all."""

    kind: str | Sequence[str]
    """Names of the operations, in turn if there are several."""
    file: int | Sequence[int] = 0
    """Rows of the files in the plan, in turn."""
    offset: Times | int = 0
    size: Times | int = 1
    gap: Times | int = 0
    """Time of the process before each; ns."""
    count: int = 0
    """Number of rows; that of the longest column if 0."""

    def __len__(self) -> int:
        columns = (self.offset, self.size, self.gap)
        return self.count or max(np.size(column) for column in columns)

    def add_to(self, table: Operations) -> PhasePlan:
        """Append the rows to a table; return their phase."""
        first, count = len(table), len(self)
        kinds = [self.kind] if isinstance(self.kind, str) else self.kind
        files = [self.file] if isinstance(self.file, int) else self.file
        table.kind.frombytes(_column([OPERATIONS.index(kind) for kind in kinds], count, np.int8))
        table.file.frombytes(_column(files, count, np.int32))
        table.offset.frombytes(_column(self.offset, count))
        table.size.frombytes(_column(self.size, count))
        table.gap.frombytes(_column(self.gap, count))
        table.column.frombytes(_column(-1, count, np.int16))
        table.path.frombytes(_column(-1, count, np.int32))
        return PhasePlan(kind=LISTED, first=first, count=count)


def _column(
    values: Times | int | Sequence[int], count: int, kind: type[np.signedinteger] = np.int64
) -> bytes:
    return np.resize(np.asarray(values), count).astype(kind).tobytes()


def scripted(plan: Plan, scripts: Iterable[Script], repeat: int = 1) -> Plan:
    """Have process i follow script i instead of its phases, ``repeat`` times."""
    table = Operations()
    phases = [script.add_to(table) for script in scripts]
    processes = tuple(
        replace(process, phases=(phase,), repeat=repeat)
        for process, phase in zip(plan.processes, phases, strict=True)
    )
    return replace(plan, processes=processes, operations=table)


# -- what came out ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Series:
    """Calls in the order of their begins."""

    begin: Times
    end: Times
    size: Times
    file: Times

    @property
    def elapsed(self) -> Times:
        """Elapsed time of each."""
        return self.end - self.begin

    def where(self, chosen: NDArray[np.bool_]) -> Series:
        """Return some of them."""
        return Series(*(column[chosen] for column in (self.begin, self.end, self.size, self.file)))

    def by_end(self) -> Series:
        """Return them in the order of their ends."""
        order = np.argsort(self.end, kind="stable")
        columns = self.begin, self.end, self.size, self.file
        return Series(*(column[order] for column in columns))


def calls_of(result: Result, *kinds: str, process: int | None = None) -> Series:
    """Return the calls of some kinds: of all processes, or of one."""
    log = result.calls
    assert log is not None
    chosen = np.isin(_numbers(log.kind), [OPERATIONS.index(kind) for kind in kinds])
    if process is not None:
        rows = np.arange(len(chosen)) - log.first[process]
        chosen &= (rows >= 0) & (rows < log.count[process])
    columns = [_numbers(one)[chosen] for one in (log.begin, log.end, log.size, log.file)]
    order = np.argsort(columns[0], kind="stable")
    return Series(*(column[order] for column in columns))


def _numbers(column: array[int]) -> Times:
    return np.frombuffer(column, dtype=np.dtype(column.typecode)).astype(np.int64)


def exponential_services(plan: Plan, name: str, mean_ns: int, count: int) -> Times:
    """Return the service times of the first requests at a resource with exponential noise.

    They depend on the number of a request alone, and are known without a run.
    """
    (part,) = (one for one in plan.parts if one.name == name)
    noise = plan.noise(part, 0)
    table = np.array(noise.table, dtype=np.int64)
    with np.errstate(over="ignore"):
        bits = _mixed(np.uint64(noise.key), np.arange(1, count + 1, dtype=np.uint64))
    place = (bits >> np.uint64(64 - TABLE_BITS)).astype(np.int64)
    return (mean_ns * table[place]) >> 20


def _mixed(key: np.uint64, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return :func:`simulator.mixing.mix` of a key and many numbers."""
    z = key + numbers * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
