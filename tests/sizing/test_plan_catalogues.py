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
from simulator.sizing import planning
from simulator.sizing.planned import Planned
from tests.sizing.pages import said, written_size
from tests.sizing.test_planned import elapsed_s
from tests.sizing.texts import GROWING, found_for

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
    for place, (sized, one) in enumerate(found.of_years()):
        assert sized.requirement.years == place + 1
        assert sized.outcomes[one.number].meets


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
