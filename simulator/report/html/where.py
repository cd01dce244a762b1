"""Where the time of a run went: a bar and a table for each job, which add up to its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.accounts import accounts
from simulator.report.html.cells import table
from simulator.report.html.markup import Markup, tag
from simulator.report.html.style import PIECES
from simulator.report.html.svg import Piece, key, stacked
from simulator.wording import percent

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.report.accounts import Account
    from simulator.result.result import Result

_OTHER = len(PIECES) - 1


def where(result: Result, plan: Plan) -> list[Markup]:
    """Return the accounts of the jobs; those of many jobs as one."""
    found = accounts(result, plan)
    if not found:
        return []
    told = "Shares of the process time. Solid: being served, or computing; hatched: waiting."
    made = [tag("p", told, class_="note")]
    for number, one in enumerate(found):
        marks = [key(*_mark(place)) for place in range(len(one.spent))]
        made += [tag("h3", one.name), _bar(one), table(one.table(number), marks=marks)]
    return made


def _bar(one: Account) -> Markup:
    spent, total = one.spent, one.job.busy_ns
    pieces = []
    for place, row in enumerate(spent):
        colour, letter = _mark(place)
        for time, hatched in ((row.service_ns, False), (row.wait_ns, True)):
            if time:
                told = f"{row.column}{' (waiting)' if hatched else ''}: {percent(time, total)}"
                pieces.append(Piece(time / total, colour, letter, hatched, told))
    largest = ", ".join(f"{row.column} {percent(row.total_ns, total)}" for row in spent[:3])
    return tag(
        "figure", stacked(_merged(pieces), f"Where the time of {one.job.name} went: {largest}.")
    )


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Add up what would be too thin to see."""
    thin = [one for one in pieces if one.share < 0.002]
    kept = [one for one in pieces if one.share >= 0.002]
    if thin:
        share = sum(one.share for one in thin)
        kept.append(Piece(share, _OTHER, "", text=f"{len(thin)} more: {percent(share, 1)}"))
    return kept


def _mark(place: int) -> tuple[int, str]:
    """Return the colour and the letter of a column by its place, the largest first."""
    return (place, chr(ord("A") + place)) if place < _OTHER else (_OTHER, "·")
