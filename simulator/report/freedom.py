"""How much data a study has, and what is left when fitted values and choices are taken off."""

from __future__ import annotations

from collections.abc import Sequence

from tabulate import tabulate

from simulator.study.ledger import Ledger
from simulator.study.studies import Tally

HEAD = (
    "study",
    "data",
    "fitted",
    "tuned",
    "left",
    "numbers predicted",
    "claims predicted",
    "contradicted",
    "not testable",
)
"""Columns of the table of all studies."""
SHORT = ("study", "data", "fits", "tuned", "left", "numbers", "claims", "wrong", "open")
"""Columns of that table in 80 columns of a terminal, with :data:`LEGEND`."""
LEGEND = """\
data: printed numbers, left: without values fitted to them and choices made
with them in view; numbers, claims: predicted ones that came out as printed;
wrong: contradicted; open: not testable"""


def tally_row(one: Tally) -> list[str]:
    """Return a study's row of the table of all."""
    return [
        one.study,
        *(str(count) for count in (one.data, one.fitted, one.tuned, one.left)),
        f"{one.inside} of {one.numbers}",
        f"{one.holding} of {one.claims}",
        str(one.contradicted),
        str(one.untestable),
    ]


def tally_table(tallies: Sequence[Tally], form: str = "simple") -> str:
    """Return the table of all studies, with their sum."""
    rows = [tally_row(one) for one in tallies]
    if len(tallies) > 1:
        last = tally_row(_sum(tallies))
        rows.append([*last[:4], "", *last[5:]])  # What one study lacks another cannot give.
    head = SHORT if form == "simple" else HEAD
    return tabulate(rows, headers=head, disable_numparse=True, tablefmt=form)


def _sum(tallies: Sequence[Tally]) -> Tally:
    names = [name for name in Tally.__slots__ if name != "study"]
    return Tally("together", *(sum(getattr(one, name) for one in tallies) for name in names))


def freedom_text(ledger: Ledger) -> str:
    """Say how many data a study has, and what is left of them."""
    one = ledger.freedom
    lines = [
        f"{one.data} independent printed numbers, {one.fitted} values fitted to them, "
        f"{one.tuned} choices made with them in view: {one.left} left.",
        *(f"  - {choice}" for choice in ledger.study.tuned),
    ]
    return "\n".join([*lines, *([ledger.details] if ledger.details else [])])
