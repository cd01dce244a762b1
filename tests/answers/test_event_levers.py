"""Failures and slow members limit, and what the run takes without them is simulated."""

from __future__ import annotations

import pytest

from simulator.answers.again import InputsAgain, ask_limits
from simulator.answers.jobs import JobRun, first_advice
from simulator.answers.levers import level_of
from simulator.answers.limits import Limits
from simulator.config.errors import ConfigError
from simulator.inputfile import Text
from simulator.report.limits import limits_text, sentence
from simulator.run import load_inputs, run_plan

pytestmark = pytest.mark.compiled

STRIPED = """\
format: machine/2
name: lustre
nodes: {client: 4, oss: 4}
parts:
  cpu: {kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  nic: {kind: network, at: [client, oss], rate: 1000 TB/s, latency: 0 s}
  ost: {kind: queue, at: oss, rate: 500 MB/s}
filesystems:
  scratch:
    - {stripe: 1 MB, over: 4, of: oss}
    - [nic]
    - ost
"""
READER = """\
format: workload/2
name: straggler
files: {f: {size: 400 MB, exists: true}}
jobs: [{name: r, record: 4 MB, phases: [{do: read, file: f}]}]
events: [%s]
"""
DISK = """\
format: machine/2
name: one-disk
parts: {disk: {kind: disk, rate: 100 MB/s}}
filesystems: {home: [disk]}
events: [%s]
"""
AWAY = "{part: disk, at: 0.5 s, repair: 1000 s}"


def asked(machine: str, events: str) -> tuple[Limits, JobRun]:
    inputs = load_inputs(Text(machine, "machine"), Text(READER % events, "workload"))
    plan = inputs.plan()
    base = run_plan(plan)
    again = InputsAgain(inputs)
    found = ask_limits(again, plan, base)
    assert isinstance(found, Limits)
    return found, JobRun(again, base, found, ("nwtsim", "run", "m", "w"))


@pytest.mark.parametrize(
    ("machine", "events", "name", "without_s"),
    [
        (STRIPED, "{part: ost, member: 2, at: 0 s, rate: 100 MB/s, lasts: 1 h}", "workload", 0.2),
        (STRIPED, "{part: ost, member: 2, at: 0 s, factor: 20 %, lasts: 1 h}", "workload", 0.2),
        (DISK % AWAY, "", "machine", 4.08),
    ],
)
def test_an_event_limits_and_the_run_without_it_is_made(
    machine: str, events: str, name: str, without_s: float
) -> None:
    found, job = asked(machine, events)
    assert found.first is not None
    assert found.first.lever.name == f"{name}.events.0"
    assert found.first.twice.elapsed_ns == pytest.approx(without_s * 1e9, rel=1e-3)
    told = sentence(found)
    assert told.startswith(f"What limits: {'failure of disk' if name == 'machine' else 'slowness'}")
    assert "Without it the run takes" in told
    assert "as it is -> without it" in limits_text(found)
    first = first_advice(job, found).advice[0]
    assert (first.elapsed_ns, first.cure.level) == (found.first.twice.elapsed_ns, "hardware")
    assert first.command[-1].startswith(f"{name}.events.0.at=")


ARRAY = """\
format: machine/2
name: one-array
parts:
  disk: {kind: array, disks: 6, level: %s, rate: 100 MB/s, seek: 4 ms, rotation: 8 ms,
    capacity: 1 GB, unit: 100 kB}
filesystems: {home: [disk]}
"""
SLOW_DISK = "{part: disk, disk: 2, at: 0 s, %s, lasts: 1 h}"
AWAY_MEMBER = "{part: ost, member: 0, at: 0 s, repair: 1000 s}"


@pytest.mark.parametrize(
    ("machine", "event", "what"),
    [
        (ARRAY % "raid5", SLOW_DISK % "rate: 20 MB/s", "slowness of disk"),
        (ARRAY % "raid6", SLOW_DISK % "factor: 20 %", "slowness of disk"),
        (ARRAY % "mirror", SLOW_DISK % "factor: 5 %", "slowness of disk"),
        (STRIPED, AWAY_MEMBER, "failure of ost"),
    ],
)
def test_without_its_straggler_an_array_takes_what_it_takes_where_there_is_none(
    machine: str, event: str, what: str
) -> None:
    found, _ = asked(machine, event)
    healthy = run_plan(load_inputs(Text(machine, "m"), Text(READER % "", "w")).plan())
    assert found.first is not None
    assert found.first.lever.name == "workload.events.0"
    assert found.first.twice.elapsed_ns == healthy.elapsed_ns
    assert sentence(found).startswith(f"What limits: {what}. Without it the run takes")


AWAY_DISK = "{part: disk, disk: 0, at: 0 s, repair: 1000 s}"


@pytest.mark.parametrize("level", ["raid5", "raid6", "mirror"])
def test_a_disk_that_is_away_does_not_limit_who_reads_whole_rows(level: str) -> None:
    """Each other disk reads what passes its head: 0.8882 s of a RAID 5, with it or without."""
    machine, reader = ARRAY % level, READER.replace("4 MB", "12 MB")
    runs = [
        run_plan(load_inputs(Text(machine, "m"), Text(reader % event, "w")).plan())
        for event in ("", AWAY_DISK)
    ]
    whole, degraded = (one.elapsed_ns for one in runs)
    assert whole <= degraded <= whole + 8_000_000
    found, _ = asked(machine, AWAY_DISK)
    assert found.first is None or found.first.lever.name != "workload.events.0"


def test_a_disk_that_is_away_limits_who_reads_parts_of_rows() -> None:
    machine = (ARRAY % "raid5").replace("100 kB", "512 KiB")
    found, _ = asked(machine, AWAY_DISK)
    whole = run_plan(load_inputs(Text(machine, "m"), Text(READER % "", "w")).plan())
    assert found.first is not None
    assert found.first.twice.elapsed_ns == whole.elapsed_ns
    assert sentence(found).startswith("What limits: failure of disk")


def test_what_did_not_happen_does_not_limit() -> None:
    found, _ = asked(DISK % "{part: disk, at: 1 h, repair: 1000 s}", "")
    assert found.first is not None
    assert found.first.lever.name == "disk.rate"
    assert not any(one.lever.where == "event" for one in found.limits)
    found, _ = asked(DISK % "{part: disk, mtbf: 100000 h, repair: 1000 s}", "")
    assert not any(one.lever.where == "event" for one in found.limits)


def test_a_moment_away_is_less_than_the_disk() -> None:
    found, _ = asked(DISK % "{part: disk, at: 0.5 s, repair: 100 ms}", "")
    by_name = {one.lever.name: one.saves_ns for one in found.limits}
    assert by_name["machine.events.0"] == pytest.approx(0.1e9, rel=1e-3)
    assert found.first is not None
    assert found.first.lever.name == "disk.rate"


def test_an_event_is_of_the_hardware() -> None:
    assert level_of("workload.events.0.at") == level_of("machine.events.3.mtbf") == "hardware"


OFTEN = "{part: %s, mtbf: 1 s, repair: 2 s}"
UNIT = """\
format: machine/2
name: unit
nodes: {client: 1, server: 1}
parts:
  lan: {kind: network, at: [client, server], rate: 200 MB/s, latency: 10 us}
  io: {kind: io-server, at: server, overhead: 100 us, piece: 1 us, copy_rate: 1 GB/s}
  raid: {kind: raid, at: server, rate: 100 MB/s, overhead: 1 ms, seek: 4 ms, rotation: 8 ms,
    cache: 16 MB, bus_rate: 400 MB/s}
buffer_caches: {buffers: {at: server, capacity: 32 MB, block: 1 MB, prefetch: 2}}
filesystems:
  fs:
    - {route: [lan], server: io}
    - buffers
    - raid
events: [%s]
"""


@pytest.mark.parametrize(
    ("machine", "event", "what"),
    [
        (DISK, OFTEN % "disk", "failure of disk"),
        (UNIT, OFTEN % "lan", "failure of lan"),
        (UNIT, "{part: lan, group: server, at: 0.5 s, repair: 100 s}", "failure of lan"),
        (UNIT, "{part: lan, group: server, at: 0 s, factor: 5 %, lasts: 1 h}", "slowness of lan"),
    ],
)
def test_without_its_failures_a_run_takes_what_it_takes_where_there_are_none(
    machine: str, event: str, what: str
) -> None:
    found, _ = asked(machine % event, "")
    without = run_plan(load_inputs(Text(machine % "", "m"), Text(READER % "", "w")).plan())
    assert found.first is not None
    assert found.first.lever.name == "machine.events.0"
    assert found.first.twice.elapsed_ns == without.elapsed_ns
    assert sentence(found).startswith(f"What limits: {what}. Without it the run takes")


def test_a_raid_unit_has_no_events() -> None:
    """Its disks are not known one by one: an array has them."""
    with pytest.raises(ConfigError, match="raid is a raid, to which no event can happen"):
        asked(UNIT % (OFTEN % "raid"), "")
