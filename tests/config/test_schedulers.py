"""Keys of a disk's scheduler, of merging, the drive's queue and zones: rows of plans, mistakes."""

from __future__ import annotations

import pytest

from simulator.config.errors import ConfigError
from simulator.inputfile import Text
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.kinds.parts.scheduled.spec import ScheduledSpec
from simulator.plan.bounds import Bounds
from simulator.plan.parts import PartPlan
from simulator.plan.plan import Plan
from simulator.run import load_inputs
from tests.reference.runs import both

MACHINE = """\
format: machine/2
name: m
parts:
  bus: {kind: queue, rate: 1 GB/s}
  disk: {kind: disk, rate: 100 MB/s, KEYS}
stores:
  pages: {capacity: 1 MB, block: 10 kB, extent: 10 kB, writers: 4}
filesystems:
  home: [[bus], pages, disk]
"""
JOB = """\
format: workload/2
name: job
files: {a: {size: 2 MB, exists: true}, b: {size: 2 MB}}
jobs:
  - {name: one, record: 10 kB, phases: [{do: read, file: a}]}
  - {name: two, record: 10 kB, phases: [{do: write, file: b}, {do: sync, file: b}]}
"""


def planned(keys: str, *, tiers: str = "[[bus], pages, disk]") -> Plan:
    """Return the plan of a machine whose disk has some keys."""
    text = MACHINE.replace("KEYS", keys).replace("[[bus], pages, disk]", tiers)
    return load_inputs(Text(text, "m.yaml"), Text(JOB, "w.yaml")).plan()


def disk(keys: str) -> PartPlan:
    """Return the row of the disk."""
    (one,) = (part for part in planned(keys).parts if part.name == "disk")
    return one


@pytest.mark.parametrize("keys", ["seek: 8 ms", "seek: 8 ms, scheduler: none, ncq: 1"])
def test_without_such_keys_a_disk_is_what_it_was(keys: str) -> None:
    one = disk(keys)
    assert one.kind == "disk"
    assert one.spec == DiskSpec(rate=1e8, seek_ns=8_000_000)


def test_with_one_of_them_it_is_scheduled_with_linux_s_values() -> None:
    for policy, scheduler in enumerate(("mq-deadline", "bfq"), 1):
        one = disk(f"scheduler: {scheduler}")
        assert (one.kind, one.spec) == ("scheduled", ScheduledSpec(rate=1e8, policy=policy))
    assert disk("ncq: 4").spec == ScheduledSpec(rate=1e8, ncq=4)
    assert disk("merge: 1280 KiB").spec == ScheduledSpec(rate=1e8, merge=1280 * 1024)
    own = "read_expire: 1 ms, write_expire: 2 ms, writes_starved: 3, fifo_batch: 4"
    assert disk(f"scheduler: mq-deadline, {own}").spec == ScheduledSpec(
        rate=1e8,
        policy=1,
        read_expire_ns=10**6,
        write_expire_ns=2 * 10**6,
        writes_starved=3,
        fifo_batch=4,
    )
    own = "slice: 1 ms, slice_idle: 0 ms, budget: 1 MB"
    assert disk(f"scheduler: bfq, {own}").spec == ScheduledSpec(
        rate=1e8, policy=2, slice_ns=10**6, slice_idle_ns=0, budget=10**6
    )


@pytest.mark.parametrize(
    ("keys", "key", "told"),
    [
        ("scheduler: cfq", "scheduler", "'cfq' is unknown; write none, mq-deadline or bfq"),
        ("fifo_batch: 4", "fifo_batch", "is of scheduler mq-deadline, but this disk has none"),
        ("scheduler: bfq, read_expire: 1 s", "read_expire", "write 'scheduler: mq-deadline'"),
        ("scheduler: mq-deadline, slice: 1 s", "slice", "is of scheduler bfq"),
        ("inner_rate: 50 MB/s", "inner_rate", "needs the capacity of the disk"),
        ("inner_rate: 150 MB/s, capacity: 1 GB", "inner_rate", "write 100 MB/s"),
        ("ncq: 0", "ncq", "1"),
    ],
)
def test_what_cannot_be_is_told(keys: str, key: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        planned(keys)
    (about,) = (one for one in str(caught.value).splitlines() if f"parts.disk.{key}" in one)
    assert about.startswith("m.yaml:5:")
    assert told in about


def test_a_scheduled_disk_is_a_stage_of_its_own() -> None:
    assert planned("ncq: 1", tiers="[pages, [bus, disk]]")
    with pytest.raises(ConfigError, match="disk is a disk with a scheduler, and cannot be held"):
        planned("ncq: 2", tiers="[pages, [bus, disk]]")


@pytest.mark.parametrize(
    "keys",
    [
        "scheduler: none, merge: 1 MB",
        "scheduler: mq-deadline, ncq: 4, seek: 5 ms",
        "scheduler: bfq, merge: 1280 KiB, seek: 5 ms",
        "inner_rate: 50 MB/s, capacity: 3 MB",
    ],
)
def test_bounds_hold_and_both_engines_agree(keys: str) -> None:
    """4 MB pass a disk of 100 MB/s, but for dirty pages, in no less than that takes."""
    plan = planned(keys)
    least = Bounds(plan).least_ns()
    assert 20_000_000 <= least <= both(plan).elapsed_ns
