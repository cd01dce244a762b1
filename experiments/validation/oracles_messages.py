"""Oracles of the costs of message servers: polls, latency, and paging of concurrent programs.

The numbers O15 and O16 are those of the project's list of oracles. The time of one message on idle
nodes is exact to the nanosecond; it is listed with the polling server, O16. Machines with message
servers run on the reference engine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from simulator.plan.codes import COMPUTE
from simulator.plan.jobs import ChannelPlan, Operations, PhasePlan
from simulator.plan.plan import Plan
from simulator.result.result import Result

from . import laws
from .chains import Law
from .oracle_rows import MS, OracleRow, Times, exact_row, law_row, mean_row
from .oracle_runs import Bench, Script, calls_of, plan_of, scripted
from .theory import best_interval, polled_loop

WORK, POLL, INTERVAL = 250.0, 0.2, 10.0
"""Parameters of the list's polling server, in ms."""
US = 0.001
"""A microsecond, in ms."""

STATIONS = """
nodes: {{node: {nodes}}}
parts: {{processor: {{kind: processor, at: node, update: 1 us{memory}}},
         lan: {{kind: queue, {lan}}}}}
filesystems: {{none: [[lan]]}}
messages: [[lan]]
services:
  messages: {{kind: message-server, at: node, interval: {interval} ns, poll: {poll} ns,
             send: {send}, deliver: {deliver}, copy_rate: {copy}, header: 1 B}}
"""


def stations(
    nodes: int,
    interval_ms: float = INTERVAL,
    poll_ms: float = POLL,
    *,
    send: str = "0 s",
    deliver: str = "0 s",
    copy: str = "1000 PB/s",
    lan: str = "rate: 1000 PB/s",
    memory: str = "",
) -> str:
    """Return nodes with message servers that only poll, unless other costs are given."""
    return STATIONS.format(
        nodes=nodes,
        interval=round(interval_ms * MS),
        poll=round(poll_ms * MS),
        send=send,
        deliver=deliver,
        copy=copy,
        lan=lan,
        memory=memory,
    )


HEADER = 1
"""Bytes of a message besides its data, as few as possible."""
PAIR = """
jobs: [{name: pair, processes: 2, phases: [{do: message, to: 1, size: 1 B}]}]
"""
ALONE = """
jobs: [{{name: one, repeat: {count}, phases: [{{do: compute, time: {work} ms}}]}}]
"""


# -- polls --------------------------------------------------------------------------------------


def unfound_ns(bench: Bench, gaps: Times, interval_ms: float) -> Times:
    """Return the times until polls find messages that are sent after these gaps."""
    plan = plan_of(stations(2, interval_ms), PAIR)
    sender = Script("send", size=1, gap=gaps)
    result = bench.carry_out(scripted(plan, [sender, Script("receive", size=0, count=len(gaps))]))
    found = calls_of(result, "receive").end - calls_of(result, "send").end
    counts = result.services["messages1"].counts
    assert (counts["found"], counts["unfound_ns"]) == (len(gaps), found.sum())
    return found


def polling(bench: Bench) -> Iterator[OracleRow]:
    """Messages wait for half an interval, and work is stretched by polls."""
    every = INTERVAL * bench.off
    gaps = bench.generator().integers(0, 3 * round(every * MS), bench.count(60_000))
    found = unfound_ns(bench, gaps, every)
    name = "polls every 10 ms: mean wait of a message, ms"
    yield mean_row(
        "O16", name, lambda off: laws.uniform(0, INTERVAL * off), found, MS, what="interval"
    )
    works = bench.count(2_000)
    machine = stations(1, poll_ms=POLL * bench.off)
    jobs = ALONE.format(count=works, work=round(WORK))
    simulated = bench.carry_out(plan_of(machine, jobs, seed=None)).elapsed_ns / works / MS

    def longer(off: float) -> float:
        # Without a seed the first poll is at once: so many until the work is done.
        polls = math.ceil(works * WORK / (INTERVAL - POLL * off))
        return WORK + polls * POLL * off / works

    name = "250 ms of work beside polls, ms"
    yield exact_row("O16", name, longer, simulated, 1e-9, what="poll")


def loops_ns(bench: Bench, interval_ms: float, pauses: Times) -> Times:
    """Return times of loops of work and one detection, without the randomising pauses.

    Each loop has two pauses: one before the work, one before the process sends itself a message.
    """
    plan = plan_of(stations(1, interval_ms), ALONE.format(count=1, work=round(WORK)))
    table, phases = Operations(), []
    work = PhasePlan(kind=COMPUTE, compute_ns=bench.ns(WORK * MS))
    for before, between in pauses.reshape(-1, 2):
        phases.append(Script("pause", gap=before, size=0).add_to(table))
        phases.append(work)
        operations = Script(("send", "receive"), size=0, gap=np.array([between, 0]))
        phases.append(operations.add_to(table))
    result = bench.carry_out(to_itself(plan, table, phases))
    begun = calls_of(result, "pause").end
    return calls_of(result, "receive").end - begun - pauses.reshape(-1, 2)[:, 1]


def to_itself(plan: Plan, table: Operations, phases: Sequence[PhasePlan]) -> Plan:
    """Return a plan with one process, which may send messages to itself."""
    (process,) = plan.processes
    return replace(
        plan,
        processes=(replace(process, phases=tuple(phases)),),
        operations=table,
        channels=(ChannelPlan(source=0, target=0, service=0),),
    )


def shortest_loop(bench: Bench) -> Iterator[OracleRow]:
    """The curve over the interval, and the minimum of its simulated values."""
    intervals = np.array([4.0, 6.0, 8.0, 10.0, 13.0, 17.0, 23.0, 30.0])
    count = bench.count(18_000)
    curves = []
    for interval in intervals.tolist():
        pauses = bench.generator().integers(0, round(interval * MS), 2 * count)
        curves.append(loops_ns(bench, interval, pauses))
        if interval == INTERVAL:
            name = "loop of work and a detection, polls every 10 ms, ms"
            yield mean_row("O16", name, loop_law, curves[-1], MS, what="work")
    # The minimum lies in a flat valley: a curve of the known form, through all. The number of polls
    # is whole, so that loops differ from the curve; by how much is known.
    weights = 1 / np.sqrt([loop_law(1.0, one).variance / count for one in intervals.tolist()])
    shape = np.stack([np.ones_like(intervals), 1 / (intervals - POLL), intervals], axis=1)
    shape *= weights[:, None]
    means = np.array([one.mean() / MS for one in curves])
    means -= [beyond_curve(one) for one in intervals.tolist()]
    _, often, seldom = np.linalg.lstsq(shape, weights * means, rcond=None)[0]
    simulated = POLL + math.sqrt(often / seldom)
    # How the errors of the means, which are known, become one of the minimum: c + sqrt(W c / 0.5).
    root = best_interval(WORK, POLL) - POLL
    slopes = np.array([0.0, 1 / (2 * root * 0.5), -root / (2 * 0.5)])
    variance = float(slopes @ np.linalg.inv(shape.T @ shape) @ slopes)
    name = "interval of the shortest loop, ms"

    def best(off: float) -> Law:
        return Law(best_interval(WORK * off, POLL), variance)

    yield law_row("O16", name, best, simulated, 1, what="work")


def loop_law(off: float, interval: float = INTERVAL) -> Law:
    """Return the law of a loop of work and one detection, with polls of random phase."""
    work, detection = laws.polled_work(WORK * off, POLL, interval), laws.uniform(0, interval)
    return Law(work.mean + detection.mean, work.variance + detection.variance)


def beyond_curve(interval: float) -> float:
    """Compute the excess of a loop over its mean over lengths of work, in ms."""
    return loop_law(1.0, interval).mean - polled_loop(WORK, POLL, interval)


# -- one message --------------------------------------------------------------------------------


def latency_ns(bench: Bench, machine: str, begin_ns: int, size: int) -> int:
    """Return the time from sending one message, at a time, to its delivery on another node.

    ``size`` is in bytes, the header included.
    """
    plan = plan_of(machine, PAIR, seed=None)
    scripts = [Script("send", size=size - HEADER, gap=begin_ns), Script("receive", size=0)]
    result: Result = bench.carry_out(scripted(plan, scripts))
    return result.processes[1].ended_ns - begin_ns


def latency(bench: Bench) -> Iterator[OracleRow]:
    """Send, copy, cross the LAN, wait for the end of the next poll, deliver, copy."""
    lan = "rate: 1.25 MB/s, overhead: 1 ms"
    deliver = f"{bench.ns(3 * MS)} ns"
    machine = stations(2, 100, 1, send="2 ms", deliver=deliver, copy="5 MB/s", lan=lan)
    copy, cross = 8000 / 5e6 * 1e3, 1 + 8000 / 1.25e6 * 1e3
    sent = 60 + 2 + copy + cross
    # Without a seed node 1 of two polls at 50 ms, 150 ms, ...
    assert sent < 150, "it arrives before the poll at 150 ms"
    simulated = latency_ns(bench, machine, 60 * MS, 8000) / MS

    def found(off: float) -> float:
        return (150 + 1 - 60) + 3 * off + copy

    name = "a message of 8 kB that a poll finds, ms"
    yield exact_row("O16", name, found, simulated, 2e-6, what="delivery")
    lan = f"rate: {bench.rate(1.25e6)}, overhead: {bench.ns(MS)} ns"
    often = stations(2, US, 0, lan=lan)

    def crossed(off: float) -> float:
        # Node 1 polls at 0.5 us, 1.5 us, ...
        return (math.ceil((60 + cross * off) / US - 0.5) + 0.5) * US - 60

    name = "the same, polls every us, servers that cost nothing, ms"
    simulated = latency_ns(bench, often, 60 * MS, 8000) / MS
    yield exact_row("O16", name, crossed, simulated, 1e-6, what="rate")


# -- paging -------------------------------------------------------------------------------------

MESH = "jobs: [{{name: one, phases: [{{do: mesh, rows: {rows}, columns: 510, loops: {loops}}}]}}]"


def paging(bench: Bench) -> Iterator[OracleRow]:
    """Sweeps over pages in LRU order: with one page too many, each is evicted before its use.

    A mesh of 510 columns is with its ring of neighbours 512 points of 8 B wide: a page a row.
    """
    disk = f"rate: 1.5 MB/s, seek: {bench.ns(14 * MS)} ns, rotation: 16 ms"
    memory = f", resident: {1000 * 4096} B, page: 4096 B, paging: {{{disk}}}"

    def page_ms(off: float) -> float:
        return 2 * (14 * off + 16 / 2 + 4096 / 1.5e6 * 1e3)

    loops = 3
    for pages, faults in ((1000, 0), (1001, 1001)):
        jobs = MESH.format(rows=pages - 2, loops=loops)
        result = bench.run(stations(1, memory=memory), jobs)
        waited, paged = result.processes[0].spent.get("processor.paging", (0, 0))
        wait_ms = (waited + paged) / loops / MS
        name = f"sweep over {pages} pages, 1000 frames: faults"
        yield OracleRow("O15", name, faults, round(wait_ms / page_ms(bench.off), 4), 0, "one page")
    name = "wait of a sweep over 1001 pages, s"
    simulated = wait_ms / 1e3

    def wait(off: float) -> float:
        return 1001 * page_ms(off) / 1e3

    # Each of the 2002 services is rounded to a whole nanosecond.
    yield exact_row("O15", name, wait, simulated, 1.1e-6, what="seek")
