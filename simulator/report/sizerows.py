"""Tables of an answered requirement: targets, one step more, the front, pieces and prices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.amounts import show_amount
from simulator.report.sizemoney import bought, source_text
from simulator.report.sizewords import (
    figure_text,
    in_state,
    limit_text,
    margin_text,
    name_of,
    percents,
    price_text,
    words_of,
)
from simulator.sizing.figures import margin

if TYPE_CHECKING:
    from simulator.config.requirement_file import Target
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.measured import Measured, Outcome
    from simulator.sizing.search import Sized

LEAST_CHANGE = 0.001
"""Of the figure of the target that binds: a smaller part of it is no change."""
LEAST_OTHER = 0.01
"""Of the figures of the other targets, and of these targets."""


def target_rows(sized: Sized, outcome: Outcome) -> list[tuple[str, ...]]:
    """Return a row for each target: its name, its limit, the figure, and how far that is."""
    requirement = sized.requirement
    rows: list[tuple[str, ...]] = []
    for one in outcome.measured:
        target = requirement.targets[one.target]
        name = f"{name_of(target)}{in_state(one.state)}"
        rows.append((name, limit_text(target), _is(target, one), margin_text(target, one.slack)))
    return rows


def _is(target: Target, one: Measured) -> str:
    if one.judged is None:
        return "-"
    text = figure_text(target, one.judged)
    return f"{text} at best" if one.by == "bound" else text


def drawn_of(one: Measured) -> bool:
    """Return whether a figure is that of several runs that differ in their draws."""
    return one.figure is not None and one.figure.varies


# -- one step more --------------------------------------------------------------------------------


def step_rows(sized: Sized, one: Configuration) -> list[tuple[str, ...]]:
    """Return what one step more of each choice costs and brings.

    And one step more of a choice with one less of another, if that was run and does better.
    """
    offer = sized.offer
    steps = [
        ((name,), offer.configuration(number))
        for name, number in offer.neighbours(one.number)
        if number in sized.outcomes
    ]
    swaps = [((up, down), other) for up, down, other in sized.swaps()]
    rows: list[tuple[str, ...]] = []
    for names, other in (*steps, *(swaps if one == sized.winner else [])):
        outcome = sized.outcomes[other.number]
        rows.append(
            (
                ", ".join(f"{name} {other.levels[offer.names.index(name)]}" for name in names),
                price_text(sized.requirement, other.price - one.price),
                brings(sized, sized.outcome(one), outcome),
                "meets all" if outcome.meets else "misses a target",
            )
        )
    return rows


def brings(sized: Sized, before: Outcome, after: Outcome) -> str:
    """Say what a step brings for the target that binds; if nothing, for the others.

    It is the difference of what there is to spare; ``worse`` and ``nothing`` are said.
    """
    old = {(one.target, one.state): one for one in before.measured}
    at = before.binding.target, before.binding.state
    changes: list[_Change] = []
    for one in after.measured:
        known = old.get((one.target, one.state))
        if known is not None and one.slack > 0 and known.slack > 0:
            changes.append(_Change(sized.requirement.targets[one.target], known, one))
    binding = next((each for each in changes if each.at == at), None)
    if binding is None:
        return "-"
    if abs(binding.times - 1) < LEAST_CHANGE:
        return _beside([each for each in changes if each is not binding])
    judged = binding.after.judged
    text = figure_text(binding.target, judged) if judged is not None else "-"
    return f"worse: {text}" if binding.times < 1 else f"{text}, {percents(binding.more)} better"


@dataclass(frozen=True, slots=True)
class _Change:
    """A target before and after a step."""

    target: Target
    before: Measured
    after: Measured

    @property
    def at(self) -> tuple[int, str]:
        """The place of the target, and its state."""
        return self.after.target, self.after.state

    @property
    def times(self) -> float:
        """How many times as good it is after it."""
        return self.after.slack / self.before.slack

    @property
    def more(self) -> float:
        """How much more there is to spare, as a part of the target; below 0: less."""
        return margin(self.target, self.after.slack) - margin(self.target, self.before.slack)


def _beside(changes: list[_Change]) -> str:
    """Say what a step that brings nothing for the target that binds does for the others."""
    if not changes:
        return "nothing"
    best, worst = (choose(changes, key=lambda each: each.times) for choose in (max, min))
    if worst.times < 1 - LEAST_OTHER and worst.more < -LEAST_OTHER:
        return f"worse: {name_of(worst.target)}, by {percents(-worst.more)}"
    if best.times > 1 + LEAST_OTHER and best.more > LEAST_OTHER:
        return f"{name_of(best.target)}, {percents(best.more)} better"
    return "nothing"


# -- the front, and pieces ------------------------------------------------------------------------


def front_rows(sized: Sized, front: list[Configuration]) -> list[tuple[str, ...]]:
    """Return what each configuration is, its price, and how far its worst figure is."""
    return [
        (words_of(sized, one), price_text(sized.requirement, one.price), worst_text(sized, one))
        for one in front
    ]


def worst_text(sized: Sized, one: Configuration) -> str:
    """Say how far the figure of a configuration is that is nearest to be missed."""
    binding = sized.outcome(one).binding
    return margin_text(sized.requirement.targets[binding.target], binding.slack)


def worst_margin(sized: Sized, one: Configuration) -> float:
    """Return how much that figure has to spare, as a part of its target; below 0 it misses."""
    binding = sized.outcome(one).binding
    return margin(sized.requirement.targets[binding.target], binding.slack)


def piece_rows(sized: Sized, one: Configuration) -> list[tuple[str, ...]]:
    """Return what is bought: pieces, the price of one and of all, and where it is from."""
    requirement = sized.requirement
    rows = [
        (
            part.what,
            f"{part.pieces:,}",
            show_amount(part.each),
            show_amount(part.together),
            source_text(part.source),
            part.source.note,
        )
        for part in bought(requirement, one)
    ]
    return [*rows, ("sum", "", "", price_text(requirement, one.price), "", "")]
