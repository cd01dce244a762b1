"""What to buy: the answer to a requirement on one screen, in whole, and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.csvtext import csv_of
from simulator.report.lined import wrapped as filled
from simulator.report.page import Page, Plain, Section, Table, table_of_texts
from simulator.report.screen import form_text
from simulator.report.sizemoney import beyond_budget, left_text, prices_text, sum_text, years_text
from simulator.report.sizerecords import commands, csv_rows, not_looked_at, size_record
from simulator.report.sizerows import (
    drawn_of,
    front_rows,
    piece_rows,
    step_rows,
    target_rows,
)
from simulator.report.sizestates import state_lines
from simulator.report.sizetrust import chance, doubts, lockstep, may_meet, of_the_model, tie
from simulator.report.sizewords import (
    costs,
    nothing_meets,
    price_text,
    runner_up,
    unproven,
    what_binds,
    words_of,
)
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.search import Sized

WIDTH = 80


def render_size(sized: Sized, form: str, *, full: bool = False) -> str:
    """Return the answer as ``table``, ``json`` or ``csv``; ``full``: more than one screen of it."""
    if form == "json":
        return json.dumps(size_record(sized), indent=2) + "\n"
    if form == "csv":
        return csv_of(csv_rows(sized))
    requirement = sized.requirement
    title = f": {requirement.title}" if requirement.title else ""
    sections = [*_screen(sized), *(_rest(sized) if full else [])]
    return form_text(Page(f"{requirement.name}{title}", [], [], sections), full=full)


def exit_code(sized: Sized) -> int:
    """Return 1 if nothing meets the requirement."""
    return 0 if sized.winner is not None else 1


def command_of(
    sized: Sized, requirement: object, trials: int | None, search_seed: int | None
) -> list[str]:
    """Return the words that give the same answer."""
    words = ["nwtsim", "size", str(requirement), *sized.evaluator.options()]
    given = ("--trials", trials), ("--search-seed", search_seed)
    words += [word for name, value in given if value is not None for word in (name, str(value))]
    return [*words, *(["--all"] if sized.everything else [])]


# -- the screen -----------------------------------------------------------------------------------


def wrapped(text: str) -> str:
    """Break a paragraph into lines of the screen, none between a number and its percent sign."""
    return filled(text.replace(" %", "\0%"), WIDTH).replace("\0%", " %")


def _screen(sized: Sized) -> Iterator[Section]:
    """Yield what to buy, and what shows it; after the targets what there is room for."""
    yield Section("", [_told(*conclusion(sized))], leads=True, name="what to buy")
    winner = sized.winner
    if (one := winner or sized.nearest) is not None:
        yield Section("", [_targets(sized, one)], leads=True, name="targets")
        yield Section("", [_told(what_binds(sized, one))], leads=True, name="what binds")
        for line in state_lines(sized, one):
            yield Section("", [_told(line)], name="states")
    if winner is not None:
        yield Section("", [_steps(step_rows(sized, winner))], name="one step more")
        yield Section("", [_told(runner_up(sized, winner))], name="runner-up")
    yield Section("", [_told(f"{looked_at(sized)} {chance(sized)}")], name="what was run")


def _told(*paragraphs: str) -> Plain:
    return Plain("\n".join(map(wrapped, paragraphs)))


def conclusion(sized: Sized) -> list[str]:
    """Return what an answer begins with: what to buy, its price, and how sure that is."""
    winner, nearest = sized.winner, sized.nearest
    if winner is not None:
        found = [
            f"Buy {words_of(sized, winner)}: {costs(sized, winner)}.",
            _money(sized, winner),
            tie(sized, winner),
            unproven(sized),
            lockstep(sized, winner),
        ]
    elif nearest is not None:
        found = [
            nothing_meets(sized),
            beyond_budget(sized),
            f"Nearest: {words_of(sized, nearest)}: {costs(sized, nearest)}.",
            _money(sized, nearest),
            may_meet(sized, nearest),
            lockstep(sized, nearest),
        ]
    else:
        found = [nothing_meets(sized), beyond_budget(sized) or _too_dear(sized)]
    return [one for one in found if one]


def _too_dear(sized: Sized) -> str:
    """Say that nothing is within the budget, and what the cheapest costs."""
    cheapest = f": the cheapest costs {costs(sized, sized.order[0])}" if sized.order else ""
    return f"Nothing can be built within the budget{cheapest}."


def _money(sized: Sized, one: Configuration) -> str:
    """Say what is paid for, what is left, where prices are from, and of which year loads are."""
    left = left_text(sized, one)
    parts = [sum_text(sized, one), *([left] if left else []), prices_text(sized, one)]
    return f"{'; '.join(parts)}. {years_text(sized.requirement)}"


def _steps(rows: list[tuple[str, ...]]) -> Table:
    head = ["one step more", "costs more", "brings", "in all"]
    return table_of_texts(head, rows, "lrll", "step")


def _targets(sized: Sized, one: Configuration) -> Table:
    rows = target_rows(sized, sized.outcome(one))
    figure = "at worst" if any(drawn_of(each) for each in sized.outcome(one).measured) else "is"
    return table_of_texts(["target", "has to be", figure, "of the target"], rows, "lrrl", "target")


# -- the rest, for --full -------------------------------------------------------------------------


def _rest(sized: Sized) -> Iterator[Section]:
    one = sized.winner or sized.nearest
    yield Section("", [_told(of_the_model(sized))])
    if one is None:
        return
    head = ["what", "pieces", "each", "together", "source of the price", "note"]
    yield Section("", [table_of_texts(head, piece_rows(sized, one), "lrrrll")])
    if len(front := sized.front()) > 1:
        head = ["neither cheaper nor better, of those run", "price", "its worst target"]
        yield Section("", [table_of_texts(head, front_rows(sized, front), "lrl")])
    doubted = dict.fromkeys(str(each) for _, each in doubts(sized, one))
    yield Section("", [Plain("\n".join(doubted))])
    if sized.outcome(one).runs:
        again = ["To run it again:", *(f"  {line}" for line in commands(sized, one))]
        yield Section("", [Plain("\n".join(again))])


def looked_at(sized: Sized) -> str:
    """Say how many configurations there are, and what became of them."""
    parts = [_of_how_many(sized)]
    if discarded := len(sized.discarded):
        parts.append(f"capacity, or a bound of the narrowest part, discards {discarded:,}")
    if left_out := len(sized.left_out):
        divisions = sized.evaluator.short.divisions if sized.evaluator.short else {}
        how = " and ".join(f"{name} to 1/{one.by}" for name, one in divisions.items())
        parts.append(f"runs made short ({how}) leave out {left_out:,} more, a judgement")
    if sized.sampled is not None and sized.sampled.dearer:
        parts.append(f"{sized.sampled.dearer:,} were dearer than two that meet everything")
    whole = len(sized.outcomes)
    parts.append(f"{whole:,} {'was' if whole == 1 else 'were'} run whole")
    return f"{'; '.join(parts)}{_not_run(sized)}."


def _not_run(sized: Sized) -> str:
    rest = not_looked_at(sized)
    if not rest:
        return ""
    least = price_text(sized.requirement, rest[0].price)
    was, others = ("was", "other one costs") if len(rest) == 1 else ("were", "others cost")
    number = "" if len(rest) == 1 else f"{len(rest):,} "
    return f"; the {number}{others} {least} or more and {was} not run (--all)"


def _crowded(sized: Sized) -> str:
    """Say why the first combination that cannot be built cannot; nothing if all can."""
    if sized.built == sized.combinations:
        return ""
    offer = sized.offer
    reasons = (offer.crowded(offer.configuration(number)) for number in range(offer.size))
    first = next((one for one in reasons if one is not None), None)
    return f" (not with {first})" if first is not None else ""


def _of_how_many(sized: Sized) -> str:
    """Say how many combinations there are, and how those that were looked at were chosen."""
    there = counted(sized.combinations, "combination")
    sampled = sized.sampled
    if sampled is None:
        why = _contradicting(sized) or _crowded(sized)
        return f"{there}, of which {sized.built:,} can be built{why}"
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
