"""Arrays and RAID units: a request joins a queue when it gets there, and none of them idles.

By hand, against naive twins (tests/twins/firstcome.py), and against exact mean value analysis.
"""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simulator.kinds.parts.array.spec import ArraySpec
from simulator.kinds.parts.raid.spec import RaidSpec
from simulator.result.result import Result
from simulator.run import EngineName, run_plan
from simulator.service import ServiceSpec
from tests.engines.hand import Hand
from tests.engines.test_packet_theory import mean_values
from tests.examples import examples
from tests.reference.runs import FREE, ends, planned, run
from tests.reference.test_buffercache import Ask, ask
from tests.twins.firstcome import array_ends, unit_ends
from tests.twins.queues import Tie

MS = 10**6
BOTH: tuple[EngineName, ...] = ("native", "reference")

# -- by hand --------------------------------------------------------------------------------------

IDLE_DISK = (
    f"""
parts:
  cpu: {FREE}
  raid: {{kind: array, disks: 3, level: raid5, rate: 100 MB/s, capacity: 10 GB, unit: 100 MB}}
filesystems:
  data: [raid]
""",
    """
files: {f: {size: 1 GB, exists: true, shared: true}}
jobs:
  - {name: a, record: 100 MB, phases: [{do: read, file: f, offset: 200 MB, size: 100 MB}]}
  - {name: b, start: 1 ms, record: 1 MB, phases: [{do: write, file: f, offset: 0 B, size: 1 MB}]}
  - {name: c, start: 20 ms, record: 1 MB, phases: [{do: read, file: f, offset: 10 MB, size: 1 MB}]}
""",
)
IDLE_BUS = (
    f"""
nodes: {{node: 2, ion: 1}}
parts:
  cpu: {FREE}
  nic: {{kind: network, at: [node, ion], rate: 1000 TB/s}}
  io: {{kind: io-server, at: ion, servers: 8, copy_rate: 1000 TB/s}}
  raid: {{kind: raid, at: ion, rate: 1 MB/s, cache: 64 MB, bus_rate: 100 MB/s}}
buffer_caches:
  buffers: {{at: ion, capacity: 200 kB, block: 100 kB}}
filesystems:
  fs: [{{stripe: 100 kB, of: ion}}, {{route: [nic], header: 1 B, server: io}}, buffers, raid]
""",
    """
files: {f: {size: 1 MB, exists: true, shared: true}}
jobs:
  - name: hit
    record: 100 kB
    phases:
      - {do: read, file: f, offset: 0 B, size: 100 kB}
      - {do: read, file: f, offset: 100 kB, size: 200 kB}
      - {do: compute, time: 1 s}
      - {do: read, file: f, offset: 0 B, size: 100 kB}
  - name: miss
    record: 100 kB
    start: 1.3 s
    phases: [{do: read, file: f, offset: 500 kB, size: 100 kB}]
""",
)


@pytest.mark.parametrize("engine", BOTH)
def test_a_disk_serves_others_until_a_parity_is_read(engine: EngineName) -> None:
    """Process b has read its old data by 11 ms; its parity's disk is busy until 1 s.

    Then both are written, in 10 ms: no rotation is given.
    """
    result = run_plan(planned(*IDLE_DISK), engine=engine, debug=True, timeline=True)
    assert ends(result) == [1000 * MS, 1020 * MS, 30 * MS]
    served = [
        (one.queue, one.start_ns // MS, one.end_ns // MS) for one in result.spans if one.queue
    ]
    assert sorted(served) == [
        *(("disk 0", begin, begin + 10) for begin in (1, 20, 1010)),
        ("disk 2", 0, 1000),
        *(("disk 2", begin, begin + 10) for begin in (1000, 1010)),
    ]


@pytest.mark.parametrize("engine", BOTH)
def test_a_block_in_the_unit_s_cache_uses_a_bus_that_is_idle(engine: EngineName) -> None:
    """The other process reads the disks from 1.3 to 1.4 s, and needs the bus then: not before."""
    result = run_plan(planned(*IDLE_BUS), engine=engine, debug=True, timeline=True)
    bus = [one for one in result.spans if one.queue == "bus"]
    assert [one.service_ns for one in bus] == [MS] * 5
    asked = next(one for one in result.spans if one.part == "node1.nic.out")
    assert bus[3].start_ns < asked.start_ns + 10 * MS < bus[4].start_ns
    assert ends(result)[0] == bus[3].end_ns


def lone(spec: ArraySpec, *processes: tuple[int, str, int, int]) -> Result:
    """Processes that make one call each: when, what, first byte, bytes."""
    hand = arrayed(spec)
    for number, (at, op, low, size) in enumerate(processes):
        hand.process(f"p{number}", hand.listed((op, "f", low, size)), start_ns=at)
    return run(hand)


def arrayed(spec: ArraySpec) -> Hand:
    """An array by hand, with a file of many rows."""
    hand = Hand(pe=1)
    service = ServiceSpec(spec.rate)
    hand.part("a", "pe", "array", rate=spec.rate, spec=spec, writes=service, servers=spec.disks)
    row = hand.stage("a")
    hand.path("fs", [replace(row, down=(replace(row.down[0], writes=True),))])
    hand.file("f", "fs", 1 << 20)
    return hand


SPEC = ArraySpec(4, 1, 10, 1 << 30, 1e9, seek_ns=500, turn_ns=100, step=10)


def test_what_was_read_is_written_a_rotation_later_if_the_disk_did_nothing_else() -> None:
    """Position, 550 ns, and read 4 bytes; then a rotation, and write them."""
    assert ends(lone(SPEC, (0, "write", 3, 4))) == [554 + 104]


def test_a_disk_that_served_another_meanwhile_positions_again() -> None:
    """Process 0 reads disk 0 and the parity's, 3; process 1 reads disk 0 after that, until 1,108.

    Disk 3 has nothing else to do, and ends at 658; disk 0 goes back to where it was.
    """
    result = lone(SPEC, (0, "write", 3, 4), (100, "read", 120, 4))
    assert ends(result) == [1108 + 554, 1108]
    assert result.arrays["a"].read_bytes == 4 + 4 + 4


def test_a_write_of_whole_rows_needs_no_second_event() -> None:
    """One event more for a read before the write."""
    whole, part = (lone(SPEC, (0, "write", 0, size)).events for size in (30, 29))
    assert part == whole + 1


def test_a_disk_that_fails_between_read_and_write_is_not_written() -> None:
    hand = arrayed(SPEC)
    hand.process("p", hand.listed(("write", "f", 3, 4)))
    hand.event("a", disk=0, at_ns=300, lasts_ns=10**6)
    result = run(hand).arrays["a"]
    assert (result.read_bytes, result.written_bytes) == (8, 4)


def test_the_random_writes_of_a_raid_6() -> None:
    """64 writers of 4 KiB: eight disks give what queues do that are joined on arrival.

    Three accesses of 12 ms read and, if no other comes between, three of 8 ms write. With 64
    processes one does: six accesses of 12.04 ms on eight disks are 110.7 a second at most, and what
    no disk idles for is within a twentieth. Once, disks idled half the time: 60.8 a second.
    """
    found = [random_calls(writers, "write", "raid6", 8) for writers in (1, 4, 16, 64)]
    assert found == [
        pytest.approx(49.8, rel=0.005),
        pytest.approx(71.1, rel=0.03),
        pytest.approx(96.8, rel=0.02),
        pytest.approx(105.6, rel=0.02),
    ]


def random_calls(processes: int, do: str, level: str, disks: int) -> float:
    """Return the calls a second of 4 KiB at random places of an array, of so many processes."""
    machine = f"""
parts:
  cpu: {FREE}
  raid:
    {{kind: array, disks: {disks}, level: {level}, rate: 100 MB/s, seek: 8 ms, rotation: 8 ms,
      capacity: 1 TB}}
filesystems:
  data: [raid]
"""
    calls = 6400 // processes * processes
    jobs = f"""
files: {{f: {{size: 60 GB, exists: true, shared: true}}}}
jobs:
  - name: w
    processes: {processes}
    record: 4 KiB
    policy: posix
    phases: [{{do: {do}, file: f, order: random, size: {4 * calls // processes} KiB}}]
"""
    return calls / (run_plan(planned(machine, jobs)).elapsed_ns / 1e9)


# -- against theory -------------------------------------------------------------------------------

SERVICE_MS = 8 + 4 + 0.04096
"""Of a record of 4 KiB that is read at random: a seek, half a rotation, the bytes."""


def waits_ms(level: str, disks: int, every_ms: float) -> float:
    """Return the mean wait of reads that arrive at random, once in a time, at random places."""
    machine = f"""
parts:
  cpu: {FREE}
  raid:
    {{kind: array, disks: {disks}, level: {level}, rate: 100 MB/s, seek: 8 ms, rotation: 8 ms,
      capacity: 1 TB, unit: 4 KiB}}
filesystems:
  data: [raid]
"""
    jobs = f"""
files: {{f: {{size: 60 GB, exists: true, shared: true}}}}
jobs:
  - name: r
    record: 4 KiB
    policy: posix
    arrivals: {{every: {round(every_ms * MS)} ns, distribution: poisson, count: 200000, out: 500}}
    phases: [{{do: read, file: f, order: random, size: 4 KiB}}]
"""
    latency = run_plan(planned(machine, jobs, seed=3)).latencies["read"]
    return latency.sum_ns / latency.count / MS - SERVICE_MS


@pytest.mark.slow
@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_reads_of_a_raid_5_wait_as_at_a_queue_for_each_disk(load: float) -> None:
    """M/D/1: a Poisson stream that is dealt out at random is one at each disk.

    Of 200,000 waits the mean has a standard deviation of a percent, as they are correlated.
    """
    expected = load * SERVICE_MS / (2 * (1 - load))
    assert waits_ms("raid5", 5, SERVICE_MS / (5 * load)) == pytest.approx(expected, rel=0.04)


def test_reads_of_a_mirror_wait_as_at_one_queue_for_both_disks() -> None:
    """M/D/2: going to the disk that is free earlier is standing in one queue."""
    expected = SERVICE_MS * fixed_wait(2, 1.6)
    assert waits_ms("mirror", 2, SERVICE_MS / 1.6) == pytest.approx(expected, rel=0.04)


def fixed_wait(servers: int, work: float) -> float:
    """Return the mean wait of M/D/c in services (Crommelin, 1932); ``work``: that of arrivals."""
    total = 0.0
    for turn in range(1, 200):
        mean, least = turn * work, turn * servers
        term, below = math.exp(-mean), 0.0
        for number in range(least):
            below += term
            term *= mean / (number + 1)
        total += (1 - below) - servers / work * (1 - below - term)
    return total


def test_the_wait_of_one_server_is_that_of_pollaczek_and_khinchine() -> None:
    assert fixed_wait(1, 0.8) == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize("readers", [2, 5, 20])
def test_readers_of_a_raid_5_are_between_the_bounds_of_closed_networks(readers: int) -> None:
    """Services that do not vary give more than exponential ones (mean value analysis), and no more
    than all disks, or all readers, could.
    """
    throughput = random_calls(readers, "read", "raid5", 5) * SERVICE_MS / 1000
    assert mean_values(5, 0, readers) < throughput < min(5, readers)


# -- against naive twins --------------------------------------------------------------------------


def drawn_array(rng: Random) -> tuple[ArraySpec, list[list[tuple[bool, int, int, int]]]]:
    """An array, and what some processes do: write or not, where, how much, after how long."""
    parities = rng.randint(0, 2)
    disks = rng.choice((2, 4)) if not parities else rng.randint(parities + 2, 7)
    spec = ArraySpec(
        disks,
        parities,
        unit=rng.choice((16, 100)),
        capacity=1 << 40,
        rate=1e9 / rng.choice((1, 3)),
        overhead_ns=rng.choice((0, 17)),
        seek_ns=rng.choice((0, 211, 5003)),
        turn_ns=rng.choice((0, 61, 2003)),
        step=1 << 20,
    )
    row = spec.columns * spec.unit
    jobs = []
    for _ in range(rng.randint(1, 6)):
        calls = []
        for _ in range(rng.randint(1, 6)):
            size = rng.choice((1, 7, spec.unit, spec.unit + 3, row, 2 * row + 5))
            calls.append((rng.random() < 0.7, rng.randrange(30 * row), size, rng.randint(1, 9001)))
        jobs.append(calls)
    return spec, jobs


@settings(max_examples=examples(150))
@given(st.randoms(use_true_random=False), st.booleans())
def test_arrays_are_as_their_naive_twin(rng: Random, degraded: bool) -> None:
    spec, jobs = drawn_array(rng)
    fails = {rng.randrange(spec.disks): rng.choice((0, 5000))} if degraded else {}
    try:
        expected, busy = array_ends(spec, jobs, fails)
    except Tie:
        assume(False)
    hand = arrayed(spec)
    for disk, at in fails.items():
        hand.event("a", disk=disk, at_ns=at, lasts_ns=1 << 40)
    for number, calls in enumerate(jobs):
        rows = (
            ("write" if write else "read", "f", low, size, wait) for write, low, size, wait in calls
        )
        hand.process(f"p{number}", hand.listed(*rows))
    result = run(hand)
    assert result.calls is not None
    assert list(result.calls.end) == [end for one in expected for end in one]
    assert result.parts["a"].busy_ns == busy


@settings(max_examples=examples(150))
@given(st.randoms(use_true_random=False))
def test_raid_units_are_as_their_naive_twin(rng: Random) -> None:
    block, blocks = 1000, 40
    spec = RaidSpec(
        rate=1e9 / rng.choice((1, 3)),
        overhead_ns=rng.choice((0, 53)),
        seek_ns=rng.choice((0, 701)),
        turn_ns=rng.choice((0, 211)),
        cache=block * rng.choice((1, 2, 5, 20)),
        bus_rate=1e9 / rng.choice((1, 2, 0.1)),
        bus_overhead_ns=rng.choice((0, 7)),
    )
    slots = rng.choice((1, 2, 3, 8))
    jobs = [
        [
            (
                rng.random() < 0.5,
                [rng.randrange(blocks) for _ in range(rng.randint(1, 4))],
                rng.choice((block, 399)),
                rng.randint(1, 4001),
            )
            for _ in range(rng.randint(1, 6))
        ]
        for _ in range(rng.randint(1, 5))
    ]
    try:
        expected = unit_ends(spec, jobs, block=block, slots=slots, blocks=blocks)
    except Tie:
        assume(False)
    asks = [
        Ask(
            "ask-write" if write else "ask-read",
            [(one, 0, size) for one in wanted],
            wait,
            number,
        )
        for number, calls in enumerate(jobs)
        for write, wanted, size, wait in calls
    ]
    _, found = ask(*asks, slots=slots, blocks=blocks, spec=spec)
    assert found == [end for one in expected for end in one]
