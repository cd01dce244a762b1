"""Oracles of finite capacity: windows, caches and threads against queues with blocking.

The numbers O6 and O7 are those of the project's list of oracles: M/M/1/K and Erlang's loss.
Machines never drop requests; a request without room waits, and blocks its successors. A memoryless
source that is blocked pauses for the share of time, and thus of requests, that a continuing one
would lose.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from . import laws_fixed, laws_systems
from .chains import Law
from .oracle_rows import MS, LawOf, OracleRow, Times, law_row, mean_row
from .oracle_runs import Bench, Script, calls_of, plan_of, scripted
from .oracles import VARY, cycles
from .theory import erlang_b

# -- windows: so many requests of a call are out at once -------------------------------------------

WINDOW = """
nodes: {{client: 1}}
parts: {{source: {{kind: queue, overhead: {gap} ns, {vary}}},
         station: {{kind: queue, servers: {servers}, overhead: {time} ns{noise}}}}}
filesystems: {{fs: [{{request: 1 kB, window: {window}}}, [source], [station]]}}
"""
WRITE = """
files: {{f: {{size: {size} kB}}}}
jobs: [{{name: client, record: {size} kB, phases: [{{do: write, file: f}}]}}]
"""


def paused(bench: Bench, machine: str, count: int) -> float:
    """Return the share of time in which the source of one large write is blocked.

    The write has ``count`` blocks or requests. ``elapsed_ns`` ends with the last one accepted.
    """
    result = bench.run(machine, WRITE.format(size=count))
    (source,) = (part for part in result.parts.values() if part.part == "source")
    return 1 - source.busy_ns / result.elapsed_ns


def paused_law(gap: float, room: int, servers: int = 1) -> LawOf:
    """Return the law of that share, in gaps of the source; services take 1 on average.

    Services are exponential.
    """
    return lambda off: laws_systems.pause_share(gap, off, room, servers)


def fixed_paused_law(gap: float, room: int) -> LawOf:
    """Return the law of that share for services of 1, with a server for each request.

    The mean is that of any services (Erlang B; Sevastyanov, 1957).
    """
    variance = laws_fixed.fixed_pause_share(gap, room).variance
    return lambda off: Law(erlang_b(room, off / gap), variance)


def paused_row(id_: str, name: str, law_of: LawOf, simulated: float, count: int) -> OracleRow:
    """Return a row for it: a run lasts for the gaps of sent and lost requests."""
    gaps = round(count / (1 - law_of(1.0).mean))
    return law_row(id_, f"{name}: share lost", law_of, simulated, gaps)


def window(bench: Bench, count: int, room: int, gap_ms: float, servers: int, noise: str) -> float:
    """Return the share of time with ``room`` requests of a call outstanding."""
    machine = WINDOW.format(
        gap=round(gap_ms * MS),
        time=bench.ns(MS),
        servers=servers,
        window=room,
        vary=VARY,
        noise=noise,
    )
    return paused(bench, machine, count)


def windows(bench: Bench) -> Iterator[OracleRow]:
    """M/M/1/5 loses arrivals that find five, M/G/c/c those that find all servers busy."""
    count = bench.count(2_000_000)
    for load in (0.8, 1.0):
        simulated = window(bench, count, 5, 1 / load, 1, f", {VARY}")
        name = f"M/M/1/5 as a window of 5 requests, load {load:g}"
        yield paused_row("O6", name, paused_law(1 / load, 5), simulated, count)
    for kind, servers, offered in (("M", 4, 3.0), ("D", 4, 3.0), ("M", 20, 16.0)):
        fixed = kind == "D"
        noise = "" if fixed else f", {VARY}"
        simulated = window(bench, count, servers, 1 / offered, servers, noise)
        name = f"M/{kind}/{servers}/{servers} as a window of requests, {offered:g} erlang"
        law_of = paused_law(1 / offered, servers, servers)
        if fixed:
            law_of = fixed_paused_law(1 / offered, servers)
        yield paused_row("O7", name, law_of, simulated, count)


# -- write-behind caches: so many blocks may be dirty ----------------------------------------------

BEHIND = """
nodes: {{client: 1}}
parts: {{source: {{kind: queue, overhead: {gap} ns, {vary}}},
         disk: {{kind: queue, servers: {writers}, overhead: {time} ns, {vary}}}}}
stores:
  cache: {{at: client, capacity: {capacity} kB, block: 1 kB, extent: 1 kB, dirty: {dirty} %,
           start: [eager], writers: {writers}}}
filesystems: {{fs: [{way}, cache, [disk]]}}
"""


def behind(bench: Bench, count: int, room: int, gap_ms: float, writers: int, way: str) -> float:
    """Return the share of time in which a cache has no room for another dirty block."""
    machine = BEHIND.format(
        gap=round(gap_ms * MS),
        time=bench.ns(MS),
        vary=VARY,
        writers=writers,
        capacity=20 * room,
        dirty=5,
        way=way,
    )
    return paused(bench, machine, count)


def write_behind_room(bench: Bench) -> Iterator[OracleRow]:
    """A dirty limit is the capacity of a queue: M/M/1/K and M/M/c/c.

    A written block reserves its room before it arrives. Where requests are cut between the source
    and the cache, the source completes one more, which waits outside: M/M/1/K+1.
    """
    count = bench.count(2_000_000)
    for load in (0.8, 1.0):
        simulated = behind(bench, count, 5, 1 / load, 1, "[source]")
        name = f"M/M/1/5 as a dirty limit of 5 blocks, load {load:g}"
        yield paused_row("O6", name, paused_law(1 / load, 5), simulated, count)
    simulated = behind(bench, count, 5, 1.0, 1, "{request: 1 kB}, [source], {request: 1 kB}")
    name = "M/M/1/6 as a dirty limit of 5 blocks and one outside, load 1"
    yield paused_row("O6", name, paused_law(1.0, 6), simulated, count)
    simulated = behind(bench, count, 4, 1 / 3, 4, "[source]")
    name = "M/M/4/4 as a dirty limit of 4 blocks and 4 writers, 3 erlang"
    yield paused_row("O7", name, paused_law(1 / 3, 4, 4), simulated, count)


TIERS = """
nodes: {{client: 1}}
parts: {{memory: {{kind: queue, overhead: 1 ms, {vary}}},
         link: {{kind: queue, overhead: {link} ns, {vary}}},
         disk: {{kind: queue, overhead: {disk} ns, {vary}}}}}
stores:
  near: {{at: client, capacity: 60 kB, block: 1 kB, extent: 1 kB, dirty: 5 %, start: [eager]}}
  far: {{at: client, capacity: 40 kB, block: 1 kB, extent: 1 kB, dirty: 5 %, start: [eager]}}
filesystems: {{fs: [[memory], near, [link], far, [disk]]}}
"""


def gaps_between(bench: Bench, machine: str, count: int) -> Times:
    """Return the times between two ends of calls that write a file block by block."""
    plan = plan_of(machine, WRITE.format(size=count))
    result = bench.carry_out(scripted(plan, [Script("write", 0, 1000 * np.arange(count), 1000)]))
    return np.diff(calls_of(result, "write").end)


def two_buffers(bench: Bench) -> Iterator[OracleRow]:
    """Three stages with room for 3 blocks and for 2 between them."""
    machine = TIERS.format(link=bench.ns(1.1 * MS), disk=bench.ns(0.9 * MS), vary=VARY)
    times = gaps_between(bench, machine, bench.count(500_000))

    def between(off: float) -> Law:
        return laws_systems.two_buffers_gap((1.0, 1.1 * off, 0.9 * off), (3, 2))

    name = "two write-behind caches in a row, 3 and 2 dirty blocks: ms per block"
    yield mean_row("O6", name, between, times, MS)


# -- threads: so many requests are served at once --------------------------------------------------


def threads(bench: Bench) -> Iterator[OracleRow]:
    """Eight clients and three threads, each of which is held through two stages."""
    clients, pool, think, demands = 8, 3, 10.0, (2.0, 3.0)
    parts = (
        f"think: {{kind: delay, overhead: 10 ms, {VARY}}}, threads: {{kind: pool, servers: {pool}}}"
    )
    for name, demand in zip(("first", "second"), demands, strict=True):
        parts += f", {name}: {{kind: queue, overhead: {bench.ns(demand * MS)} ns, {VARY}}}"
    way = "{hold: threads}, [first], [second]"
    count = bench.count(800_000) // clients
    _, visits = cycles(bench, parts, "[think]", way, clients, count)

    def response(off: float) -> Law:
        means = (demands[0] * off, demands[1] * off)
        chain = laws_systems.admitted(think, means, pool, clients)
        return chain.ratio(lambda state: float(state[0]), "out")

    name = "8 clients, 3 threads kept through two stages: response, ms"
    yield mean_row("O6", name, response, visits.elapsed, MS)
