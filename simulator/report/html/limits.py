"""What limits, on a page: the answer in a sentence, and what each lever saves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.report.html.cells import table
from simulator.report.html.markup import ARROW, Markup, tag
from simulator.report.html.page import code
from simulator.report.limits import (
    MOST_COMMANDS,
    NOT_ASKED,
    command_of,
    found,
    levers_table,
    sentence,
    shortened_text,
    values_of,
)
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.answers.ask import NotAsked
    from simulator.answers.limits import Limit, Limits

MOST_ROWS = 25


def limits_answer(limits: Limits | NotAsked | None) -> list[str]:
    """Return what limits in a sentence; nothing if nobody asked."""
    known = found(limits)
    if known is not None:
        return [sentence(one) for one in known.each]
    return [] if limits is None else [NOT_ASKED.format(runs=limits.runs)]


def limits_table(limits: Limits | NotAsked | None, command: Sequence[str]) -> list[Markup]:
    """Return what each lever saves if it is twice as good, and commands that show it."""
    known = found(limits)
    if known is None:
        return []
    told = (
        "Each row is the same run with one value of the machine changed:"
        f" {counted(known.runs, 'run')} were made. {counted(known.left_out, 'lever')} cannot act,"
        " or could save less than 0.2 %."
    )
    made = [tag("p", text) for text in (told, *shortened_text(known))]
    if known.more_jobs:
        told = f"({counted(known.more_jobs, 'more job')}: --job NAME asks about one)"
        made.append(tag("p", told))
    for number, one in enumerate(known.each):
        made += _levers(one, number, command)
    return made


def _levers(known: Limits, number: int, command: Sequence[str]) -> list[Markup]:
    """Return what each lever saves of the time of the run, or of a job."""
    acting = [one for one in known.limits if one.saves_ns]
    shown = acting[:MOST_ROWS]
    made = levers_table(known, shown, _change, number)
    note, more = made.note, len(known.limits) - len(shown)
    if more > 0:
        kept = "less" if len(acting) > len(shown) else "nothing"
        note += f" {counted(more, 'more lever')} were run and save {kept}."
    marked = range(len(known.matter[:1]))
    lines = [command_of(known, one.twice, command).strip() for one in known.matter[:MOST_COMMANDS]]
    return [table(replace(made, note=note, marked=marked)), *([code(lines)] if lines else [])]


def _change(one: Limit) -> str:
    return f" {ARROW} ".join(values_of(one.lever, one.twice.settings))
