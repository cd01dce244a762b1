"""The reference engine: whole jobs by hand, on the machine to calculate with.

A record of 92 bytes is a file of one unit: 92 + 2 lengths of 4 bytes.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from simulator.engine.plan import ChannelPlan, NoisePlan, VolumeGroup
from simulator.engine.reference import run_reference
from simulator.engine.result import Result
from simulator.machine.actor import Actor, Steps
from simulator.machine.disk import DiskSpec
from simulator.machine.noise import Noise
from simulator.machine.ssu import Ssu
from simulator.machine.volumes import VolumeFile
from simulator.result.errors import SimulationError
from tests.plans import (
    DISK,
    LINK,
    READ_CHANNEL,
    SERVER,
    WRITE_CHANNEL,
    a_file,
    compute,
    job,
    machine,
    phase,
    plan,
    ssu,
)
from tests.rigs import BACK, HIT, ON_DISK, ON_PATH, PUT

COPY = 10 + 92
"""One record of 92 bytes between the program and the buffer."""
TURN = 100 + 1000
"""A call that moves a buffer."""
CALL = 100

WRITTEN = COPY + TURN + PUT
READ = TURN + HIT + COPY


def run(*args: object, **kwargs: object) -> Result:
    """Carry out a plan, check the identities, and see that the timeline changes nothing."""
    built = plan(*args, **kwargs)  # type: ignore[arg-type]
    result = run_reference(built, debug=True)
    again = run_reference(built, timeline=True, debug=True)
    assert again.to_json() == result.to_json()
    return result


def where(result: Result, client: int = 0) -> dict[str, tuple[int, int]]:
    return result.clients[client].parts


class TestOneClient:
    def test_a_write_copies_calls_and_transfers(self) -> None:
        result = run(job(phase("write", 92)), files=[a_file(0, size=100)])
        assert result.elapsed_ns == result.end_ns == WRITTEN
        assert where(result) == {"pe0": (0, COPY + TURN), "ssu.write": (0, PUT)}
        (client,) = result.clients
        assert (client.write.bytes, client.write.elapsed_ns) == (92, WRITTEN)
        assert (client.read.bytes, client.read.elapsed_ns) == (0, 0)
        assert result.rate("write") == pytest.approx(92e9 / WRITTEN)
        assert result.rate("read") == 0

    def test_a_read_of_a_prestaged_file_is_a_hit(self) -> None:
        result = run(job(phase("read", 92)), files=[a_file(100, prestaged=True)])
        assert result.elapsed_ns == READ
        assert where(result) == {"pe0": (0, TURN + COPY), "ssu.read": (0, HIT)}
        assert result.prestage_ns == ON_DISK + ON_PATH
        assert result.cache["hits"] == 1

    def test_a_read_of_another_fetches_it(self) -> None:
        result = run(job(phase("read", 92)), files=[a_file(100)])
        assert result.elapsed_ns == READ + BACK
        assert where(result)["disk0"] == (0, ON_DISK)
        assert where(result)["frontend.paths"] == (0, ON_PATH)
        assert (result.prestage_ns, result.cache["misses"]) == (0, 1)

    def test_a_buffer_that_is_too_small_costs_calls(self) -> None:
        """When the length is known, 50 bytes have left the buffer: it goes back for 4 of them."""
        writing = phase("write", 92, buffer=50)
        result = run(job(writing), files=[a_file(0, size=100)])
        # Write 50, seek, write 4, seek, write 50: each a call, and two of them are turns.
        calls = 5 * CALL + 2 * 1000
        transfers = 2 * (30 + 200) + (30 + 16)
        assert result.elapsed_ns == COPY + calls + transfers
        assert result.parts["ssu.write"].requests == 3

    @pytest.mark.parametrize(("policy", "calls"), [("nwt", 6), ("nwt-predicted", 5)])
    def test_the_cure_saves_one_of_them_for_an_equal_record(self, policy: str, calls: int) -> None:
        writing = phase("write", 92, 92, buffer=50, policy=policy)
        result = run(job(writing), files=[a_file(0, size=200)])
        assert result.parts["ssu.write"].requests == calls

    def test_going_back_over_dirty_data_waits_for_the_disk(self) -> None:
        """With the paper's trigger, 4 bytes cost the write-back of the 50 that they are of."""
        writing = phase("write", 92, buffer=50)
        result = run(job(writing), files=[a_file(0, size=100)], ssu=ssu(4, "rewrite"))
        back = (40 + 300) + (1000 + 50 + 400)
        assert where(result)["ssu.writeback"] == (back, 0)
        assert result.cache["rewrites_waited"] == 1
        assert result.parts["ssu.writeback"].requests == 1

    def test_closing_begins_the_write_back_and_the_run_lasts_until_its_end(self) -> None:
        result = run(job(phase("write", 92)), files=[a_file(0, size=100)], ssu=ssu(4, "close"))
        assert (result.elapsed_ns, result.end_ns) == (WRITTEN, WRITTEN + BACK)
        assert result.parts["disk0"].bytes == 100

    def test_computing_is_its_own_time(self) -> None:
        result = run(job(compute(500), compute(250), start_ns=40, repeat=2))
        (client,) = result.clients
        assert (client.started_ns, client.ended_ns, client.compute_ns) == (40, 1540, 1500)
        assert (client.elapsed_ns, client.parts) == (1500, {})

    def test_phases_follow_each_other_and_repeat(self) -> None:
        result = run(
            job(phase("write", 92), compute(70), phase("read", 92), repeat=2, start_ns=9),
            files=[a_file(0, size=100)],
        )
        (client,) = result.clients
        assert result.elapsed_ns == 9 + 2 * (WRITTEN + 70 + READ)
        assert (client.write.bytes, client.write.elapsed_ns) == (184, 2 * WRITTEN)
        assert (client.read.bytes, client.read.elapsed_ns) == (184, 2 * READ)

    def test_a_job_of_nothing_ends_when_it_starts(self) -> None:
        result = run(job(start_ns=30), job(phase("write")), files=[a_file(0, size=0)])
        assert [client.ended_ns for client in result.clients] == [30, 0]

    def test_an_empty_record_is_its_lengths(self) -> None:
        result = run(job(phase("write", 0)), files=[a_file(0, size=8)])
        assert result.elapsed_ns == 10 + TURN + 30 + 32
        assert result.clients[0].write.bytes == 0


class TestPaths:
    def test_nfs_goes_to_disk_and_back(self) -> None:
        result = run(job(phase("write", 32, path="nfs")), files=[a_file(0, size=40, cached=False)])
        steps = {
            "pe0.out": 5 + 80,
            "lan": 200 + 400,
            "nfs.server": 400,
            "frontend.paths": 40 + 240,
            "disk0": 1000 + 50 + 320,
        }
        assert where(result) == {
            "pe0": (0, 10 + 32 + TURN),
            **{part: (0, service) for part, service in steps.items()},
        }
        assert result.elapsed_ns == 10 + 32 + TURN + sum(steps.values())

    def test_one_file_through_the_ssu_beside_another_by_nfs(self) -> None:
        files = [a_file(0, size=100), a_file(0, size=40, cached=False)]
        jobs = [job(phase("write", 92)), job(phase("write", 32, file=1, path="nfs"))]
        result = run(*jobs, files=files)
        assert result.parts["ssu.write"].bytes == 100
        assert result.parts["disk0"].bytes == 40

    def test_a_machine_without_a_lan_has_no_nfs(self) -> None:
        result = run(job(phase("write", 92)), files=[a_file(0, size=100)], lan=None)
        assert result.elapsed_ns == WRITTEN

    def test_a_machine_without_an_ssu_has_nfs(self) -> None:
        writing = job(phase("write", 32, path="nfs"))
        files = [a_file(0, size=40, cached=False)]
        alone = run(writing, files=files, ssu=None, channels=None)
        assert alone.elapsed_ns == run(writing, files=files).elapsed_ns
        assert set(alone.cache.values()) == {0}

    def test_a_fair_lan_serves_two_at_once(self) -> None:
        jobs = [job(phase("write", 32, path="nfs", file=file)) for file in (0, 1)]
        files = [a_file(0, size=40, cached=False)] * 2
        for fair, waits in ((True, [600 - 85, 600 - 85]), (False, [0, 600 - 85])):
            link = replace(machine().lan, fair=fair)  # type: ignore[type-var]
            result = run(*jobs, files=files, lan=link, paths=2)
            assert [where(result, client)["lan"] for client in (0, 1)] == [
                (wait, 600) for wait in waits
            ]


class TestParallelJobs:
    """A job of three PEs writes 92 bytes: the master has 30, the others 31 each."""

    SHARE = 10 + 31
    CROSS = 5 + 2 * 31

    def test_gather(self) -> None:
        result = run(job(phase("write", 92), pes=3), files=[a_file(0, size=100)])
        each = self.SHARE + self.CROSS + self.SHARE
        assert result.elapsed_ns == 2 * each + WRITTEN
        assert where(result) == {
            "pe1": (0, self.SHARE),
            "pe1.out": (0, self.CROSS),
            "pe0": (0, 2 * self.SHARE + COPY + TURN),
            "pe2": (0, self.SHARE),
            "pe2.out": (0, self.CROSS),
            "ssu.write": (0, PUT),
        }

    def test_scatter(self) -> None:
        result = run(job(phase("read", 92), pes=3), files=[a_file(100, prestaged=True)])
        each = self.SHARE + self.CROSS + self.SHARE
        assert result.elapsed_ns == READ + 2 * each
        assert where(result)["pe0.out"] == (0, 2 * self.CROSS)
        assert where(result)["pe0"] == (0, 2 * self.SHARE + TURN + COPY)

    def test_the_others_wait_for_the_master(self) -> None:
        result = run(job(phase("write", 92), pes=3), files=[a_file(0, size=100)])
        names = [client.name for client in result.clients]
        assert names == ["job", "job/1", "job/2"]
        for rank in (1, 2):
            other = result.clients[rank]
            assert other.parts == {f"pe{rank}": (0, self.SHARE)}
            assert other.idle_ns == result.elapsed_ns - self.SHARE
            assert other.write.bytes == 0

    def test_the_sum_of_the_shares_is_the_record(self) -> None:
        result = run(job(phase("write", 92), pes=3), files=[a_file(0, size=100)])
        assert [result.parts[f"pe{i}.out"].bytes for i in (1, 2)] == [31, 31]
        assert result.parts["pe0.in"].bytes == 62

    def test_a_pe_that_gets_nothing_is_left_alone(self) -> None:
        result = run(job(phase("write", 1), pes=3), files=[a_file(0, size=9)])
        assert [c.parts for c in result.clients[1:]] == [{}, {"pe2": (0, 11)}]


class TestSeveralClients:
    def test_meet_at_the_ssu_in_the_order_of_the_workload(self) -> None:
        jobs = [job(phase("write", 92, file=file)) for file in (0, 1)]
        result = run(*jobs, files=[a_file(0, size=100)] * 2)
        assert [client.ended_ns for client in result.clients] == [WRITTEN, WRITTEN + PUT]
        assert where(result, 1)["ssu.write"] == (PUT, PUT)

    def test_share_a_fetch(self) -> None:
        reading = job(phase("read", 92))
        result = run(reading, reading, files=[a_file(100)])
        assert result.cache["fetched"] == 1
        assert where(result, 1)["ssu.cache"] == (BACK, 0)

    def test_of_a_striped_file_take_several_volumes(self) -> None:
        group = VolumeGroup(name="disk", count=2, spec=DISK)
        striped = a_file(100, where=VolumeFile(volumes=0, stripes=2, base=0, first=0))
        result = run(job(phase("read", 92)), files=[striped], volumes=(group,), paths=2)
        fetch = (1000 + 50 + 400) + (40 + 300)
        assert result.elapsed_ns == READ + fetch
        assert [result.parts[f"disk{i}"].bytes for i in (0, 1)] == [50, 50]
        assert result.parts["frontend.paths"].requests == 2

    def test_of_two_file_systems_do_not_meet_at_the_disks(self) -> None:
        groups = tuple(VolumeGroup(name=name, count=1, spec=DISK) for name in ("a", "b"))
        files = [
            a_file(100, where=VolumeFile(volumes=i, stripes=1, base=0, first=0)) for i in (0, 1)
        ]
        jobs = [job(phase("read", 92, file=file)) for file in (0, 1)]
        result = run(*jobs, files=files, volumes=groups, paths=2)
        assert [client.ended_ns for client in result.clients] == [
            READ + BACK,
            READ + BACK + HIT,  # behind the other at the SSU's channel
        ]

    def test_a_tape_is_mounted_once_for_a_file(self) -> None:
        tape = VolumeGroup(name="tape", count=1, spec=DiskSpec(rate=1e9, mount_ns=60_000))
        reading = job(phase("read", 92), phase("read", 92, file=1))
        where_ = VolumeFile(volumes=0, stripes=1, base=9000, first=0)
        files = [a_file(100), a_file(100, where=where_)]
        result = run(reading, files=files, volumes=(tape,))
        assert where(result)["tape0"] == (0, 2 * (60_000 + 100))

    @pytest.mark.parametrize(
        ("work", "before", "transfer", "after"),
        [("write", COPY + TURN, PUT, 0), ("read", TURN, HIT, COPY)],
    )
    def test_channels_are_a_limit(self, work: str, before: int, transfer: int, after: int) -> None:
        jobs = [job(phase(work, 92, file=file)) for file in (0, 1)]
        files = [a_file(100, prestaged=True)] * 2
        for count, wait in ((1, transfer), (2, 205)):
            # With two, the SSU's port is what one waits for: it takes 205 ns for each.
            channels = ChannelPlan(count=count, read=READ_CHANNEL, write=WRITE_CHANNEL)
            result = run(*jobs, files=files, channels=channels)
            assert result.clients[1].ended_ns == before + wait + transfer + after


class TestRepeating:
    def noisy(self, **changes: object) -> Result:
        noise = {kind: NoisePlan(run_sd=0.1, request_sd=0.2) for kind in ("pe", "ssu", "storage")}
        writing = job(phase("write", 92, 92, 92))
        built = plan(writing, files=[a_file(0, size=300)], noise=noise, ssu=ssu(4, "eager"))
        changed = replace(built, **{"noisy": True, **changes})  # type: ignore[arg-type]
        return run_reference(changed, debug=True)

    def test_the_same_seed_and_run_give_the_same_result_to_the_last_digit(self) -> None:
        first, second = (json.dumps(self.noisy(seed=3).to_json()) for _ in range(2))
        assert first == second

    def test_another_seed_or_run_gives_another(self) -> None:
        times = {self.noisy(seed=seed, run=r).elapsed_ns for seed in (1, 2) for r in (0, 1)}
        assert len(times) == 4

    def test_without_noise_seed_and_run_change_nothing(self) -> None:
        times = {self.noisy(seed=seed, noisy=False).elapsed_ns for seed in range(5)}
        assert len(times) == 1

    def test_each_part_has_its_own_noise(self) -> None:
        built = plan(job(phase("write", 92)), files=[a_file(0, size=100)])
        loud = replace(
            built,
            noisy=True,
            seed=4,
            machine=replace(built.machine, noise={"pe": NoisePlan(request_sd=0.3)}),
        )
        noise = Noise.of(4, 0, "pe0", run_sd=0.0, request_sd=0.3)
        result = run_reference(loud, debug=True)
        assert result.elapsed_ns == noise.stretch(COPY, 1) + noise.stretch(TURN, 2) + PUT
        assert result.elapsed_ns != WRITTEN

    def test_another_run_is_another_repetition(self) -> None:
        first = plan(job(compute(1)))
        second = first.with_run(1, 9)
        assert (run_reference(second).run, second.runs) == (1, 9)
        assert replace(second, run=first.run, runs=first.runs) == first


class TestOutcome:
    def test_the_record_for_programs(self) -> None:
        built = replace(
            plan(job(phase("write", 92)), files=[a_file(0, size=100)]), seed=5, workload="w"
        )
        record = run_reference(built).to_json()
        assert json.loads(json.dumps(record)) == record
        assert (record["machine"], record["workload"], record["seed"]) == ("by-hand", "w", 5)
        assert record["where"]["job"] == {
            "elapsed_ns": WRITTEN,
            "compute_ns": 0,
            "idle_ns": 0,
            "parts": {
                "pe0": {"wait_ns": 0, "service_ns": COPY + TURN},
                "ssu.write": {"wait_ns": 0, "service_ns": PUT},
            },
        }
        assert record["parts"]["ssu.write"] == {
            "requests": 1,
            "bytes": 100,
            "busy_ns": PUT,
            "servers": 1,
            "utilisation": round(PUT / WRITTEN, 9),
        }
        assert "disk0" not in record["parts"]  # it was not used
        assert record["clients"][0]["write"]["rate_MBps"] == round(92e3 / WRITTEN, 6)

    def test_a_timeline_has_every_service(self) -> None:
        built = plan(job(phase("write", 92)), files=[a_file(0, size=100)], ssu=ssu(4, "close"))
        result = run_reference(built, timeline=True)
        spans = {span.part: (span.start_ns, span.service_ns) for span in result.spans}
        assert spans["pe0"] == (0, COPY + TURN)
        assert spans["ssu.write"] == (COPY + TURN, PUT)
        assert spans["frontend.paths"] == (WRITTEN, ON_PATH)
        assert spans["disk0"] == (WRITTEN + ON_PATH, ON_DISK)
        assert [span["part"] for span in result.spans_json()] == [s.part for s in result.spans]
        assert run_reference(built).spans == []

    def test_a_timeline_of_a_fair_lan_has_its_transfers(self) -> None:
        link = replace(machine().lan, fair=True, link=LINK, server=SERVER)  # type: ignore[type-var]
        built = plan(
            job(phase("write", 32, path="nfs")),
            files=[a_file(0, size=40, cached=False)],
            lan=link,
        )
        (span,) = [s for s in run_reference(built, timeline=True).spans if s.part == "lan"]
        assert (span.service_ns, span.bytes) == (600, 40)

    def test_more_time_than_a_server_has_is_never_booked(self) -> None:
        """No two services of the timeline overlap at a part with one server."""
        jobs = [job(phase("write", 92, 92, file=file)) for file in (0, 1, 2)]
        built = plan(*jobs, files=[a_file(0, size=200)] * 3, ssu=ssu(3, "eager"))
        result = run_reference(built, timeline=True)
        for part in ("ssu.write", "disk0", "frontend.paths", "ssu.in"):
            spans = sorted(
                (s.start_ns, s.start_ns + s.service_ns) for s in result.spans if s.part == part
            )
            assert len(spans) >= 6
            assert all(before[1] <= after[0] for before, after in pairwise(spans))

    def test_clients_that_wait_for_ever_are_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def sleep(_: Ssu, worker: Actor) -> Steps:
            yield worker.blocked()

        monkeypatch.setattr(Ssu, "work", sleep)
        jobs = [job(phase("write", 92, 92)), job(compute(5))]
        with pytest.raises(SimulationError, match=r"clients wait for ever: job0$"):
            run_reference(plan(*jobs, files=[a_file(0, size=200)], ssu=ssu(1)))
