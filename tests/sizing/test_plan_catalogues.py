"""Plans with packs, prices by number, shared bays, alternatives and targets of single years.

Each against all ways over a drawn catalogue, added up one by one.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from dataclasses import dataclass
from typing import Any

import pytest

from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.sizing import planning
from simulator.sizing.planned import Planned
from tests.sizing.pages import said, written_size
from tests.sizing.test_planned import elapsed_s
from tests.sizing.texts import COPIES, GROWING, check_years, found_for

COPY = 8_000_000
"""Bytes of the file that is copied today."""


@dataclass(frozen=True)
class Sort:
    """How something is sold: by packs, and cheaper from so many of them on."""

    price: int
    pack: int = 1
    more: int = 0
    """From so many packs on; 0: never."""
    then: int = 0

    @property
    def kind(self) -> str:
        found = ["packs"] * (self.pack > 1) + ["steps"] * (self.more > 0)
        return " and ".join(found) or "pieces"

    @property
    def written(self) -> dict[str, Any]:
        price = {1: self.price, self.more: self.then} if self.more else self.price
        return {"price": price} | ({"pack": self.pack} if self.pack > 1 else {})

    def buy(self, packs: int) -> tuple[int, int]:
        """Return how many packs are bought where so many are needed, and their sum."""
        if not self.more or packs == 0:
            return packs, packs * self.price
        if packs >= self.more:
            return packs, packs * self.then
        least = min(packs * self.price, self.more * self.then)
        return (packs if packs * self.price == least else self.more), least


@dataclass(frozen=True)
class Machine:
    """One machine of one alternative."""

    alternative: str
    pieces: dict[str, int]
    rate: str
    seek: str


class ByHand:
    """A requirement that was drawn, and all ways through its years."""

    def __init__(self, seed: int) -> None:
        draw = self.draw = random.Random(seed)
        self.years, self.every = draw.choice(((2, 1), (3, 1), (3, 2)))
        self.discount, self.falls = draw.choice((0, 10)), draw.choice((0, 40))
        self.either = draw.random() < 0.5
        self.items = {"turn": self.sort(draw.choice((20, 50))), "near": self.sort(30)}
        self.items |= {"disk": self.sort(draw.choice((40, 90))), "box": self.sort(60)}
        self.bays = draw.choice((2, 3))
        self.limit = draw.choice((0.625, 0.93, 1.25))
        self.strict = draw.choice((0.5, 0.6, 9.0)), draw.randint(1, self.years)
        """A time in which the copy has to be made in one year only;"""
        self.room = draw.choice((1, 2)), draw.randint(1, self.years)
        """and the disks that have to be there in one."""
        self.owned = draw.random() < 0.4
        self.periods = [
            range(year, min(year + self.every, self.years))
            for year in range(0, self.years, self.every)
        ]
        self.machines = [*self.built("one", self.turns, "", 1)]
        if self.either:
            self.machines += self.built("other", {"60 MB/s": 1}, "3 ms", draw.choice((0, 2)))

    turns = {"20 MB/s": 1, "60 MB/s": 3, "120 MB/s": 6}

    def sort(self, price: int) -> Sort:
        pack = self.draw.choice((1, 1, 2, 4))
        if self.draw.random() < 0.5:
            return Sort(price * pack, pack)
        return Sort(price * pack, pack, self.draw.choice((2, 3)), round(price * pack * 0.55))

    def built(self, name: str, turns: dict[str, int], seek: str, each: int) -> list[Machine]:
        """Return what has room in its boxes: disks, and whatever makes the arm faster."""
        return [
            Machine(name, {"turn": n, "near": near, "disk": disks, "box": boxes}, rate, seek_)
            for (rate, n), near, disks, boxes in itertools.product(
                turns.items(), (0, 1), (1, 2), (1, 2)
            )
            for seek_ in ["1 ms" if near else seek]
            if disks + near <= self.bays * boxes
            for n in [n if name == "one" else each]
        ]

    @property
    def text(self) -> str:
        def choices(turns: dict[str, int], each: int | None) -> dict[str, Any]:
            return {
                "arm": {
                    "options": {
                        rate: {"set": {"disk.rate": rate}, "buys": {"turn": each or n}}
                        for rate, n in turns.items()
                    }
                },
                "way": {
                    "options": {
                        "plain": {},
                        "near": {"set": {"disk.seek": "1 ms"}, "buys": {"near": 1}},
                    }
                },
                "disks": {"values": [1, 2], "buys": {"disk": 1}},
                "boxes": {"values": [1, 2], "buys": {"box": 1}},
            }

        catalogue = {name: one.written for name, one in self.items.items()}
        catalogue["turn"]["power"] = "40 W"
        catalogue["disk"]["size"] = "1 TB"
        catalogue["box"] |= {"takes": {"disk": 3, "near": 3}, "bays": self.bays}
        one = {"machine": "workstation", "choices": choices(self.turns, None)}
        found: dict[str, Any] = {
            "format": "requirement/1",
            "name": "drawn",
            "years": self.years,
            "plan": {
                "every": self.every,
                "discount": f"{self.discount} %",
                "price_falls": {"turn": f"{self.falls} %"},
            },
            "workloads": {
                "copy": {
                    "workload": "copy-file",
                    "set": {"source.size": "8 MB", "copy.size": "8 MB"},
                    "growth": {"set": {"source.size": "50 %", "copy.size": "50 %"}},
                }
            },
            "targets": [
                {"workload": "copy", "elapsed": f"{self.limit} s"},
                {"workload": "copy", "elapsed": f"{self.strict[0]} s", "year": self.strict[1]},
                {"capacity": f"{self.room[0]} TB", "year": self.room[1]},
            ],
            "catalogue": catalogue,
        }
        if self.owned:
            bill = {"power_price": 0.1, "support": "10 %", "residual": "30 %"}
            found["ownership"] = {"years": self.years, **bill}
        if not self.either:
            return json.dumps(found | one)
        each = next(one.pieces["turn"] for one in self.machines if one.alternative == "other")
        other = {"60 MB/s": 1}
        two = {"machine": "workstation", "set": {"disk.seek": "3 ms"}}
        made = choices(other, each)
        if not each:
            del made["arm"]["options"]["60 MB/s"]["buys"]
        return json.dumps(found | {"alternatives": {"one": one, "other": two | {"choices": made}}})

    def holds(self, machine: Machine, period: range) -> bool:
        for year in period:
            took = elapsed_s(math.ceil(COPY * 1.5 ** (year + 1)), machine.rate, machine.seek)
            strict = self.strict[0] if self.strict[1] == year + 1 else math.inf
            room = self.room[0] if self.room[1] == year + 1 else 0
            if took > min(self.limit, strict) or machine.pieces["disk"] < room:
                return False
        return True

    def total(self, way: tuple[Machine, ...]) -> float:
        used: dict[tuple[str, str], int] = {}
        spare: dict[tuple[str, str], int] = {}
        total = paid = 0.0
        for machine, period in zip(way, self.periods, strict=True):
            for year in period:
                bought, now = 0.0, dict[tuple[str, str], int]()
                for item, count in machine.pieces.items():
                    key, sort = (machine.alternative, item), self.items[item]
                    now[key] = math.ceil(count / sort.pack)
                    more = now[key] - used.get(key, 0)
                    if more > 0:
                        sold, price = sort.buy(max(0, more - spare.get(key, 0)))
                        spare[key] = spare.get(key, 0) + sold - more
                        bought += price * ((1 - self.falls / 100) ** year if item == "turn" else 1)
                paid, used = paid + bought, now
                power = 40 * machine.pieces["turn"]
                yearly = power * 8.76 * 0.1 + 0.1 * paid if self.owned else 0.0
                total += (bought + yearly) / (1 + self.discount / 100) ** year
        return total - (0.3 * paid / (1 + self.discount / 100) ** self.years) * self.owned

    def least(self, among: list[Machine]) -> float | None:
        good = [[one for one in among if self.holds(one, period)] for period in self.periods]
        return min(map(self.total, itertools.product(*good)), default=None)

    def at_once(self) -> float | None:
        always = [one for one in self.machines if all(self.holds(one, p) for p in self.periods)]
        return min((self.total((one,) * len(self.periods)) for one in always), default=None)

    def of(self, name: str) -> list[Machine]:
        return [one for one in self.machines if one.alternative == name]


def near(value: float | None) -> Any:
    return None if value is None else pytest.approx(value)


def total_of(found: Planned, machines: list[Any]) -> float | None:
    return found.accounts.account(machines).total if machines else None


@pytest.mark.few(8)
@pytest.mark.parametrize("seed", range(60))
def test_the_plan_is_the_cheapest_of_all_ways(seed: int) -> None:
    by_hand = ByHand(seed)
    found = found_for(by_hand.text)
    least = by_hand.least(by_hand.machines)
    assert total_of(found, found.machines) == near(least)
    if least is not None:
        whole = found.account_at_once
        assert (None if whole is None else whole.total) == near(by_hand.at_once())
        assert [*found.alone] == (["one", "other"] if by_hand.either else [])
        for name, machines in found.alone.items():
            assert total_of(found, machines) == near(by_hand.least(by_hand.of(name)))
    check_years(found)


def test_drawn_catalogues_differ() -> None:
    """Some change the alternative; some grow in things that are sold in packs, or cheaper so."""
    kinds = set()
    for seed in range(60):
        by_hand = ByHand(seed)
        good = [[n for n in by_hand.machines if by_hand.holds(n, p)] for p in by_hand.periods]
        way = min(itertools.product(*good), key=by_hand.total)
        for one, then in itertools.pairwise(way):
            change = one.alternative != then.alternative
            grows = [item for item in one.pieces if one.pieces[item] < then.pieces[item]]
            kinds |= {"change"} if change else {by_hand.items[item].kind for item in grows}
    assert kinds == {"change", "pieces", "packs", "steps", "packs and steps"}


# -- by hand --------------------------------------------------------------------------------------


def test_what_a_pack_leaves_over_is_used_in_the_next_year() -> None:
    """Two turns of a pack of three, then four: one is there, and a second pack has three."""
    found = found_for(GROWING.replace("{price: 50, power: 10 W}", "{price: 90, pack: 3}"))
    first, second = found.account.years
    assert (first.bought, first.price) == ({"disk": 2, "turn": 3}, 290)
    assert (second.bought, second.price) == ({"turn": 3}, pytest.approx(72))
    assert (first.purchases["turn"].left_over, second.purchases["turn"].left_over) == (1, 2)
    text = said(found, full=True)
    assert "(2 disk + 1 pack of 3 turn: 290 USD); in year 1 arm 80 MB/s (1 pack of 3 turn:" in text
    assert "0 turn 1 pack of 3 (1 left over) 90 90 without" in text
    found = found_for(GROWING.replace("{price: 50, power: 10 W}", "{price: 90, pack: 4}"))
    assert [one.bought for one in found.account.years] == [{"disk": 2, "turn": 4}, {}]
    assert "in year 1 arm 80 MB/s (nothing to buy)." in said(found)


def test_a_cheaper_number_leaves_one_over() -> None:
    """Three turns at 33 instead of two at 50; in year 1 the fourth is 50, 20 % less: 40."""
    found = found_for(GROWING.replace("{price: 50,", "{price: {1: 50, 3: 33},"))
    assert [one.price for one in found.account.years] == pytest.approx([299, 40])
    assert found.account.total == pytest.approx(299 + 40 / 1.25)
    at_once = found.account_at_once
    assert at_once is not None
    assert at_once.total == pytest.approx(200 + 4 * 33)


CHANGING = f"""\
format: requirement/1
name: changing
currency: USD
{COPIES}\
years: 2
plan: {{price_falls: {{disk: 50 %}}}}
targets: [{{workload: copy, elapsed: 0.65 s}}]
catalogue: {{disk: {{price: 100}}, box: {{price: BOX}}}}
alternatives:
  small:
    machine: workstation
    choices: {{disks: {{set: disk.rate, values: [40 MB/s], unit: 40 MB/s, buys: {{disk: 1}}}}}}
  large:
    machine: workstation
    set: {{disk.rate: 80 MB/s}}
    choices:
      disks: {{values: [3], buys: {{disk: 1}}}}
      boxes: {{values: [1], buys: {{box: 1}}}}
"""
"""40 MB/s carry year 1, and 80 MB/s year 2: disks of the large machine cost half in year 1."""


def test_another_machine_is_bought_whole() -> None:
    """100, then three disks of 50 and a box of 10; or the large one from the beginning on."""
    found = found_for(CHANGING.replace("BOX", "10"))
    assert [one.alternative for one in found.machines] == ["small", "large"]
    first, second = found.account.years
    assert (first.bought, second.bought) == ({"disk": 1}, {"disk": 3, "box": 1})
    assert second.out == {"disk": 1}
    assert found.account.total == pytest.approx(100 + 160)
    text = said(found)
    assert "Buy in year 0 small: disks 40 MB/s (1 disk: 100 USD); in year 1 large: disks 3" in text
    assert "(3 disk + 1 box, taken out: 1 disk: 160 USD)." in text
    assert "small alone does not carry the loads of all years. The best of large alone is" in text
    record = json.loads(written_size(found, "json"))
    assert record["alternatives"]["small"] == {"total": None}
    assert record["alternatives"]["large"]["total"] == 310
    assert record["answer"]["alternative"] == "large"
    head, *rows = [line.split(",") for line in written_size(found, "csv").splitlines()]
    assert [row[head.index("alternative")] for row in rows] == ["small", "large"]


def test_one_machine_is_kept_where_a_change_is_dearer() -> None:
    found = found_for(CHANGING.replace("BOX", "10").replace(": 50 %}}\ntar", ": 10 %}}\ntar"))
    assert [one.alternative for one in found.machines] == ["large", "large"]
    assert "small alone does not carry the loads of all years." in said(found)
    assert "The best of large" not in said(found)


def test_nothing_of_any_alternative_carries_a_year() -> None:
    found = found_for(CHANGING.replace("BOX", "10").replace("years: 2", "years: 3"))
    assert (found.machines, found.missing) == ([], 2)
    assert "under the loads of year 3. Nearest: large: disks 3, boxes 1: 310 USD" in said(found)


@pytest.mark.parametrize("limit", ["0.4 s", "0.1 s"])
def test_the_first_year_that_nothing_carries(limit: str) -> None:
    """80 MB/s are enough for 12 MB in 0.4 s, and not for 18 MB; for nothing in 0.1 s."""
    found = found_for(GROWING.replace("0.65 s", limit))
    assert (found.machines, found.missing) == ([], {"0.4 s": 1, "0.1 s": 0}[limit])
    near = found.nearest
    assert near is not None
    assert near[1].levels[1] == "80 MB/s"


def test_a_year_may_need_more_than_the_others() -> None:
    """The third disk is for year 1 only: then it is taken out, and its price was paid."""
    capacity = "  - {capacity: 2 TB}\n"
    found = found_for(GROWING.replace(capacity, f"{capacity}  - {{capacity: 3 TB, year: 1}}\n"))
    assert [one.levels[0] for one in found.machines] == ["3", "3"]
    table = written_size(found, full=True)
    assert "usable capacity in year 1" in table
    found = found_for(GROWING.replace(capacity, "  - {capacity: 3 TB, year: 2}\n"))
    assert [one.levels[0] for one in found.machines] == ["1", "3"]


# -- mistakes -------------------------------------------------------------------------------------

WRONG = {
    "{capacity: 2 TB, year: 3}": "targets.1.year: is after year 2, until which loads grow",
    "{capacity: 2 TB, year: 1.5}": "targets.1.year: 1.5 was read, and a plan's targets hold at the"
    " end of a year; write a whole one, from 1 on",
    "{capacity: 2 TB, year: 0}": "targets.1.year: 0 was read, and a plan's targets hold at the end",
}


@pytest.mark.parametrize(("target", "told"), WRONG.items(), ids=map(str, range(len(WRONG))))
def test_each_mistake_is_told_where_it_is(target: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        found_for(GROWING.replace("{capacity: 2 TB}", target))
    (line,) = str(caught.value).splitlines()[-1:]
    assert told in line


def test_each_year_has_a_target() -> None:
    text = GROWING.replace("elapsed: 0.65 s}", "elapsed: 0.65 s, year: 2}")
    with pytest.raises(ConfigError, match=r"targets: none holds in year 1; write one without 'yea"):
        found_for(text.replace("{capacity: 2 TB}", "{capacity: 2 TB, year: 2}"))


def test_numbers_left_over_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine machines, after each of which a turn may be left or not."""
    text = GROWING.replace("{price: 50,", "{price: {1: 50, 3: 10},")
    monkeypatch.setattr(planning, "MOST", 27)
    assert found_for(text).machines
    monkeypatch.setattr(planning, "MOST", 26)
    with pytest.raises(InputError, match="27 machines of different pieces and numbers left over"):
        found_for(text)
