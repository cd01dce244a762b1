"""Redundant arrays of disks on both engines: by hand, by laws, and the mean time to data loss."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.kinds.parts.array.spec import ArraySpec
from simulator.native.run import run_native
from simulator.result.result import ArrayResult, Result
from simulator.service import ServiceSpec
from tests.engines.hand import Hand
from tests.reference.runs import ends, run, spent

UNIT = 10
HOUR = 3600 * 10**9


def array(disks: int, parities: int, *calls: tuple[str, int, int], **numbers: int) -> Hand:
    """A process that reads and writes an array of 1 ns for a byte: each call has bytes."""
    given = {"capacity": 1000, "step": UNIT, **numbers}
    spec = ArraySpec(disks, parities, UNIT, rate=1e9, **given)
    service = ServiceSpec(1e9)
    hand = Hand(pe=1)
    hand.part("a", "pe", "array", rate=1e9, spec=spec, writes=service, servers=disks)
    row = hand.stage("a")
    (hold,) = row.down
    hand.path("fs", [replace(row, down=(replace(hold, writes=True),))])
    hand.file("f", "fs", 10_000)
    hand.process("p", hand.listed(*((op, "f", low, size) for op, low, size in calls)))
    return hand


def counts(result: Result) -> ArrayResult:
    """Return what happened to the array."""
    return result.arrays["a"]


# -- where bytes lie ----------------------------------------------------------------------------


@pytest.mark.parametrize(("disks", "parities"), [(4, 0), (3, 1), (5, 1), (4, 2), (9, 2)])
def test_units_and_parity_of_a_row_are_on_different_disks(disks: int, parities: int) -> None:
    spec = ArraySpec(disks, parities, UNIT, 1000, 1e9)
    for row in range(3 * disks):
        used = [spec.disk_of(row, column) for column in range(spec.columns)]
        used += [spec.parity_of(row, number) for number in range(parities)]
        used += [disk + 1 for disk in used] if not parities else []
        assert sorted(used) == [*range(disks)]


# -- whole arrays, by hand ----------------------------------------------------------------------


def test_a_read_of_a_row_takes_as_long_as_a_unit() -> None:
    assert ends(run(array(4, 1, ("read", 0, 30)))) == [10]
    assert ends(run(array(4, 2, ("read", 0, 20)))) == [10]
    assert ends(run(array(4, 0, ("read", 0, 20)))) == [10]


def test_a_whole_row_is_written_with_its_parity_at_once() -> None:
    result = run(array(4, 1, ("write", 0, 30)))
    assert ends(result) == [10]
    assert (counts(result).read_bytes, counts(result).written_bytes) == (0, 40)


@pytest.mark.parametrize(("parities", "disks"), [(1, 4), (2, 5)])
def test_a_part_of_a_row_is_read_before_it_is_written(parities: int, disks: int) -> None:
    """Old data and old parity, 4 ns; then a turn of 100 ns, and both are written, 4 ns."""
    result = run(array(disks, parities, ("write", 3, 4), turn_ns=100))
    assert ends(result) == [50 + 4 + 100 + 4]
    both = 4 * (1 + parities)
    assert (counts(result).read_bytes, counts(result).written_bytes) == (both, both)


def test_a_mirror_writes_both_and_reads_either() -> None:
    result = run(array(2, 0, ("write", 0, 10), ("read", 0, 10), ("read", 20, 10)))
    assert counts(result).written_bytes == 20
    assert counts(result).read_bytes == 20
    assert ends(result) == [30]


def test_requests_of_two_processes_wait_for_the_same_disk_only() -> None:
    hand = array(4, 1, ("read", 0, 10))
    hand.process("q", hand.listed(("read", "f", 0, 10)))
    hand.process("r", hand.listed(("read", "f", 10, 10)))
    result = run(hand)
    assert ends(result) == [10, 20, 10]
    assert spent(result, 1) == {"a": (10, 10)}
    assert result.parts["a"].busy_ns == 30


def test_a_seek_is_paid_by_what_does_not_continue() -> None:
    """Over the parity of a row, 10 ns, a disk only passes."""
    long = array(3, 1, ("read", 0, 60), ("read", 60, 60), seek_ns=1000)
    assert ends(run(long)) == [1030 + 30]


def test_what_passes_while_a_disk_is_idle_costs_nothing() -> None:
    """Four rows of three disks: two position; the third does in row 1, while they wait for it.

    From row 2 on a disk that had the parity before has passed over it: 10 ns for a row.
    """
    rows = [("read", 20 * row, 20) for row in range(4)]
    assert ends(run(array(3, 1, *rows, seek_ns=1000))) == [1010 + 1010 + 10 + 10]


def test_one_reader_of_a_mirror_stays_on_its_disk() -> None:
    calls = [("read", 10 * n, 10) for n in range(4)]
    assert ends(run(array(2, 0, *calls, seek_ns=1000))) == [1000 + 40]
    assert ends(run(failing(array(2, 0, *calls, seek_ns=1000), 1))) == [1000 + 40]


def test_of_two_idle_mirrors_the_one_is_read_that_is_there() -> None:
    """Two readers come at the same time, and go on, one after the other, where they were."""
    hand = array(2, 0, ("read", 0, 10), ("read", 10, 10), seek_ns=1000)
    listed = hand.listed(("read", "f", 500, 10), ("pause", 0, 0, 90), ("read", "f", 510, 10))
    hand.process("q", listed)
    assert ends(run(hand)) == [1020, 1010 + 90 + 10]


@given(
    parities=st.sampled_from([1, 2]),
    columns=st.integers(2, 4),
    rows=st.integers(1, 6),
    calls=st.integers(1, 12),
    away=st.integers(0, 2),
)
def test_a_degraded_array_reads_rows_as_fast_as_a_whole_one_and_no_faster(
    parities: int, columns: int, rows: int, calls: int, away: int
) -> None:
    """But for the first positioning of disks that only the whole one reads."""
    size = rows * columns * UNIT
    reads = [("read", call * size, size) for call in range(calls)]
    numbers = {"seek_ns": 1000, "turn_ns": 200}
    (whole,) = ends(run(array(columns + parities, parities, *reads, **numbers)))
    (degraded,) = ends(run(failing(array(columns + parities, parities, *reads, **numbers), away)))
    assert degraded >= whole - parities * 1100
    if parities == 1:
        assert degraded <= whole


# -- a failed disk, by hand ---------------------------------------------------------------------


def failing(hand: Hand, *disks: int, at: int = 0, back: int = 10_000) -> Hand:
    """Have disks fail."""
    for disk in disks:
        hand.event("a", disk=disk, at_ns=at, lasts_ns=back)
    return hand


def test_what_a_failed_disk_held_is_read_from_all_others() -> None:
    """Row 0 of 4 disks: data on 0, 1, 2, parity on 3."""
    result = run(failing(array(4, 1, ("read", 0, 10)), 0))
    assert ends(result) == [10]
    assert counts(result).read_bytes == 30
    assert counts(result).reconstructed_bytes == 10
    assert counts(result).degraded_ns == 10


def test_the_others_of_a_degraded_array_read_as_ever() -> None:
    assert counts(run(failing(array(4, 1, ("read", 10, 10)), 0))).read_bytes == 10


def test_a_write_to_a_failed_disk_reads_the_others_and_writes_parity() -> None:
    result = run(failing(array(4, 1, ("write", 0, 10)), 0))
    assert ends(result) == [20]  # units 1 and 2, then the parity
    assert (counts(result).read_bytes, counts(result).written_bytes) == (20, 10)


def test_without_its_parity_a_row_is_written_as_it_is() -> None:
    result = run(failing(array(4, 1, ("write", 0, 10)), 3))
    assert ends(result) == [10]
    assert (counts(result).read_bytes, counts(result).written_bytes) == (0, 10)


def test_raid_6_bears_two_failures() -> None:
    """Row 0 of 5 disks: data on 0, 1, 2, parity on 3 and 4."""
    result = run(failing(array(5, 2, ("read", 0, 20)), 0, 1))
    assert ends(result) == [10]
    assert counts(result).read_bytes == 30
    assert counts(result).losses == 0


def test_a_mirror_reads_its_other_half() -> None:
    result = run(failing(array(2, 0, ("read", 0, 10), ("write", 0, 10)), 0))
    assert (counts(result).read_bytes, counts(result).written_bytes) == (10, 10)


@pytest.mark.parametrize(
    ("disks", "parities", "failed", "losses"),
    [(2, 0, (0, 1), 1), (4, 0, (0, 2), 0), (4, 1, (0, 2), 1), (5, 2, (0, 2, 4), 1)],
)
def test_one_failure_too_many_is_a_loss(
    disks: int, parities: int, failed: tuple[int, ...], losses: int
) -> None:
    result = run(failing(array(disks, parities, ("read", 0, 10)), *failed))
    assert counts(result).losses == losses
    assert counts(result).first_loss_ns == (0 if losses else -1)


def test_a_rebuild_by_hand() -> None:
    """100 bytes in steps of 10: read of the others for 10 ns, then written for 10 ns."""
    hand = array(4, 1, ("read", 0, 10), capacity=100)
    hand.processes[0] = replace(hand.processes[0], start_ns=1000)
    result = run(failing(hand, 1, at=100, back=50))
    one = counts(result)
    assert (one.failures, one.rebuilds, one.rebuilt_bytes) == (1, 1, 100)
    assert one.rebuild_read_bytes == 300
    # From 100 to 150 it is not there; nine steps of 20 ns, and the last is read by 340.
    assert one.degraded_ns == 50 + 9 * 20 + 10


def test_a_rebuild_keeps_to_its_rate() -> None:
    """10 bytes of 10**8 a second are 100 ns a step."""
    hand = array(4, 1, ("read", 0, 10), capacity=100, rebuild=10**8)
    hand.processes[0] = replace(hand.processes[0], start_ns=5000)
    one = counts(run(failing(hand, 1, at=100, back=50)))
    assert one.degraded_ns == 50 + 9 * 100 + 10


def test_requests_and_a_rebuild_share_the_disks() -> None:
    """At 150 a step reads unit 0 of disks 0, 2 and 3 until 160; the request comes at 155."""
    hand = array(4, 1, ("read", 0, 10), capacity=100)
    hand.processes[0] = replace(hand.processes[0], start_ns=155)
    result = run(failing(hand, 1, at=100, back=50))
    assert ends(result) == [170]
    assert spent(result) == {"a": (5, 10)}


def test_what_is_rebuilt_already_is_read_where_it_is() -> None:
    hand = array(4, 1, ("read", 10, 10), capacity=1000)
    hand.processes[0] = replace(hand.processes[0], start_ns=200)
    one = counts(run(failing(hand, 1, at=100, back=50)))
    assert one.reconstructed_bytes == 0


def test_a_slow_disk_makes_its_array_slow() -> None:
    hand = array(4, 1, ("read", 0, 30))
    hand.event("a", disk=2, at_ns=0, lasts_ns=1000, speed=1 << 18)
    assert ends(run(hand)) == [40]


# -- the mean time to data loss -----------------------------------------------------------------


def lost(disks: int, parities: int, mtbf: int, repair: int, *, years: float, seed: int) -> int:
    """Count losses of 40 arrays that do nothing, whose disks are rebuilt at once."""
    hand = array(disks, parities, ("read", 0, 10))
    hand.groups[0] = replace(hand.groups[0], count=40)
    hand.parts = [
        replace(one, count=40, first=40 * number) for number, one in enumerate(hand.parts)
    ]
    spec = replace(hand.parts[1].spec, capacity=UNIT)
    hand.parts[1] = replace(hand.parts[1], spec=spec)
    for member in range(40):
        for disk in range(disks):
            name = f"{member}.{disk}"
            fields = {"mean_ns": mtbf, "lasts_ns": repair, "stream": name}
            hand.event("a", member, disk=disk, **fields)
    hand.processes[0] = replace(hand.processes[0], start_ns=int(years * 8760) * HOUR)
    result = run_native(hand.plan(seed=seed))
    return sum(one.losses for one in result.arrays.values())


def rate_of_losses(disks: int, mtbf: float, repair: float) -> float:
    """Return the losses per time of disks of which one may fail, each for a time ``repair``.

    A cycle: all are there, for mtbf / n; then one is not, and with n - 1 that may fail a loss
    follows within the repair or none does. For short repairs it is n (n - 1) repair / mtbf**2
    (Patterson, Gibson, Katz, 1988).
    """
    another = (disks - 1) / mtbf
    loss = 1 - math.exp(-another * repair)
    return loss / (mtbf / disks + loss / another)


def test_the_rate_is_that_of_the_textbook_for_short_repairs() -> None:
    for disks in (2, 8):
        textbook = disks * (disks - 1) * 1.0 / 1e6**2
        assert rate_of_losses(disks, 1e6, 1.0) == pytest.approx(textbook, rel=1e-4)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("disks", "parities", "groups", "years"), [(2, 0, 1, 130), (8, 0, 4, 60), (8, 1, 1, 30)]
)
def test_the_mean_time_to_data_loss(disks: int, parities: int, groups: int, years: int) -> None:
    """About N losses are counted, which vary by sqrt(N): four deviations."""
    mtbf, repair = 500, 5
    expected = 40 * groups * years * 8760 * rate_of_losses(disks // groups, mtbf, repair)
    found = lost(disks, parities, mtbf * HOUR, repair * HOUR, years=years, seed=3)
    assert found == pytest.approx(expected, rel=4 / math.sqrt(expected))


@pytest.mark.compiled
def test_the_mean_time_to_data_loss_of_raid_6() -> None:
    """Three of n at a time: mtbf**3 / (n (n - 1) (n - 2) repair**2 / 2) for short repairs.

    Of a repair R that always takes as long, R / 2 is left at the second failure in the mean. What
    the formula leaves out is at most of the order of n R / mtbf, here 12 %; sqrt(N) is added.
    """
    disks, mtbf, repair, years = 6, 500, 10, 130
    mttdl = mtbf**3 / (disks * (disks - 1) * (disks - 2) * repair**2 / 2)
    expected = 40 * years * 8760 / mttdl
    found = lost(disks, 2, mtbf * HOUR, repair * HOUR, years=years, seed=3)
    tolerance = disks * repair / mtbf + 4 / math.sqrt(expected)
    assert found == pytest.approx(expected, rel=tolerance)
