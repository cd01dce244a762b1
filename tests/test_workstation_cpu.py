"""The processor of a workstation keeps the rule of the time-shared one, without its events."""

from __future__ import annotations

import simpy
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.actor import Actor, Steps
from simulator.machine.timeshare import CpuSpec, TimeShare
from simulator.machine.workstation import Processor

SERVED = st.lists(st.tuples(st.integers(0, 400), st.integers(1, 90)), max_size=12)
"""(after the one before, work) of what servers do; ns."""


def by_sharing(work: int, served: list[tuple[int, int]]) -> int:
    """When the application's task ends beside urgent ones on one PE."""
    cpu = TimeShare(CpuSpec(1))
    cpu.add(0, 0, work)
    now, ends = 0, {}

    def run(until: int) -> None:
        while 0 <= cpu.next_end() <= until:
            at = cpu.next_end()
            ends[cpu.finish(at)] = at

    for number, (after, asked) in enumerate(served, 1):
        now += after
        run(now - 1)
        if 0 in ends:
            break
        cpu.add(now, number, asked, urgent=True)
    run(1 << 60)
    return ends[0]


def by_processor(work: int, served: list[tuple[int, int]]) -> int:
    """Likewise on a workstation."""
    env = simpy.Environment()
    cpu = Processor("cpu")
    application, server = Actor(env, 2, "application"), Actor(env, 1, "server")

    def serve() -> Steps:
        for after, asked in served:
            if after:
                yield server.until(server.now + after)
            cpu.serve(server.now, asked)

    def compute() -> Steps:
        yield from cpu.compute(application, work, "computing")

    env.process(compute())
    env.process(serve())
    env.run()
    assert application.spent["computing"][1] == work
    return sum(application.spent["computing"])


@given(work=st.integers(1, 2000), served=SERVED)
def test_the_application_ends_as_beside_urgent_tasks(
    work: int, served: list[tuple[int, int]]
) -> None:
    late = by_sharing(work, served) - by_processor(work, served)
    assert 0 <= late <= len(served)  # shares of an odd number of tasks end up to a nanosecond late
