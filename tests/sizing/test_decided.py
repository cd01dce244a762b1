"""What decides an answer: its limits, what binds, and what cheaper machines lack; by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from simulator.report.size import size_page
from simulator.report.sizetrust import headline
from simulator.report.sizewhy import cheaper_rows, limit_rows, what_binds
from simulator.sizing.decided import Limit, binding, cheaper
from simulator.sizing.draws import Draws
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.probability import FEW_DRAWS, Draw, Probability
from simulator.sizing.short import Short
from simulator.sizing.sized import Sized
from simulator.sizing.targets import margin
from tests.sizing.pages import said, written_size
from tests.sizing.texts import COPY, WIDE, requirement, searched

DRIVES = """\
format: requirement/1
name: drives
machine: workstation
currency: USD
workloads:
  copy: {workload: copy-file, per_day: 1000, set: {source.size: 8 MB, copy.size: 8 MB}}
targets:
  - {workload: copy, elapsed: TIME}
  - {capacity: ROOM}
rack_units: 6 U
budget: {power: 100 W}
catalogue:
  tall: {price: 90, size: 4 TB, height: 8 U}
  small: {price: 100, size: 1 TB, endurance: 7 GB}
  large: {price: 150, size: 2 TB, endurance: 20 GB, power: 30 W, height: 2 U}
  card: {price: 1}
  switch: {price: 10, serves: {card: 24}}
choices:
  drives: {options: {FIRST: {buys: {FIRST: 1}}, large: {buys: {large: 1}}}}
  cards: {values: [21], buys: {card: 1}}
  net: {values: [1], buys: {switch: 1}}
"""


def sized(text: str, **places: str) -> Sized:
    return searched(Loads(requirement(text, **places)))


def drives(first: str, time: str = "10 s", room: str = "1 TB") -> Sized:
    found = sized(DRIVES, TIME=time, ROOM=room, FIRST=first)
    assert found.winner is not None
    assert found.winner.levels[0] == "large"
    return found


# -- what decided a choice ------------------------------------------------------------------------


def test_endurance_that_decides_is_told_with_its_numbers() -> None:
    """8 MB a thousand times a day are 8 GB: more than 7 GB, of 1 TB 0.008 writes of the drive."""
    found = drives("small")
    why = "1 small, which wear out: each is written 8.00 GB of 7.00 GB a day, 0.008 of 0.007 DWPD"
    assert cheaper_rows(found) == [("drives small", "50 USD", why)]
    assert why in said(found)
    record = json.loads(written_size(found, "json"))
    (less,) = record["cheaper"]
    assert (less["choices"]["drives"], less["price"], less["why_not"]) == ("small", 131, why)


def test_rack_units_that_decide_are_told() -> None:
    found = drives("tall")
    assert cheaper_rows(found) == [("drives tall", "60 USD", "8 U, but there is room for 6 U")]


@pytest.mark.parametrize(("first", "text"), [("small", "misses by 33 %"), ("tall", "room for 6 U")])
def test_a_target_or_a_limit_that_a_cheaper_one_misses(first: str, text: str) -> None:
    """1 TB where 1.5 TB are asked for: a third too little; and it wears out, unless it does not."""
    lasting = DRIVES.replace("endurance: 7 GB", "endurance: 9 GB")
    found = sized(lasting, TIME="10 s", ROOM="1.5 TB", FIRST=first)
    ((_, _, why),) = cheaper_rows(found)
    assert text in why


def test_cheaper_ones_are_those_of_brute_force() -> None:
    found = sized(WIDE, TIME="0.5 s")
    winner, offer = found.winner, found.offer
    assert winner is not None

    def alone() -> Iterator[int]:
        for index in range(len(offer.names)):
            others = [
                one
                for number in range(offer.size)
                if (one := offer.configuration(number)).order < winner.order
                and [n for n, text in enumerate(one.levels) if text != winner.levels[n]] == [index]
            ]
            yield from (one.number for one in sorted(others, key=lambda one: one.order)[-1:])

    every = [*offer.configurations()]
    most = max(one.price for one in every if one.price < winner.price)
    *by_choice, last = cheaper(found)
    numbers = [one.number for one in cheaper(found)]
    assert numbers[: len({*alone()})] == [*alone()]
    assert len(by_choice) >= 2
    assert last.price == most or most in {one.price for one in by_choice}
    for one, (_, _, why) in zip(cheaper(found), cheaper_rows(found), strict=True):
        assert why
        assert offer.crowded(one) is not None or not found.known[one.number].meets


def test_a_run_that_a_cheaper_one_misses_by_is_told() -> None:
    """Two slow disks, by the figure of their run; two fast ones are bought."""
    slow = sized(COPY, TIME="1000 s")
    assert slow.winner is not None
    figure = slow.outcome(slow.winner).measured[1].judged
    assert figure is not None
    limit = figure / 1.05
    found = sized(COPY, TIME=f"{limit / 1e9:.9f} s")
    (row,) = [row for row in cheaper_rows(found) if row[0] == "speed slow"]
    assert row[1:] == ("1,000 USD", "copy: time misses by 5 %")


# -- limits, and what binds -----------------------------------------------------------------------


def test_limits_stand_below_the_targets() -> None:
    """Two files of 8 MB; 8 of 20 GB a day; 30 of 100 W; 2 of 6 U; 21 of 24 ports."""
    found = drives("small")
    assert found.winner is not None
    assert [*limit_rows(found, found.winner)] == [
        ("ports for card", "at most 24", "21", "12 % to spare"),
        ("writes to each large, a day", "at most 20.0 GB", "8.00 GB", "60 % to spare"),
        ("rack units", "at most 6 U", "2 U", "67 % to spare"),
        ("power", "at most 100 W", "30 W", "70 % to spare"),
        ("files of all loads", "at most 2.00 TB", "16.0 MB", "100 % to spare"),
    ]
    record = json.loads(written_size(found, "json"))["answer"]
    assert [round(one["margin"], 4) for one in record["limits"]] == [1.0, 0.6, 0.7, 0.6667, 0.125]


def test_what_binds_has_the_least_to_spare_of_targets_and_limits() -> None:
    """Ports have 12 % to spare; a capacity of 2 TB 11 % of 1.8 TB, and 100 % of 1 TB."""
    ports = drives("small")
    assert ports.winner is not None
    assert isinstance(binding(ports, ports.winner), Limit)
    assert what_binds(ports, ports.winner).startswith(
        "What binds: ports for card (12 % to spare); of the targets copy: time ("
    )
    room = drives("small", room="1.8 TB")
    assert room.winner is not None
    assert what_binds(room, room.winner) == "What binds: usable capacity (11 % to spare)."


def test_one_piece_for_each_is_no_limit() -> None:
    text = DRIVES.replace("serves: {card: 24}", "serves: {card: 1}").replace("[21]", "[1]")
    found = sized(text, TIME="10 s", ROOM="1 TB", FIRST="small")
    assert found.winner is not None
    assert "ports for card" not in [row[0] for row in limit_rows(found, found.winner)]


def test_what_the_models_error_needs_is_not_to_spare() -> None:
    """A time with half of it to spare binds before a capacity with 25 %, if 41 % are needed."""
    took = drives("small", room="1.6 TB")
    assert took.winner is not None
    figure = took.outcome(took.winner).measured[1].judged
    assert figure is not None
    text = DRIVES.replace("rack_units", "probability: 90 %\nrack_units").replace("24}", "240}")
    wanted = Evaluator(
        Loads(requirement(text, TIME="1 s", ROOM="1 TB", FIRST="small")), seed=None, replications=1
    ).needs_of_any
    limit = 1.2 * wanted * figure
    found = sized(text, TIME=f"{limit / 1e9:.9f} s", ROOM="1.6 TB", FIRST="small")
    assert found.winner is not None
    time = found.binding(found.winner)
    assert found.spare(time) == pytest.approx(1 - 1 / 1.2, rel=1e-6)
    target = found.requirement.targets[time.target]
    spare, needed = (round(100 * margin(target, one)) for one in (1.2 * wanted, wanted))
    assert f"({spare} % to spare, of which the model's error needs {needed} %)" in said(found)
    assert f"{spare} % to spare ({needed} % needed)" in said(found)
    assert f"for 90 % it needs figures {wanted:.3g} times as good" in said(found)


# -- how well the probability is known ------------------------------------------------------------


def of_hits(hits: int, draws: int) -> Probability:
    made = [Draw(2.0 if one < hits else 0.5, 9.0, ()) for one in range(draws)]
    return Probability(tuple(made), None, (), True, 0.95)


def test_an_interval_decides_if_it_is_on_one_side() -> None:
    """Of 100 draws 97 hit: Wilson's interval is 91.5 % to 99.0 %."""
    found = of_hits(97, 100)
    low, high = found.interval
    assert (round(low, 2), round(high, 2)) == (0.91, 0.99)
    assert not found.decides(0.95)
    assert found.decides(0.90)
    assert found.decides(0.995)
    assert found.decides(None)


def asking(draws: int | None) -> Evaluator:
    text = requirement(COPY.replace("catalogue:", "probability: 50 %\ncatalogue:"), TIME="1 s")
    return Evaluator(Loads(text), seed=1, replications=5, draws=draws)


def test_a_number_of_draws_that_is_asked_for_is_made_of_long_runs_too() -> None:
    for draws, most in (None, FEW_DRAWS), (200, 200):
        evaluator = asking(draws)
        evaluator.short = Short(evaluator.loads, {}, {})
        evaluator.short.long = {"copy"}
        one = evaluator.loads.offer.configuration(0)
        assert Draws(evaluator, one, whole=False)._most == most


@pytest.mark.parametrize(("draws", "made"), [(None, 192), (1000, 640)])
def test_draws_go_on_until_it_is_decided_if_their_number_is_given(
    draws: int | None, made: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All n hit: Wilson's 3.84 / (n + 3.84) is 2 % at 188 and 0.6 % at 636; each 16th looks."""
    evaluator = asking(draws)
    evaluator.wanted = 0.994
    found = Draws(evaluator, evaluator.loads.offer.configuration(0), whole=False)
    found._varies = dict.fromkeys(found._varies, True)
    monkeypatch.setattr(found, "rows", lambda _number: {})
    monkeypatch.setattr(found, "_take", lambda _rows: found._found.append(Draw(9.0, 9.0, ())))
    monkeypatch.setattr(Evaluator, "error", None)
    assert len(found.until(0.994, to=0.02).draws) == made


def test_the_headline_says_that_it_may_be_less_and_how_to_know() -> None:
    found = sized(COPY.replace("catalogue:", "probability: 50 %\ncatalogue:"), TIME="10 s")
    assert found.winner is not None
    assert "may be" not in headline(found, found.winner)
    outcome = found.outcome(found.winner)
    object.__setattr__(outcome, "probability", of_hits(58, 100))
    assert headline(found, found.winner).endswith(
        "a probability of 58 % (48 % to 67 %); the requirement asks for 50 %, and it may be less:"
        " 100 draws do not decide that (--replications 1000 goes on until they do)."
    )


# -- the screen -----------------------------------------------------------------------------------


def test_a_screen_has_the_reasons_of_the_choice() -> None:
    found = drives("small")
    text = written_size(found)
    assert len(text.splitlines()) <= 40
    for words in ("Buy drives large", "ports for card", "What binds: ", "which wear out"):
        assert words in text
    assert size_page(found).title == "drives"
