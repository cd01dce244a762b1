"""The native engine against the reference on composed plans: whole results, to the nanosecond."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import simulator.native.run as native
from simulator.native.run import run_native
from simulator.reference.actor import Clock
from simulator.reference.run import run_reference
from tests.draws.plans.draw import any_plan_of, draw_plan
from tests.engines.compare import Run, assert_equal, complaint, differences, outcome
from tests.engines.hand import Hand
from tests.engines.records import stop_the_endless
from tests.examples import examples

BOTH: dict[str, Run] = {"reference": run_reference, "native": run_native}


@pytest.fixture(autouse=True, scope="module")
def ending() -> Iterator[None]:
    """Some plans that are drawn never end, which both engines then have to find."""
    count, advance = Clock.count, native.advance
    stop_the_endless()
    yield
    Clock.count, native.advance = count, advance  # type: ignore[method-assign]


@pytest.mark.parametrize("first", [0, 10, 20, pytest.param(30, marks=pytest.mark.slow)])
def test_plans_of_seeds(first: int) -> None:
    for seed in range(first, first + 10):
        assert_equal(BOTH, any_plan_of(seed))


@pytest.mark.slow
@settings(
    max_examples=examples(100),
    phases=[Phase.generate],  # a plan is made smaller by what knows plans
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.randoms(use_true_random=False))
def test_plans_by_hypothesis(rng: Random) -> None:
    assert_equal(BOTH, draw_plan(rng))


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(1000, 1100), marks=pytest.mark.slow, id="1000"),
        *(
            pytest.param(range(first, first + 250), marks=pytest.mark.long, id=str(first))
            for first in range(1100, 10_000, 250)
        ),
    ],
)
def test_thousands_of_plans(seeds: range) -> None:
    for seed in seeds:
        assert_equal(BOTH, any_plan_of(seed))


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(5), marks=pytest.mark.slow, id="a few"),
        pytest.param(range(5, 60), marks=pytest.mark.long, id="many"),
    ],
)
def test_plans_of_many_processes(seeds: range) -> None:
    for seed in seeds:
        assert_equal(BOTH, draw_plan(Random(seed), 200))


def a_write() -> Hand:
    """A process that writes 100 bytes to a disk of 1 ns for a byte, after 10 ns of its own."""
    hand = Hand(pe=1)
    hand.part("disk", "pe", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 100)
    hand.process("p", hand.listed(("write", "f", 0, 100, 10)))
    return hand


@pytest.mark.parametrize("name", BOTH)
def test_a_write_by_hand(name: str) -> None:
    found = outcome(BOTH[name], a_write().plan())
    assert "broken" not in found, found["broken"]
    (process,) = found["processes"]
    assert (found["elapsed_ns"], found["end_ns"], process["compute_ns"]) == (110, 110, 10)
    assert process["spent"] == {"disk": [0, 100]}
    assert found["parts"]["disk"]["busy_ns"] == 100
    assert found["latencies"]["write"]["sum_ns"] == 100


@pytest.mark.slow
def test_a_difference_of_a_nanosecond_is_found_and_the_plan_printed() -> None:
    def wrong(*arguments: object, **options: bool) -> object:
        result = run_native(*arguments, **options)  # type: ignore[arg-type]
        result.end_ns += any(one.requests > 1 for one in result.parts.values())
        return result

    engines = {"reference": run_reference, "wrong": wrong}
    plan = next(plan for plan in map(any_plan_of, range(50)) if complaint(engines, plan))
    with pytest.raises(
        AssertionError, match=r"reference and wrong differ:\n  end_ns: (.|\n)*Plan\("
    ):
        assert_equal(engines, plan)


def test_what_differs_is_named() -> None:
    left = {"a": [1, 2], "b": {"c": 1}, "d": 3}
    right = {"a": [1, 3], "b": {"c": 1, "e": 5}, "d": 3.0}
    assert list(differences(left, right)) == [
        ("a[1]", 2, 3),
        ("b.e", "(nothing)", 5),
        ("d", 3, 3.0),
    ]


def two_ways(*, drains: bool) -> Hand:
    """Two paths over the same two stores that part below them, or copy what was written."""
    hand = Hand(pe=1)
    for name in ("bus", "disk", "tape"):
        hand.part(name, "pe", rate=1e9)
    hand.store("upper", "pe")
    hand.store("lower", "pe")
    both = [hand.kept("upper"), hand.stage("bus"), hand.kept("lower")]
    fields = {"drain": hand.chain([hand.stage("tape")])} if drains else {}
    hand.path("first", [*both, hand.stage("disk")])
    hand.path("second", both, **fields)
    for number, name in enumerate(("first", "second")):
        hand.file(f"f{number}", name, 300, length=100)
        hand.process(f"p{number}", hand.listed(("read", f"f{number}", 0, 50)))
        hand.process(f"q{number}", hand.listed(("write", f"f{number}", 0, 200 + number)))
    return hand


@pytest.mark.parametrize("name", BOTH)
def test_bytes_below_stores_of_two_paths_are_not_taken_for_those_of_one(name: str) -> None:
    found = outcome(BOTH[name], two_ways(drains=False).plan())
    assert "broken" not in found, found["broken"]


@pytest.mark.parametrize("name", BOTH)
def test_what_was_written_is_copied_by_the_paths_with_a_drain(name: str) -> None:
    found = outcome(BOTH[name], two_ways(drains=True).plan())
    assert "broken" not in found, found["broken"]
    assert (found["parts"]["tape"]["requests"], found["parts"]["tape"]["bytes"]) == (1, 201)


@pytest.mark.parametrize("name", BOTH)
def test_a_file_written_by_two_paths_is_copied_along_both_in_the_order_of_writing(
    name: str,
) -> None:
    hand = Hand(pe=1)
    for part in ("disk", "tape", "far"):
        hand.part(part, "pe", rate=1e9)
    for part in ("tape", "far"):
        drain = hand.chain([hand.stage(part)])
        hand.path(f"to-{part}", [hand.stage("disk")], drain=drain)
    hand.file("f", "to-tape", 300, length=300)
    write, read = hand.stream("f", 100, 2, write=True), hand.stream("f", 100, 3, write=False)
    hand.process("p", read, replace(write, path=1), hand.listed(("write", "f", 0, 300)))
    found = outcome(BOTH[name], hand.plan())
    assert "broken" not in found, found["broken"]
    copies = [(s["part"], s["bytes"]) for s in found["spans"] if s["part"] in ("tape", "far")]
    assert copies == [("far", 200), ("tape", 300)]
