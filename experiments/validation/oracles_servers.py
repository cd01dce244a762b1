"""Oracles of numerical servers: shared processors and links, loads, trials.

A time-shared processor is a queue with *processor sharing*: the mean time of a task depends on the
mean work alone, not on its distribution (insensitivity; Kelly, Reversibility and Stochastic
Networks, 1979, section 3.3). With several PEs the number of tasks has the law of M/M/c, and a
closed network of such parts has product form, so that exact mean value analysis holds for any
works. Machines with numerical servers run on the reference engine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from simulator.plan.codes import CALLS
from simulator.plan.jobs import Operations, PhasePlan
from simulator.plan.plan import Plan
from simulator.plan.services import CallerPlan, LibrarySpec
from simulator.result.numerical import NumericalResult

from . import laws, laws_fixed, laws_systems
from .chains import Law
from .oracle_rows import MS, OracleRow, Times, exact_row, mean_row
from .oracle_runs import Bench, Script, arrivals_of, plan_of
from .oracles import VARY, closed_rows, shared_rows

SECOND = 1_000_000_000
MACHINE = """
nodes: {{client: 1, server: 1}}
parts: {{think: {{kind: delay, overhead: 100 ms, {vary}}},
         pes: {{kind: timeshare, at: server, pes: {pes}}}, net: {{kind: link, rate: {rate}}}}}
filesystems: {{think: [[think]]}}
sites: {{here: {{network: net}}}}
services:
  server: {{kind: numerical-server, at: server, conversion: 1000 PB/s, accept: 0 s, start: 0 s,
           site: here, at_once: {at_once}, libraries: {{lib: {{problem: ep, speed: 1 Gop/s}}}}}}
  clients: {{kind: numerical-client, at: client, site: here, conversion: 1000 PB/s}}
"""
SOLVE = "{do: solve, problem: ep, n: 20, server: server}"


def machine(pes: int = 1, *, rate: str = "1000 PB/s", at_once: int = 0) -> str:
    """Return clients and a server that accepts calls and converts their data in zero time."""
    return MACHINE.format(pes=pes, rate=rate, at_once=at_once, vary=VARY)


def carried_out(bench: Bench, plan: Plan) -> NumericalResult:
    """Run a plan and return the result of its numerical servers."""
    result = bench.carry_out(plan).numerical
    assert result is not None
    return result


def with_work(caller: CallerPlan, work_ns: int, size: int = 0, threads: int = 1) -> CallerPlan:
    """Return a caller whose calls compute for a time on each thread, and send ``size`` bytes."""
    library = LibrarySpec(rate=1e9, threads=threads)
    targets = tuple(replace(one, library=library) for one in caller.targets)
    fields = {"operations": work_ns, "length": 1, "bytes_in": size, "bytes_out": 0}
    return replace(caller, targets=targets, **fields)  # type: ignore[arg-type]


# -- open systems -------------------------------------------------------------------------------


def arriving_tasks(
    bench: Bench, pes: int, every_ms: Sequence[float], works: Sequence[float], count: int, out: int
) -> tuple[NumericalResult, Times]:
    """Return the server's counters for classes of arriving tasks, and the times of the tasks.

    ``every_ms`` is the mean time between two tasks of a class, ``works`` their PE time in ns;
    ``count`` tasks arrive in all.
    """
    job = "{{name: c{0}, arrivals: {{every: {1} ns, count: 1, out: {2}}}, phases: [{3}]}}"
    jobs = [job.format(i, round(one * MS), out, SOLVE) for i, one in enumerate(every_ms)]
    plan = plan_of(machine(pes), f"jobs: [{', '.join(jobs)}]\n")
    total = sum(1 / one for one in every_ms)
    plan = arrivals_of(plan, *(round(count / one / total) for one in every_ms))
    work_of = {f"c{i}": round(work) for i, work in enumerate(works)}
    callers = tuple(with_work(one, work_of[one.job]) for one in plan.services.callers)
    plan = replace(plan, services=replace(plan.services, callers=callers))
    result = carried_out(bench, plan)
    return result, np.array([call.compute_ns for call in result.calls])


def shared_pe(bench: Bench) -> Iterator[OracleRow]:
    """M/G/1 with processor sharing: E[T | x] = x / (1 - load)."""
    works, every = (1, 3), [8.0, 8.0]
    result, times = arriving_tasks(
        bench, 1, every, [bench.ns(one * MS) for one in works], bench.count(125_000), 100
    )
    long = np.array([call.job == "c1" for call in result.calls])
    yield from shared_rows("time-shared PE", times, long, works, (0.5, 0.5))


def exponential_classes(mean: float, classes: int = 20) -> list[float]:
    """Return the means of equally likely parts of an exponential distribution.

    >>> [round(one, 3) for one in exponential_classes(1.0, 2)]
    [0.307, 1.693]
    """
    edges = [-math.log1p(-i / classes) for i in range(classes)]
    tails = [(edge + 1) * math.exp(-edge) for edge in edges] + [0.0]
    return [mean * classes * (one - other) for one, other in pairwise(tails)]


def shared_pes(bench: Bench) -> Iterator[OracleRow]:
    """Four PEs: the mean time of M/M/4, for works of many lengths and for equal ones."""
    offered = 2.0
    many, alike = exponential_classes(MS), [float(MS)]
    for kind, works, count in (("M/G/4", many, 140_000), ("M/D/4", alike, 26_000)):
        every = [len(works) / offered] * len(works)
        made = [one * bench.off for one in works]
        _, times = arriving_tasks(bench, 4, every, made, bench.count(count), 200 // len(works) + 20)
        # For many lengths the variance is that of exponential works, an upper bound.
        law = laws_systems.m_m_c_time(4, offered)
        if kind == "M/D/4":
            law = laws_fixed.fixed_time(4, offered)

        def time(off: float, law: Law = law) -> Law:
            return law.moved(laws_systems.m_m_c_time(4, offered * off).mean * off)

        name = f"{kind}, 4 time-shared PEs: mean time, ms"
        yield mean_row("O5", name, time, times, MS)


def constant_load(bench: Bench, threads: int, looks: int) -> float:
    """Return the load average after a number of samples of a constant queue."""
    plan = plan_of(machine(threads), f"jobs: [{{name: one, phases: [{SOLVE}]}}]\n")
    (caller,) = plan.services.callers
    caller = with_work(caller, (5 * looks + 1) * SECOND, threads=threads)
    plan = replace(plan, services=replace(plan.services, callers=(caller,)))
    return carried_out(bench, plan).servers["server"].loads[looks - 1]


def loads(bench: Bench) -> Iterator[OracleRow]:
    """The load average: of a constant queue exactly, and in the mean equal to the run queue."""
    threads, looks = 50, 12

    def constant(off: float) -> float:
        return threads * off * (1 - math.exp(-looks * 5 / 60))

    name = f"load average, {threads} threads for 60 s"
    simulated = constant_load(bench, bench.room(threads), looks)
    # Its memory is a whole number of 2**-20.
    yield exact_row("O5", name, constant, simulated, threads * looks / 2**20, what="threads")
    count, offered, work = bench.count(290_000), 2.4, 2.0
    works = [one * bench.off for one in exponential_classes(work * SECOND)]
    every = [1000 * work * len(works) / offered] * len(works)
    result, _ = arriving_tasks(bench, 4, every, works, count, 30)
    # Once one class has ended, the load of the others is too low.
    last = {call.job: call.submitted_ns for call in result.calls}
    seen = np.array(result.servers["server"].loads[: min(last.values()) // (5 * SECOND)])

    # A load average moves queues from one look to the next ones, and keeps their sum.
    law = laws_systems.m_m_c_looks(4, offered, 5 / work)

    def queue(off: float) -> Law:
        return law.moved(laws_systems.m_m_c(4, offered * off).rate(float))

    yield mean_row("O5", "M/G/4, works of 2 s: mean load average", queue, seen)


# -- closed systems -----------------------------------------------------------------------------

CLIENTS = """
files: {{f: {{size: 1 B, shared: true, filesystem: think}}}}
jobs: [{{name: client, record: 1 B, processes: {clients}, per_node: {clients}, repeat: {repeat},
        phases: [{{do: write, file: f}}, {solve}]}}]
"""
ROUND = 100
"""Cycles after which the sequence of a client's works repeats."""


def closed_times(bench: Bench, clients: int, rounds: int) -> tuple[Times, Times]:
    """Return ends of cycles and responses of clients that think, send, and compute on one PE.

    Half of the works are 0.4 times the mean, the others 1.6 times; the same goes for sizes.
    """
    plan = plan_of(
        machine(1, rate="1 GB/s"), CLIENTS.format(clients=clients, repeat=1, solve=SOLVE)
    )
    short, long = 0.4, 1.6
    kinds = [(work, size) for work in (short, long) for size in (short, long)]
    base = plan.services.callers[0]
    callers = [with_work(base, bench.ns(5 * MS * w), bench.ns(20 * MS * s)) for w, s in kinds]
    table = Operations()
    think = Script("write").add_to(table)
    order = np.repeat(np.arange(4), ROUND // 4)
    processes = []
    for process in plan.processes:
        drawn = bench.generator().permutation(order).tolist()
        phases = [one for row in drawn for one in (think, PhasePlan(kind=CALLS, row=row))]
        processes.append(replace(process, phases=tuple(phases), repeat=rounds))
    services = replace(plan.services, callers=tuple(callers))
    plan = replace(plan, processes=tuple(processes), operations=table, services=services)
    calls = carried_out(bench, plan).calls
    return while_all_are_there([(call.process, call.ended_ns, call.elapsed_ns) for call in calls])


def while_all_are_there(rows: list[tuple[str, int, int]]) -> tuple[Times, Times]:
    """Return ends and times of calls, given with their processes, in the order of their ends.

    They end when the first client has completed its cycles, since the load then drops.
    """
    last = {process: end for process, end, _ in rows}
    least = min(last.values())
    ends, times = np.array(sorted((end, time) for _, end, time in rows if end <= least)).T
    return ends, times


def closed_calls(bench: Bench) -> Iterator[OracleRow]:
    """Think 100 ms, send 20 ms, compute 5 ms: exact MVA, for works that are not exponential."""
    for clients in (8, 16):
        rounds = max(1, bench.count(120_000) // clients // ROUND)
        ends, responses = closed_times(bench, clients, rounds)
        what = f"shared PE and link, {clients} clients"
        rows = list(closed_rows("O8", what, ends, responses, (5, 20), clients))
        yield from rows
        # Bounds that hold for any works (here: the time between two ends is not below either).
        cycle, bound = rows[0], max(20.0, (100 + 25) / clients)
        beyond = max(0.0, bound / cycle.simulated - 1)
        name = f"{what}: cycles beyond the asymptotic bound"
        yield OracleRow("O9", name, 0.0, beyond, cycle.tolerance / bound)


TRIALS = """
jobs: [{{name: client, processes: {clients}, per_node: {clients}, phases: [
  {{do: calls, problem: ep, n: 20, server: server, every: {every}, chance: {chance:.12f} %,
   continues: {goes_on}, duration: {every}}}]}}]
"""


def trial_calls(
    bench: Bench, machine: str, jobs: str, duration_ms: float, work_ns: int
) -> NumericalResult:
    """Return calls of 320 bytes that trials start for a time, and that compute for ``work_ns``."""
    plan = plan_of(machine, jobs)
    duration = round(duration_ms * MS)
    callers = tuple(
        replace(
            with_work(one, work_ns),
            bytes_in=one.bytes_in,
            bytes_out=one.bytes_out,
            duration_ns=duration,
        )
        for one in plan.services.callers
    )
    services = replace(plan.services, callers=callers, stock_ns=duration)
    return carried_out(bench, replace(plan, services=services))


def trying(every: str, chance: float, clients: int = 1) -> str:
    """Return a job whose trials start calls; those of one client continue during calls."""
    goes_on = str(clients == 1).lower()
    return TRIALS.format(clients=clients, every=every, chance=100 * chance, goes_on=goes_on)


def whole_calls(bench: Bench) -> Iterator[OracleRow]:
    """Eight clients with trials so frequent that the pauses are nearly exponential.

    Every millisecond, of which half is lost until the first one. Calls send in two pieces.
    """
    jobs = trying("1 ms", 1 / 100.5, clients=8)
    duration = bench.count(5_000) * 100
    link = machine(1, rate=bench.rate(16e3))
    result = trial_calls(bench, link, jobs, duration, bench.ns(5 * MS))
    rows = sorted((call.ended_ns, call.elapsed_ns) for call in result.calls)
    ends, times = np.array(rows).T
    yield from closed_rows("O8", "whole calls of 8 clients", ends, times, (5, 20), 8, fixed=True)


def trials(bench: Bench) -> Iterator[OracleRow]:
    """Trials every s with chance p: gaps s/p in the mean, s^2 (1 - p)/p^2 their variance."""
    count, share = bench.count(100_000), 0.5
    jobs = trying("3 s", share * bench.off)
    result = trial_calls(bench, machine(), jobs, count * 6000, 1)
    gaps = np.diff([call.submitted_ns for call in result.calls]) / SECOND
    name = "trials every 3 s, chance 1/2: mean gap, s"

    def gap(off: float) -> Law:
        return laws.geometric_gaps(3, share * off)

    def square(off: float) -> Law:
        return laws.geometric_squares(3, share * off, 6)

    yield mean_row("O19", name, gap, gaps, what="chance")
    yield mean_row("O19", "variance of the gaps, s^2", square, (gaps - 6) ** 2, what="chance")
    chance, slots = 0.2, 3
    count = bench.count(250_000)
    jobs, duration = trying("3 s", chance * bench.off), count * 3000 / chance
    result = trial_calls(bench, machine(at_once=1), jobs, duration, 3 * slots * SECOND)
    waits = np.array([call.computing_ns - call.received_ns for call in result.calls])

    law = laws.geo_d_1_wait(chance, slots).times(3)

    def wait(off: float) -> Law:
        return law.moved(3 * laws.geo_d_1_mean(chance * off, slots))

    name = "calls of 9 s one at a time: mean wait, s"
    yield mean_row("O19", name, wait, waits, SECOND, what="chance")


# -- links --------------------------------------------------------------------------------------

LINKS = """
nodes: {client: 3, near: 1, far: 1}
parts: {wide: {kind: link, rate: WIDE}, narrow: {kind: link, rate: NARROW},
        line: {kind: link, rate: 1000 PB/s}, pes: {kind: timeshare, at: [near, far]}}
sites: {near: {network: wide, line: line}, far: {network: narrow, line: line}}
filesystems: {}
services:
  near: {kind: numerical-server, at: near, site: near, conversion: 1000 PB/s, accept: 0 s,
         start: 0 s, libraries: {lib: {problem: ep, speed: 1 Gop/s}}}
  far: {kind: numerical-server, at: far, site: far, conversion: 1000 PB/s, accept: 0 s,
        start: 0 s, libraries: {lib: {problem: ep, speed: 1 Gop/s}}}
  clients: {kind: numerical-client, at: client, conversion: 1000 PB/s}
"""
THREE = """
jobs:
  - {name: A, phases: [{do: solve, problem: ep, n: 20, server: near}]}
  - {name: B, phases: [{do: solve, problem: ep, n: 20, server: far, site: near}]}
  - {name: C, phases: [{do: solve, problem: ep, n: 20, server: far}]}
"""


def links(bench: Bench) -> Iterator[OracleRow]:
    """A on a link of 10 MB/s, C on one of 4 MB/s, B on both; 40 MB each."""
    machine = LINKS.replace("WIDE", bench.rate(10e6)).replace("NARROW", bench.rate(4e6))
    plan = plan_of(machine, THREE)
    callers = tuple(with_work(one, 1, 40_000_000) for one in plan.services.callers)
    plan = replace(plan, services=replace(plan.services, callers=callers))
    ends = {call.job: call.received_ns for call in carried_out(bench, plan).calls}
    for name, expected in zip("ABC", (5, 20, 20), strict=True):

        def end(off: float, expected: float = expected) -> float:
            return expected * off

        what = f"max-min links: end of {name}, s"
        yield exact_row("O14", what, end, ends[name] / SECOND, 1e-9, what="rate")
