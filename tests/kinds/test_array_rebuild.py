"""Rebuilds by arithmetic: the same as step by step, at once however large, and interruptible."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.kinds.parts.array import reference
from simulator.native.run import run_native
from simulator.plan.errors import LimitError
from simulator.reference.run import run_reference
from tests.engines.hand import Hand
from tests.kinds.test_array import array, counts, failing
from tests.reference.runs import run

TB = 10**12
LEVELS = [(4, 0), (4, 1), (6, 2)]


def steps(disks: int, parities: int, **numbers: int) -> Hand:
    """Requests between, and long after, the steps of two rebuilds; the last one is shorter."""
    calls = [("read", 10 * one, 30) for one in range(8)] + [("write", 17, 25)]
    given = {"capacity": 995, "step": 20, "seek_ns": 7, "turn_ns": 4, "overhead_ns": 3, **numbers}
    hand = array(disks, parities, *calls, ("read", 0, 9_000), ("read", 5, 10), **given)
    failing(hand, 1, at=40, back=10)
    hand.event("a", disk=2, at_ns=2_500, lasts_ns=300)
    return hand


@pytest.mark.few(8)
@pytest.mark.parametrize(("disks", "parities"), LEVELS)
@pytest.mark.parametrize("rebuild", [1 << 40, 10**8, 3 * 10**8])
@pytest.mark.parametrize("slow", [0, 1])
def test_arithmetic_is_as_step_by_step(
    disks: int, parities: int, rebuild: int, slow: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = steps(disks, parities, rebuild=rebuild)
    if slow:
        hand.event("a", disk=3, at_ns=700, lasts_ns=900, speed=1 << 18)
    leapt = run(hand)  # Both engines, which are equal.
    monkeypatch.setattr(reference.Array, "_leap", lambda *_: 0)
    assert counts(run(hand)) == counts(leapt)  # The native engine still leaps: equal again.


@pytest.mark.parametrize(("disks", "parities"), LEVELS)
def test_a_rebuild_of_tera_bytes_in_steps_of_a_byte_takes_no_time(
    disks: int, parities: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    step = reference.Array._read_step

    def counted(self: Any, now_ns: int) -> None:
        made.append(now_ns)
        step(self, now_ns)

    monkeypatch.setattr(reference.Array, "_read_step", counted)
    hand = array(disks, parities, ("read", 0, 10), capacity=16 * TB, step=1)
    failing(hand, 1, at=0, back=5)
    hand.process("later", hand.listed(("read", "f", 0, 10, 10 * 16 * TB)))
    result = counts(run(hand))
    assert (result.rebuilds, result.rebuilt_bytes) == (1, 16 * TB)
    assert len(made) < 10


@pytest.mark.parametrize("write", ["read", "write"])
def test_units_of_a_byte_cost_no_more_than_their_disks(write: str) -> None:
    """The disks of RAID 6 have a sixth of a read each, or of a write with parity beside."""
    size = 6 * 10**9
    hand = array(8, 2, (write, 0, size))
    result = run(hand)
    assert result.elapsed_ns >= size // 6


def test_an_interrupt_ends_a_loop_within_an_event() -> None:
    """A slow disk's rebuild goes step by step, within one event."""
    hand = array(4, 1, ("read", 0, 10), capacity=16 * TB, step=1)
    failing(hand, 1, at=0, back=5)
    hand.event("a", disk=2, at_ns=0, lasts_ns=1 << 60, speed=1 << 18)
    hand.process("later", hand.listed(("read", "f", 0, 10, 10 * 16 * TB)))
    asked = []

    def stopped() -> bool:
        asked.append(None)
        return len(asked) > 2

    with pytest.raises(KeyboardInterrupt):
        run_native(hand.plan(), stopped=stopped)


def test_both_engines_name_an_array_that_goes_too_far() -> None:
    half = 1 << 61
    hand = array(4, 1, ("read", 0, 10), seek_ns=half, overhead_ns=half)
    said = []
    for engine in (run_reference, run_native):
        with pytest.raises(LimitError) as error:
            engine(hand.plan())
        said.append(str(error.value))
    assert said[0] == said[1]
    assert said[0].startswith("a exceeds")
