"""The page of an answered requirement: what to buy, its targets, one step more, the front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.config.amounts import show_amount
from simulator.report.html.page import made_by, page
from simulator.report.html.svg import Line, Plot, round_ticks
from simulator.report.page import Block, Column, Plain, Section, Table
from simulator.report.size import (
    costs,
    front_rows,
    looked_at,
    price_text,
    said,
    step_rows,
    target_rows,
    words_of,
)
from simulator.report.sizerecords import commands
from simulator.report.sizestates import state_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.sizing.configurations import Configuration
    from simulator.sizing.search import Sized

MOST_RATIO = 5.0
"""Figures that are more than so many times better than they have to be are drawn as so."""


def size_page(sized: Sized, command: Sequence[str]) -> str:
    """Return the page of what a search found."""
    requirement = sized.requirement
    title = f"{requirement.name}: {requirement.title or 'which machine do we buy?'}"
    one = sized.winner or sized.nearest
    about = [f"machine {sized.evaluator.loads.machine_file}", looked_at(sized)]
    if one is None:
        return page(title, about, said(sized), [made_by(command, {})])
    sections = [
        Section("Targets", [_table("targets", TARGETS, target_rows(sized, sized.outcome(one)))]),
        *_states(sized, one),
        Section("Pieces", [_pieces(sized, one)]),
        Section("One step more", [_table("steps", STEPS, step_rows(sized, one))]),
        Section("Price and what it brings", _front(sized)),
        Section("To run it again", [Plain("\n".join(commands(sized, one)))]),
        made_by(command, {}),
    ]
    return page(title, about, [*said(sized), costs(sized, one)], sections)


TARGETS = ("target", "has to be", "is", "how far")
STEPS = ("one step more", "costs more", "brings", "in all")
FRONT = ("configuration", "price", "its worst target")


def _table(name: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    columns = [Column(one.replace(" ", "_"), one) for one in head]
    return Table(name, "", columns, list(rows))


def _states(sized: Sized, one: Configuration) -> list[Section]:
    """Return the section of what came of each state, if there are states."""
    lines = "\n".join(state_lines(sized, one))
    return [Section("What came of each state", [Plain(lines)])] if lines else []


def _pieces(sized: Sized, one: Configuration) -> Table:
    catalogue = sized.requirement.catalogue
    rows = [
        (
            item,
            f"{count:,}",
            price_text(sized.requirement, catalogue[item].price),
            price_text(sized.requirement, count * catalogue[item].price),
        )
        for item, count in one.pieces.items()
    ]
    return _table("pieces", ("what", "pieces", "each", "together"), rows)


def _front(sized: Sized) -> list[Block]:
    """Draw the front, and list it: neither cheaper nor better is anything else that was run."""
    front = sized.front()
    if len(front) < 2:
        return []
    prices = [one.price for one in front]
    ratios = [min(sized.outcome(one).slack, MOST_RATIO) for one in front]
    across, up = round_ticks(max(prices)), round_ticks(max(*ratios, 1.0))
    widest, highest = across[-1], up[-1]
    pairs = zip(prices, ratios, strict=True)
    points = [(price / widest, ratio / highest) for price, ratio in pairs]
    met = [(0.0, 1 / highest), (1.0, 1 / highest)]
    told = "; ".join(f"{words_of(sized, one)}: {one.price:g}" for one in front)
    plot = Plot(
        f"Price and how many times better than it has to be the worst figure is: {told}",
        [Line("neither cheaper nor better", points), Line("all targets are met above", met)],
        [(place / widest, show_amount(place)) for place in across],
        [(place / highest, f"{place:g} times") for place in up],
        label=f"price{f' ({sized.requirement.currency})' if sized.requirement.currency else ''}",
    )
    return [plot.markup(), _table("front", FRONT, front_rows(sized, front))]
