"""The reference engine and its naive twin, on the plans that the twin knows."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from simulator.engine.plan import JobPlan, Plan, VolumeGroup
from simulator.engine.reference import run_reference
from simulator.machine.disk import DiskSpec
from simulator.machine.pe import PeSpec
from simulator.machine.volumes import VolumeFile
from tests.naive import NaiveRun, Tie
from tests.plans import Draw, PhasePlan, compute, per_byte


class SimpleDraw(Draw):
    """Plans that the twin knows; crooked numbers, so that few things happen at once."""

    def simple(self) -> Plan:
        spec = self.ssu()
        triggers = spec.triggers - {"mark"}
        spec = replace(spec, share=spec.capacity + spec.unit, release="none", triggers=triggers)
        disk = DiskSpec(rate=1e9 / 41.3, overhead_ns=211, seek_ns=5003, turn_ns=3001)
        group = VolumeGroup(name="disk", count=self.int(1, 2), spec=disk)
        machine = replace(
            self.machine(),
            ssu=spec,
            lan=None,
            port=per_byte(2.27, 31),
            path=per_byte(17.9, 307),
            pe=PeSpec(1e9 / 1.37, 101, 1009, 2003),
            volumes=(group,),
        )
        channels = machine.channels
        assert channels is not None
        read, write = per_byte(3.83, 59), per_byte(7.19, 83)
        machine = replace(machine, channels=replace(channels, read=read, write=write))
        jobs = tuple(self.simple_job(number) for number in range(self.int(1, 6)))
        phases = [one for job in jobs for one in job.phases]
        files = []
        for number in range(3):
            file = replace(self.file(number, machine, phases), cached=True)
            where = VolumeFile(volumes=0, stripes=1, base=number * 99_991, first=number)
            files.append(replace(file, prestaged=self.maybe(), where=where))
        return Plan(machine=machine, files=tuple(files), jobs=jobs)

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


@given(st.randoms(use_true_random=False))
def test_agree_to_the_nanosecond(rng: Random) -> None:
    plan = SimpleDraw(rng).simple()
    twin = NaiveRun(plan)
    try:
        ends = twin.run()
    except Tie:
        assume(False)
    result = run_reference(plan, debug=True)
    assert [client.ended_ns for client in result.clients] == ends
    cache = result.cache
    assert (cache["hits"], cache["misses"]) == (twin.hits, twin.misses)
    assert cache["evicted"] == twin.evicted
    assert result.end_ns == twin.env.now
