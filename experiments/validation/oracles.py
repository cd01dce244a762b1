"""Oracles of queues and their networks: machines as texts against queueing theory.

The numbers O1, O2, ... are those of the project's list of oracles; finite room, caches, disks,
servers and messages are in the modules beside this one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from simulator.plan.plan import Plan
from simulator.wording import counted

from . import laws, laws_fixed, laws_systems
from .chains import Law
from .oracle_rows import (
    MB,
    MS,
    LawOf,
    OracleRow,
    Times,
    exact_row,
    mean_row,
)
from .oracle_runs import (
    Bench,
    Script,
    Series,
    arrivals_of,
    calls_of,
    exponential_services,
    plan_of,
    scripted,
)
from .theory import asymptotic_bound

VARY = "noise: {distribution: exponential}"
OUT = 300
"""Processes that serve open arrivals: more than are ever busy at one time."""

OPEN = """
nodes: {{client: 1}}
parts: {{station: {part}}}
filesystems: {{fs: [{way}]}}
"""
ARRIVE = """
  - name: {name}
    record: {size} B
    arrivals: {{every: {every} ns, distribution: {kind}, count: 1, out: {out}}}
    phases: [{{do: write, file: {name}}}]
"""


# -- open systems -----------------------------------------------------------------------------


def arriving(
    name: str, every_ns: int, *, kind: str = "poisson", size: int = 1, out: int = OUT
) -> tuple[str, str]:
    """Return a file and a job of which each arrival writes the file once."""
    job = ARRIVE.format(name=name, size=size, every=every_ns, kind=kind, out=out)
    return f"{name}: {{size: {size} B, shared: true}}", job


def workload(*jobs: tuple[str, str]) -> str:
    """Return files and jobs as the text of a workload."""
    files, texts = zip(*jobs, strict=True)
    return f"files: {{{', '.join(files)}}}\njobs:\n{''.join(texts)}"


def arriving_plan(machine: str, jobs: str, *counts: int, sizes: tuple[int, ...] = (1,)) -> Plan:
    """Return a plan with a number of arrivals for each job, each of which makes one write."""
    plan = arrivals_of(plan_of(machine, jobs), *counts)
    writes = [Script("write", file=row, size=size) for row, size in enumerate(sizes)]
    return scripted(plan, [writes[process.arrivals] for process in plan.processes])


def open_waits(
    bench: Bench, count: int, every_ms: float, *, part: str = "", kind: str = "poisson"
) -> Times:
    """Return the wait of each request at a queue of 1 ms, exponential unless ``part`` differs."""
    service = bench.ns(MS)
    part = part or f"{{kind: queue, overhead: {service} ns, {VARY}}}"
    machine = OPEN.format(part=part, way="[station]")
    jobs = workload(arriving("client", round(every_ms * MS), kind=kind))
    plan = arriving_plan(machine, jobs, bench.count(count))
    sojourns = calls_of(bench.carry_out(plan), "write").elapsed
    if plan.parts[-1].noise.exponential:
        return sojourns - exponential_services(plan, "station", service, len(sojourns))
    return sojourns - service


def single_queues(bench: Bench) -> Iterator[OracleRow]:
    """M/M/1, M/D/1 and D/M/1 at a load of 0.8."""
    count, load = 2_000_000, 0.8

    def moments(off: float) -> list[float]:
        return laws.exponential_moments(off)

    waits = open_waits(bench, count, 1 / load)
    name = "M/M/1, load 0.8: mean wait, ms"
    yield mean_row("O1", name, lambda off: laws.m_g_1_wait(load, moments(off)), waits, MS)
    name = "M/M/1, load 0.8: mean square of the wait, ms^2"
    squares = (waits / MS) ** 2
    yield mean_row("O1", name, lambda off: laws.m_g_1_wait(load, moments(off), 2), squares)
    name = "M/M/1, load 0.8: share that does not wait"
    yield mean_row("O1", name, lambda off: laws.m_g_1_idle(load, moments(off)), 1 * (waits == 0))
    part = f"{{kind: queue, overhead: {bench.ns(MS)} ns}}"
    waits = open_waits(bench, count, 1 / load, part=part)
    name = "M/D/1, load 0.8: mean wait, ms"
    yield mean_row("O2", name, lambda off: laws.m_d_1_wait(load, off), waits, MS)
    waits = open_waits(bench, count, 1 / load, kind="fixed")
    name = "D/M/1, load 0.8: mean wait, ms"
    law = laws.d_m_1_wait(1 / load, 1.0)
    yield mean_row("O20", name, lambda off: law.moved(laws.d_m_1_mean(1 / load, off)), waits, MS)


def many_servers(bench: Bench) -> Iterator[OracleRow]:
    """M/M/4 at a load of 0.8."""
    servers, offered = 4, 3.2
    part = f"{{kind: queue, servers: {servers}, overhead: {bench.ns(MS)} ns, {VARY}}}"
    waits = open_waits(bench, 3_000_000, 1 / offered, part=part)
    name = "M/M/4, load 0.8: share that waits"
    yield mean_row(
        "O3", name, lambda off: laws_systems.m_m_c_waits(servers, offered * off), 1 * (waits > 0)
    )
    name = "M/M/4, load 0.8: mean wait, ms"

    def wait(off: float) -> Law:
        return laws_systems.m_m_c_wait(servers, offered * off).times(off)

    yield mean_row("O3", name, wait, waits, MS)


def shared_link(bench: Bench) -> Iterator[OracleRow]:
    """M/G/1 with processor sharing: the mean time of a transfer is its size over the spare rate."""
    count, sizes = bench.count(2_000_000), (1000, 11_000)
    machine = OPEN.format(part=f"{{kind: shared, rate: {bench.rate(1e6)}}}", way="station")
    short = arriving("short", round(4 * MS / 0.9), size=sizes[0], out=100)
    long = arriving("long", 40 * MS, size=sizes[1], out=100)
    jobs = workload(short, long)
    plan = arriving_plan(machine, jobs, count * 9 // 10, count // 10, sizes=sizes)
    calls = calls_of(bench.carry_out(plan), "write")
    yield from shared_rows("fair link", calls.elapsed, calls.size > sizes[0], (1, 11), (0.9, 0.1))


def shared_rows(
    what: str,
    times: Times,
    is_long: NDArray[np.bool_],
    works: tuple[int, int],
    chances: tuple[float, float],
) -> Iterator[OracleRow]:
    """Return rows for times of short and long works at a load of 0.5, in ms."""
    rate = 0.5 / (works[0] * chances[0] + works[1] * chances[1])

    rates = (rate * chances[0], rate * chances[1])

    def law_of(one: int | None) -> LawOf:
        law = laws_fixed.shared_time(rates, works, one)

        def longer(off: float) -> Law:
            return law.moved(laws_systems.shared_mean(rates, (works[0] * off, works[1] * off), one))

        return longer

    yield mean_row("O5", f"M/G/1, {what}: mean time, ms", law_of(None), times, MS)
    yield mean_row("O5", f"M/G/1, {what}: mean of the short, ms", law_of(0), times[~is_long], MS)
    yield mean_row("O5", f"M/G/1, {what}: mean of the long, ms", law_of(1), times[is_long], MS)


# -- closed systems -----------------------------------------------------------------------------

CYCLE = """
files:
  first: {{size: 1 B, shared: true, filesystem: first}}
  second: {{size: 1 B, shared: true, filesystem: second}}
jobs:
  - name: client
    processes: {clients}
    per_node: {clients}
    record: 1 B
    phases: [{{do: write, file: first}}, {{do: write, file: second}}]
"""
TWO = """
nodes: {{client: 1}}
parts: {{{parts}}}
filesystems: {{first: [{first}], second: [{second}]}}
"""


def cycles(
    bench: Bench, parts: str, first: str, second: str, clients: int, count: int
) -> tuple[Series, Series]:
    """Return the calls of closed clients at two file systems in turn, while all are active."""
    plan = plan_of(
        TWO.format(parts=parts, first=first, second=second), CYCLE.format(clients=clients)
    )
    script = Script("write", file=(0, 1), count=2)
    result = bench.carry_out(scripted(plan, [script] * clients, repeat=count))
    least = min(one.ended_ns for one in result.processes)
    calls = calls_of(result, "write").by_end()
    calls = calls.where(calls.end <= least)
    return calls.where(calls.file == 0), calls.where(calls.file == 1)


def closed_network(
    bench: Bench, demands: tuple[int, ...], clients: int, count: int, vary: str = f", {VARY}"
) -> tuple[Times, Times]:
    """Return ends of cycles and responses: clients think for 100 ms and visit queues, in ms."""
    parts = [f"think: {{kind: delay, overhead: 100 ms{vary}}}"]
    times = [bench.ns(one * MS) for one in demands]
    parts += [f"q{i}: {{kind: queue, overhead: {one} ns{vary}}}" for i, one in enumerate(times)]
    way = ", ".join(f"[q{i}]" for i in range(len(demands)))
    _, visits = cycles(bench, ", ".join(parts), "[think]", way, clients, count)
    return visits.end, visits.elapsed


def closed(bench: Bench) -> Iterator[OracleRow]:
    """Closed networks and a finite source, by mean value analysis."""
    cases = (("O8", (5, 20), 4), ("O8", (5, 20), 8), ("O8", (5, 20), 16), ("O10", (50,), 4))
    for id_, demands, clients in cases:
        count = bench.count(800_000) // clients
        ends, responses = closed_network(bench, demands, clients, count)
        what = "finite source" if len(demands) == 1 else "closed network"
        yield from closed_rows(id_, f"{what}, {clients} clients", ends, responses, demands, clients)


def closed_rows(
    id_: str,
    what: str,
    ends: Times,
    responses: Times,
    demands: tuple[float, ...],
    clients: int,
    *,
    fixed: bool = False,
) -> Iterator[OracleRow]:
    """Return rows for clients that think for 100 ms and visit queues.

    The means hold for any time-shared works (product form). Unless all visits to a queue need the
    same work (``fixed``) the variance is that of exponential works.
    """

    def slower(off: float) -> tuple[float, ...]:
        return tuple(one * off for one in demands)

    def cycle(off: float) -> Law:
        found = laws_systems.closed_cycle(slower(off), 100, clients)
        return (
            laws_fixed.fixed_closed(demands, 100, clients)[0].moved(found.mean) if fixed else found
        )

    def response(off: float) -> Law:
        found = laws_systems.closed_response(slower(off), 100, clients)
        return (
            laws_fixed.fixed_closed(demands, 100, clients)[1].moved(found.mean) if fixed else found
        )

    # The inverse of the throughput is the mean time between two ends.
    between = np.diff(ends, prepend=0)
    yield mean_row(id_, f"{what}: time of one cycle of any, ms", cycle, between, MS)
    yield mean_row(id_, f"{what}: response, ms", response, responses, MS)


def bounds(bench: Bench) -> Iterator[OracleRow]:
    """The throughput of clients that think and visit two queues, over its asymptotic bounds."""
    over = {clients: throughput_over_bound(bench, clients) for clients in (1, 2, 4, 6, 8, 16)}
    for clients in (1, 16):
        name = f"closed network, {counted(clients, 'client')}: throughput over its bound"

        def expected(off: float, clients: int = clients) -> float:
            return _bound(clients, off) / _bound(clients, 1.0)

        yield exact_row("O9", name, expected, over[clients], 1e-9)
    name = "closed network, 1 to 16 clients: most that any throughput is over its bound"
    yield OracleRow("O9", name, 0.0, max(0.0, *(one - 1 for one in over.values())), 1e-9)


def _bound(clients: int, off: float) -> float:
    return asymptotic_bound((5 * off, 20 * off), 100, clients)


def throughput_over_bound(bench: Bench, clients: int) -> float:
    """Return it for fixed times, so that the bounds hold on every run."""
    count = 100
    ends, _ = closed_network(bench, (5, 20), clients, count, "")
    # Cycles of the first client: between two of its ends all clients complete a cycle.
    rate = clients * (count - 1) / float(ends[-1] - ends[0]) * MS
    return rate / _bound(clients, 1.0)


# -- networks -----------------------------------------------------------------------------------

DEALT = """
nodes: {{client: 1}}
parts: {{station: {{kind: queue, at: client, count: {pieces}, overhead: {time} ns, {vary}}}}}
filesystems: {{fs: [{{pieces: {pieces}, over: station}}, [station]]}}
"""


def networks(bench: Bench) -> Iterator[OracleRow]:
    """Queues in tandem, and requests that are striped and wait for the last piece."""
    part = f"{{kind: queue, overhead: {bench.ns(MS)} ns, {VARY}}}"
    part += f", other: {{kind: queue, overhead: {bench.ns(1.25 * MS)} ns, {VARY}}}"
    machine = OPEN.format(part=part, way="[station], [other]")
    jobs = workload(arriving("client", 2 * MS))
    plan = arriving_plan(machine, jobs, bench.count(800_000))
    times = calls_of(bench.carry_out(plan), "write").elapsed
    name = "two stations in tandem: time in both, ms"
    tandem = laws_systems.tandem_time(0.5, (1.0, 1.25))

    def longer(off: float) -> Law:
        return tandem.moved(laws_systems.tandem_mean(0.5, (off, 1.25 * off)))

    yield mean_row("O11", name, longer, times, MS)
    jobs = """
files: {f: {size: 8 B, shared: true}}
jobs: [{name: client, record: 8 B, phases: [{do: write, file: f}]}]
"""
    script = Script("write", size=8, count=bench.count(200_000))
    machine = DEALT.format(pieces=8, vary=VARY, time=bench.ns(MS))
    times = calls_of(bench.run(machine, jobs, [script]), "write").elapsed
    name = "8 pieces at once: time of the last, ms"
    yield mean_row("O12", name, lambda off: laws.last_of(8, off), times, MS)
    load = 0.6
    machine = DEALT.format(pieces=2, vary=VARY, time=bench.ns(MS))
    jobs = workload(arriving("client", round(MS / load), size=2))
    plan = arriving_plan(machine, jobs, bench.count(800_000), sizes=(2,))
    times = calls_of(bench.carry_out(plan), "write").elapsed
    name = f"2 parts at 2 queues, load {load:g}: time of both, ms"
    both = laws_systems.both_time(load)

    def later(off: float) -> Law:
        return both.moved(laws_systems.both_mean(load * off) * off)

    yield mean_row("O12", name, later, times, MS)


def pipeline(bench: Bench) -> Iterator[OracleRow]:
    """One write of 512 MB whose requests pass two stages, all concurrently."""
    chunks, size, rates = 64, 8 * MB, (421e6, 36e6)
    machine = """
nodes: {{client: 1}}
parts: {{fast: {{kind: queue, rate: {}}}, slow: {{kind: queue, rate: {}}}}}
filesystems: {{fs: [{{request: 8 MB, window: 64}}, [fast], [slow]]}}
""".format(*(bench.rate(rate) for rate in rates))
    jobs = """
files: {f: {size: 512 MB}}
jobs: [{name: client, record: 512 MB, phases: [{do: write, file: f}]}]
"""

    def expected(off: float) -> float:
        return off * (sum(size / rate for rate in rates) + (chunks - 1) * size / min(rates))

    simulated = bench.run(machine, jobs).elapsed_ns / 1e9
    # Each of the 65 services on the way of the last chunk is rounded to a whole nanosecond.
    tolerance = (chunks + 1) * 0.5e-9
    name = "pipeline of 64 chunks of 8 MB, s"
    yield exact_row("O13", name, expected, simulated, tolerance, what="rate")
