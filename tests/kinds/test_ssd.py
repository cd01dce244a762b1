"""Flash devices on both engines: bursts, what comes after, stalls; by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.config.errors import ConfigError
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.kinds.parts.ssd.section import SsdSpec
from simulator.native.run import run_native
from simulator.plan.errors import LimitError
from simulator.reference.run import run_reference
from simulator.service import ServiceSpec
from tests.engines.hand import Hand
from tests.reference.runs import ends, run, spent

SPEC = SsdSpec(cache=100, sustained=10**9 // 8)
"""100 B are written at 2 ns each, all others at 8 ns."""
READ, WRITE = ServiceSpec(1e9, 5), ServiceSpec(0.5e9, 10)
MB = 10**6


def device(spec: SsdSpec = SPEC) -> Hand:
    """A node with a device that holds a file."""
    hand = Hand(pe=1)
    hand.part("drive", "pe", "ssd", spec=spec)
    hand.parts[-1] = replace(hand.parts[-1], service=READ, writes=WRITE)
    stage = hand.stage("drive")
    written = tuple(replace(one, writes=True) for one in stage.down)
    hand.path("fs", [replace(stage, down=written)])
    hand.file("f", "fs", 10_000)
    return hand


def done_ns(*operations: tuple[object, ...], spec: SsdSpec = SPEC) -> int:
    """When a process has made its operations one after the other."""
    hand = device(spec)
    hand.process("p", hand.listed(*operations))
    (end,) = ends(run(hand))
    return end


def test_a_burst_that_fits_is_written_at_the_rate() -> None:
    assert done_ns(("write", "f", 0, 100)) == 10 + 2 * 100


def test_what_does_not_fit_is_written_at_the_sustained_rate() -> None:
    assert done_ns(("write", "f", 0, 160)) == 10 + 2 * 100 + 8 * 60
    assert done_ns(("write", "f", 0, 100), ("write", "f", 100, 60)) == 210 + 10 + 8 * 60


def test_the_cache_drains_while_nothing_is_served() -> None:
    """160 ns at 8 ns each: there is room for 20 B."""
    later = ("write", "f", 100, 60, 160)
    assert done_ns(("write", "f", 0, 100), later) == 210 + 160 + 10 + 2 * 20 + 8 * 40


def test_it_does_not_drain_while_it_reads() -> None:
    busy = [("write", "f", 0, 100), ("read", "f", 0, 1000)]
    assert done_ns(*busy, ("write", "f", 100, 10)) == 210 + 1005 + 10 + 8 * 10


def test_it_drains_before_a_request_without_bytes_and_not_while_it_serves_that() -> None:
    """160 ns of nothing, a lookup of 50 ns, and no time until the write: room for 20 B."""
    hand = device()
    hand.paths[0] = replace(hand.paths[0], metadata=hand.chain([hand.work("drive", lookup=50)]))
    later = ("write", "f", 100, 60)
    hand.process("p", hand.listed(("write", "f", 0, 100), ("lookup", "f", 0, 0, 160), later))
    assert ends(run(hand)) == [210 + 160 + 50 + 10 + 2 * 20 + 8 * 40]


def test_an_idle_device_has_all_of_its_cache_and_no_more() -> None:
    later = ("write", "f", 100, 160, 10**6)
    assert done_ns(("write", "f", 0, 160), later) == 10**6 + 2 * (10 + 2 * 100 + 8 * 60)


def test_less_than_a_byte_does_not_drain() -> None:
    later = ("write", "f", 100, 1, 7)
    assert done_ns(("write", "f", 0, 100), later) == 210 + 7 + 10 + 8


def test_it_stalls_after_so_many_bytes() -> None:
    spec = SsdSpec(cache=10_000, sustained=10**9, erase=64, stall_ns=1000)
    assert done_ns(("write", "f", 0, 63), spec=spec) == 10 + 126
    assert done_ns(("write", "f", 0, 63), ("write", "f", 63, 1), spec=spec) == 136 + 12 + 1000
    assert done_ns(("write", "f", 0, 200), spec=spec) == 10 + 400 + 3 * 1000
    assert done_ns(("write", "f", 0, 200), ("write", "f", 200, 56), spec=spec) == 3410 + 122 + 1000


COLLECTS = SsdSpec(
    cache=100, sustained=10**9 // 8, spare=300, collecting=10**9 // 20, collect_ns=1000
)
"""Past its cache 8 ns a byte; from 300 B written on 20 ns, and 1000 ns where a write jumps."""


def test_it_collects_once_its_spare_flash_is_written() -> None:
    first = 10 + 2 * 100 + 8 * 200
    assert done_ns(("write", "f", 0, 300), spec=COLLECTS) == first
    assert done_ns(("write", "f", 0, 310), spec=COLLECTS) == first + 20 * 10 + 1000
    after = ("write", "f", 300, 10)
    assert done_ns(("write", "f", 0, 300), after, spec=COLLECTS) == first + 10 + 20 * 10


def test_a_write_that_does_not_follow_the_one_before_breaks_a_block() -> None:
    before = 10 + 2 * 100 + 8 * 200
    for offset, more in ((300, 0), (299, 1000), (500, 1000)):
        ops = (("write", "f", 0, 300), ("write", "f", offset, 10))
        assert done_ns(*ops, spec=COLLECTS) == before + 10 + 20 * 10 + more
    ops = (("write", "f", 0, 300), ("read", "f", 5, 100), ("write", "f", 300, 10))
    assert done_ns(*ops, spec=COLLECTS) == before + 105 + 210


def test_what_the_cache_takes_collects_nothing_and_uses_spare_flash() -> None:
    """500 ns empty 62 B of the cache: no jump is paid for what fits."""
    ops = (("write", "f", 0, 300), ("write", "f", 900, 50, 500), ("write", "f", 950, 20))
    kept = 10 + 200 + 1600 + 500 + 10 + 2 * 50
    assert done_ns(*ops[:2], spec=COLLECTS) == kept
    assert done_ns(*ops, spec=COLLECTS) == kept + 10 + 2 * 12 + 20 * 8


def test_writes_take_whole_pages() -> None:
    """Bytes 60 to 130 lie in pages 3 to 8 of 16 B: 96 B; the cache has room for 100."""
    spec = replace(SPEC, page=16)
    assert done_ns(("write", "f", 64, 64), spec=spec) == 10 + 2 * 64
    assert done_ns(("write", "f", 60, 70), spec=spec) == 10 + 2 * 96
    assert done_ns(("write", "f", 60, 70), ("write", "f", 130, 1), spec=spec) == 202 + 10 + 8 + 96
    assert done_ns(("read", "f", 60, 70), spec=spec) == 5 + 70


def test_requests_queue_first_come_first_served() -> None:
    hand = device()
    for number in range(2):
        hand.process(f"p{number}", hand.listed(("write", "f", 100 * number, 100)))
    result = run(hand)
    assert ends(result) == [210, 210 + 10 + 800]
    assert spent(result, 1) == {"drive": (210, 810)}


@pytest.mark.parametrize("engine", [run_reference, run_native])
def test_a_request_of_2_to_the_62_ns_ends_the_run(engine: object) -> None:
    """A byte a second: 10,000 B take 10**13 ns, and 2**61 B too long."""
    slow = SsdSpec(cache=0, sustained=1)
    assert done_ns(("write", "f", 0, 10_000), spec=slow) == 10 + 10_000 * 10**9
    stalling = SsdSpec(cache=10**6, sustained=1, erase=1, stall_ns=1 << 50)
    for spec in (SsdSpec(cache=0, sustained=1), stalling):
        hand = device(spec)
        hand.file("large", "fs", 1 << 60)
        hand.process("p", hand.listed(("write", "large", 0, 1 << 60)))
        with pytest.raises(LimitError, match="drive"):
            engine(hand.plan())  # type: ignore[operator]


MACHINE = """\
format: machine/2
name: flash
parts:
  cpu: {kind: cpu, copy_rate: 1 PB/s, call_overhead: 0 s, record_overhead: 0 s}
  drive: {kind: ssd, rate: 2 GB/s, cache: 150 GB, sustained_rate: 500 MB/s}
filesystems:
  home: [drive]
"""
WORKLOAD = """\
format: workload/2
name: large
files: {all: {size: 200 GB}}
jobs: [{name: writer, record: 100 MB, phases: [{do: write, file: all}]}]
"""


def test_a_measured_drive_of_1_TB() -> None:
    """Kingston A2000: 150 GB at 2 GB/s, the other 50 GB of 200 at 500 MB/s: 175 s."""
    plan = make_plan(parse_machine(MACHINE), parse_workload(WORKLOAD))
    (drive,) = (one for one in run_native(plan).parts.values() if one.kind == "ssd")
    assert drive.busy_ns == pytest.approx((75 + 100) * 10**9, rel=1e-5)


def test_a_device_without_a_cache_is_written_at_its_rate() -> None:
    text = MACHINE.replace("cache: 150 GB, sustained_rate: 500 MB/s", "page: 16 KiB")
    plan = make_plan(parse_machine(text), parse_workload(WORKLOAD))
    (drive,) = (one for one in run_native(plan).parts.values() if one.kind == "ssd")
    assert drive.busy_ns == pytest.approx(100 * 10**9, rel=1e-3)


def test_what_is_valid_makes_writing_past_the_cache_slower() -> None:
    """Of the 200 GB 150 are written at 2 GB/s, 20 more at 500 MB/s, the last 30 at 100 MB/s."""
    past = "sustained_rate: 500 MB/s, valid: 80 %, spare: 170 GB"
    text = MACHINE.replace("sustained_rate: 500 MB/s", past)
    plan = make_plan(parse_machine(text), parse_workload(WORKLOAD))
    (drive,) = (one for one in run_native(plan).parts.values() if one.kind == "ssd")
    assert drive.busy_ns == pytest.approx((75 + 40 + 300) * 10**9, rel=1e-5)


@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        (
            "sustained_rate: 500 MB/s",
            "sustained_rate: 3 GB/s",
            "is more than the rate of writing; write 2 GB",
        ),
        ("cache: 150 GB, ", "", "sustained_rate is here without cache; write both or neither"),
        (
            "sustained_rate: 500 MB/s",
            "sustained_rate: 500 MB/s, erase: 1 MB",
            "erase is here without stall",
        ),
        (
            "cache: 150 GB, sustained_rate: 500 MB/s",
            "valid: 50 %",
            "valid is of writing past a cache; write 'cache' and 'sustained_rate' too",
        ),
        (
            "cache: 150 GB, sustained_rate: 500 MB/s",
            "collect: 1 ms",
            "collect is of writing past a cache",
        ),
        (
            "sustained_rate: 500 MB/s",
            "sustained_rate: 500 MB/s, valid: 100 %",
            "leaves nothing to write to; write '99 %' or less",
        ),
        (
            "sustained_rate: 500 MB/s",
            "sustained_rate: 500 MB/s, spare: 1 GB",
            "changes nothing without 'valid' or 'collect'",
        ),
    ],
)
def test_what_is_wrong_with_one_is_told(old: str, new: str, about: str) -> None:
    with pytest.raises(ConfigError, match=about):
        parse_machine(MACHINE.replace(old, new))
