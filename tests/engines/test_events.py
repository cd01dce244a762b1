"""What happens to parts, on both engines: by hand, by laws, and by the theory of renewals."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.plan.events import Calendar, EventPlan, EventTimes, calendars_of, gap_ns
from simulator.result.result import Result, StateResult
from simulator.verification.identities import IdentityError, check_identities
from tests.engines.hand import Hand
from tests.reference.runs import both, ends, run, spent

HALF = 1 << 19


def disk(*begun: tuple[int, int], kind: str = "queue", rate: float = 1e9) -> Hand:
    """Processes that write once each to one part of 1 ns for a byte."""
    hand = Hand(pe=1)
    hand.part("s", "pe", kind, rate=rate)
    hand.path("fs", [hand.stage("s")])
    hand.file("f", "fs", 10_000)
    for number, (at, size) in enumerate(begun):
        hand.process(f"p{number}", hand.listed(("write", "f", 0, size)), start_ns=at)
    return hand


def state(result: Result, name: str = "s") -> StateResult:
    """Return what happened to a part."""
    return result.states[name]


# -- one failure, by hand -----------------------------------------------------------------------


def test_a_request_that_comes_while_a_part_has_failed_waits_until_it_is_back() -> None:
    hand = disk((20, 10))
    hand.event("s", at_ns=15, lasts_ns=40)  # from 15 to 55
    result = run(hand)
    assert ends(result) == [65]
    assert spent(result) == {"s": (35, 10)}
    assert state(result) == StateResult("s", 1, 40, 0, 1, 35)


def test_a_request_under_way_goes_on_where_it_was() -> None:
    hand = disk((0, 30))
    hand.event("s", at_ns=10, lasts_ns=100)
    result = run(hand)
    assert ends(result) == [130]
    assert spent(result) == {"s": (100, 30)}
    served = [one for one in result.spans if one.part == "s"]
    assert [(one.start_ns, one.service_ns, one.bytes) for one in served] == [
        *((0, 10, 30), (110, 20, 0)),
    ]


def test_what_waits_behind_it_waits_longer() -> None:
    hand = disk((0, 30), (5, 10))
    hand.event("s", at_ns=10, lasts_ns=100)
    result = run(hand)
    assert ends(result) == [130, 140]
    assert spent(result, 1) == {"s": (125, 10)}
    assert state(result).delayed == 1


@pytest.mark.parametrize(("at", "end"), [(30, 30), (29, 80), (0, 80), (50, 30)])
def test_at_the_very_nanosecond(at: int, end: int) -> None:
    """What ends when the part fails has ended; what begins when it is back begins."""
    hand = disk((0, 30))
    hand.event("s", at_ns=at, lasts_ns=50)
    assert ends(run(hand)) == [end]


def test_a_request_of_no_time_waits_too() -> None:
    hand = disk((5, 1))
    hand.parts[-1] = replace(hand.parts[-1], service=type(hand.parts[-1].service)(math.inf))
    hand.event("s", at_ns=0, lasts_ns=70)
    assert ends(run(hand)) == [70]


# -- another speed ------------------------------------------------------------------------------


def test_at_half_its_speed_a_request_takes_twice_as_long() -> None:
    hand = disk((0, 30))
    hand.event("s", at_ns=10, lasts_ns=20, speed=HALF)  # 10 ns of work in these 20
    result = run(hand)
    assert ends(result) == [40]
    assert spent(result) == {"s": (0, 40)}
    assert state(result) == StateResult("s", 0, 0, 20, 0, 0)


def test_a_part_may_be_faster_for_a_while() -> None:
    hand = disk((0, 30))
    hand.event("s", at_ns=0, lasts_ns=10, speed=4 * HALF)
    assert ends(run(hand)) == [20]


def test_of_several_things_the_worst_counts() -> None:
    hand = disk((0, 30))
    hand.event("s", at_ns=0, lasts_ns=100, speed=HALF)
    hand.event("s", at_ns=10, lasts_ns=10, speed=HALF // 2)
    hand.event("s", at_ns=20, lasts_ns=5)
    # 5 ns of work by 10, 2 (a quarter of 10, rounded down) by 20, none by 25, 23 by 71.
    assert ends(run(hand)) == [71]


@pytest.mark.parametrize("kind", ["queue", "delay", "shared"])
def test_kinds_of_parts_fail_alike(kind: str) -> None:
    hand = disk((0, 30), kind=kind)
    hand.event("s", at_ns=10, lasts_ns=100)
    result = run(hand)
    assert ends(result) == [130]
    assert spent(result) == {"s": (100, 30)}
    assert state(result) == StateResult("s", 1, 100, 0, 1, 100)


@pytest.mark.parametrize("kind", ["queue", "delay", "shared"])
def test_a_request_that_takes_no_time_waits_too(kind: str) -> None:
    hand = disk((10, 1), kind=kind, rate=math.inf)
    hand.event("s", at_ns=0, lasts_ns=100)
    assert ends(run(hand)) == [100]


def test_all_who_share_a_part_wait_together() -> None:
    hand = disk((0, 30), (0, 30), kind="shared")
    hand.event("s", at_ns=20, lasts_ns=100, speed=HALF)
    # 10 ns of each by 20; the other 40 take twice as long.
    assert ends(run(hand)) == [100, 100]


def test_a_route_waits_for_the_part_that_has_failed() -> None:
    hand = Hand(pe=1, server=2)
    hand.part("nic", "pe", rate=1e9)
    hand.part("port", "server", rate=5e8)
    hand.path("fs", [hand.stage("nic", "port")])
    hand.file("f", "fs", 1000)
    hand.process("p", hand.listed(("write", "f", 0, 10)))
    hand.event("port", at_ns=5, lasts_ns=30)
    hand.event("port", 1, at_ns=0, lasts_ns=500)
    result = run(hand)
    assert ends(result) == [50]
    assert spent(result) == {"port": (30, 20)}
    assert state(result, "server0.port").lost_ns == 30
    assert state(result, "server1.port") == StateResult("port", 1, 50, 0, 0, 0)


def test_packets_go_on_when_a_port_is_back() -> None:
    hand = Hand(pe=1, server=1)
    hand.part("out", "pe", rate=1e9, latency_ns=3)
    hand.part("in", "server", rate=1e9)
    hand.path("fs", [hand.stage("out", "in", packets=True)])
    hand.file("f", "fs", 1000)
    hand.process("p", hand.listed(("write", "f", 0, 10)))
    hand.event("out", at_ns=0, lasts_ns=40)
    hand.event("in", at_ns=45, lasts_ns=20)
    result = run(hand)
    # It leaves from 40 to 50, is at the other port at 43 and works there until 45, then from 65.
    assert ends(result) == [73]
    assert spent(result) == {"out": (40, 3), "in": (20, 10)}


# -- drawn --------------------------------------------------------------------------------------


def test_times_between_failures_are_exponential() -> None:
    from simulator.mixing import mix

    count, mean = 40_000, 10**15
    gaps = [gap_ns(mean, mix(77, number)) for number in range(1, count + 1)]
    # The deviation of the mean is 1 / 200 of it, that of a share p is sqrt(p (1 - p) / count).
    assert sum(gaps) / count / mean == pytest.approx(1, abs=4 / 200)
    for share in (1e-3, 0.1, 0.5, 0.9, 0.9999):
        bound = -mean * math.log(1 - share)
        deviation = math.sqrt(share * (1 - share) / count)
        assert sum(one <= bound for one in gaps) / count == pytest.approx(share, abs=4 * deviation)


def test_a_time_is_not_one_of_a_few() -> None:
    """Two failures within a millionth of their mean are as rare as they should be."""
    from simulator.mixing import mix

    gaps = sorted(gap_ns(10**15, mix(7, number)) for number in range(20_000))
    apart = [later - earlier for earlier, later in itertools.pairwise(gaps)]
    assert len(set(gaps)) == len(gaps)
    assert sum(one < 10**9 for one in apart) < 400  # 20,000**2 / 2 * 1e-6 = 200 pairs


def test_the_share_of_time_in_which_a_part_is_there() -> None:
    """Renewal: mtbf / (mtbf + repair); 2,000 failures, so 1 / sqrt(2000) of the down time."""
    hand = disk((0, 10))
    hand.processes[0] = replace(hand.processes[0], start_ns=2_000 * 10_000)
    hand.event("s", mean_ns=9_000, lasts_ns=1_000, stream="s")
    one = state(both(hand.plan(seed=5)))
    assert one.down_ns / (2_000 * 10_000) == pytest.approx(0.1, rel=4 / math.sqrt(2000))
    assert one.failures == pytest.approx(2_000, abs=4 * math.sqrt(2000))


def test_draws_follow_from_the_seed_the_run_and_the_stream() -> None:
    def first(stream: str, **fields: int) -> list[tuple[int, int]]:
        hand = disk()
        hand.event("s", mean_ns=10_000, lasts_ns=10, stream=stream)
        (calendar,) = calendars_of(hand.plan(**fields)).values()
        return [calendar.at(0)]

    assert first("a") == first("a")
    assert len({str(first(*one)) for one in ("a", "b")}) == 2
    assert first("a", seed=1) != first("a") != first("a", run=1, runs=2)


def test_an_event_may_hit_any_instance() -> None:
    hand = Hand(pe=1, server=40)
    hand.part("s", "server", rate=1e9)
    hand.event("s", -1, at_ns=5, lasts_ns=10, stream="x")
    hit = {next(iter(calendars_of(hand.plan(seed=seed)))) for seed in range(30)}
    assert 10 < len(hit) <= 30


times = st.integers(0, 3_000)


@given(st.lists(times, min_size=1, max_size=30), st.integers(0, 2**64 - 1))
def test_a_calendar_says_the_same_in_any_order(asked: list[int], key: int) -> None:
    def calendar() -> Calendar:
        plan = EventPlan(part=0, member=0, mean_ns=90, lasts_ns=20)
        slow = EventPlan(part=0, member=0, mean_ns=300, lasts_ns=150, speed=HALF)
        return Calendar([EventTimes(plan, key), EventTimes(slow, key ^ 1)])

    fresh = {time: calendar().at(time) for time in asked}
    one = calendar()
    assert [one.at(time) for time in asked] == [fresh[time] for time in asked]


@given(times, times, st.integers(0, 2**64 - 1))
def test_a_service_ends_in_the_first_nanosecond_when_its_work_is_done(
    start: int, work: int, key: int
) -> None:
    plan = EventPlan(part=0, member=0, mean_ns=200, lasts_ns=50)
    slow = EventPlan(part=0, member=0, mean_ns=300, lasts_ns=150, speed=333_333)
    one = Calendar([EventTimes(plan, key), EventTimes(slow, key ^ 1)])
    end = one.end_of(start, work)
    lost = one.lost_ns
    assert one.done(start, end) >= work > (one.done(start, end - 1) if work else -1)
    assert one.times(start, end)[1] == lost
    assert end - start == lost + sum(length for _, length in one.served_intervals(start, end))


def test_an_identity_that_does_not_hold_is_told() -> None:
    hand = disk((0, 30))
    hand.event("s", at_ns=10, lasts_ns=100)
    plan = hand.plan()
    result = both(plan)
    next(one for one in result.spans if one.part == "s").start_ns += 5
    with pytest.raises(IdentityError, match="failed"):
        check_identities(plan, result)
    result = both(plan)
    result.states["s"].delayed = 5
    with pytest.raises(IdentityError, match="more than it served"):
        check_identities(plan, result)
