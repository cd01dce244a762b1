"""What to buy: the answer to a requirement on one screen, and for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.config.amounts import show_amount, show_power
from simulator.config.requirement_file import NORMAL, RATES, TIMES
from simulator.csvtext import csv_of
from simulator.report.lined import table, wrapped
from simulator.report.sizerecords import commands, csv_rows, size_record
from simulator.report.sizestates import state_lines
from simulator.study.modelerror import model_error
from simulator.units import format_rate, format_time
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement, Target
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.evaluate import Measured, Outcome
    from simulator.sizing.search import Sampled, Sized
    from simulator.study.replications import Replicated

MOST_FRONT = 8
"""Configurations of the front that a screen shows."""
_WORDS = {
    "end": "all on the devices",
    "read_time": "time in reads",
    "write_time": "time in writes",
    "read": "rate of reading",
    "write": "rate of writing",
    "stable": "rate to stable storage",
    "capacity": "usable capacity",
    "elapsed": "time",
}


def render_size(sized: Sized, form: str) -> str:
    """Return the answer as ``table``, ``json`` or ``csv``."""
    if form == "json":
        return json.dumps(size_record(sized), indent=2) + "\n"
    if form == "csv":
        return csv_of(csv_rows(sized))
    return "\n".join(_screen(sized)) + "\n"


def exit_code(sized: Sized) -> int:
    """Return 1 if nothing meets the requirement."""
    return 0 if sized.winner is not None else 1


# -- words ----------------------------------------------------------------------------------------


def name_of(target: Target) -> str:
    """Return what a target is called, such as ``checkpoint: all on the devices``."""
    figure = _WORDS.get(target.figure)
    if figure is None:
        operation, _, part = target.figure.partition("_p")
        figure = f"{part} % of {'arrivals' if operation == 'job' else operation + 's'}"
    whose = target.workload or ("" if target.capacity is not None else "all loads")
    if target.job is not None:
        whose = f"{whose} {target.job}".strip()
    return f"{whose}: {figure}" if whose else figure


def figure_text(target: Target, value: float) -> str:
    """Write a figure of a target for people."""
    if target.figure in TIMES:
        return format_time(value)
    return format_rate(value) if target.figure in RATES else brief_size(int(value))


def _limit_text(target: Target) -> str:
    sense = "at most" if target.figure in TIMES else "at least"
    return f"{sense} {figure_text(target, target.limit)}"


def words_of(sized: Sized, one: Configuration) -> str:
    """Say what a configuration is: ``servers 92, volumes 4``."""
    pairs = zip(sized.offer.names, one.levels, strict=True)
    return ", ".join(f"{name} {level}" for name, level in pairs)


def price_text(requirement: Requirement, price: float) -> str:
    """Write a price with its currency."""
    return f"{show_amount(price)} {requirement.currency}".strip()


def _margin(slack: float) -> str:
    """Say how far a figure is from its target."""
    if math.isinf(slack):
        return "-"
    if slack >= 1:
        return f"{100 * (1 - 1 / slack):.0f} % to spare"
    return f"misses by {100 * (1 / slack - 1):.3g} %" if slack > 0 else "has no such figure"


def said(sized: Sized) -> list[str]:
    """Say the answer in sentences."""
    winner = sized.winner
    if winner is None:
        nearest = sized.nearest
        told = [nothing_meets(sized)]
        return told if nearest is None else [*told, f"Nearest: {words_of(sized, nearest)}."]
    binding = sized.outcome(winner).binding
    target = sized.requirement.targets[binding.target]
    by = f"; the busiest there is {binding.busiest}" if binding.busiest else ""
    return [
        f"Buy {words_of(sized, winner)}.",
        f"What binds: {name_of(target)}{_in_state(binding.state)}{by}.",
        *([unproven(sized.sampled, sized.combinations)] if sized.sampled is not None else []),
    ]


def nothing_meets(sized: Sized) -> str:
    """Say that nothing meets the requirement, or nothing of what was looked at."""
    if sized.sampled is None:
        return "Nothing that can be bought meets this."
    looked = f"{sized.sampled.looked:,} of {counted(sized.combinations, 'combination')}"
    return f"Nothing that was looked at meets this: {looked}, so that something else may."


def unproven(sampled: Sampled, combinations: int) -> str:
    """Say of what the answer is the cheapest."""
    return (
        f"This is the cheapest of {sampled.looked:,} that were looked at, of"
        f" {counted(combinations, 'combination')}; it is not proven to be the cheapest of all."
    )


# -- the screen -----------------------------------------------------------------------------------


def _screen(sized: Sized) -> Iterator[str]:
    requirement = sized.requirement
    title = f": {requirement.title}" if requirement.title else ""
    yield f"{requirement.name}{title}"
    yield ""
    winner = sized.winner
    yield from _answer(sized, winner) if winner is not None else _no_answer(sized)
    yield ""
    yield wrapped(looked_at(sized))


def _answer(sized: Sized, winner: Configuration) -> Iterator[str]:
    requirement, outcome = sized.requirement, sized.outcome(winner)
    yield f"Buy {words_of(sized, winner)}: {costs(sized, winner)}"
    yield f"    {', '.join(f'{count:,} {item}' for item, count in winner.pieces.items())}"
    if sized.sampled is not None:
        yield ""
        yield wrapped(unproven(sized.sampled, sized.combinations))
    yield ""
    yield _targets(sized, outcome)
    yield ""
    yield wrapped(said(sized)[1])
    yield from _states(sized, winner)
    if steps := step_rows(sized, winner):
        yield ""
        yield table(["one step more", "costs more", "brings", "in all"], steps, "lrrl")
    if sized.runner_up is not None:
        other = sized.runner_up
        dearer = price_text(requirement, other.price - winner.price)
        same = "takes more power" if other.power > winner.power else "costs the same"
        why = f"dearer by {dearer}" if other.price > winner.price else same
        yield ""
        whose = "Runner-up of those looked at" if sized.sampled is not None else "Runner-up"
        yield wrapped(f"{whose}: {words_of(sized, other)}: {costs(sized, other)}; {why}.")
    if len(front := sized.front()) > 1:
        yield ""
        yield _front(sized, front)
    yield ""
    yield from _again(sized, winner)


def _no_answer(sized: Sized) -> Iterator[str]:
    nearest = sized.nearest
    yield wrapped(nothing_meets(sized))
    if nearest is None:
        yield wrapped("No combination can be built within the budget.")
    else:
        yield ""
        yield f"Nearest: {words_of(sized, nearest)}: {costs(sized, nearest)}"
        yield ""
        yield _targets(sized, sized.outcome(nearest))
        yield from _states(sized, nearest)
    dearer = [one for one in sized.meeting if not sized.affordable(one)]
    if dearer:
        yield ""
        one = dearer[0]
        yield wrapped(f"Beyond the budget {words_of(sized, one)} does: {costs(sized, one)}.")
    if nearest is not None and sized.outcome(nearest).runs:
        yield ""
        yield from _again(sized, nearest)


def _states(sized: Sized, one: Configuration) -> Iterator[str]:
    """Yield what came of each state, as paragraphs."""
    if lines := [*state_lines(sized, one)]:
        yield ""
        yield from (wrapped(line) for line in lines)


def costs(sized: Sized, one: Configuration) -> str:
    """Say what a configuration costs, the power that it takes, and what it can keep."""
    parts = [price_text(sized.requirement, one.price)]
    if one.power:
        parts.append(show_power(one.power))
    if one.usable:
        parts.append(f"{brief_size(one.usable)} usable")
    return ", ".join(parts)


def _in_state(state: str) -> str:
    return "" if state == NORMAL else f", {state}"


def _targets(sized: Sized, outcome: Outcome) -> str:
    return table(["target", "has to be", "is", ""], target_rows(sized, outcome), "lrrl")


def target_rows(sized: Sized, outcome: Outcome) -> list[tuple[str, ...]]:
    """Return a row for each target: its name, its limit, the figure, and how far that is."""
    requirement = sized.requirement
    rows: list[tuple[str, ...]] = []
    for one in outcome.measured:
        target = requirement.targets[one.target]
        name = f"{name_of(target)}{_in_state(one.state)}"
        rows.append((name, _limit_text(target), _is(target, one), _margin(one.slack)))
    return rows


def _is(target: Target, one: Measured) -> str:
    if one.figure is None:
        return "-"
    text = figure_text(target, one.figure.mean)
    if one.by == "bound":
        return f"{text} at best"
    return f"{text}{_spread(target, one.figure)}"


def _spread(target: Target, figure: Replicated) -> str:
    half = figure.half_width
    return f" +- {figure_text(target, half)}" if half else ""


def step_rows(sized: Sized, one: Configuration) -> list[tuple[str, ...]]:
    """Return what one step more of each choice costs and brings for the target that binds.

    And one step more of a choice with one less of another, if that was run and does better.
    """
    binding = sized.outcome(one).binding
    target = sized.requirement.targets[binding.target]
    steps = [
        ((name,), sized.offer.configuration(number))
        for name, number in sized.offer.neighbours(one.number)
        if number in sized.outcomes
    ]
    swaps = (
        [((up, down), other) for up, down, other in sized.swaps()] if one == sized.winner else []
    )
    rows: list[tuple[str, ...]] = []
    for names, other in (*steps, *swaps):
        outcome = sized.outcomes[other.number]
        at = binding.target, binding.state
        same = [each.figure for each in outcome.measured if (each.target, each.state) == at]
        figure = same[0] if same else None
        rows.append(
            (
                ", ".join(f"{key} {other.levels[sized.offer.names.index(key)]}" for key in names),
                price_text(sized.requirement, other.price - one.price),
                figure_text(target, figure.mean) if figure is not None else "-",
                "meets all" if outcome.meets else "misses a target",
            )
        )
    return rows


def _front(sized: Sized, front: list[Configuration]) -> str:
    shown = front if len(front) <= MOST_FRONT else [*front[: MOST_FRONT - 1], front[-1]]
    head = ["neither cheaper nor better, of those run", "price", ""]
    return table(head, front_rows(sized, shown), "lrl")


def front_rows(sized: Sized, front: list[Configuration]) -> list[tuple[str, ...]]:
    """Return what each configuration is, its price, and how far its worst figure is."""
    return [
        (
            words_of(sized, one),
            price_text(sized.requirement, one.price),
            _margin(sized.outcome(one).slack),
        )
        for one in front
    ]


def _again(sized: Sized, one: Configuration) -> Iterator[str]:
    yield "To run it again:"
    for line in commands(sized, one):
        yield f"  {line}"


def looked_at(sized: Sized) -> str:
    """Say how many configurations there are, and what became of them."""
    parts = [_of_how_many(sized)]
    if sized.bounds:
        parts.append(f"capacity, or a bound of the narrowest part, discards {len(sized.bounds):,}")
    left_out = len([one for one in sized.short if one not in sized.outcomes])
    if left_out:
        divisions = sized.evaluator.short.divisions if sized.evaluator.short else {}
        how = " and ".join(f"{name} to 1/{one.by}" for name, one in divisions.items())
        parts.append(f"runs made short ({how}) leave out {left_out:,} more, a judgement")
    if sized.sampled is not None and sized.sampled.dearer:
        parts.append(f"{sized.sampled.dearer:,} were dearer than two that meet everything")
    replications = sized.evaluator.replications
    each = f" {replications} times each" if replications > 1 else ""
    parts.append(f"{len(sized.outcomes):,} were run whole{each}")
    last = sized.requirement.confidence
    sure = f"; targets hold for the mean run with {100 * last:g} %" if replications > 1 else ""
    if share := sized.requirement.share:
        sure = f"; targets hold for {100 * share:g} % of the runs with {100 * last:g} %"
    varies = "" if sized.evaluator.seed is not None else "; service times do not vary (--seed)"
    return f"{'; '.join(parts)}{sure}{varies}. {_of_the_model(sized)}"


def _of_how_many(sized: Sized) -> str:
    """Say how many combinations there are, and how those that were looked at were chosen."""
    there = counted(sized.combinations, "combination")
    sampled = sized.sampled
    if sampled is None:
        return f"{there}, of which {sized.built:,} can be built{_contradicting(sized)}"
    chosen = f"{sampled.sampler} proposed {sampled.proposed:,} (--search-seed {sampled.seed})"
    parts = [f"{there}, of which {chosen}, and {sampled.stepped:,} are steps from the best of them"]
    if sized.winner is not None:
        parts.append(
            "no step from the answer, of one choice or of one with the next level of a second, is"
            " cheaper and meets all"
        )
    return "; ".join(parts)


def _contradicting(sized: Sized) -> str:
    """Say how many combinations are not the machine that they are bought for, and why the first."""
    impossible = sized.evaluator.loads.impossible
    if not impossible:
        return ""
    ((why, _),) = impossible.most_common(1)
    more = len(impossible) - 1
    others = f"; and {counted(more, 'other reason')}" if more else ""
    return f" ({impossible.total():,} contradict the machine: {why}{others})"


_COLUMNS = {
    "elapsed": "elapsed_s",
    "end": "end_s",
    "read_time": "read_s",
    "write_time": "write_s",
    "read": "read_MBps",
    "write": "write_MBps",
    "stable": "stable_MBps",
}
"""The columns of a sweep that figures of targets are like."""


def _of_the_model(sized: Sized) -> str:
    """Say how far the model was from measured figures like that which binds, beside all else."""
    without = "The model's own error is not in these figures"
    one = sized.winner or sized.nearest
    if one is None:
        return f"{without}."
    binding = sized.requirement.targets[sized.outcome(one).binding.target]
    found = model_error(_COLUMNS.get(binding.figure, ""))
    if not found:
        return f"{without}: none was measured of {_WORDS.get(binding.figure, binding.figure)}."
    return f"{without}: {'; '.join(each.sentence() for each in found)}."


# -- for programs ---------------------------------------------------------------------------------
