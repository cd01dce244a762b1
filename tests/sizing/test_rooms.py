"""Room for pieces: bays that kinds share, several holders, ports; as by trying all ways."""

from __future__ import annotations

import itertools
import random

import pytest

from simulator.config.requirement_file import Item
from simulator.sizing.rooms import Rooms

TWELVE = {
    "disk": Item(price=1),
    "ssd": Item(price=1),
    "box": Item(price=1, takes={"disk": 12, "ssd": 12}, bays=12),
    "shelf": Item(price=1, takes={"disk": 4}),
}


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        ({"disk": 6, "ssd": 6, "box": 1}, None),
        ({"disk": 7, "ssd": 6, "box": 1}, "7 disk and 6 ssd, but box and shelf have 12 bays"),
        ({"disk": 10, "ssd": 6, "box": 1, "shelf": 1}, None),
        ({"disk": 11, "ssd": 6, "box": 1, "shelf": 1}, "11 disk and 6 ssd, but box and shelf"),
        ({"disk": 17, "box": 1, "shelf": 1}, "17 disk, but box and shelf have room for 16"),
        ({"ssd": 13, "box": 1, "shelf": 9}, "13 ssd, but box have room for 12"),
        ({"disk": 20, "ssd": 4, "box": 2}, None),
    ],
)
def test_twelve_of_either(pieces: dict[str, int], why: str | None) -> None:
    """A shelf takes four of the disks, and none of the other drives."""
    found = Rooms(TWELVE).lack(pieces)
    assert found is None if why is None else found is not None and found.startswith(why)


def placed(pieces: list[int], takes: list[list[int]], holders: list[int], bays: list[int]) -> bool:
    """Try all ways to spread two or three kinds over two kinds of holders."""
    splits = itertools.product(*(range(count + 1) for count in pieces))
    return any(
        all(
            sum(part) <= bays[one] * holders[one]
            and all(n <= takes[one][kind] * holders[one] for kind, n in enumerate(part))
            for one, part in enumerate((first, [p - f for p, f in zip(pieces, first, strict=True)]))
        )
        for first in splits
    )


@pytest.mark.parametrize("kinds", [2, 3])
def test_it_is_what_trying_all_ways_finds(kinds: int) -> None:
    draw, seen = random.Random(kinds), set()
    for _ in range(400):
        takes = [[draw.randrange(1, 6) for _ in range(kinds)] for _ in range(2)]
        bays, holders = ([draw.randrange(low, 6) for _ in range(2)] for low in (1, 0))
        pieces = [draw.randrange(1, 9) for _ in range(kinds)]
        catalogue = {f"d{kind}": Item(price=1) for kind in range(kinds)}
        for one in range(2):
            holding = {f"d{kind}": count for kind, count in enumerate(takes[one])}
            catalogue[f"h{one}"] = Item(price=1, takes=holding, bays=bays[one])
        bought = {f"d{kind}": count for kind, count in enumerate(pieces)}
        bought |= {f"h{one}": count for one, count in enumerate(holders) if count}
        fits = placed(pieces, takes, holders, bays)
        assert (Rooms(catalogue).lack(bought) is None) == fits, (takes, bays, holders, pieces)
        seen.add(fits)
    assert seen == {True, False}


def test_a_hundred_and_one_cards_need_as_many_ports() -> None:
    cards = {"card": Item(price=1), "switch": Item(price=1, serves={"card": 24})}
    rooms = Rooms(cards)
    assert rooms.lack({"card": 101, "switch": 4}) is None
    rooms.ports = ["card"]
    assert rooms.lack({"card": 101, "switch": 4}) == "101 card, but switch serve 96"
    assert rooms.lack({"card": 101, "switch": 5}) is None
    assert rooms.lack({"card": 1}) == "1 card, but switch serve 0"
