"""Rates by size and by how many requests are under way: by hand, by a twin, by theory, in files."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from simulator.config.errors import ConfigError
from simulator.config.formats import parse_machine
from simulator.config.ratetables import RateByLoad, RateBySize
from simulator.inputfile import Text
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.kinds.parts.ssd.section import SsdSpec
from simulator.native.run import run_native
from simulator.run import load_plan
from simulator.service import ServiceSpec, SizePoint
from tests.engines.hand import Hand
from tests.examples import examples
from tests.reference.runs import both, ends, run, spent
from tests.twins.devices import Call, Device, Disk, Flash, Table, ends_ns

ONE = ServiceSpec(1e9, 5)
DEEP = replace(ONE, deeper=(ServiceSpec(2e9, 5), ServiceSpec(4e9, 7)))
"""5 ns and 1 ns a byte; 0.5 with two under way; 7 ns and 0.25 with three and more."""
SIZES = ServiceSpec(1e9, 3, points=(SizePoint(10, 100), SizePoint(20, 131), SizePoint(40, 140)))
FREE = SsdSpec(cache=1 << 60, sustained=1)


def device(kind: str, service: ServiceSpec, spec: Any = None, **fields: Any) -> Hand:
    """A node with a device that holds a file."""
    hand = Hand(pe=1)
    hand.part("drive", "pe", kind, spec=spec)
    hand.parts[-1] = replace(hand.parts[-1], service=service, **fields)
    stage = hand.stage("drive")
    written = tuple(replace(one, writes=True) for one in stage.down)
    hand.path("fs", [replace(stage, down=written)])
    hand.file("f", "fs", 10_000)
    return hand


def done_ns(hand: Hand, *processes: tuple[tuple[object, ...], ...]) -> list[int]:
    """When processes have made their operations, each its own one after the other."""
    for number, operations in enumerate(processes):
        hand.process(f"p{number}", hand.listed(*operations))
    return ends(run(hand))


@pytest.mark.parametrize("kind", ["ssd", "disk"])
def test_a_request_has_the_service_of_as_many_as_are_there_when_it_comes(kind: str) -> None:
    """Four at once: with 1, 2, 3 and 3 under way."""
    spec = FREE if kind == "ssd" else DiskSpec(rate=1.0)
    read = (("read", "f", 0, 100),)
    first, second = 105, 105 + 55
    assert done_ns(device(kind, DEEP, spec), *[read] * 4) == [first, second, 192, 224]


def test_one_that_ends_when_another_comes_is_not_under_way() -> None:
    again = (("read", "f", 0, 100), ("read", "f", 0, 100))
    assert done_ns(device("ssd", DEEP, FREE), again) == [210]
    late = (("read", "f", 0, 100, 105),)
    assert done_ns(device("ssd", DEEP, FREE), again[:1], late) == [105, 210]
    soon = (("read", "f", 0, 100, 104),)
    assert done_ns(device("ssd", DEEP, FREE), again[:1], soon) == [105, 160]


def test_in_a_closed_loop_all_are_under_way() -> None:
    """Three readers without pause: from the fourth request on each finds two others."""
    reads = (("read", "f", 0, 100),) * 10
    made = done_ns(device("ssd", DEEP, FREE), reads, reads, reads)
    assert made[2] == 105 + 55 + 28 * 32


def test_reads_and_writes_count_together_and_have_their_own_rates() -> None:
    hand = device("ssd", ONE, FREE, writes=DEEP)
    read, write = (("read", "f", 0, 100),), (("write", "f", 0, 100),)
    assert done_ns(hand, read, read, write) == [105, 210, 210 + 32]


def test_a_request_with_a_cost_counts_and_has_no_other_rate() -> None:
    hand = device("disk", DEEP, DiskSpec(rate=1.0))
    ask = hand.chain([hand.work("drive", lookup=50)])
    hand.paths[0] = replace(hand.paths[0], metadata=ask)
    read, look = (("read", "f", 0, 100),), (("lookup", "f", 0, 0),)
    assert done_ns(hand, look, look, read) == [50, 100, 100 + 32]


@pytest.mark.parametrize("kind", ["ssd", "disk", "shared"])
@pytest.mark.parametrize(
    ("size", "time_ns"),
    # 10 B take 100 ns, 20 B 131, 40 B 140; a byte in between 3.1 and 0.45, rounded up.
    [(1, 10), (10, 100), (11, 104), (20, 131), (21, 132), (39, 140), (40, 140), (80, 280)],
)
def test_between_two_sizes_the_time_is_linear(kind: str, size: int, time_ns: int) -> None:
    specs = {"ssd": FREE, "disk": DiskSpec(rate=1.0), "shared": None}
    hand = device(kind, SIZES, specs[kind])
    assert done_ns(hand, (("read", "f", 0, size),)) == [3 + time_ns]


def test_what_shares_a_link_has_the_times_of_its_size() -> None:
    hand = device("shared", SIZES, speeds=(0, 1 << 20, 1 << 19))
    assert done_ns(hand, *[(("read", "f", 0, 20),)] * 2) == [4 * 134] * 2


def test_a_disk_positions_besides() -> None:
    hand = device("disk", SIZES, DiskSpec(rate=1.0, seek_ns=1000))
    assert done_ns(hand, (("read", "f", 0, 20), ("read", "f", 20, 10))) == [1134 + 103]
    assert spent(run(hand)) == {"drive": (0, 1237)}


# -- the twin ------------------------------------------------------------------------------------


def drawn_service(rng: Random) -> ServiceSpec:
    def one() -> ServiceSpec:
        sizes = sorted(rng.sample(range(1, 200), rng.randint(1, 4)))
        times = sorted(rng.randint(1, 900) for _ in sizes)
        return ServiceSpec(1e9, rng.choice((0, 7)), points=tuple(map(SizePoint, sizes, times)))

    first, *others = (one() for _ in range(rng.randint(1, 4)))
    return replace(first, deeper=tuple(others))


def table(service: ServiceSpec) -> Table:
    return Table(
        [(one.overhead_ns, [(p.size, p.time_ns) for p in one.points]) for one in service.depths]
    )


def drawn_devices(rng: Random) -> tuple[Hand, Device]:
    reads, writes = drawn_service(rng), drawn_service(rng)
    if rng.random() < 0.4:
        seek = rng.choice((0, 300))
        hand = device("disk", reads, DiskSpec(rate=1.0, seek_ns=seek), writes=writes)
        return hand, Disk(table(reads), table(writes), position_ns=seek)
    numbers: dict[str, int] = {
        "cache": rng.choice((0, 50, 400)),
        "sustained": 10**9 // rng.choice((1, 3, 7)),
        "collecting": 10**9 // rng.choice((8, 21)),
        "page": rng.choice((1, 16, 50)),
        "spare": rng.choice((0, 100, 500)),
        "collect_ns": rng.choice((0, 250)),
    }
    hand = device("ssd", reads, SsdSpec(**numbers), writes=writes)
    return hand, Flash(table(reads), table(writes), **numbers)


@pytest.mark.drawn
def test_devices_do_what_their_naive_twins_do() -> None:
    for seed in range(examples(400)):
        compare(Random(f"devices {seed}"))


def compare(rng: Random) -> None:
    """Compare the ends of processes on a drawn device."""
    hand, twin = drawn_devices(rng)
    processes: list[list[Call]] = []
    for number in range(rng.randint(1, 6)):
        calls = [
            (rng.random() < 0.6, rng.randint(0, 9) * 100, rng.randint(1, 300), gap)
            for gap in rng.choices((0, 0, 10, 200, 1000), k=rng.randint(1, 12))
        ]
        processes.append(calls)
        ways = ("read", "write")
        hand.process(
            f"p{number}",
            hand.listed(*((ways[write], "f", low, size, gap) for write, low, size, gap in calls)),
        )
    assert ends(run(hand)) == ends_ns(twin, processes)


# -- theory --------------------------------------------------------------------------------------

CLOSED = """\
format: machine/2
name: closed
parts:
  cpu: {kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  think: {kind: delay, overhead: 1 ms, noise: {distribution: exponential}}
  drive:
    kind: KIND
    rate: {1: 100 MB/s, 2: 150 MB/s, 3: 240 MB/s}
    noise: {distribution: exponential}
filesystems:
  home: [[think], drive]
"""
READERS = """\
format: workload/2
name: readers
files: {f: {size: 100 kB, exists: true}}
jobs: [{name: reader, processes: 3, record: 100 kB, repeat: 40000, phases: [{do: read, file: f}]}]
"""
RATES = {1: 1000.0, 2: 1500.0, 3: 2400.0}
"""Requests of 100 kB per second, by how many are under way."""
THINK = 1000.0
"""Per second."""


def simulated(kind: str) -> float:
    """Requests per second of three readers that pause 1 ms."""
    plan = load_plan(Text(CLOSED.replace("KIND", kind), "closed"), Text(READERS, "readers"))
    result = run_native(plan)
    (drive,) = (one for one in result.parts.values() if one.kind == kind)
    return drive.requests / (result.end_ns / 1e9)


def by_mean_values(customers: int) -> float:
    """Throughput of a closed network: a delay, and a station with rates by its load.

    Exact mean value analysis (Reiser, Performance Evaluation 1(1), 1981): with n customers one
    finds j - 1 at the station as often as there are with n - 1.
    """
    found, rate = [1.0], 0.0
    for n in range(1, customers + 1):
        stay = sum(j / RATES[j] * found[j - 1] for j in range(1, n + 1))
        rate = n / (1 / THINK + stay)
        found = [0.0, *(rate / RATES[j] * found[j - 1] for j in range(1, n + 1))]
        found[0] = 1 - sum(found)
    return rate


def by_states(customers: int) -> float:
    """Throughput of a queue whose customers keep the rate of as many as they found, and one more.

    A state is the rates of those that are there, in order; its share is that of the chain that
    steps at a rate no state exceeds.
    """
    most = THINK * customers + max(RATES.values())
    shares: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(3000):
        after: dict[tuple[int, ...], float] = {}
        for there, share in shares.items():
            stays = most
            if len(there) < customers:
                coming = THINK * (customers - len(there))
                stays -= coming
                longer = (*there, len(there) + 1)
                after[longer] = after.get(longer, 0.0) + share * coming / most
            if there:
                stays -= RATES[there[0]]
                after[there[1:]] = after.get(there[1:], 0.0) + share * RATES[there[0]] / most
            after[there] = after.get(there, 0.0) + share * stays / most
        shares = after
    return sum(share * RATES[there[0]] for there, share in shares.items() if there)


@pytest.mark.slow
def test_a_shared_device_has_the_throughput_of_mean_value_analysis() -> None:
    assert simulated("shared") == pytest.approx(by_mean_values(3), rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ssd", "disk"])
def test_a_queue_at_a_device_has_the_throughput_of_its_chain(kind: str) -> None:
    assert simulated(kind) == pytest.approx(by_states(3), rel=0.01)
    assert by_states(3) < 0.97 * by_mean_values(3)  # Both are told apart.


REPEATED = """\
format: machine/2
name: repeated
parts:
  cpu: {kind: cpu, copy_rate: 1 GB/s, call_overhead: 3 us, record_overhead: 0 ns}
  drive:
    kind: ssd
    rate: {4 kB: {1: 10 MB/s, 3: 20 MB/s}, 1 MB: {1: 100 MB/s, 4: 300 MB/s}}
    cache: 1 MB
    sustained_rate: 10 MB/s
    page: 16 KiB
    collect: 10 us
    valid: 50 %
    spare: 3 MB
filesystems:
  home: [drive]
"""
AGAIN = """\
format: workload/2
name: again
files: {f: {size: 400 kB, exists: true}, g: {size: 100 kB}}
jobs:
  - name: again
    processes: 3
    record: 100 kB
    repeat: 300
    phases: [{do: read, file: f}, {do: write, file: g}]
"""


def test_a_run_that_repeats_is_the_same_when_it_is_carried_out() -> None:
    plan = load_plan(Text(REPEATED, "repeated"), Text(AGAIN, "again"))
    both(plan)
    bare, carried = run_native(plan), run_native(plan, debug=True, record=True)
    assert (bare.end_ns, bare.parts) == (carried.end_ns, carried.parts)
    longer = load_plan(Text(REPEATED, "repeated"), Text(AGAIN.replace("300", "1000000"), "again"))
    assert run_native(longer).end_ns == pytest.approx(10**6 / 300 * bare.end_ns, rel=0.02)


# -- files ---------------------------------------------------------------------------------------

MACHINE = """\
format: machine/2
name: tables
parts:
  drive: {kind: KIND, rate: RATE}
filesystems:
  home: [drive]
"""


def machine(rate: str, kind: str = "ssd") -> Any:
    return parse_machine(MACHINE.replace("RATE", rate).replace("KIND", kind)).parts["drive"]


def test_a_table_becomes_services_by_number_of_points_by_size() -> None:
    text = "{4 kB: {1: 40 MB/s, 3: 80 MB/s}, 1 MB: 500 MB/s}"
    rate = machine(text).rate
    one = RateByLoad(((1, 500e6),))
    assert rate == RateBySize(((4000, RateByLoad(((1, 40e6), (3, 80e6)))), (10**6, one)))
    service = machine(text).row()["service"]
    times = [[(point.size, point.time_ns) for point in one.points] for one in service.depths]
    assert times == [[(4000, time), (10**6, 2_000_000)] for time in (100_000, 66_667, 50_000)]
    assert service.fastest == 500e6


def test_a_rate_is_no_table() -> None:
    for text in ("100 MB/s", "{read: 100 MB/s, write: 50 MB/s}"):
        row = machine(text).row()
        assert not row["service"].is_table
        assert not row["writes"].is_table
    assert machine("{1: 100 MB/s, 3: 80 MB/s}", "disk").row()["service"] == replace(
        ServiceSpec(100e6), deeper=(ServiceSpec(90e6), ServiceSpec(80e6))
    )


@pytest.mark.parametrize(
    ("rate", "kind", "about"),
    [
        ("{4 KiB: 1 MB/s, 8 KiB: 3 MB/s}", "ssd", "8 KiB would take less time than 4 KiB; write 2"),
        ("{4 KiB: {2: 9 MB/s}, 8 KiB: {1: 1 MB/s, 2: 99 MB/s}}", "disk", "with 2 under way"),
        ("{4 KiB: 1 MB/s, 2: 3 MB/s}", "disk", "'2' is a number of transfers beside sizes"),
        ("{4 KiB: 1 MB/s, 4096 B: 1 MB/s}", "ssd", "4 KiB has two rates; write one"),
        ("{4 KiB: {0: 1 MB/s}}", "disk", "'0' is not a number of transfers from 1 to 10000"),
        ("{4 KiX: 1 MB/s}", "ssd", "KiX"),
        ("{4 KiB: fast}", "ssd", "'fast'"),
        ("{}", "ssd", "write it like"),
        ("{read: {4 KiB: 1 MB/s}}", "ssd", "write is missing"),
        ("{4 KiB: {1: 1 MB/s, 2: 2 MB/s}}", "shared", "is by size and by number"),
        ("{1: 1 MB/s, 2: 2 MB/s}", "queue", "drive.rate"),
    ],
)
def test_what_is_wrong_with_a_table_is_told(rate: str, kind: str, about: str) -> None:
    with pytest.raises(ConfigError, match=r"drive\.rate") as caught:
        machine(rate, kind)
    assert about in str(caught.value)
