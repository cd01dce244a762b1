"""Oracles of queues and their networks: machines as texts against queueing theory.

The numbers O1, O2, ... are those of the project's list of oracles; caches, disks, servers and
messages are in the modules beside this one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simulator.study.oracle_rows import MB, MS, OracleRow, Times, mean_row, ratio_row
from simulator.study.oracle_runs import (
    Bench,
    Script,
    Series,
    arrivals_of,
    calls_of,
    exponential_services,
    plan_of,
)
from simulator.study.theory import (
    asymptotic_bound,
    d_m_1_root,
    erlang_b,
    erlang_c,
    mean_values,
    mm1k_loss,
)
from simulator.wording import counted

VARY = "noise: {distribution: exponential}"
OUT = 300
"""Processes that serve open arrivals: more than are ever out at one time."""

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


def open_waits(
    bench: Bench, count: int, every_ms: float, *, part: str = "", kind: str = "poisson"
) -> Times:
    """Return the wait of each request at a queue of 1 ms, exponential unless ``part`` says else."""
    machine = OPEN.format(part=part or f"{{kind: queue, overhead: 1 ms, {VARY}}}", way="[station]")
    jobs = workload(arriving("client", round(every_ms * MS), kind=kind))
    plan = arrivals_of(plan_of(machine, jobs), bench.count(count))
    sojourns = calls_of(bench.carry_out(plan), "write").elapsed
    if plan.parts[-1].noise.exponential:
        return sojourns - exponential_services(plan, "station", MS, len(sojourns))
    return sojourns - MS


def single_queues(bench: Bench) -> Iterator[OracleRow]:
    """M/M/1, M/D/1 and D/M/1 at a load of 0.8."""
    count, load = 2_000_000, 0.8
    waits = open_waits(bench, count, 1 / load)
    yield mean_row("O1", "M/M/1, load 0.8: mean wait, ms", load / (1 - load), waits, MS)
    yield mean_row("O1", "M/M/1, load 0.8: share that does not wait", 1 - load, 1 * (waits == 0))
    waits = open_waits(bench, count, 1 / load, part="{kind: queue, overhead: 1 ms}")
    yield mean_row("O2", "M/D/1, load 0.8: mean wait, ms", load / (2 * (1 - load)), waits, MS)
    waits = open_waits(bench, count, 1 / load, kind="fixed")
    root = d_m_1_root(load)
    yield mean_row("O20", "D/M/1, load 0.8: mean wait, ms", root / (1 - root), waits, MS)


def many_servers(bench: Bench) -> Iterator[OracleRow]:
    """M/M/4 at a load of 0.8."""
    servers, offered = 4, 3.2
    part = f"{{kind: queue, servers: {servers}, overhead: 1 ms, {VARY}}}"
    waits = open_waits(bench, 3_000_000, 1 / offered, part=part)
    waiting = erlang_c(servers, offered)
    yield mean_row("O3", "M/M/4, load 0.8: share that waits", waiting, 1 * (waits > 0))
    yield mean_row("O3", "M/M/4, load 0.8: mean wait, ms", waiting / (servers - offered), waits, MS)


def shared_link(bench: Bench) -> Iterator[OracleRow]:
    """M/G/1 with processor sharing: a transfer takes on average its size over what is left."""
    load, count = 0.5, bench.count(400_000)
    machine = OPEN.format(part="{kind: shared, rate: 1 MB/s}", way="station")
    short = arriving("short", round(4 * MS / 0.9), size=1000)
    long = arriving("long", 40 * MS, size=11_000)
    plan = arrivals_of(plan_of(machine, workload(short, long)), count * 9 // 10, count // 10)
    calls = calls_of(bench.carry_out(plan), "write")
    times, is_long = calls.elapsed, calls.size > 1000
    yield mean_row("O5", "M/G/1, fair link: mean time, ms", 2 / (1 - load), times, MS)
    name = "M/G/1, fair link: mean of the short, ms"
    yield mean_row("O5", name, 1 / (1 - load), times[~is_long], MS)
    name = "M/G/1, fair link: mean of the long, ms"
    yield mean_row("O5", name, 11 / (1 - load), times[is_long], MS)


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
    repeat: {cycles}
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
    """Return the calls of closed clients at two file systems in turn, while all are there."""
    machine = TWO.format(parts=parts, first=first, second=second)
    result = bench.run(machine, CYCLE.format(clients=clients, cycles=count))
    least = min(one.ended_ns for one in result.processes)
    calls = calls_of(result, "write").by_end()
    calls = calls.where(calls.end <= least)
    return calls.where(calls.file == 0), calls.where(calls.file == 1)


def lost(bench: Bench, count: int, room: int, every_ms: float, station: str) -> tuple[Times, Times]:
    """Return pauses of a source, and the time between two of its requests.

    A source with exponential gaps that sends while fewer than ``room`` are in the system is a
    queue, and its requests go round between it and the system. It has no memory, so that its pauses
    are the share of time, and of requests, that an endless source would lose.
    """
    source = f"source: {{kind: queue, overhead: {round(every_ms * MS)} ns, {VARY}}}"
    parts = f"{source}, station: {station}"
    gone, _ = cycles(bench, parts, "[source]", "[station]", room, bench.count(count) // room)
    idle = np.maximum(0, gone.begin[1:] - gone.end[:-1])
    return idle, np.diff(gone.end)


def finite(bench: Bench) -> Iterator[OracleRow]:
    """M/M/1/5 loses what finds five in the system, M/G/4/4 what finds all servers busy."""
    queue = f"{{kind: queue, overhead: 1 ms, {VARY}}}"
    for load in (0.8, 1.0):
        name = f"M/M/1/5, load {load:g}: share lost"
        yield ratio_row("O6", name, mm1k_loss(load, 5), *lost(bench, 1_000_000, 5, 1 / load, queue))
    for kind, noise in (("M", f", {VARY}"), ("D", "")):
        servers = f"{{kind: queue, servers: 4, overhead: 1 ms{noise}}}"
        name = f"M/{kind}/4/4, 3 erlang: share lost"
        yield ratio_row("O7", name, erlang_b(4, 3), *lost(bench, 1_000_000, 4, 1 / 3, servers))


def closed_network(
    bench: Bench, demands: tuple[int, ...], clients: int, count: int, vary: str = f", {VARY}"
) -> tuple[Times, Times]:
    """Return ends of cycles and responses: clients think for 100 ms and visit queues, in ms."""
    parts = [f"think: {{kind: delay, overhead: 100 ms{vary}}}"]
    parts += [f"q{i}: {{kind: queue, overhead: {one} ms{vary}}}" for i, one in enumerate(demands)]
    way = ", ".join(f"[q{i}]" for i in range(len(demands)))
    _, visits = cycles(bench, ", ".join(parts), "[think]", way, clients, count)
    return visits.end, visits.elapsed


def closed(bench: Bench) -> Iterator[OracleRow]:
    """Closed networks and a finite source, by mean value analysis."""
    cases = (("O8", (5, 20), 4), ("O8", (5, 20), 8), ("O8", (5, 20), 16), ("O10", (50,), 4))
    for id_, demands, clients in cases:
        count = bench.count(200_000) // clients
        ends, responses = closed_network(bench, demands, clients, count)
        throughput, response = mean_values(demands, 100, clients)
        what = "finite source" if len(demands) == 1 else "closed network"
        # The inverse is the mean of something: a row for the time between two ends of cycles.
        name = f"{what}, {clients} clients: time of one cycle of any, ms"
        yield mean_row(id_, name, 1 / throughput, np.diff(ends, prepend=0), MS)
        name = f"{what}, {clients} clients: response, ms"
        yield mean_row(id_, name, response, responses, MS)


def bounds(bench: Bench) -> Iterator[OracleRow]:
    """The throughput of clients that think and visit two queues, over its asymptotic bounds."""
    over = {clients: throughput_over_bound(bench, clients) for clients in (1, 2, 4, 6, 8, 16)}
    for clients in (1, 16):
        name = f"closed network, {counted(clients, 'client')}: throughput over its bound"
        yield OracleRow("O9", name, 1.0, over[clients], 1e-9)
    name = "closed network, 1 to 16 clients: most that any throughput is over its bound"
    yield OracleRow("O9", name, 0.0, max(0.0, *(one - 1 for one in over.values())), 1e-9)


def throughput_over_bound(bench: Bench, clients: int) -> float:
    """Return it for fixed times, so that the bounds hold on every run."""
    count = 100
    ends, _ = closed_network(bench, (5, 20), clients, count, "")
    # Cycles of the first client: what is between two of its ends is a whole round of everybody.
    rate = clients * (count - 1) / float(ends[-1] - ends[0]) * MS
    return rate / asymptotic_bound((5, 20), 100, clients)


# -- networks -----------------------------------------------------------------------------------

DEALT = """
nodes: {{client: 1}}
parts: {{station: {{kind: queue, at: client, count: {pieces}, overhead: 1 ms, {vary}}}}}
filesystems: {{fs: [{{pieces: {pieces}, over: station}}, [station]]}}
"""


def networks(bench: Bench) -> Iterator[OracleRow]:
    """Queues in tandem, and requests that are dealt out and wait for the last piece."""
    part = f"{{kind: queue, overhead: 1 ms, {VARY}}}"
    part += f", other: {{kind: queue, overhead: 1250 us, {VARY}}}"
    machine = OPEN.format(part=part, way="[station], [other]")
    plan = plan_of(machine, workload(arriving("client", 2 * MS)))
    plan = arrivals_of(plan, bench.count(800_000))
    times = calls_of(bench.carry_out(plan), "write").elapsed
    expected = 1 / (1 - 0.5) + 1 / (0.8 - 0.5)
    yield mean_row("O11", "two stations in tandem: time in both, ms", expected, times, MS)
    jobs = """
files: {f: {size: 8 B, shared: true}}
jobs: [{name: client, record: 8 B, phases: [{do: write, file: f}]}]
"""
    script = Script("write", size=8, count=bench.count(60_000))
    result = bench.run(DEALT.format(pieces=8, vary=VARY), jobs, [script])
    expected = sum(1 / k for k in range(1, 9))
    times = calls_of(result, "write").elapsed
    yield mean_row("O12", "8 pieces at once: time of the last, ms", expected, times, MS)
    load = 0.8
    jobs = workload(arriving("client", round(MS / load), size=2))
    plan = plan_of(DEALT.format(pieces=2, vary=VARY), jobs)
    times = calls_of(bench.carry_out(arrivals_of(plan, bench.count(1_500_000))), "write").elapsed
    # Exact for two (Nelson and Tantawi).
    expected = (12 - load) / 8 / (1 - load)
    yield mean_row("O12", "2 parts at 2 queues, load 0.8: time of both, ms", expected, times, MS)


def pipeline(bench: Bench) -> Iterator[OracleRow]:
    """One write of 512 MB whose requests go through two stages, all at the same time."""
    chunks, size, rates = 64, 8 * MB, (421e6, 36e6)
    machine = """
nodes: {client: 1}
parts: {fast: {kind: queue, rate: 421 MB/s}, slow: {kind: queue, rate: 36 MB/s}}
filesystems: {fs: [{request: 8 MB, window: 64}, [fast], [slow]]}
"""
    jobs = """
files: {f: {size: 512 MB}}
jobs: [{name: client, record: 512 MB, phases: [{do: write, file: f}]}]
"""
    simulated = bench.run(machine, jobs).elapsed_ns / 1e9
    expected = sum(size / rate for rate in rates) + (chunks - 1) * size / min(rates)
    # Each of the 65 services on the way of the last chunk is rounded to a whole nanosecond.
    tolerance = (chunks + 1) * 0.5e-9
    yield OracleRow("O13", "pipeline of 64 chunks of 8 MB, s", expected, simulated, tolerance)
