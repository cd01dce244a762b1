"""Packs, prices from so many on, rules, bays and alternatives: the search is that of brute force.

The oracle knows nothing of the product but the time of a run: it counts, places and pays for each
combination by itself.
"""

from __future__ import annotations

import functools
import itertools
import json
import random
from typing import Any, NamedTuple

import pytest

from simulator.config.requirement_file import Choice
from simulator.inputfile import Text
from simulator.run import load_plan, run_plan
from simulator.sizing import configurations, search
from simulator.sizing.alternatives import every_loads, runner_up
from simulator.sizing.rules import Rules
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes
from tests.sizing.pages import written_size

RATES = {"40 MB/s": 1, "80 MB/s": 2, "160 MB/s": 4}
SEEKS = {"near": "3 ms", "far": "9 ms"}
DRIVES = {"big": 2, "small": 1}
"""Sizes in TB."""
SEEDS = range(24)


class Drawn(NamedTuple):
    """A drawn requirement: its file, and what the oracle needs of it."""

    prices: dict[str, tuple[dict[int, int], int]]
    """By thing: the price from so many on, and the pieces of a pack."""
    power: dict[str, int]
    takes: dict[str, int]
    bays: int
    shelf: int
    rules: dict[str, dict[str, dict[str, dict[str, list[str]]]]]
    """By alternative, choice, value and other choice: the values that are allowed."""
    limit_ms: int
    capacity: int
    budget: int | None


CHOICES: dict[str, dict[str, list[str]]] = {
    "near": {
        "boxes": ["1", "2"],
        "shelves": ["none", "one"],
        "bigs": ["1", "2", "3"],
        "smalls": ["1", "3"],
        "arm": [*RATES],
    },
    "far": {"boxes": ["1", "2", "3"], "bigs": ["1", "2", "4"], "arm": [*RATES]},
}


def drawn(seed: int) -> Drawn:
    draw = random.Random(seed)
    prices = {}
    for item, about in {"big": 200, "small": 90, "box": 500, "shelf": 150, "turn": 60}.items():
        price = about + draw.randrange(0, 60)
        steps = {1: price}
        for start in sorted(draw.sample(range(2, 9), draw.randrange(0, 3))):
            price = price * draw.randrange(60, 100) // 100
            steps[start] = price
        prices[item] = steps, draw.choice([1, 1, 2, 3, 5])
    rules: dict[str, dict[str, dict[str, dict[str, list[str]]]]] = {}
    for name, choices in CHOICES.items():
        for _ in range(draw.randrange(0, 3)):
            one, other = draw.sample([*choices], 2)
            value = draw.choice(choices[one])
            allowed = draw.sample(choices[other], draw.randrange(1, len(choices[other])))
            rules.setdefault(name, {}).setdefault(one, {})[value] = {other: allowed}
    return Drawn(
        prices,
        {"big": 8, "small": 5, "box": 50, "shelf": 7, "turn": 1},
        {"big": draw.randrange(2, 7), "small": draw.randrange(2, 7)},
        draw.randrange(2, 9),
        draw.randrange(1, 5),
        rules,
        draw.choice([150, 250, 300, 450, 700]),
        draw.randrange(2, 8),
        draw.choice([None, None, 2500]),
    )


def text(one: Drawn) -> Text:
    """Return the file of a drawn requirement."""

    def item(name: str, more: str = "") -> str:
        steps, pack = one.prices[name]
        price = str(steps[1]) if len(steps) == 1 else str(steps)
        pack_of = f", pack: {pack}" if pack > 1 else ""
        return f"  {name}: {{price: {price}, power: {one.power[name]} W{pack_of}{more}}}"

    takes = ", ".join(f"{name}: {count}" for name, count in one.takes.items())
    lines = [
        "format: requirement/1\nname: drawn\ncurrency: EUR",
        "workloads: {copy: {workload: copy-file, set: {source.size: 8 MB, copy.size: 8 MB}}}",
        f"targets: [{{workload: copy, elapsed: {one.limit_ms} ms}},",
        f"  {{capacity: {one.capacity} TB}}]",
        *([f"budget: {{price: {one.budget}}}"] if one.budget else []),
        "catalogue:",
        *(item(name, f", size: {size} TB") for name, size in DRIVES.items()),
        item("box", f", takes: {{{takes}}}, bays: {one.bays}"),
        item("shelf", f", takes: {{big: {one.shelf}}}"),
        item("turn"),
        "alternatives:",
    ]
    said = {
        "boxes": "values: {values}, buys: {{box: 1}}",
        "shelves": "options: {{none: {{}}, one: {{buys: {{shelf: 1}}}}}}",
        "bigs": "values: {values}, per: boxes, buys: {{big: 2}}, redundancy: mirror",
        "smalls": "values: {values}, buys: {{small: 1}}",
        "arm": "set: disk.rate, values: {values}, unit: 40 MB/s, buys: {{turn: 1}}",
    }
    for name, choices in CHOICES.items():
        lines += [
            f"  {name}:",
            "    machine: workstation",
            f"    set: {{disk.seek: {SEEKS[name]}}}",
        ]
        lines.append("    choices:")
        for choice, values in choices.items():
            keys = said[choice].format(values=f"[{', '.join(values)}]")
            rule = one.rules.get(name, {}).get(choice)
            lines.append(f"      {choice}: {{{keys}{f', only_with: {rule}' if rule else ''}}}")
    return Text("\n".join(lines) + "\n", "drawn.yaml")


@functools.cache
def time_ns(seek: str, rate: str) -> int:
    settings = [
        ("workload.files.source.size", "8 MB"),
        ("workload.files.copy.size", "8 MB"),
        ("machine.parts.disk.seek", seek),
        ("machine.parts.disk.rate", rate),
    ]
    return run_plan(load_plan("workstation", "copy-file", settings=settings)).elapsed_ns


class Bought(NamedTuple):
    price: int
    power: int
    number: int
    meets: bool


def by_hand(one: Drawn) -> dict[tuple[str, tuple[str, ...]], Bought]:
    """Return all that can be built, by alternative and values."""
    found = {}
    for name, choices in CHOICES.items():
        for number, values in enumerate(itertools.product(*choices.values())):
            chosen = dict(zip(choices, values, strict=True))
            rules = one.rules.get(name, {})
            if any(
                chosen[choice] == value and chosen[other] not in allowed
                for choice, of in rules.items()
                for value, beside in of.items()
                for other, allowed in beside.items()
            ):
                continue
            pieces = {
                "box": int(chosen["boxes"]),
                "shelf": int(chosen.get("shelves") == "one"),
                "big": 2 * int(chosen["bigs"]) * int(chosen["boxes"]),
                "small": int(chosen.get("smalls", 0)),
                "turn": RATES[chosen["arm"]],
            }
            if not is_placed(one, pieces):
                continue
            price = sum(least(*one.prices[item], count) for item, count in pieces.items())
            power = sum(one.power[item] * count for item, count in pieces.items())
            usable = pieces["big"] // 2 * DRIVES["big"] + pieces["small"] * DRIVES["small"]
            fast = time_ns(SEEKS[name], chosen["arm"]) <= one.limit_ms * 1_000_000
            meets = fast and usable >= one.capacity
            found[name, values] = Bought(price, power, number, meets)
    return found


def is_placed(one: Drawn, pieces: dict[str, int]) -> bool:
    """Try all numbers of big drives that are in the shelf."""
    boxes = pieces["box"]
    for inside in range(pieces["big"] + 1):
        if (
            inside <= one.takes["big"] * boxes
            and pieces["small"] <= one.takes["small"] * boxes
            and inside + pieces["small"] <= one.bays * boxes
            and pieces["big"] - inside <= one.shelf * pieces["shelf"]
        ):
            return True
    return False


def least(steps: dict[int, int], pack: int, count: int) -> int:
    """Try all numbers of packs that are enough."""
    if not count:
        return 0
    return min(
        sold * min(price for start, price in steps.items() if start <= sold)
        for sold in range(1, count + 10)
        if sold * pack >= count
    )


def sized(one: Drawn, **how: Any) -> Sized:
    return search.size(text(one), noise=False, executor=Processes(1), **how)


def answer(found: Sized, winner: Any) -> tuple[str, tuple[str, ...]]:
    return found.alternative, winner.levels


def test_a_combination_beside_a_value_breaks_no_rule() -> None:
    """Where there is one at all: as trying all finds."""
    seen = set()
    for seed in range(200):
        draw = random.Random(seed)
        texts = {name: ["x", "y", "z"][: draw.randrange(1, 4)] for name in "abcd"}
        rules: dict[str, dict[str, dict[str, list[str]]]] = {name: {} for name in texts}
        for _ in range(draw.randrange(1, 7)):
            one, other = draw.sample("abcd", 2)
            allowed = draw.sample(texts[other], draw.randrange(1, len(texts[other]) + 1))
            rules[one].setdefault(draw.choice(texts[one]), {})[other] = allowed
        choices = {
            name: Choice(values=each, set="x", only_with=rules[name])
            for name, each in texts.items()
        }
        found = Rules(choices)
        every = [*itertools.product(*(range(len(each)) for each in texts.values()))]
        kept = [
            places
            for places in every
            if all(
                texts[other][places["abcd".index(other)]] in allowed
                for index, name in enumerate(texts)
                for other, allowed in rules[name].get(texts[name][places[index]], {}).items()
            )
        ]
        assert [one for one in every if found.broken(one) is None] == kept
        for index, each in enumerate(texts.values()):
            for place in range(len(each)):
                beside = found.beside({index: place})
                with_it = [one for one in kept if one[index] == place]
                assert (beside is None) == (not with_it)
                assert beside is None or tuple(beside) in with_it
                seen.add(beside is None)
    assert seen == {True, False}


@pytest.mark.few(6)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_can_be_built_and_its_price(seed: int) -> None:
    one = drawn(seed)
    found = {
        (loads.alternative, each.levels): (each.price, each.power, each.number)
        for loads in every_loads(text(one))
        for each in loads.offer.configurations()
    }
    assert found == {key: each[:3] for key, each in by_hand(one).items()}


def check_answer(one: Drawn, found: Sized) -> None:
    """Compare the answer, the runner-up, and the best of each alternative with brute force."""
    built = by_hand(one)
    can = [each for each in built.values() if each.meets and each.price <= (one.budget or 10**9)]
    costs = sorted(each[:2] for each in can)
    second = runner_up(found)
    assert (found.winner is None) == (not can)
    if found.winner is not None:
        assert built[answer(found, found.winner)][:2] == costs[0]
        assert (found.winner.price, found.winner.power) == costs[0]
    if second is not None:
        assert (second[1].price, second[1].power) == costs[1]
        assert built[answer(*second)].meets
    assert (second is None) == (len(can) < 2)
    for name, other in found.alternatives.items():
        mine = [each for (which, _), each in built.items() if which == name and each in can]
        best = other.winner
        assert (None if best is None else best.number) == min(
            ((each[:3]) for each in mine), default=(0, 0, None)
        )[2]


@pytest.mark.few(5)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("everything", [False, True])
def test_the_answer_is_that_of_brute_force(seed: int, everything: bool) -> None:
    one = drawn(seed)
    check_answer(one, sized(one, everything=everything))


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(6))
def test_a_sample_knows_the_rules(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it looks at can be built, and costs what brute force says; here it finds the best."""
    pytest.importorskip("optuna", reason="needs Optuna: pip install 'nwtsim[search]'")
    monkeypatch.setattr(configurations, "MOST", 10)
    one = drawn(seed)
    found, built = sized(one, trials=60), by_hand(one)
    for name, other in found.alternatives.items():
        assert other.sampled is not None
        for each in other.order:
            assert built[name, each.levels][:3] == (each.price, each.power, each.number)
    check_answer(one, found)
    told = json.loads(written_size(found, "json"))
    assert {each["sampled"]["proven_cheapest"] for each in told["alternatives"].values()} == {False}


def test_few_draws_find_what_rules_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 6^4 combinations only the six with four equal values break no rule."""
    monkeypatch.setattr(configurations, "MOST", 10)
    monkeypatch.setattr(configurations, "DRAWN", 40)
    head = text(drawn(0)).text.partition("alternatives:")[0]
    rules = {str(n): {"a": str(n)} for n in range(1, 7)}
    lines = [
        f"  {name}: {{values: 1..6 +1, buys: {{turn: 1}}, only_with: {rules}}}" for name in "bcd"
    ]
    choices = ["  a: {values: 1..6 +1, buys: {box: 1}}", *lines]
    (loads,) = every_loads(
        Text("\n".join([head, "machine: workstation\nchoices:", *choices]) + "\n", "r.yaml")
    )
    found = {one.levels for one in loads.offer.drawn(1, 60)}
    assert found == {tuple(4 * [str(n)]) for n in range(1, 7)}


def test_it_is_drawn_with_all_rules_in_it() -> None:
    """Among the drawn ones are rules, packs and prices that bind; both alternatives win."""
    ones = [drawn(seed) for seed in SEEDS]
    built = [by_hand(one) for one in ones]
    every = sum(len([*itertools.product(*choices.values())]) for choices in CHOICES.values())
    assert any(one.rules for one in ones)
    assert all(len(each) < every for each in built)
    winners = set()
    for each in built:
        meeting = [(bought[:3], name) for (name, _), bought in each.items() if bought.meets]
        winners.add(min(meeting)[1] if meeting else "none")
    assert winners == {"near", "far", "none"}
    dearer = [
        item
        for one in ones
        for item, (steps, pack) in one.prices.items()
        for count in range(1, 9)
        if least(steps, pack, count)
        < -(-count // pack) * steps[max(s for s in steps if s <= -(-count // pack))]
    ]
    assert dearer, "nowhere is it cheaper to buy more"
