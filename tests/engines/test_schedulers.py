"""Scheduled disks on both engines: by hand, beside their naive twin, and by laws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import log
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.native.run import run_native
from simulator.plan.errors import LimitError
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.engines.scheduled import (
    DEADLINE,
    FAIR,
    NONE,
    PLAIN,
    Row,
    drawn_rows,
    drawn_spec,
    simulated,
    times,
    twin_times,
    written_path,
)
from tests.examples import examples
from tests.reference.runs import ends, run, spent

FLAT = replace(PLAIN, full_seek_ns=0)
"""10 ns for a request and one for a byte, wherever it is."""
SEEDS = st.integers(0, 10**9)
FIVE: list[Row] = [
    (0, "read", 0, 300, 100),
    (0, "read", 0, 900, 100),
    (0, "read", 0, 100, 100),
    (0, "write", 0, 0, 50),
    (0, "read", 0, 400, 100),
]


def ended(spec: Any, rows: list[Row]) -> list[int]:
    """Return when each request ended."""
    return [end for _, end in times(spec, rows)]


def tens(*places: tuple[str, int, int], came: int = 0) -> list[Row]:
    """Return requests of 10 bytes: read or write, file, offset; the second and later at once."""
    return [(min(n, 1) * came, do, file, at, 10) for n, (do, file, at) in enumerate(places)]


# -- by hand ------------------------------------------------------------------------------------


def test_none_is_first_come_first_served() -> None:
    """Seeks of 300, 500, 900, 200 and 350."""
    assert ended(PLAIN, FIVE) == [410, 1020, 2030, 2290, 2750]


def test_the_drive_carries_out_the_nearest_of_three() -> None:
    """At 400 it has 900, 100 and 0; then 0 and 400 come in, one by one."""
    assert ended(replace(PLAIN, ncq=3), FIVE) == [410, 2050, 820, 1080, 1540]


def test_the_drive_does_not_pass_over_a_command_for_ever() -> None:
    """Those at 20, 40 and so on are near, but two may go before the one at 900."""
    rows = tens(("read", 0, 0), ("read", 0, 900), *(("read", 0, at) for at in range(20, 100, 20)))
    begins = [begin for begin, _ in times(replace(PLAIN, ncq=2), rows)]
    assert sorted(range(6), key=lambda n: begins[n]) == [0, 2, 3, 1, 5, 4]


def test_deadline_goes_up_in_batches_and_then_back_to_the_oldest() -> None:
    """Two more in the batch of the first (400, 900); then reads from the oldest on; then writes."""
    spec = replace(PLAIN, policy=DEADLINE)
    assert ended(spec, FIVE) == [410, 1030, 2040, 2300, 520]


def test_reads_go_first_but_do_not_starve_writes() -> None:
    spec = replace(FLAT, policy=DEADLINE, fifo_batch=1, writes_starved=2)
    rows = tens(("write", 0, 0), ("write", 0, 10), *(("read", 0, at) for at in (100, 200, 300)))
    assert ended(spec, rows) == [20, 80, 40, 60, 100]
    assert ended(replace(spec, writes_starved=1), rows) == [20, 60, 40, 80, 100]
    assert ended(replace(spec, writes_starved=5), rows) == [20, 100, 40, 60, 80]


@pytest.mark.parametrize(
    ("expire", "expected"), [(10**6, [520, 1050, 550, 580]), (0, [520, 950, 1380, 1410])]
)
def test_a_batch_begins_with_the_oldest_if_that_has_expired(
    expire: int, expected: list[int]
) -> None:
    spec = replace(PLAIN, policy=DEADLINE, fifo_batch=1, read_expire_ns=expire)
    rows = tens(("read", 0, 500), ("read", 0, 100), ("read", 0, 520), ("read", 0, 540))
    assert ended(spec, rows) == expected


def test_files_have_budgets_in_turn() -> None:
    """Two of one, two of the other; with equal tags the one that came first."""
    spec = replace(FLAT, policy=FAIR, budget=20, slice_idle_ns=0)
    rows = tens(*(("read", file, 100 * file + at) for at in (0, 10, 20) for file in (0, 1)))
    assert ended(spec, rows) == [20, 60, 40, 80, 100, 120]


def test_a_slice_ends_a_turn() -> None:
    spec = replace(FLAT, policy=FAIR, slice_ns=30, slice_idle_ns=0)
    rows = tens(*(("read", file, 100 * file + at) for at in (0, 10, 20) for file in (0, 1)))
    assert ended(spec, rows) == [20, 60, 40, 80, 100, 120]


def test_what_a_queue_did_not_use_it_does_not_get_later() -> None:
    """The file that comes at 65 has the tag of the one in service, and not that it used least."""
    spec = replace(FLAT, policy=FAIR, budget=10, slice_idle_ns=0)
    rows: list[Row] = [(0, "read", 0, at, 10) for at in range(0, 80, 10)]
    rows += [(65, "read", 1, at, 10) for at in (0, 10, 20)]
    found = times(spec, rows)[8:]
    assert [begin for begin, _ in found] == [80, 120, 160]


def paired(idle: int, do: str = "read", **fields: Any) -> Hand:
    """One reads twice, 5 ns apart; another comes meanwhile."""
    hand = Hand(pe=1, server=1)
    spec = replace(FLAT, policy=FAIR, slice_idle_ns=idle, **fields)
    hand.part("disk", "server", "scheduled", spec=spec)
    written_path(hand)
    hand.file("f", "fs", 100)
    hand.file("g", "fs", 100)
    hand.process("p", hand.listed((do, "f", 0, 10), (do, "f", 10, 10, 5)))
    hand.process("q", hand.listed(("read", "g", 0, 10)), start_ns=1)
    return hand


def pair(idle: int, do: str = "read", **fields: Any) -> list[int]:
    """Return when both ended."""
    return ends(run(paired(idle, do, **fields)))


def test_bfq_idles_for_the_next_read_of_the_file() -> None:
    """Idle from 20 to 25, and from 45 on for 30 ns, though the other waits.

    With 4 ns it idles for the first until 24, and for the other from 44 to 48.
    """
    assert pair(30) == [45, 95]
    assert pair(30, slice_ns=20) == [60, 40]
    assert pair(4) == [68, 44]
    assert pair(0) == [60, 40]


def test_bfq_does_not_idle_for_writes() -> None:
    """Not at 20, but from 40 to 70 for the read of the other."""
    assert pair(30, "write") == [90, 40]


@pytest.mark.parametrize("engine", [run_native, run_reference])
def test_idling_beyond_the_limit_of_a_run_is_no_deadlock(engine: Callable[[Plan], Result]) -> None:
    """The first has ended at 45, and the disk idles for it, though the other waits."""
    with pytest.raises(LimitError, match=r"exceeds 2\*\*62 ns"):
        engine(paired((1 << 62) - 40).plan())


def test_neighbours_that_wait_are_one_command() -> None:
    """410 and 10 from the first to 90 ... 120; then only two of the three."""
    spec = replace(PLAIN, merge=30)
    rows = tens(("read", 0, 500), ("read", 0, 100), ("read", 0, 110), ("read", 0, 90))
    assert ended(spec, rows) == [520, 980, 980, 980]
    assert ended(replace(spec, merge=20), rows) == [520, 960, 960, 1010]
    (result,) = (one for one in simulated(spec, rows).parts.values() if one.kind == "scheduled")
    assert (result.requests, result.bytes, result.busy_ns) == (4, 40, 980)


def test_only_what_is_alike_is_merged() -> None:
    rows = tens(("read", 0, 500), ("read", 0, 100), ("write", 0, 110), ("read", 1, 90))
    assert ended(replace(PLAIN, merge=100), rows) == ended(PLAIN, rows)


@pytest.mark.parametrize("patience", [-1, 5])
@pytest.mark.parametrize(("came", "waited", "end"), [(0, 20 + 70, 110), (25, 70, 115)])
def test_a_command_waits_while_the_disk_has_failed(
    patience: int, came: int, waited: int, end: int
) -> None:
    """It does 10, or 5, of 20 ns before the disk fails at 30, until 100; it does not give up."""
    hand = Hand(pe=1, server=1)
    hand.part("disk", "server", "scheduled", spec=replace(FLAT, policy=DEADLINE))
    written_path(hand, give_up_ns=patience)
    hand.file("f", "fs", 100)
    for number in range(2):
        hand.process(
            f"p{number}", hand.listed(("read", "f", 50 * number, 10)), start_ns=came * number
        )
    hand.event("disk", at_ns=30, lasts_ns=70)
    result = run(hand)
    assert ends(result) == [20, end]
    assert spent(result, 1) == {"disk": (waited, 20)}


# -- zones ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["disk", "scheduled"])
@pytest.mark.parametrize(("place", "takes"), [(0, 100), (500, 133), (1000, 200), (5000, 200)])
def test_inner_tracks_are_slower(kind: str, place: int, takes: int) -> None:
    """At half of the capacity the rate is 750 MB/s."""
    rows: list[Row] = [(0, do, 0, place, 100) for do in ("read", "write")]
    more = {"inner_rate": 5e8, "full_seek_ns": 0}
    spec = (
        replace(PLAIN, **more)
        if kind == "scheduled"
        else DiskSpec(rate=1e9, overhead_ns=10, capacity=1000, inner_rate=5e8)
    )
    assert ended_on(kind, spec, rows) == [10 + takes, 2 * (10 + takes)]


def ended_on(kind: str, spec: Any, rows: list[Row]) -> list[int]:
    """Return when each request ended at a disk of a kind of part."""
    return ends(simulated(spec, rows, kind=kind))


def test_a_whole_disk_takes_the_integral_over_its_zones() -> None:
    """From 1 MB/s to half of it: capacity / (outer - inner) * ln(outer / inner)."""
    spec = DiskSpec(rate=1e6, capacity=8000, inner_rate=5e5)
    rows: list[Row] = [(0, "read", 0, at, 20) for at in range(0, 8000, 20)]
    whole = max(ended_on("disk", spec, rows))
    assert whole / 1e9 == pytest.approx(8000 / 5e5 * log(2), rel=2e-3)


# -- laws -----------------------------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(SEEDS)
def test_both_engines_do_what_the_naive_twin_does(seed: int) -> None:
    rng = Random(seed)
    spec, rows = drawn_spec(rng), drawn_rows(rng, rng.randint(1, 25))
    assert times(spec, rows) == twin_times(spec, rows)


@settings(max_examples=examples(30))
@given(SEEDS)
def test_none_without_more_is_a_disk_as_before(seed: int) -> None:
    rng = Random(seed)
    rows, turn = drawn_rows(rng, 20), rng.choice([0, 30])
    plain = DiskSpec(
        rate=1e9, overhead_ns=10, capacity=1000, full_seek_ns=1000, track_seek_ns=5, turn_ns=turn
    )
    spec = replace(PLAIN, turn_ns=turn, track_seek_ns=5)
    assert ended_on("scheduled", spec, rows) == ended_on("disk", plain, rows)


@settings(max_examples=examples(30))
@given(st.lists(st.integers(0, 49), min_size=2, max_size=15, unique=True))
def test_an_elevator_goes_up_and_once_back(places: list[int]) -> None:
    """C-LOOK: up from the first to the top, back to the lowest, and up to below the first."""
    rows = tens(*(("read", 0, 20 * place) for place in places))
    first, low, top = (20 * one for one in (places[0], min(places), max(places)))
    up = top - first + 10
    below = [20 * one for one in places if 20 * one < first]
    back = top + 10 - low + max(below) + 10 - low if below else 0
    seeks = first + up + back - 10 * len(places)
    spec = replace(PLAIN, policy=FAIR)
    assert max(ended(spec, rows)) == seeks + 20 * len(places)


@settings(max_examples=examples(40))
@given(SEEDS)
def test_the_disk_idles_by_policy_only(seed: int) -> None:
    """While a request waits, another is carried out; under bfq, unless it does not idle."""
    rng = Random(seed)
    spec = replace(drawn_spec(rng), slice_idle_ns=0)
    rows = drawn_rows(rng, 20)
    found = times(spec, rows)
    for (came, *_), (begin, _) in zip(rows, found, strict=True):
        busy = sum(
            min(begin, end) - max(came, at) for at, end in set(found) if at < begin and end > came
        )
        assert busy == begin - came


@settings(max_examples=examples(40))
@given(SEEDS)
def test_no_oldest_request_waits_past_its_deadline_and_the_batches_due(seed: int) -> None:
    """The batch under way; of reads, one of writes; of writes, those of reads that go first."""
    rng = Random(seed)
    spec = replace(drawn_spec(rng), policy=DEADLINE, ncq=1, merge=0)
    rows = drawn_rows(rng, 40, span=500)
    found = times(spec, rows)
    order = sorted(range(len(rows)), key=lambda n: rows[n][0])
    for place, number in enumerate(order):
        came, do, *_ = rows[number]
        late = came + (spec.read_expire_ns if do == "read" else spec.write_expire_ns)
        older = [found[n][0] for n in order[:place] if rows[n][1] == do]
        since, begin = max([late, *older]), found[number][0]
        between = sum(since < at < begin for at, _ in found)
        others = 1 if do == "read" else spec.writes_starved + 1
        assert between <= spec.fifo_batch - 1 + others * spec.fifo_batch


@settings(max_examples=examples(30))
@given(SEEDS)
def test_a_drive_passes_over_a_command_less_than_twice_its_length(seed: int) -> None:
    rng = Random(seed)
    spec = replace(drawn_spec(rng), policy=NONE, merge=0, ncq=rng.choice([2, 3, 5]))
    rows = sorted(drawn_rows(rng, 40, span=500), key=lambda row: row[0])
    begins = [begin for begin, _ in times(spec, rows)]
    for number, begin in enumerate(begins):
        assert sum(at < begin for at in begins[number + 1 :]) < 2 * spec.ncq


@settings(max_examples=examples(30))
@given(SEEDS)
def test_files_get_equal_bytes_while_both_wait(seed: int) -> None:
    """Start-time fair queueing: within two of the largest turns of each other."""
    rng = Random(seed)
    spec = replace(drawn_spec(rng), policy=FAIR, ncq=1, merge=0, slice_ns=10**9)
    rows: list[Row] = [
        (0, "read", file, 20 * rng.randint(0, 40), rng.choice([20, 60, 100]))
        for file in (0, 1)
        for _ in range(20)
    ]
    found = times(spec, rows)
    last = [
        max(begin for row, (begin, _) in zip(rows, found, strict=True) if row[2] == file)
        for file in (0, 1)
    ]
    got = [0, 0]
    for number in sorted(range(40), key=lambda n: found[n]):
        if found[number][0] > min(last):
            break
        got[rows[number][2]] += rows[number][4]
        assert abs(got[0] - got[1]) <= 2 * (spec.budget + 100)
