"""The page of an answered requirement: the machine to buy, and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simulator.config.amounts import show_amount
from simulator.report import sizealternatives as alternatives
from simulator.report import sizemissed as missed
from simulator.report import sizewhy as why
from simulator.report import sizewords as words
from simulator.report.page import (
    Browser,
    Drawn,
    Entry,
    Lines,
    Markup,
    Page,
    Plain,
    Section,
    Table,
    Terminal,
    table_of_texts,
)
from simulator.report.sizeownership import ownership_sections, ownership_text
from simulator.report.sizerecord import commands, state_lines
from simulator.report.sizetrust import (
    basis,
    doubts,
    headline,
    lockstep,
    not_written,
    of_the_model,
    pages,
)
from simulator.sizing.sized import LEAST_CHANGE, Sized
from simulator.sizing.targets import margin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.config.requirement_file import Target
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.planned import Planned
    from simulator.sizing.targets import Measured, Outcome

LEAST_OTHER = 0.01
"""Of the figures of the other targets, and of these targets."""
MOST_MARGIN = 3.0
"""Margins that are wider are drawn as so wide, either way."""
FOUND = "How it was found"


def size_page(sized: Sized | Planned, command: Sequence[str] = ()) -> Page:
    """Return the page of what a search found; a screen has what to buy, and what shows it."""
    if not isinstance(sized, Sized):
        from simulator.report.sizeplan import plan_page

        return plan_page(sized, command)
    requirement, one = sized.requirement, sized.winner or sized.nearest
    title = f": {requirement.title}" if requirement.title else ""
    told = conclusion(sized)
    found = Lines([*alternatives.looked_at(sized)], narrow=True)
    shown = [] if one is None else _targets(sized, one)
    steps = [] if one is None or one is not sized.winner else _steps(sized, one)
    shown += [*steps[:-1], *([] if one is None else _states(sized, one)), *steps[-1:]]
    best = [*alternatives.best_of_others(sized)]
    if best:
        shown.append(Section("", [_lines(best)], leads=True, name="alternatives"))
    sections = [
        Section("", [_lines(told)], leads=True, name="what to buy"),
        *shown,
        Section("", [found], name="what was run", heading=FOUND),
        Section("", [Lines(_model(sized, one), narrow=True)], heading=FOUND, whole=True),
        *([] if one is None else _rest(sized, one)),
        *alternatives.sections_of_others(sized),
    ]
    answer = [*told, *([] if one is None else [why.what_binds(sized, one)])]
    answer += [] if sized.winner is None else [alternatives.runner_up_text(sized)]
    answer += best
    return Page(
        f"{requirement.name}{title}",
        [],
        [],
        sections,
        lambda: alternatives.record(sized),
        lambda: alternatives.rows(sized),
        lambda: Browser(
            f"{requirement.name}: {requirement.title or 'which machine do we buy?'}",
            [f"machine {sized.evaluator.loads.machine_file}"],
            answer,
            command,
        ),
    )


def _model(sized: Sized, one: Configuration | None) -> list[str]:
    """Return what is known of the model's error, and how to find what values do."""
    return [of_the_model(sized), *filter(None, [pages(sized, one) if one is not None else ""])]


def _lines(paragraphs: Sequence[str]) -> Terminal:
    """Return what a browser has in its answer."""
    return Terminal(Lines(paragraphs, narrow=True))


def command_of(
    sized: Sized | Planned, requirement: object, trials: int | None, search_seed: int | None
) -> list[str]:
    """Return the words that give the same answer."""
    words = ["nwtsim", "size", str(requirement), *sized.evaluator.options()]
    given = ("--trials", trials), ("--search-seed", search_seed)
    words += [word for name, value in given if value is not None for word in (name, str(value))]
    return [*words, *(["--all"] if sized.everything else [])]


def conclusion(sized: Sized) -> list[str]:
    """Return what an answer begins with: what to buy, its price, and how sure that is."""
    winner, nearest = sized.winner, sized.nearest
    if winner is not None:
        found = [
            f"Buy {words.words_of(sized, winner)}: {words.costs(sized, winner)}."
            f" {headline(sized, winner)}".rstrip(),
            basis(sized, winner),
            _money(sized, winner),
            ownership_text(sized, winner),
            words.unproven(sized),
            lockstep(sized, winner),
            *why.of_caches(sized, winner),
        ]
    elif nearest is not None:
        found = [
            words.nothing_meets(sized),
            words.beyond_budget(sized),
            missed.nearest_text(sized, nearest),
            f"{headline(sized, nearest)} {basis(sized, nearest)}".strip(),
            _money(sized, nearest),
            ownership_text(sized, nearest),
            lockstep(sized, nearest),
            *why.of_caches(sized, nearest),
        ]
    else:
        found = [words.nothing_meets(sized), words.beyond_budget(sized) or _too_dear(sized)]
    return [one for one in found if one]


def _too_dear(sized: Sized) -> str:
    """State that nothing is within the budget, and what the cheapest costs."""
    cheapest = f": the cheapest costs {words.costs(sized, sized.order[0])}" if sized.order else ""
    return f"Nothing can be built within the budget{cheapest}."


def _money(sized: Sized, one: Configuration) -> str:
    """State what is paid for, what is left, where prices are from, and of which year loads are."""
    left = words.left_text(sized, one)
    parts = [words.sum_text(sized, one), *([left] if left else []), words.prices_text(sized, one)]
    found = [f"{'; '.join(parts)}.", words.years_text(sized.requirement), not_written(sized, one)]
    return " ".join(filter(None, found))


# -- tables ---------------------------------------------------------------------------------------


def _targets(sized: Sized, one: Configuration) -> list[Section]:
    """Return a row for each target, with its limit, the figure, and how far that is; what binds."""
    outcome = sized.outcome(one)
    rows = [words.target_cells(sized, each) for each in outcome.measured]
    rows += why.limit_rows(sized, one)
    drawn = any(each.figure is not None and each.figure.varies for each in outcome.measured)
    head = ["target", "has to be", "at worst" if drawn else "is", "of the target"]
    table = table_of_texts(head, rows, "lrrl", "target", "targets")
    return [
        Section("", [table], leads=True, name="targets"),
        Section("", [_lines([why.what_binds(sized, one)])], leads=True, name="what binds"),
    ]


def _steps(sized: Sized, winner: Configuration) -> list[Section]:
    """Return what cheaper ones lack, what one step more costs and brings, and the runner-up."""
    by_total = sized.requirement.minimise == "total"
    more = f"costs more {words.of_years(sized.requirement)}" if by_total else "costs more"
    head = ["one step more", more, "brings", "in all"]
    table = table_of_texts(head, step_rows(sized, winner), "lrll", "step", "steps")
    saves = ["cheaper", more.replace("costs more", "saves"), "why not"]
    cheaper = table_of_texts(saves, why.cheaper_rows(sized), "lrl", "cheaper one", "cheaper")
    return [
        Section("", [cheaper], leads=True, name="why nothing cheaper"),
        Section("", [_lines([alternatives.runner_up_text(sized)])], leads=True, name="runner-up"),
        Section("", [table], name="one step more"),
    ]


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
                words.amount_text(sized.requirement, other.cost - one.cost),
                brings(sized, one, outcome),
                "meets all" if outcome.meets else "misses a target",
            )
        )
    return rows


def brings(sized: Sized, before: Configuration, after: Outcome) -> str:
    """State what a step brings for the target that binds; if nothing, for the others.

    It is the difference of what there is to spare; ``worse`` and ``nothing`` are said.
    """
    old = {(one.target, one.state): one.slack for one in sized.outcome(before).measured}
    at = sized.binding(before).target, sized.binding(before).state
    changes: list[_Change] = []
    for one in after.measured:
        slack = old.get((one.target, one.state), 0.0)
        if one.slack > 0 and slack > 0:
            target = sized.requirement.targets[one.target]
            more = margin(target, one.slack) - margin(target, slack)
            changes.append(_Change(target, one, one.slack / slack, more))
    binding = next((one for one in changes if (one.after.target, one.after.state) == at), None)
    if binding is None:
        return "-"
    if abs(binding.times - 1) < LEAST_CHANGE:
        return _beside([each for each in changes if each is not binding])
    judged = binding.after.judged
    text = words.figure_text(binding.target, judged) if judged is not None else "-"
    return (
        f"worse: {text}" if binding.times < 1 else f"{text}, {words.percents(binding.more)} better"
    )


class _Change(NamedTuple):
    """A target after a step."""

    target: Target
    after: Measured
    times: float
    """The factor by which it is better than before."""
    more: float
    """The growth of its margin, as a part of the target; below 0: it shrinks."""


def _beside(changes: list[_Change]) -> str:
    """State what a step that brings nothing for the target that binds does for the others."""
    if not changes:
        return "nothing"
    best, worst = (choose(changes, key=lambda each: each.times) for choose in (max, min))
    if worst.times < 1 - LEAST_OTHER and worst.more < -LEAST_OTHER:
        return f"worse: {words.name_of(worst.target)}, by {words.percents(-worst.more)}"
    if best.times > 1 + LEAST_OTHER and best.more > LEAST_OTHER:
        return f"{words.name_of(best.target)}, {words.percents(best.more)} better"
    return "nothing"


def _rest(sized: Sized, one: Configuration) -> Iterator[Section]:
    """Yield what a screen has no room for: pieces, the front, warnings, commands."""
    prices = "Pieces and prices"
    yield Section("", [_pieces(sized, one)], heading=prices, whole=True)
    yield from ownership_sections(sized, one)
    if len(front := sized.front()) > 1:
        head = [f"best for its {_minimised(sized)}, of those run", _minimised(sized)]
        head.append("its worst target")
        rows = [
            (
                words.words_of(sized, one),
                words.amount_text(sized.requirement, one.cost),
                words.nearest_target(sized, one)[1],
            )
            for one in front
        ]
        table = table_of_texts(head, rows, "lrl", name="front")
        picture = Drawn(lambda: [_front(sized, front)])
        heading = f"{_minimised(sized).capitalize()} and what it brings"
        yield Section("", [picture, table], heading=heading, whole=True)
    doubted = dict.fromkeys(str(each) for _, each in doubts(sized, one))
    text = Plain("\n".join(doubted))
    yield Section("", [text], heading="Warnings of these runs", whole=True)
    if sized.outcome(one).runs:
        again = Entry("To run it again:", "", [Plain("\n".join(commands(sized, one)))], 2)
        yield Section("", [again], heading="To run it again", whole=True)


def _minimised(sized: Sized) -> str:
    """Name the amount that is minimised."""
    years = words.of_years(sized.requirement)
    return f"total {years}" if sized.requirement.minimise == "total" else "price"


def _pieces(sized: Sized, one: Configuration) -> Table:
    """Return what is bought: pieces, the price of one and of all, and where it is from."""
    rows = [
        (
            f"{part.what}{part.rest}",
            part.number,
            show_amount(part.purchase.each),
            show_amount(part.purchase.together),
            words.source_text(part.source),
            part.source.note,
        )
        for part in words.bought(sized.requirement, one)
    ]
    rows.append(("sum", "", "", words.price_text(sized.requirement, one.price), "", ""))
    head = ["what", "pieces", "each", "together", "source of the price", "note"]
    return table_of_texts(head, rows, "lrrrll", name="pieces")


def _front(sized: Sized, front: Sequence[Configuration]) -> Markup:
    """Draw the front as stairs: what the best has to spare that is for sale at each price."""
    from simulator.report.html.svg import Line, Plot, round_ticks_between

    bindings = [sized.binding(one) for one in front]
    found = [margin(sized.requirement.targets[one.target], one.slack) for one in bindings]
    margins = [max(-MOST_MARGIN, min(one, MOST_MARGIN)) for one in found]
    name, costs = _minimised(sized), [one.cost for one in front]
    across = round_ticks_between(costs[0], costs[-1])
    up = round_ticks_between(min(0.0, *margins), max(0.0, *margins))

    def x(cost: float) -> float:
        return (cost - across[0]) / (across[-1] - across[0])

    def y(share: float) -> float:
        return (share - up[0]) / (up[-1] - up[0])

    points = [(x(cost), y(share)) for cost, share in zip(costs, margins, strict=True)]
    told = "; ".join(f"{words.words_of(sized, one)}: {one.cost:g}" for one in front)
    return Plot(
        f"{name.capitalize()} and what the worst figure has to spare, in percent of its target:"
        f" {told}",
        [
            Line(f"best for its {name}", points, stairs=True),
            Line("all targets are met above", [(0.0, y(0.0)), (1.0, y(0.0))]),
        ],
        [(x(place), show_amount(place)) for place in across],
        [(y(place), f"{100 * place:g} %") for place in up],
        label=f"{name}{f' ({sized.requirement.currency})' if sized.requirement.currency else ''}",
        marks=[(x(one.cost), "the answer") for one in front if one == sized.winner],
    ).markup()


# -- states ---------------------------------------------------------------------------------------


def _states(sized: Sized, one: Configuration) -> list[Section]:
    """Return what came of each state, a section each."""
    heading = "What came of each state"
    lines = state_lines(sized, one)
    return [
        Section("", [Lines([line], narrow=True)], name="states", heading=heading) for line in lines
    ]
