"""What to buy when: against all ways over small catalogues, by hand; pages, and mistakes."""

from __future__ import annotations

import functools
import itertools
import json
import math
import random

import pytest

import nwtsim
from simulator.report.sizetrust import probability_text
from simulator.run import load_plan, run_plan
from simulator.sizing import planning
from tests.sizing.pages import said, written_size
from tests.sizing.texts import COPIES, GROWING, OWNED_GROWING, check_years, found_for, mistake_in


@functools.cache
def elapsed_s(bytes_: int, rate: str, seek: str = "") -> float:
    settings = [(f"workload.files.{name}.size", f"{bytes_} B") for name in ("source", "copy")]
    settings += [("machine.parts.disk.rate", rate)]
    settings += [("machine.parts.disk.seek", seek)] if seek else []
    return run_plan(load_plan("workstation", "copy-file", settings=settings)).elapsed_ns / 1e9


# -- by hand --------------------------------------------------------------------------------------


def test_what_the_loads_need() -> None:
    assert elapsed_s(12_000_000, "40 MB/s") < 0.65 < elapsed_s(12_000_000, "20 MB/s")
    assert elapsed_s(18_000_000, "80 MB/s") < 0.65 < elapsed_s(18_000_000, "40 MB/s")


def test_waiting_is_cheaper_where_prices_fall() -> None:
    """Two disks and two turns are 300; two turns more in year 1 are 80 of then, 64 of today."""
    found = found_for(GROWING)
    assert [one.levels for one in found.machines] == [("2", "40 MB/s"), ("2", "80 MB/s")]
    first, second = found.account.years
    assert (first.bought, first.price, first.today) == ({"disk": 2, "turn": 2}, 300, 300)
    assert (second.bought, second.out) == ({"turn": 2}, {})
    assert (second.price, second.today) == (pytest.approx(80), pytest.approx(64))
    assert found.account.total == pytest.approx(364)
    assert [one.levels for one in found.at_once] == [("2", "80 MB/s")] * 2
    assert found.account_at_once is not None
    assert found.account_at_once.total == pytest.approx(400)


def test_with_ownership_each_year_is_paid() -> None:
    """220 W of a machine for a year at 0.5 a kWh, twice for the centre, are 1,927.20.

    Support is 10 % of the 300, then of the 380 that were paid; 20 % of 380 are left in year 2.
    """
    account = found_for(OWNED_GROWING).account
    first, second = account.years
    assert (first.energy, first.support) == (pytest.approx(1927.2), pytest.approx(30))
    assert (second.energy, second.support) == (pytest.approx(240 * 8.76), pytest.approx(38))
    assert first.today == pytest.approx(300 + 1927.2 + 30)
    assert second.today == pytest.approx((80 + 2102.4 + 38) / 1.25)
    assert (account.residual, account.residual_today) == (76, pytest.approx(76 / 1.25**2))
    assert account.total == pytest.approx(2257.2 + 2220.4 / 1.25 - 48.64)


def test_buying_at_once_is_cheaper_where_a_step_has_a_price_of_its_own() -> None:
    """A controller for each speed: 50 now and 100 a year later, which counts 80, are more than 100.

    10 now and 80 are less.
    """
    arm = GROWING[GROWING.index("  arm:") :]
    options = """\
  arm:
    options:
      small: {set: {disk.rate: 40 MB/s}, buys: {small: 1}}
      large: {set: {disk.rate: 80 MB/s}, buys: {large: 1}}
"""
    text = GROWING.replace(arm, options).replace(", price_falls: {turn: 20 %}", "")
    text = text.replace("  turn: {price: 50, power: 10 W}", "  small: {price: SMALL}\n  large: 100")
    text = text.replace("large: 100", "large: {price: 100}")
    found = found_for(text.replace("SMALL", "50"))
    assert [one.levels[1] for one in found.machines] == ["large", "large"]
    assert found.account.total == pytest.approx(300)
    assert "All at once costs the same." in said(found)
    found = found_for(text.replace("SMALL", "10"))
    assert [one.levels[1] for one in found.machines] == ["small", "large"]
    assert found.account.years[1].out == {"small": 1}
    assert found.account.total == pytest.approx(200 + 10 + 100 / 1.25)
    assert "in year 1 arm large (1 large, taken out: 1 small: 100 USD)." in said(found)


def test_every_second_year() -> None:
    """What is bought in year 0 carries the loads of years 1 and 2; in year 2 more is bought."""
    text = GROWING.replace("years: 2", "years: 3").replace("plan: {", "plan: {every: 2, ")
    text = text.replace("80 MB/s]", "80 MB/s, 120 MB/s]")
    found = found_for(text)
    assert [one.levels[1] for one in found.machines] == ["80 MB/s", "120 MB/s"]
    years = found.account.years
    assert [one.bought for one in years] == [{"disk": 2, "turn": 4}, {}, {"turn": 2}]
    assert years[2].price == pytest.approx(2 * 50 * 0.8**2)
    assert found.account.total == pytest.approx(400 + 64 / 1.25**2)


# -- against all ways -----------------------------------------------------------------------------

DRAWN = f"""\
format: requirement/1
name: drawn
machine: workstation
{COPIES}\
years: YEARS
plan: {{every: EVERY, discount: DISCOUNT %, price_falls: {{turn: FALLS %, near: FALLS %}}}}
targets: [{{workload: copy, elapsed: LIMIT s}}]
OWNERSHIP
catalogue:
  turn: {{price: TURN, power: 40 W}}
  near: {{price: NEAR, power: 5 W}}
  controller: {{price: CONTROLLER}}
choices:
  arm: {{set: disk.rate, values: [20 MB/s, 40 MB/s, 60 MB/s], unit: 20 MB/s, buys: {{turn: 1}}}}
  way:
    options:
      plain: {{}}
      near: {{set: {{disk.seek: 1 ms}}, buys: {{near: 1}}}}
      slow: {{set: {{disk.seek: 12 ms}}, buys: {{controller: 1}}}}
"""


class ByHand:
    """All ways of a drawn catalogue, added up one by one."""

    def __init__(self, seed: int) -> None:
        drawn = random.Random(seed)
        self.years = drawn.choice((2, 3))
        self.every = drawn.randint(1, self.years - 1)
        self.discount = drawn.choice((0, 4, 30))
        self.falls = drawn.choice((0, 15, 50))
        self.prices = {"turn": drawn.choice((7, 50)), "near": drawn.choice((5, 80))}
        self.prices["controller"] = drawn.choice((0, 20))
        self.limit = drawn.choice((0.625, 0.93, 1.25))
        self.owned = drawn.random() < 0.5
        self.periods = [
            range(year, min(year + self.every, self.years))
            for year in range(0, self.years, self.every)
        ]
        rates = ((1, "20 MB/s"), (2, "40 MB/s"), (3, "60 MB/s"))
        seeks = (("", ""), ("near", "1 ms"), ("controller", "12 ms"))
        self.machines = [
            ({"turn": turns} | ({item: 1} if item else {}), rate, seek)
            for turns, rate in rates
            for item, seek in seeks
        ]

    @property
    def text(self) -> str:
        bill = "ownership: {years: YEARS, power_price: 0.1, support: 10 %, residual: 30 %}"
        text = DRAWN.replace("OWNERSHIP\n", f"{bill}\n" if self.owned else "")
        places = {"YEARS": self.years, "EVERY": self.every, "DISCOUNT": self.discount}
        places |= {"FALLS": self.falls, "LIMIT": self.limit}
        for word, value in (places | {one.upper(): n for one, n in self.prices.items()}).items():
            text = text.replace(word, str(value))
        return text

    def holds(self, machine: int, period: range) -> bool:
        _, rate, seek = self.machines[machine]
        sizes = (math.ceil(8_000_000 * 1.5 ** (year + 1)) for year in period)
        return all(elapsed_s(one, rate, seek) <= self.limit for one in sizes)

    def total(self, way: tuple[int, ...]) -> float:
        there: dict[str, int] = {}
        total = paid = 0.0
        for machine, period in zip(way, self.periods, strict=True):
            pieces = self.machines[machine][0]
            power = 40 * pieces.get("turn", 0) + 5 * pieces.get("near", 0)
            for year in period:
                left = dict.fromkeys(("turn", "near"), (1 - self.falls / 100) ** year)
                more = {item: max(0, n - there.get(item, 0)) for item, n in pieces.items()}
                bought = sum(n * self.prices[one] * left.get(one, 1) for one, n in more.items())
                paid, there = paid + bought, pieces
                yearly = power * 8.76 * 0.1 + 0.1 * paid if self.owned else 0.0
                total += (bought + yearly) / (1 + self.discount / 100) ** year
        end = (1 + self.discount / 100) ** self.years
        return total - (0.3 * paid / end if self.owned else 0.0)

    def least(self) -> tuple[float | None, float | None]:
        """Return the least totals of all ways, and of all at once; None where nothing holds."""
        good = [[n for n in range(len(self.machines)) if self.holds(n, p)] for p in self.periods]
        ways = [*map(self.total, itertools.product(*good))]
        always = [n for n in good[0] if all(n in one for one in good)]
        once = [self.total((n,) * len(self.periods)) for n in always]
        return min(ways, default=None), min(once, default=None)


@pytest.mark.few(6)
@pytest.mark.parametrize("seed", range(40))
def test_the_plan_is_the_cheapest_of_all_ways(seed: int) -> None:
    by_hand = ByHand(seed)
    found = found_for(by_hand.text)
    least, once = by_hand.least()
    got = found.account.total if found.machines else None
    assert got == (None if least is None else pytest.approx(least))
    whole = found.account_at_once
    assert (None if whole is None else whole.total) == (
        None if once is None or least is None else pytest.approx(once)
    )
    check_years(found)


def test_drawn_catalogues_differ() -> None:
    """Some buy in steps, some at once, some take something out, and some meet nothing."""
    kinds = set()
    for seed in range(40):
        least, once = ByHand(seed).least()
        kinds.add("nothing" if least is None else "once" if once == least else "steps")
    assert kinds == {"nothing", "once", "steps"}


def test_a_budget_of_power_holds_in_each_year() -> None:
    """Two disks and four turns are 240 W."""
    limit = GROWING.replace("catalogue:", "budget: {power: POWER W}\ncatalogue:")
    assert found_for(limit.replace("POWER", "240")).machines
    assert found_for(limit.replace("POWER", "239")).missing == 1


def test_a_probability_is_met_in_each_year() -> None:
    text = GROWING.replace("catalogue:", "probability: 70 %\ncatalogue:")
    text = text.replace("80 MB/s]", "80 MB/s, 160 MB/s, 320 MB/s]")
    found = found_for(text.replace("0.65 s", "0.9 s"))
    assert found.machines
    for sized, one in found.of_years():
        probability = sized.outcomes[one.number].probability
        assert probability is not None
        assert probability.estimate >= 0.7
    text = said(found)
    assert "Under the loads of each year it meets all targets with a probability of " in text
    assert "or more; the requirement asks for 70 %" in text
    each = [one.estimate for one in found.probabilities.values()]
    every = found.together
    assert every is not None
    assert sum(each) - 1 <= every <= min(each)
    assert f"Of all years together: {probability_text(every)}." in text
    assert json.loads(written_size(found, "json"))["plan"]["probability_together"] == every


def test_too_many_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "MOST", 8)
    with pytest.raises(nwtsim.InputError, match="9 machines of different pieces are too many for"):
        found_for(GROWING)


# -- mistakes -------------------------------------------------------------------------------------

WRONG = {
    ("turn: 20 %", "turns: 20 %"): "r.yaml:11:45: plan.price_falls.turns: there is no thing in the"
    " catalogue 'turns'; did you mean 'turn'?",
    ("turn: 20 %", "turn: 100 %"): "is 100 % a year: it would be free in year 1; write less",
    ("discount: 25 %", "discount: 100 %"): "r.yaml:11:18: plan.discount: is 100 % a year: nobody"
    " lends at that; write it like 'discount: 4 %'",
    ("discount: 25 %", "discount: 0.04"): "plan.discount: ",
    ("discount: 25 %", "discounts: 4 %"): "unknown key; did you mean 'discount'?",
    ("years: 2\n", ""): "r.yaml:10:1: plan: of how many years? write 'years: 5' beside it",
    ("years: 2\n", "years: 2.5\n"): "years: 2.5 was read, and a plan has whole years, and 25 at",
    ("years: 2\n", "years: 26\n"): "years: 26 was read, and a plan has whole years, and 25 at most",
    ("years: 2\n", "years: 1\n"): "plan.every: all of 1 year is bought in year 0; write fewer",
    ("plan: {", "plan: {every: 2, "): "plan.every: all of 2 years is bought in year 0",
    ("plan: {", "plan: {every: 0, "): "plan.every: ",
    (
        "    growth: {set: {source.size: 50 %, copy.size: 50 %}}\n",
        "",
    ): "plan: no load grows, so that nothing is added; write 'growth: 20 %' in a workload",
    ("catalogue:", "budget: {price: 9}\ncatalogue:"): "budget.price: a plan has the least total",
    ("catalogue:", "minimise: price\ncatalogue:"): "minimise: a plan has the least total; write",
    ("catalogue:", "ownership: {years: 5, power_price: 1}\ncatalogue:"): "ownership.years: the plan"
    " is of 2 years; write 'years: 2'",
}


@pytest.mark.parametrize(("change", "told"), WRONG.items(), ids=map(str, range(len(WRONG))))
def test_each_mistake_is_told_where_it_is(change: tuple[str, str], told: str) -> None:
    (line,) = str(mistake_in(GROWING, change, found_for)).splitlines()[-1:]
    assert told in line
