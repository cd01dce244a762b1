"""Runs of the parts of numerical servers under loads that theory has an answer for.

Each function drives the real processor, links or servers; what should have happened is in
:mod:`simulator.study.oracles_servers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import simpy
from numpy.typing import NDArray

from simulator.engine.callplan import CallerPlan, CallPlan, ServerPlan, Target
from simulator.engine.servers import serve, trial_ns
from simulator.machine.actor import Actor, Steps
from simulator.machine.cpu import Cpu
from simulator.machine.link import Network
from simulator.machine.maxmin import LinkSpec
from simulator.machine.noise import stream_key
from simulator.machine.numerics import HostSpec, LibrarySpec
from simulator.machine.timeshare import CpuSpec, LoadAverage
from simulator.study.oracle_runs import Times
from simulator.workload.problems import EmbarrassinglyParallel

SECOND = 1_000_000_000


def shared_sojourns(pes: int, gaps: Times, works: Times) -> tuple[Times, tuple[float, ...]]:
    """Time of each task that comes after its gap to a time-shared processor; its load averages."""
    env = simpy.Environment()
    count = len(gaps)
    source, cpu = Actor(env, 0, "source"), Cpu(env, count + 1, "cpu", CpuSpec(pes))
    sojourns = np.zeros(count, dtype=np.int64)

    def compute(number: int, work: int) -> Steps:
        task = Actor(env, number + 1, "task")
        yield cpu.take(task, work)
        sojourns[number] = sum(task.spent["cpu"])

    def arrive() -> Steps:
        for number, (gap, work) in enumerate(zip(gaps.tolist(), works.tolist(), strict=True)):
            yield source.until(source.now + gap)
            env.process(compute(number, work))

    env.process(arrive())
    env.run()
    return sojourns, tuple(cpu.load.samples)


def constant_load(queue: int, looks: int) -> float:
    """The load average after this many looks at a queue that does not change."""
    load = LoadAverage()
    load.advance(looks * 5 * SECOND, queue)
    return load.value


def closed_shared(
    thinks: Sequence[Times], works: Sequence[Times], sizes: Sequence[Times]
) -> tuple[Times, Times]:
    """Clients that think, compute on one shared PE and send over one shared link of 1 GB/s.

    Gives the ends of cycles and their responses, while all clients are there.
    """
    env = simpy.Environment()
    count = len(thinks)
    cpu = Cpu(env, count, "cpu", CpuSpec(1))
    links = Network(env, count + 1, ["link"], [LinkSpec(1e9)])
    cycles: list[tuple[int, int]] = []

    def live(client: Actor, think: Times, work: Times, size: Times) -> Steps:
        for pause, need, moved in zip(think.tolist(), work.tolist(), size.tolist(), strict=True):
            yield client.until(client.now + pause)
            began = client.now
            yield cpu.take(client, need)
            yield links.send(client, (0,), moved)
            cycles.append((client.now, client.now - began))

    actors = [Actor(env, number, f"client{number}") for number in range(count)]
    for lived in zip(actors, thinks, works, sizes, strict=True):
        env.process(live(*lived))
    env.run()
    least = min(actor.now for actor in actors)
    ends, responses = np.array(cycles).T
    return ends[ends <= least], responses[ends <= least]


def transfer_ends(
    rates: Sequence[float], routes: Sequence[tuple[int, ...]], size: int
) -> list[int]:
    """When transfers of this size end that begin together over links of these rates."""
    env = simpy.Environment()
    names = [f"link{number}" for number in range(len(rates))]
    links = Network(env, len(routes), names, [LinkSpec(rate) for rate in rates])
    actors = [Actor(env, number, "transfer") for number in range(len(routes))]

    def send(actor: Actor, route: tuple[int, ...]) -> Steps:
        yield links.send(actor, route, size)

    for actor, route in zip(actors, routes, strict=True):
        env.process(send(actor, route))
    env.run()
    return [actor.now for actor in actors]


def _caller(every_s: float, chance: float, library: LibrarySpec, name: str) -> CallerPlan:
    return CallerPlan(
        name=name,
        group="client",
        problem=EmbarrassinglyParallel(20),
        host=HostSpec(conversion=1e18),
        targets=(Target(server=0, library=library, route=()),),
        every_ns=round(every_s * SECOND),
        first_ns=0,
        chance=chance,
        continues=True,
    )


def trial_gaps(every_s: float, chance: float, count: int) -> NDArray[np.float64]:
    """Seconds between calls of a client whose trials go on."""
    caller = _caller(every_s, chance, LibrarySpec(1.0), "client/0")
    key = stream_key(1998, 0, caller.name)
    until = round(2 * count * every_s / chance) * SECOND
    times = [trial_ns(caller, key, 0, until)]
    while len(times) <= count:
        times.append(trial_ns(caller, key, times[-1] + 1, until))
    return np.diff(np.array(times)) / SECOND


def _plan(
    callers: Sequence[CallerPlan], duration_s: float, at_once: int, **links: float
) -> CallPlan:
    """One PE with a server that takes calls in at once."""
    host = HostSpec(1e18)
    server = ServerPlan(name="server", cpu=CpuSpec(1), host=host, favoured=True, at_once=at_once)
    return CallPlan(
        machine="one",
        workload="trials",
        links=tuple(links),
        link_specs=tuple(LinkSpec(rate) for rate in links.values()),
        servers=(server,),
        callers=tuple(callers),
        duration_ns=round(duration_s * SECOND),
        choice="fixed",
        seed=1998,
    )


def queueing_calls(every_s: float, chance: float, call_s: float, count: int) -> Times:
    """Waits of calls that compute one at a time, for ``call_s`` each; all else takes no time."""
    library = LibrarySpec(EmbarrassinglyParallel(20).operations / call_s)
    caller = _caller(every_s, chance, library, "client/0")
    calls = serve(_plan([caller], count * every_s / chance, 1)).calls
    return np.array([call.computing_ns - call.received_ns for call in calls])


def closed_calls(
    clients: int, think_ms: float, compute_ms: float, move_ms: float, count: int
) -> tuple[Times, Times]:
    """Ends and times of calls of closed clients to one server with one PE and one link.

    Trials come so often and so rarely start a call that the pauses between calls are nearly
    exponential: every millisecond, of which half is lost until the first one.
    """
    problem = EmbarrassinglyParallel(20)
    library = LibrarySpec(problem.operations / (compute_ms / 1e3))
    target = Target(server=0, library=library, route=(0,))
    callers = [
        replace(
            _caller(1e-3, 1 / (think_ms + 0.5), library, f"client/{number}"),
            targets=(target,),
            continues=False,
        )
        for number in range(clients)
    ]
    rate = (problem.bytes_in + problem.bytes_out) / (move_ms / 1e3)
    calls = serve(_plan(callers, count * think_ms / 1e3, 0, link=rate)).calls
    ends, times = np.array(sorted((call.ended_ns, call.elapsed_ns) for call in calls)).T
    return ends, times
