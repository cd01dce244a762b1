"""Curves over time of stores and calls: by hand, bin by bin, and on both engines.

A bus of 1 ns for a byte, a disk of 2 ns for one and 10 for a request; blocks of 1 MB.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.reference.curves import StoreRecorder
from simulator.reference.run import run_reference
from simulator.result.curves import FIRST_NS, Level
from simulator.result.result import Result
from simulator.run import load_plan, run_plan
from simulator.verification.sums import IdentityError
from tests.draws.plans.draw import any_plan_of
from tests.engines.compare import plain
from tests.engines.hand import Hand
from tests.reference.runs import KEPT
from tests.reference.test_stores import kept

MB = 1_000_000
BOTH = pytest.mark.parametrize("run", [run_native, run_reference])
Run = Callable[..., Result]
SMALL = (("source.size", "8 MB"), ("copy.size", "8 MB"))


def a_store(**store: Any) -> Hand:
    """A store of 200 blocks between bus and disk, and a file of 100 MB."""
    return kept(size=100 * MB, slots=200, block=MB, **store)


def written(hand: Hand, count: int = 100) -> Plan:
    """A process that writes so many blocks, each by one call."""
    hand.process("p", hand.listed(*(("write", "f", MB * one, MB) for one in range(count))))
    return hand.plan()


def by_hand(changes: list[tuple[int, int]], width_ns: int, end_ns: int) -> list[int]:
    """The integral over each bin of what changed at these times: each change lasts to the end."""
    sums = []
    for begin in range(0, end_ns, width_ns):
        end = min(end_ns, begin + width_ns)
        sums.append(sum(by * (end - max(begin, at)) for at, by in changes if at < end))
    return sums


@BOTH
def test_dirty_bytes_rise_while_they_are_written_and_fall_afterwards(run: Run) -> None:
    """100 MB at 1 GB/s, written back at half of that: up to 51 MB are dirty, from 99 ms on.

    Block k is dirty from k MB on, and the j-th is below after 1 + 2 j MB and 10 j ns.
    """
    result = run(written(a_store(triggers=frozenset(("eager",)))), samples=512, debug=True)
    curve, step = result.curves["pages"], 2 * MB + 10
    assert (result.end_ns, curve.end_ns) == (201 * MB + 1000,) * 2
    assert curve.width_ns == FIRST_NS
    opened = [(MB * (one - 1), MB) for one in range(1, 101)]
    came = [(MB * one, MB) for one in range(1, 101)]
    went = [(MB + step * one, -MB) for one in range(1, 101)]
    assert curve.used.sums == by_hand(opened, FIRST_NS, curve.end_ns)
    assert curve.dirty.sums == by_hand(came + went, FIRST_NS, curve.end_ns)
    assert (curve.used.last, curve.dirty.last, curve.left) == (100 * MB, 0, 0)
    assert (curve.dirty.most, curve.dirty.most_ns) == (51 * MB, 99 * MB)
    assert (curve.used.most, curve.used.most_ns) == (100 * MB, 99 * MB)
    assert curve.dirty_bytes()[0] == MB * (FIRST_NS - MB) // FIRST_NS


@BOTH
def test_bins_are_added_up_in_pairs_where_there_are_too_many(run: Run) -> None:
    plan = written(a_store(triggers=frozenset(("eager",))))
    fine, coarse = (run(plan, samples=bins).curves["pages"] for bins in (512, 3))
    assert len(fine.dirty.sums) == 192
    assert (coarse.width_ns, len(coarse.dirty.sums)) == (FIRST_NS * 64, 3)
    for one, other in ((fine.dirty, coarse.dirty), (fine.used, coarse.used)):
        assert other.sums == [sum(one.sums[at : at + 64]) for at in (0, 64, 128)]
        assert (other.most, other.most_ns, other.moment) == (one.most, one.most_ns, one.moment)


@BOTH
def test_what_is_dirty_at_the_end_remains(run: Run) -> None:
    """Without a trigger nothing is written back; bytes that are overwritten count once."""
    hand = a_store()
    calls = [("write", "f", 0, MB // 2)] * 3 + [("write", "f", MB // 2, MB // 4)]
    hand.process("p", hand.listed(*calls))
    result = run(hand.plan(), samples=512, debug=True)
    curve = result.curves["pages"]
    assert (curve.dirty.last, curve.left) == (MB // 4 * 3, MB // 4 * 3)
    assert result.stores["pages"].counts["dirty_bytes"] == MB // 4 * 7
    assert curve.dirty.sums == by_hand(
        [(MB // 2, MB // 2), (MB // 4 * 7, MB // 4)], FIRST_NS, MB // 4 * 7
    )


@BOTH
def test_what_is_there_before_the_run_is_in_use_from_its_begin(run: Run) -> None:
    hand = kept(3 * MB, size=3 * MB, slots=4, block=MB)
    hand.files[0] = hand.files[0].__class__(**{**_fields(hand.files[0]), "prestaged": True})
    hand.process("p", hand.listed(("read", "f", 0, 2 * MB)))
    curve = run(hand.plan(), samples=512, debug=True).curves["pages"]
    assert (curve.used.most, curve.used.most_ns, curve.used.moment) == (3 * MB, 0, 0)
    assert curve.used_bytes() == [3 * MB] * 2


def _fields(one: Any) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__dataclass_fields__}


@BOTH
def test_bytes_of_calls_are_those_that_end_in_a_bin(run: Run) -> None:
    """A call that ends with a bin is in it: of 1 MB each, three end in 3 MB."""
    hand = kept(size=10 * FIRST_NS, slots=20, block=FIRST_NS)
    calls = (("write", "f", FIRST_NS * one, FIRST_NS) for one in range(3))
    hand.process("p", hand.listed(*calls, ("read", "f", 0, FIRST_NS // 2)))
    made = run(hand.plan(), samples=512).call_curve
    assert made is not None
    assert made.written == [FIRST_NS] * 3 + [0]
    assert made.read == [0, 0, 0, FIRST_NS // 2]


@BOTH
def test_a_run_without_time_has_no_bins(run: Run) -> None:
    hand = a_store()
    hand.process("p", hand.listed())
    result = run(hand.plan(), samples=512, debug=True)
    assert result.curves == {}
    assert result.call_curve is not None
    assert result.call_curve.written == []


@BOTH
def test_sampling_changes_nothing_else(run: Run) -> None:
    for seed in range(4):
        plan = any_plan_of(seed)
        try:
            bare = run(plan)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the same
            with pytest.raises(type(error)):
                run(plan, samples=16)
            continue
        sampled = plain(run(plan, samples=16))
        assert sampled | {name: one for name, one in plain(bare).items() if name in KEPT} == plain(
            bare
        )


@pytest.mark.parametrize(
    ("machine", "workload", "settings"),
    [
        ("nwt", "test-write-parallel", ()),
        ("workstation", "copy-file", SMALL),
        ("nfs-lab", "copy-file", SMALL),
        pytest.param("burst-buffer", "copy-file", SMALL, marks=pytest.mark.slow),
        pytest.param("raid-lab", "copy-file", SMALL, marks=pytest.mark.slow),
        pytest.param("nwt", "test-read-parallel", (), marks=pytest.mark.slow),
    ],
)
def test_machines_that_come_along_have_the_same_curves_on_both_engines(
    machine: str, workload: str, settings: tuple[tuple[str, str], ...]
) -> None:
    plan = load_plan(machine, workload, settings=settings)
    native, reference = (
        run_plan(plan, engine=engine, samples=64, debug=True)
        for engine in ("native", "reference")  # type: ignore[arg-type]
    )
    assert native.curves == reference.curves != {}
    assert native.call_curve == reference.call_curve


@pytest.mark.parametrize("what", ["used", "dirty"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_change_that_is_forgotten_is_noticed(
    what: str, sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The curve ends with what the blocks have; here the store evicts, and writes back."""
    plan = written(kept(size=100 * MB, slots=5, block=MB, triggers=frozenset(("eager",))), 10)
    run_reference(plan, samples=16, debug=True)
    change = StoreRecorder._change

    def forgets(self: StoreRecorder, level: Level, by: int) -> None:
        mine = self._used if what == "used" else self._dirty
        if level is not mine or by * sign < 0:
            change(self, level, by)

    monkeypatch.setattr(StoreRecorder, "_change", forgets)
    with pytest.raises(IdentityError, match=r"pages: .* B (in use|dirty)"):
        run_reference(plan, samples=16, debug=True)


def test_a_change_at_another_time_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = written(a_store(triggers=frozenset(("eager",))), 10)
    change = StoreRecorder._change

    def late(self: StoreRecorder, level: Level, by: int) -> None:
        change(self, level, by)
        level.moment += 1

    monkeypatch.setattr(StoreRecorder, "_change", late)
    with pytest.raises(IdentityError, match="B ns in its bins"):
        run_reference(plan, samples=16, debug=True)


def test_memory_is_bounded() -> None:
    """A day of a write an hour: as many bins as were asked for, whatever the time."""
    hand = a_store(triggers=frozenset(("eager",)))
    rows = [
        row
        for hour in range(24)
        for row in (("write", "f", MB * hour, MB), ("pause", 0, 0, 3600 * 10**9))
    ]
    hand.process("p", hand.listed(*rows))
    for run in (run_native, run_reference):
        result = run(hand.plan(), samples=32, debug=True)
        assert 16 < len(result.curves["pages"].used.sums) <= 32
        assert result.call_curve is not None
        assert len(result.call_curve.written) == len(result.curves["pages"].used.sums)
        assert sum(result.call_curve.written) == 24 * MB
