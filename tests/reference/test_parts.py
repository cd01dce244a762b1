"""Each kind of part, with times that one can add up: 1 ns for a byte unless it says otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.plan.noise import Noise
from simulator.plan.parts import NoisePlan
from simulator.reference.part import StageError
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


def test_nobody_waits_at_a_delay() -> None:
    result = run(writers(0, 0, 0, kind="delay"))
    assert ends(result) == [100, 100, 100]
    assert result.parts["part"].busy_ns == 300


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
