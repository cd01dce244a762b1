"""The page of an answered requirement: what to buy, its targets, one step more, the front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.config.amounts import show_amount
from simulator.report.html.page import made_by, page
from simulator.report.html.svg import Line, Plot, round_ticks
from simulator.report.page import Block, Column, Plain, Section, Table
from simulator.report.size import conclusion, looked_at
from simulator.report.sizerecords import commands
from simulator.report.sizerows import front_rows, piece_rows, step_rows, target_rows, worst_margin
from simulator.report.sizestates import state_lines
from simulator.report.sizetrust import chance, doubts, of_the_model
from simulator.report.sizewords import runner_up, what_binds, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.sizing.configurations import Configuration
    from simulator.sizing.search import Sized

MOST_MARGIN = 3.0
"""Margins that are wider are drawn as so wide, either way."""


def size_page(sized: Sized, command: Sequence[str]) -> str:
    """Return the page of what a search found."""
    requirement = sized.requirement
    title = f"{requirement.name}: {requirement.title or 'which machine do we buy?'}"
    one = sized.winner or sized.nearest
    about = [f"machine {sized.evaluator.loads.machine_file}"]
    told = conclusion(sized)
    sure = Section("How it was found", [looked_at(sized), chance(sized), of_the_model(sized)])
    if one is None:
        return page(title, about, told, [sure, made_by(command, {})])
    steps = []
    told.append(what_binds(sized, one))
    if sized.winner is not None:
        told += filter(None, [runner_up(sized, one)])
        steps = [Section("One step more", [_table("steps", STEPS, step_rows(sized, one))])]
    sections = [
        Section("Targets", [_table("targets", TARGETS, target_rows(sized, sized.outcome(one)))]),
        *_states(sized, one),
        Section("Pieces and prices", [_table("pieces", PIECES, piece_rows(sized, one))]),
        *steps,
        Section("Price and what it brings", _front(sized)),
        sure,
        Section("Warnings of these runs", _warnings(sized, one)),
        Section("To run it again", [Plain("\n".join(commands(sized, one)))]),
        made_by(command, {}),
    ]
    return page(title, about, told, sections)


TARGETS = ("target", "has to be", "is", "of the target")
PIECES = ("what", "pieces", "each", "together", "source of the price", "note")
STEPS = ("one step more", "costs more", "brings", "in all")
FRONT = ("configuration", "price", "its worst target")


def _table(name: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    columns = [Column(one.replace(" ", "_"), one) for one in head]
    return Table(name, "", columns, list(rows))


def _states(sized: Sized, one: Configuration) -> list[Section]:
    """Return the section of what came of each state, if there are states."""
    lines = "\n".join(state_lines(sized, one))
    return [Section("What came of each state", [Plain(lines)])] if lines else []


def _warnings(sized: Sized, one: Configuration) -> list[Block]:
    told = dict.fromkeys(str(each) for _, each in doubts(sized, one))
    return [Plain("\n".join(told))] if told else []


def _front(sized: Sized) -> list[Block]:
    """Draw the front, and list it: neither cheaper nor better is anything else that was run."""
    front = sized.front()
    if len(front) < 2:
        return []
    prices = [one.price for one in front]
    found = [worst_margin(sized, one) for one in front]
    margins = [max(-MOST_MARGIN, min(one, MOST_MARGIN)) for one in found]
    across, up = round_ticks(max(prices)), round_ticks(max(map(abs, margins)) or 1.0)
    below = [-place for place in reversed(up) if place] if min(margins) < 0 else []
    up = [*below, *up]
    low, span = up[0], up[-1] - up[0]
    points = [
        (price / across[-1], (share - low) / span)
        for price, share in zip(prices, margins, strict=True)
    ]
    met = [(0.0, -low / span), (1.0, -low / span)]
    told = "; ".join(f"{words_of(sized, one)}: {one.price:g}" for one in front)
    plot = Plot(
        f"Price and what the worst figure has to spare, in percent of its target: {told}",
        [Line("neither cheaper nor better", points), Line("all targets are met above", met)],
        [(place / across[-1], show_amount(place)) for place in across],
        [((place - low) / span, f"{100 * place:.0f} %") for place in up],
        label=f"price{f' ({sized.requirement.currency})' if sized.requirement.currency else ''}",
    )
    return [plot.markup(), _table("front", FRONT, front_rows(sized, front))]
