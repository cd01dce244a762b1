"""What a number of pieces costs: from so many on less, in packs, and never less for more."""

from __future__ import annotations

import pytest

from simulator.config.catalogue import Price
from simulator.config.errors import ConfigError
from simulator.config.requirement_file import REQUIREMENT, Item
from simulator.report.sizewords import sum_text
from simulator.sizing import search
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes
from tests.sizing.texts import COPY, requirement

GOOD = COPY.replace("TIME", "1 s")
PACKS = GOOD.replace("{price: 100, power", "{price: {1: 1000, 2: 900}, pack: 5, power")


def test_ten_may_be_cheaper_than_nine() -> None:
    price = Price(((1, 300.0), (10, 260.0), (50, 250.0)))
    assert [price.at_least(count) for count in (0, 1, 8, 9, 10, 47, 49)] == [
        (0, 300.0),
        (1, 300.0),
        (8, 300.0),
        (10, 260.0),
        (10, 260.0),
        (47, 260.0),
        (50, 250.0),
    ]
    sums = [count * each for count, each in map(price.at_least, range(80))]
    assert sums == sorted(sums)


def test_packs_are_whole_and_the_rest_is_named() -> None:
    """Twelve pieces are two packs of ten; 95 are ten, but from eight packs on eleven are 1,880."""
    item = Item(price={"1": 200, "8": 188}, pack=10)
    two, ten = item.purchase(12), item.purchase(95)
    assert (two.sold, two.each, two.together, two.left_over) == (2, 200.0, 400.0, 8)
    assert (ten.sold, ten.each, ten.together, ten.left_over) == (10, 188.0, 1880.0, 5)
    assert item.purchase(0).together == 0


def sized(text: str) -> Sized:
    return search.size(requirement(text), noise=False, executor=Processes(1))


def test_the_sum_of_an_answer() -> None:
    """Six disks are two packs of five, 900 each; four are left over, and take no power."""
    found = sized(PACKS)
    assert found.winner is not None
    assert (found.winner.price, found.winner.power) == (2 * 900 + 1000, 6 * 8 + 50)
    said = "2 packs of 5 disk x 900 (4 left over) + 1 box x 1,000 = 2,800 USD"
    assert sum_text(found, found.winner) == said


@pytest.mark.parametrize(
    ("price", "told"),
    [
        ("{2: 90}", "price: has no price of a single one; write it from 1 on, like '{1: 300"),
        ("{1: 90, 5: 95}", "price: 95 from 5 on is more than 90 from 1 on; write prices that fall"),
        ("{1: 90, five: 80}", "price.five: 'five' is not a whole number"),
        ("{1: 90, 5: cheap}", "price.5: 'cheap' is no amount; write a number"),
        ("100, pack: 0", "catalogue.disk.pack: "),
    ],
)
def test_mistakes_have_their_place(price: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        REQUIREMENT.parse(GOOD.replace("{price: 100,", f"{{price: {price},"), "r.yaml", ())
    assert str(caught.value).startswith("r.yaml:11:")
    assert told in str(caught.value)


def test_prices_have_a_source() -> None:
    priced = "{price: {value: {1: 100, 6: 80}, source: measured offer of May, note: n},"
    found = sized(GOOD.replace("{price: 100,", priced))
    assert found.winner is not None
    assert found.winner.price == 6 * 80 + 1000
    assert found.requirement.origin.sources["catalogue.disk.price"].text == "measured offer of May"
