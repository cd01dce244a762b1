"""Accounts of a plan by hand, and that what a piece counts adds up to what the account has."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

from simulator.config.growth import Purchasing, factor
from simulator.config.requirement_file import Requirement
from simulator.sizing.accounts import Accounts
from simulator.sizing.configurations import Full, Offer

OWNED = {"years": "3", "power_price": "0.25", "pue": "1.4", "support": "8 %", "residual": "10 %"}


def accounts(**given: Any) -> tuple[Accounts, Offer]:
    requirement = Requirement(
        format="requirement/1",
        name="by-hand",
        machine="workstation",
        workloads={"copy": {"workload": "copy-file", "growth": {"files": "20 %"}}},
        years="3",
        targets=[{"capacity": "1 TB"}],
        catalogue={
            "disk": {"price": "100", "power": "10 W", "size": "1 TB"},
            "box": {"price": "500", "power": "50 W"},
        },
        choices={
            "disks": {"values": ["1", "2", "4"], "buys": {"disk": "1"}},
            "boxes": {"values": ["1", "2"], "buys": {"box": "1"}},
        },
        **given,
    )
    return Accounts(requirement), Offer(requirement, Full({"disks": (), "boxes": ()}, {}, {}))


def test_growth_is_exact() -> None:
    """Twenty clients that grow by 10 % are 22, and not a little more."""
    assert factor(0.1, 1) * 20 == 22
    assert factor(0.2, 2) == Fraction(36, 25)
    assert float(factor(0.2, 0.5)) == pytest.approx(1.2**0.5)


def test_a_year_later_a_piece_is_cheaper_and_counts_less() -> None:
    """1 falls to 0.8, which at 25 % a year counts 0.64; and 0.64 counts 0.4096."""
    plan = Purchasing(discount="25 %", price_falls={"disk": "20 %"})
    made, _ = accounts(plan=plan)
    assert [made.counts("disk", year) for year in range(3)] == pytest.approx([1, 0.64, 0.4096])
    assert [made.counts("box", year) for year in range(3)] == pytest.approx([1, 0.8, 0.64])


def test_without_discount_it_is_the_bill_of_ownership() -> None:
    """All at once, for as long as it is kept: what ``ownership`` says of a machine."""
    made, offer = accounts(plan={}, ownership=OWNED)
    for number in range(offer.size):
        one = offer.configuration(number)
        assert made.account([one] * 3).total == pytest.approx(one.total)


def test_support_is_of_all_that_was_paid() -> None:
    """8 % of 600; then of 600 and two disks for 160; energy of 60 W, then of 80 W."""
    plan = {"discount": "25 %", "price_falls": {"disk": "20 %"}}
    made, offer = accounts(plan=plan, ownership=OWNED)
    few, many = offer.configuration(0), offer.configuration(4)
    account = made.account([few, many, few])
    assert [one.support for one in account.years] == pytest.approx([48, 67.2, 67.2])
    kwh = 8760 * 0.25 * 1.4 / 1000
    assert [one.energy for one in account.years] == pytest.approx([60 * kwh, 90 * kwh, 60 * kwh])
    assert [one.bought for one in account.years] == [{"disk": 1, "box": 1}, {"disk": 3}, {}]
    assert [one.out for one in account.years] == [{}, {}, {"disk": 3}]
    assert account.residual == pytest.approx(84)
    assert account.residual_today == pytest.approx(84 / 1.25**3)


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("owned", [False, True])
def test_what_pieces_count_adds_up(every: int, owned: bool) -> None:
    """By pieces and by energy, as a route adds them, or year by year."""
    plan = {"every": every, "discount": "7 %", "price_falls": {"disk": "20 %", "box": "3 %"}}
    made, offer = accounts(plan=plan, **({"ownership": OWNED} if owned else {}))
    ones = [offer.configuration(number) for number in range(offer.size)]
    for way in itertools.product(ones, repeat=len(made.periods)):
        there: dict[str, int] = {}
        total = 0.0
        for one, period in zip(way, made.periods, strict=True):
            total += made.running(one, period)
            for item, count in one.pieces.items():
                more = max(0, count - there.get(item, 0))
                total += made.purchase(item, more)[1] * made.counts(item, period[0])
            there = dict(one.pieces)
        assert made.account(way).total == pytest.approx(total)


def test_periods() -> None:
    assert Purchasing().periods(3) == [range(1), range(1, 2), range(2, 3)]
    assert Purchasing(every=2).periods(5) == [range(2), range(2, 4), range(4, 5)]
