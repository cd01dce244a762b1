"""Relations between runs that need no theory: scaled, renamed, split, joined and repeated.

M1, M2, ... number the relations that were collected for this project. M3 (sizes and rates
scaled together) needs calls without record lengths, which do not scale: see test_scfs.py. M7
and M9 are also shown where they belong: in test_cache.py, test_ssu.py and test_station.py.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simulator.engine.plan import JobPlan, LanPlan, PhasePlan, Plan, VolumeGroup
from simulator.engine.reference import run_reference
from simulator.engine.result import ClientResult, Result
from simulator.machine.disk import DiskSpec
from simulator.machine.pe import PeSpec
from simulator.machine.station import ServiceSpec, Station
from simulator.units import parse_rate, parse_size, parse_time
from tests.actors import act, visit
from tests.plans import Draw, a_file, job, per_byte, phase, plan, ssu

rngs = st.randoms(use_true_random=False)


def run(of: Plan) -> Result:
    return run_reference(of, debug=True)


def seen(clients: Iterable[ClientResult]) -> list[Any]:
    """What clients measure, but for their names."""
    return [
        (c.started_ns, c.ended_ns, c.read, c.write, c.compute_ns, c.idle_ns, c.parts)
        for c in clients
    ]


# -- M1: everything slower by a factor ----------------------------------------------------------


def slower(of: Plan, k: int) -> Plan:
    """The same plan with every rate divided by ``k``, and every time multiplied by it."""
    machine = of.machine
    assert machine.channels is not None
    assert machine.lan is not None
    lan = replace(
        machine.lan,
        link=slow_service(machine.lan.link, k),
        server=slow_service(machine.lan.server, k),
    )
    channels = replace(
        machine.channels,
        read=slow_service(machine.channels.read, k),
        write=slow_service(machine.channels.write, k),
    )
    volumes = [replace(group, spec=slow_disk(group.spec, k)) for group in machine.volumes]
    scaled = replace(
        machine,
        pe=slow_pe(machine.pe, k),
        port=slow_service(machine.port, k),
        path=slow_service(machine.path, k),
        channels=channels,
        lan=lan,
        volumes=tuple(volumes),
    )
    return replace(of, machine=scaled, jobs=tuple(slow_job(one, k) for one in of.jobs))


def slow_service(spec: ServiceSpec, k: int) -> ServiceSpec:
    return ServiceSpec(spec.rate / k, spec.overhead_ns * k)


def slow_pe(spec: PeSpec, k: int) -> PeSpec:
    return PeSpec(
        spec.copy_rate / k,
        spec.record_overhead_ns * k,
        spec.call_overhead_ns * k,
        spec.turn_overhead_ns * k,
    )


def slow_disk(spec: DiskSpec, k: int) -> DiskSpec:
    return replace(
        spec,
        rate=spec.rate / k,
        overhead_ns=spec.overhead_ns * k,
        seek_ns=spec.seek_ns * k,
        turn_ns=spec.turn_ns * k,
        mount_ns=spec.mount_ns * k,
    )


def slow_job(one: JobPlan, k: int) -> JobPlan:
    phases = tuple(replace(p, compute_ns=p.compute_ns * k) for p in one.phases)
    return replace(one, start_ns=one.start_ns * k, phases=phases)


def times_of(result: Result, unit: int = 1) -> list[Any]:
    """Every time of a result in units of so many ns, with what was counted beside it."""
    clients = [
        (
            client.started_ns / unit,
            client.ended_ns / unit,
            client.compute_ns / unit,
            client.idle_ns / unit,
            client.read.elapsed_ns / unit,
            client.write.elapsed_ns / unit,
            {name: (wait / unit, service / unit) for name, (wait, service) in client.parts.items()},
        )
        for client in result.clients
    ]
    parts = {
        name: (part.requests, part.bytes, part.busy_ns / unit)
        for name, part in result.parts.items()
    }
    whole = (result.elapsed_ns / unit, result.end_ns / unit, result.prestage_ns / unit)
    return [whole, clients, parts, result.cache, result.events]


@given(rngs, st.sampled_from((2, 4, 16)))
def test_M1_rates_divided_and_times_multiplied_multiply_all_times(rng: Random, k: int) -> None:
    drawn = Draw(rng, exact=True).plan(8)
    assert times_of(run(slower(drawn, k)), k) == times_of(run(drawn))


@given(st.sampled_from(("scfs", "nfs", "svio")), st.integers(0, 400), st.integers(1, 600))
def test_M1_rates_alone_doubled_at_best_halve_the_time(path: str, length: int, buffer: int) -> None:
    """For a single client; what is fixed does not go faster."""
    slow = plan(
        job(phase("write", length, length, buffer=buffer, path=path)),
        files=[a_file(0, size=2 * length + 16, cached=path == "scfs")],
    )
    slow = slower(slow, 2)  # so that every rate is a whole number of ns for a byte, even doubled
    before, after = run(slow).elapsed_ns, run(at_double_rate(slow)).elapsed_ns
    assert before / 2 <= after <= before


def at_double_rate(of: Plan) -> Plan:
    for part in ("pe", "port", "path", "read", "write", "link", "disks"):
        of = sped_up(of, part)
    return of


def faster(spec: ServiceSpec) -> ServiceSpec:
    return ServiceSpec(2 * spec.rate, spec.overhead_ns)


# -- M2: the same in other units ----------------------------------------------------------------


@given(st.integers(1, 10**6))
def test_M2_a_quantity_is_the_same_in_every_unit(count: int) -> None:
    assert parse_time(f"{count} s") == parse_time(f"{count}000 ms") == count * 10**9
    assert parse_time(f"{count} us") == parse_time(f"{count}000 ns")
    assert parse_size(f"{count} MB") == parse_size(f"{count}000 kB") == count * 10**6
    assert parse_size(f"{count} MiB") == parse_size(f"{1024 * count} KiB")
    assert parse_rate(f"{count} GB/s") == parse_rate(f"{count}000 MB/s")


def test_M2_a_run_does_not_know_in_which_units_it_was_written() -> None:
    results = []
    texts = (("8 kB", "2 ms", "36 MB/s"), ("0.008 MB", "2000 us", "0.036 GB/s"))
    for size, time, rate in texts:
        disk = VolumeGroup(name="disk", count=1, spec=DiskSpec(rate=parse_rate(rate)))
        writing = phase("write", parse_size(size), path="nfs")
        jobs = job(writing, start_ns=parse_time(time))
        files = [a_file(0, size=parse_size(size) + 8, cached=False)]
        results.append(run(plan(jobs, files=files, volumes=(disk,))).to_json())
    assert results[0] == results[1]


# -- M4: other names and other places -----------------------------------------------------------


@given(rngs, st.randoms(use_true_random=False))
def test_M4_other_pes_change_nothing_but_their_names(rng: Random, other: Random) -> None:
    drawn = replace(Draw(rng).plan(8), noisy=False)
    order = list(drawn.jobs)
    other.shuffle(order)
    first, place = 0, {}
    for one in order:
        place[one.name] = first
        first += one.pes
    moved = replace(drawn, jobs=tuple(replace(j, first_pe=place[j.name]) for j in drawn.jobs))
    names = {
        f"pe{one.first_pe + rank}": f"pe{place[one.name] + rank}"
        for one in drawn.jobs
        for rank in range(one.pes)
    }
    here, there = run(drawn), run(moved)
    for client in here.clients:
        client.parts = renamed(client.parts, names)
    assert seen(here.clients) == seen(there.clients)
    assert renamed(here.parts, names) == there.parts
    assert (here.cache, here.end_ns, here.events) == (there.cache, there.end_ns, there.events)


def renamed(parts: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Parts of PEs (pe3, pe3.in, ...) under the names of other PEs."""
    return {
        ".".join([names.get(name.split(".")[0], name.split(".")[0]), *name.split(".")[1:]]): part
        for name, part in parts.items()
    }


@given(rngs, st.integers(1, 3))
def test_M4_other_disks_of_a_group_change_nothing_but_their_names(rng: Random, turn: int) -> None:
    drawn = replace(Draw(rng).plan(8), noisy=False)
    files = []
    names = {}
    for group in drawn.machine.volumes:
        for i in range(group.count):
            names[f"{group.name}{i}"] = f"{group.name}{(i + turn) % group.count}"
    for file in drawn.files:
        count = drawn.machine.volumes[file.where.volumes].count
        where = replace(file.where, first=(file.where.first + turn) % count)
        files.append(replace(file, where=where))
    here, there = run(drawn), run(replace(drawn, files=tuple(files)))
    assert renamed(here.parts, names) == there.parts
    for client in here.clients:
        client.parts = renamed(client.parts, names)
    assert seen(here.clients) == seen(there.clients)


@given(rngs, st.randoms(use_true_random=False))
def test_M4_other_numbers_of_the_files_change_nothing(rng: Random, other: Random) -> None:
    drawn = Draw(rng).plan(8)
    drawn = replace(drawn, files=tuple(replace(f, prestaged=False) for f in drawn.files))
    order = list(range(len(drawn.files)))
    other.shuffle(order)

    def moved(one: PhasePlan) -> PhasePlan:
        return replace(one, file=order.index(one.file)) if one.lengths is not None else one

    jobs = [replace(j, phases=tuple(moved(one) for one in j.phases)) for j in drawn.jobs]
    files = tuple(drawn.files[number] for number in order)
    assert run(replace(drawn, jobs=tuple(jobs), files=files)).to_json() == run(drawn).to_json()


@given(rngs, st.randoms(use_true_random=False))
def test_M4_the_order_of_jobs_that_do_not_meet_does_not_matter(rng: Random, other: Random) -> None:
    """Where they meet in one nanosecond, the first of the workload is first: a written rule."""
    drawn = replace(Draw(rng).plan(5), noisy=False)
    apart = [replace(one, start_ns=10**9 * i) for i, one in enumerate(drawn.jobs)]
    shuffled = list(apart)
    other.shuffle(shuffled)
    here = run(replace(drawn, jobs=tuple(apart)))
    there = run(replace(drawn, jobs=tuple(shuffled)))
    assume(max((client.elapsed_ns for client in here.clients), default=0) < 5 * 10**8)
    key = {client.name: client for client in there.clients}
    assert [key[client.name] for client in here.clients] == here.clients
    assert (here.parts, here.cache, here.end_ns) == (there.parts, there.cache, there.end_ns)


# -- M5: two halves that have nothing to do with each other -------------------------------------


class HalvesDraw(Draw):
    """Two groups of jobs on a machine whose shared parts cost nothing."""

    def halves(self) -> tuple[Plan, int]:
        free = per_byte(0)
        machine = self.machine()
        assert machine.channels is not None
        groups = [
            VolumeGroup(name=name, count=self.int(1, 3), spec=self.disk()) for name in ("a", "b")
        ]
        lan = LanPlan(link=free, fair=False, rpc_size=self.some(16, 100), server=free)
        machine = replace(
            machine,
            ssu=ssu(1000, share=1000),
            channels=replace(machine.channels, read=free, write=free),
            port=free,
            path=free,
            lan=lan,
            volumes=tuple(groups),
        )
        jobs: list[JobPlan] = []
        count, first = self.int(2, 8), 0
        for number in range(count):
            one = self.job(number, first, 4)
            half = 2 * number // count
            phases = tuple(replace(p, file=p.file % 4 + 4 * half) for p in one.phases)
            jobs.append(replace(one, phases=phases))
            first += one.pes
        phases = [p for one in jobs for p in one.phases]
        files = []
        for number in range(8):
            file = self.file(number, machine, phases)
            where = replace(file.where, volumes=number // 4, first=0)
            files.append(replace(file, where=where))
        drawn = Plan(machine=machine, files=tuple(files), jobs=tuple(jobs), seed=7, noisy=True)
        return drawn, count - count // 2


@given(rngs)
def test_M5_two_halves_in_one_run_are_two_runs(rng: Random) -> None:
    drawn, middle = HalvesDraw(rng).halves()
    idle = tuple(replace(one, phases=()) for one in drawn.jobs)
    both = run(drawn)
    first = run(replace(drawn, jobs=(*drawn.jobs[:middle], *idle[middle:])))
    second = run(replace(drawn, jobs=(*idle[:middle], *drawn.jobs[middle:])))
    names = {one.name for one in drawn.jobs[:middle]}
    for client in both.clients:
        half = first if client.name.split("/")[0] in names else second
        (alone,) = (one for one in half.clients if one.name == client.name)
        assert seen([client]) == seen([alone])
    for name, part in both.parts.items():
        if name[0] in "ab" and name[1:].isdigit():
            assert part == (first if name[0] == "a" else second).parts[name]


# -- M6: what comes later, and what does nothing ------------------------------------------------


@given(rngs)
def test_M6_a_later_job_changes_nothing_for_earlier_ones(rng: Random) -> None:
    """They have ended when it starts; write-back and copies may be under way."""
    draw = Draw(rng)
    drawn = draw.plan(6)
    before = run(drawn)
    pes = sum(one.pes for one in drawn.jobs)
    late = replace(draw.job(len(drawn.jobs), pes, 1), start_ns=before.elapsed_ns)
    # It may do anything, but the files are as long as they are.
    late = replace(late, phases=drawn.jobs[0].phases)
    after = run(replace(drawn, jobs=(*drawn.jobs, late)))
    assert seen(after.clients)[: len(before.clients)] == seen(before.clients)


@given(rngs, st.integers(0, 8), st.integers(0, 10_000))
def test_M6_a_job_of_nothing_changes_nothing(rng: Random, place: int, start: int) -> None:
    drawn = Draw(rng).plan(8)
    nothing = JobPlan(
        name="nothing",
        first_pe=sum(one.pes for one in drawn.jobs),
        pes=1,
        start_ns=start,
        repeat=1,
        phases=(),
    )
    more = replace(drawn, jobs=(*drawn.jobs[:place], nothing, *drawn.jobs[place:]))
    before, after = run(drawn), run(more)
    others = [client for client in after.clients if client.name != "nothing"]
    assert seen(others) == seen(before.clients)
    assert (after.parts, after.cache) == (before.parts, before.cache)


# -- M7, M8: more never hurts a single reader ---------------------------------------------------


class SerialDraw(Draw):
    """One job that reads through the SSU, or goes past it."""

    def phase(self, file: int) -> PhasePlan:
        one = super().phase(file)
        return replace(one, work="read") if one.path == "scfs" and one.lengths else one

    def serial(self) -> Plan:
        return replace(self.plan(1), noisy=False)


@given(rngs)
def test_M7_a_bigger_cache_never_lowers_the_hits_of_a_reader(rng: Random) -> None:
    drawn = SerialDraw(rng, exact=True).serial()
    drawn = replace(drawn, files=tuple(replace(f, prestaged=False) for f in drawn.files))
    spec = drawn.machine.ssu
    assert spec is not None
    bigger = replace(spec, capacity=spec.capacity + spec.unit)
    more = replace(drawn, machine=replace(drawn.machine, ssu=bigger))
    assert run(more).cache["hits"] >= run(drawn).cache["hits"]


FASTER = ("pe", "port", "path", "read", "write", "link", "server", "disks", "seeks")


@given(rngs, st.sampled_from(FASTER))
def test_M8_a_faster_part_never_lengthens_a_single_job(rng: Random, part: str) -> None:
    """Of one job whose steps follow each other, without write-back beside it."""
    drawn = SerialDraw(rng, exact=True).serial()
    assert run(sped_up(drawn, part)).elapsed_ns <= run(drawn).elapsed_ns


def sped_up(of: Plan, part: str) -> Plan:
    machine = of.machine
    assert machine.channels is not None
    assert machine.lan is not None
    if part == "pe":
        machine = replace(machine, pe=replace(machine.pe, copy_rate=2 * machine.pe.copy_rate))
    elif part in ("port", "path"):
        machine = replace(machine, **{part: faster(getattr(machine, part))})
    elif part in ("read", "write"):
        spec = faster(getattr(machine.channels, part))
        machine = replace(machine, channels=replace(machine.channels, **{part: spec}))
    elif part in ("link", "server"):
        spec = faster(getattr(machine.lan, part))
        machine = replace(machine, lan=replace(machine.lan, **{part: spec}))
    else:
        change = (lambda s: {"rate": 2 * s.rate}) if part == "disks" else (lambda _: {"seek_ns": 0})
        volumes = [
            replace(group, spec=replace(group.spec, **change(group.spec)))
            for group in machine.volumes
        ]
        machine = replace(machine, volumes=tuple(volumes))
    return replace(of, machine=machine)


# -- M9: one request, or two --------------------------------------------------------------------


@given(st.sampled_from(("read", "write")), st.integers(1, 200))
def test_M9_two_requests_cost_one_overhead_more_at_each_part(work: str, half: int) -> None:
    """An NFS call that fits a request, and one that takes two of half its size."""
    lengths = [2 * half - 8] if half >= 4 else [0]
    size = sum(lengths) + 8
    length = size if work == "read" else 0
    ends = []
    for rpc in (size, size // 2):
        link = LanPlan(link=per_byte(10, 200), fair=False, rpc_size=rpc, server=per_byte(0, 400))
        drawn = plan(
            job(phase(work, *lengths, path="nfs")),
            files=[a_file(length, size=size, cached=False)],
            lan=link,
        )
        ends.append(run(drawn).elapsed_ns)
    crossbar, lan, server, path, disk = 5, 200, 400, 40, 50
    assert ends[1] - ends[0] == crossbar + lan + server + path + disk


# -- M11, M12: a queue with less work ----------------------------------------------------------

arrivals = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 50)), min_size=1, max_size=25)


def waits(pairs: Iterable[tuple[int, int]], servers: int) -> list[int]:
    station = Station("s", ServiceSpec(1e9), servers=servers)
    at, lives = 0, []
    for gap, size in pairs:
        at += gap
        lives.append(visit(station, size, at=at))
    return [actor.spent["s"][0] for actor in act(*lives)]


@given(arrivals, st.integers(2, 5))
def test_M11_the_same_work_in_less_time_waits_no_less(
    pairs: list[tuple[int, int]], factor: int
) -> None:
    sooner = waits(pairs, 1)
    later = waits([(gap * factor, size) for gap, size in pairs], 1)
    assert all(one <= other for one, other in zip(later, sooner, strict=True))


@given(arrivals, st.integers(1, 3), st.integers(2, 5))
def test_M12_shorter_services_never_lengthen_a_wait(
    pairs: list[tuple[int, int]], servers: int, factor: int
) -> None:
    """Common random numbers: the same requests, each with a part of its service."""
    short = waits([(gap, size // factor) for gap, size in pairs], servers)
    long = waits(pairs, servers)
    assert all(one <= other for one, other in zip(short, long, strict=True))


# -- M13: the same again ------------------------------------------------------------------------


@given(rngs)
def test_M13_the_same_plan_gives_the_same_result_to_the_last_bit(rng: Random) -> None:
    drawn = replace(Draw(rng).plan(8), noisy=True)
    first, second = (json.dumps(run(drawn).to_json()) for _ in range(2))
    assert first == second


SCRIPT = """
import json, random
from simulator.engine.reference import run_reference
from tests.plans import Draw
for seed in range(8):
    plan = Draw(random.Random(seed)).plan(6)
    print(json.dumps(run_reference(plan).to_json()))
"""


def test_M13_whatever_the_process_and_the_order_of_its_sets(root: Path) -> None:
    outputs = set()
    for hash_seed in ("0", "1"):
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)},
        )
        outputs.add(ran.stdout)
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 8


@pytest.mark.parametrize("fair", [False, True])
def test_work_is_conserved_whether_a_lan_is_fair_or_not(fair: bool) -> None:
    """Equal work at one seed: the same busy time, and the last byte arrives at the same time."""
    jobs = [job(phase("write", 32, path="nfs", file=file)) for file in range(3)]
    files = [a_file(0, size=40, cached=False)] * 3
    lan = LanPlan(link=per_byte(10, 200), fair=fair, rpc_size=60, server=per_byte(0))
    built = plan(*jobs, files=files, lan=lan, port=per_byte(0))
    spans = [s for s in run_reference(built, timeline=True).spans if s.part == "lan"]
    assert max(span.start_ns + span.service_ns for span in spans) == 42 + 1100 + 3 * 600
