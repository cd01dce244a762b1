"""Each kind of part, with times that one can add up: 1 ns for a byte unless it says otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.plan.noise import Noise
from simulator.plan.parts import NoisePlan
from simulator.reference.tiers.stage import StageError
from tests.engines.hand import Hand
from tests.reference.runs import ends, run, spent

HALF = 1 << 19
WHOLE = 1 << 20


def writers(*starts: int, kind: str = "queue", **fields: Any) -> Hand:
    """Processes that write 100 bytes each to one part, which begin at these times."""
    hand = Hand(pe=1)
    hand.part("part", "pe", kind, rate=1e9, **fields)
    hand.path("fs", [hand.stage("part")])
    hand.file("f", "fs", 1000)
    for number, start in enumerate(starts):
        rows = hand.listed(("write", "f", 100 * number, 100))
        hand.process(f"p{number}", rows, start_ns=start)
    return hand


def test_a_queue_serves_in_the_order_of_arrival() -> None:
    result = run(writers(0, 10, 10, overhead_ns=5))
    assert ends(result) == [105, 210, 315]
    assert spent(result, 2) == {"part": (200, 105)}
    part = result.parts["part"]
    assert (part.requests, part.bytes, part.busy_ns, part.kind) == (3, 300, 315, "queue")
    assert [span.start_ns for span in result.spans if span.part == "part"] == [0, 105, 210]


def test_a_queue_of_two_servers() -> None:
    result = run(writers(0, 10, 20, servers=2))
    assert ends(result) == [100, 110, 200]
    assert spent(result, 2) == {"part": (80, 100)}


def test_nobody_waits_at_a_delay() -> None:
    result = run(writers(0, 0, 0, kind="delay"))
    assert ends(result) == [100, 100, 100]
    assert result.parts["part"].busy_ns == 300


def test_a_shared_part_is_shared_evenly() -> None:
    result = run(writers(0, 50, kind="shared"))
    assert ends(result) == [150, 200]
    assert spent(result, 0) == spent(result, 1) == {"part": (50, 100)}


def test_a_shared_part_whose_speed_depends_on_its_transfers() -> None:
    """From 50 ns on both together have half of it, so each a quarter; then the second all."""
    result = run(writers(0, 50, kind="shared", speeds=(0, WHOLE, HALF)))
    assert ends(result) == [250, 300]
    assert spent(result, 1) == {"part": (150, 100)}


def test_the_last_speed_holds_for_more_transfers() -> None:
    assert ends(run(writers(0, 0, 0, kind="shared", speeds=(0, WHOLE, HALF)))) == [600] * 3


def test_a_shared_part_that_is_faster_with_more_transfers() -> None:
    """Two have three times the speed together: an old alarm must not be heard."""
    result = run(writers(0, 0, kind="shared", speeds=(0, WHOLE, 3 * WHOLE)))
    assert ends(result) == [67, 67]
    assert result.end_ns == 67


def test_events_of_a_shared_part_are_its_rings_and_wakings() -> None:
    """Begin, catching up, ring, waking."""
    assert run(writers(0, kind="shared")).events == 4


def test_a_shared_part_stands_alone() -> None:
    hand = writers(0, kind="shared")
    hand.part("other", "pe")
    hand.tiers[0] = hand.stage("other", "part")
    with pytest.raises(StageError, match=r"part \(shared\) cannot be held together with others"):
        run(hand)


def readers(disk: DiskSpec, *rows: tuple[str, int, int]) -> list[int]:
    """Return the time of each read of a file at an offset, one after the other."""
    hand = Hand(pe=1)
    hand.part("disk", "pe", "disk", spec=disk)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 10_000)
    hand.file("g", "fs", 10_000)
    hand.process("p", hand.listed(*(("read", file, offset, size) for file, offset, size in rows)))
    result = run(hand)
    assert result.calls is not None
    return [end - begin for begin, end in zip(result.calls.begin, result.calls.end, strict=True)]


def test_a_disk_positions_where_a_request_does_not_go_on() -> None:
    disk = DiskSpec(rate=1e9, overhead_ns=3, seek_ns=700, turn_ns=600)
    rows = [("f", 0, 100), ("f", 100, 50), ("f", 0, 10), ("g", 0, 10)]
    assert readers(disk, *rows) == [1103, 53, 1013, 1013]


def test_a_seek_over_a_distance() -> None:
    disk = DiskSpec(rate=1e9, capacity=10_000, track_seek_ns=100, full_seek_ns=1100)
    assert readers(disk, ("f", 5000, 10), ("f", 10, 10)) == [600 + 10, 600 + 10]


def test_a_tape_is_mounted_for_another_file() -> None:
    tape = DiskSpec(rate=1e9, mount_ns=5000)
    assert readers(tape, ("f", 0, 10), ("f", 50, 10), ("g", 0, 10)) == [5010, 10, 5010]


def test_a_cpu_copies_and_calls() -> None:
    """Records of 30 bytes: a copy of 2 ns for a byte, and calls of 100 ns.

    The 7 ns for a record are for a runtime of Fortran only.
    """
    hand = Hand(pe=1)
    hand.parts[0] = replace(hand.parts[0], spec=PeSpec(0.5e9, 7, 100, 1000))
    hand.part("disk", "pe", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 60)
    hand.process("p", hand.stream("f", 30, 2, write=True))
    result = run(hand)
    assert ends(result) == [2 * (60 + 100 + 30)]
    assert spent(result) == {"cpu": (0, 320), "disk": (0, 60)}
    assert result.processes[0].write.bytes == 60
    assert result.latencies["write"].sum_ns == 2 * 130
    assert [span.service_ns for span in result.spans if span.part == "cpu"] == [160, 160]


def test_a_runtime_of_fortran_spends_time_on_each_record() -> None:
    """Two records of 30 bytes in one buffer, 7 ns for each, and what moves it.

    That is a call of 100 ns and a turn of 1000 ns; a record is 8 bytes longer in the file.
    """
    hand = Hand(pe=1)
    hand.parts[0] = replace(hand.parts[0], spec=PeSpec(0.5e9, 7, 100, 1000))
    hand.part("disk", "pe", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 100)
    records = replace(hand.stream("f", 30, 2, write=True), policy="nwt", buffer=1000)
    hand.process("p", records)
    result = run(hand)
    assert spent(result) == {"cpu": (0, 2 * (60 + 7) + 100 + 1000), "disk": (0, 76)}


def test_noise_is_that_of_the_instance_and_the_number_of_the_request() -> None:
    hand = writers(0, 0, noise=NoisePlan(request_sd=0.3), stream="drawn{i}")
    result = run(hand, noisy=True, seed=7)
    noise = Noise.of(7, 0, "drawn0", run_sd=0.0, request_sd=0.3)
    first, second = noise.stretch(100, 1), noise.stretch(100, 2)
    assert first != second
    assert ends(result) == [first, first + second]
