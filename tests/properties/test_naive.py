"""Both engines and their naive twin, on the plans that the twin knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simulator.engine.native.run import run_native
from simulator.engine.plan import FilePlan, JobPlan, MachinePlan, Plan, VolumeGroup
from simulator.engine.reference import run_reference
from simulator.engine.result import PartResult, Result
from simulator.machine.disk import DiskSpec
from simulator.machine.pe import PeSpec
from tests.examples import examples
from tests.naive import NaiveRun
from tests.naive_queues import Tie
from tests.plans import Draw, PhasePlan, compute, per_byte

ARRAY = DiskSpec(rate=1e9 / 41.3, overhead_ns=211, seek_ns=5003, turn_ns=3001)
DISK = DiskSpec(rate=1e9 / 97.1, overhead_ns=173, seek_ns=7001, turn_ns=4003)


class SimpleDraw(Draw):
    """Plans that the twin knows; crooked numbers, so that few things happen at once."""

    def simple(self) -> Plan:
        spec = self.ssu()
        spec = replace(spec, share=spec.capacity + spec.unit, release="none")
        groups = [
            VolumeGroup(name="array", count=self.int(1, 5), spec=ARRAY),
            VolumeGroup(name="disk", count=self.int(1, 3), spec=DISK),
        ]
        machine = replace(
            self.machine(),
            ssu=spec,
            lan=None,
            port=per_byte(2.27, 31),
            path=per_byte(17.9, 307),
            pe=PeSpec(1e9 / 1.37, 101, 1009, 2003),
            volumes=tuple(groups[: self.int(1, 2)]),
        )
        channels = machine.channels
        assert channels is not None
        read, write = per_byte(3.83, 59), per_byte(7.19, 83)
        machine = replace(machine, channels=replace(channels, read=read, write=write))
        jobs = tuple(self.simple_job(number) for number in range(self.int(1, 6)))
        phases = [one for job in jobs for one in job.phases]
        files = [self.simple_file(number, machine, phases) for number in range(3)]
        return Plan(machine=machine, files=tuple(files), jobs=jobs)

    def simple_file(
        self, number: int, machine: MachinePlan, phases: Sequence[PhasePlan]
    ) -> FilePlan:
        file = self.file(number, machine, phases)
        where = replace(file.where, base=number * 99_991)
        return replace(file, cached=True, prestaged=self.maybe(), where=where)

    def simple_job(self, number: int) -> JobPlan:
        phases = tuple(self.simple_phase() for _ in range(self.int(0, 3)))
        return JobPlan(
            name=f"job{number}",
            first_pe=number,
            pes=1,
            start_ns=number * 1013 + self.int(0, 999),
            repeat=self.some(1, 1, 2),
            phases=phases,
        )

    def simple_phase(self) -> PhasePlan:
        if self.maybe(10):
            return compute(self.int(1, 20_000))
        return replace(self.phase(self.int(0, 2)), path="scfs", file=self.int(0, 2))


@settings(max_examples=examples(300))
@given(st.randoms(use_true_random=False))
def test_agree_to_the_nanosecond(rng: Random) -> None:
    plan = SimpleDraw(rng).simple()
    twin = NaiveRun(plan)
    try:
        twin.run()
    except Tie:
        assume(False)
    for run in (run_reference, run_native):
        assert_equal(run(plan, debug=True), twin)


def assert_equal(result: Result, twin: NaiveRun) -> None:
    """The same ends, lookups and transfers, and the same work at every volume."""
    assert [client.ended_ns for client in result.clients] == twin.ends
    assert result.end_ns == twin.env.now
    cache = result.cache
    assert (cache["hits"], cache["misses"]) == (twin.hits, twin.misses)
    assert cache["evicted"] == twin.evicted
    assert cache["fetched"] + cache["read_back"] == twin.fetches
    assert cache["written_back"] == twin.written_back
    for group, volumes in zip(twin.machine.volumes, twin.volumes, strict=True):
        for number, volume in enumerate(volumes):
            part = result.parts.get(f"{group.name}{number}", PartResult(0, 0, 0))
            done = (part.requests, part.bytes, part.busy_ns)
            assert done == (volume.requests, volume.bytes, volume.busy_ns)
