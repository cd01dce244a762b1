"""A study beside its simulation, as a table, JSON or CSV."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

from simulator.csvtext import csv_of
from simulator.report import lined
from simulator.report.forms import json_text
from simulator.report.scales import shown
from simulator.study.ledger import CONTRADICTED, VERDICTS, FigureResult, Ledger, SentenceResult
from simulator.study.studies import Tally, tally
from simulator.wording import command_line


@dataclass(frozen=True, slots=True)
class Repeated:
    """A study that was repeated, and what is said of it besides, as text."""

    ledger: Ledger
    fits: Sequence[str] = ()
    """Predictions of its numbers by fits and formulas."""
    rules: str = ""
    """The rules of its claims."""


UNDEMANDING = "claims undemanding"
HEAD = (
    "study",
    "data",
    "fitted",
    "tuned",
    "left",
    "numbers predicted",
    "claims predicted",
    UNDEMANDING,
    "contradicted",
    "not testable",
)
"""Columns of the table of all studies."""
SHORT = ("study", "data", "fits", "tuned", "left", "numbers", "claims", "wrong", "open")
"""Columns of that table in 80 columns of a terminal, with :data:`LEGEND`."""
LEGEND = """\
data: printed numbers, left: without values fitted to them and choices made
with them in view (not summed: what one study lacks another cannot give);
numbers, claims: predicted ones that came out as printed; wrong: contradicted;
open: not testable"""


def _tally_row(one: Tally) -> list[str]:
    """Return a study's row of the table of all."""
    return [
        one.study,
        *(str(count) for count in (one.data, one.fitted, one.tuned, one.left)),
        f"{one.inside} of {one.numbers}",
        f"{one.holding} of {one.claims}",
        f"{one.easy} of {one.undemanding}",
        str(one.contradicted),
        str(one.untestable),
    ]


def tally_table(tallies: Sequence[Tally], form: lined.Form = "simple") -> str:
    """Return the table of all studies, with their sum."""
    rows = tally_rows(tallies)
    if form != "simple":
        return lined.ruled(HEAD, rows, form)
    apart = HEAD.index(UNDEMANDING)
    return lined.ruled(SHORT, [[*row[:apart], *row[apart + 1 :]] for row in rows], form)


def tally_rows(tallies: Sequence[Tally]) -> list[list[str]]:
    """Return the rows of the table of all studies, with their sum."""
    rows = [_tally_row(one) for one in tallies]
    if len(tallies) > 1:
        last = _tally_row(_sum(tallies))
        rows.append([*last[:4], "-", *last[5:]])  # What one study lacks another cannot give.
    return rows


def _sum(tallies: Sequence[Tally]) -> Tally:
    names = [name for name in Tally.__slots__ if name != "study"]
    return Tally("together", *(sum(getattr(one, name) for one in tallies) for name in names))


def freedom_text(ledger: Ledger) -> str:
    """State how many data a study has, and what is left of them."""
    lines = [freedom_sentence(ledger), *(f"  - {choice}" for choice in ledger.study.tuned)]
    return "\n".join([*lines, *([ledger.details] if ledger.details else [])])


def freedom_sentence(ledger: Ledger) -> str:
    """Count the data of a study, and what is left of them."""
    one = ledger.freedom
    return (
        f"{one.data} independent printed numbers, {one.fitted} values fitted to them, "
        f"{one.tuned} choices made with them in view: {one.left} left."
    )


_WIDTH = 100
"""Width of sentences, in characters."""


def render_ledger(ledger: Ledger, form: str, predicted: Sequence[str] = ()) -> str:
    """The ledger as ``table``, ``json`` or ``csv`` text; ``predicted`` stands before figures."""
    if form == "json":
        return json_text(ledger.to_json())
    if form == "csv":
        return _csv(ledger)
    study = ledger.study
    claims = [(one.claim.id, marked(one), one.claim.text) for one in ledger.claims]
    blocks = [
        f"{study.title}\n{study.paper}",
        freedom_text(ledger),
        *predicted,
        *([_figure_table(ledger.figures)] if ledger.figures else []),
        *(textwrap.fill(one, _WIDTH) for one in ledger.heart),
        *ledger.blocks,
        "Claims of the paper\n" + lined.ruled((), claims),
        *(f"{title}\n{lined.ruled((), rows)}" for title, rows in why(ledger).items()),
        verdicts_sentence(ledger),
    ]
    return "\n\n".join(blocks) + "\n"


def verdicts_sentence(ledger: Ledger) -> str:
    """Count the verdicts of a study, and the values of its machine that have no printed source."""
    return (
        f"{counted(ledger)} (seed {ledger.seed}, {ledger.engine} engine). "
        f"{len(ledger.calibrated)} values of the machine are calibrated and "
        f"{len(ledger.assumed)} assumed: {command_line('nwtsim', 'show', ledger.study.machine)}."
    )


def marked(one: FigureResult | SentenceResult) -> str:
    """A verdict for people: in capitals if the study does not expect it."""
    if one.expected:
        return one.verdict
    if one.verdict == CONTRADICTED:
        return "CONTRADICTED"
    return f"{one.verdict} (LISTED AS CONTRADICTED)"


def counted(ledger: Ledger) -> str:
    """Count the verdicts of figures and claims.

    The word for a verdict is the one that the table has.
    """
    parts = []
    for name, some in (("numbers", ledger.figures), ("claims", ledger.claims)):
        counts = Counter(one.verdict for one in some)
        said = ", ".join(f"{counts[one]} {one}" for one in VERDICTS if counts[one])
        if said:
            parts.append(f"{len(some)} {name}: {said}")
    return "; ".join(parts)


def why(ledger: Ledger) -> dict[str, list[tuple[str, str, str]]]:
    """Return what runs do not bear out and what cannot be tested, each with what is known of it."""
    contradicted = [
        (one.figure.id, error_text(one), one.figure.contradicted or "not expected")
        for one in ledger.figures
        if not one.inside
    ]
    contradicted += [
        (one.claim.id, "", one.claim.contradicted or f"not expected: {'; '.join(one.broken)}")
        for one in ledger.claims
        if one.holds is False
    ]
    untestable = [
        (one.claim.id, one.claim.ref, one.claim.untestable)
        for one in ledger.claims
        if one.holds is None
    ]
    titles = {"Contradicted": contradicted, "Not testable, and what is missing": untestable}
    return {title: rows for title, rows in titles.items() if rows}


def error_text(one: FigureResult) -> str:
    """Return how far a simulated figure is from the printed one; empty if a range is printed."""
    return f"{one.simulated / one.figure.value - 1:+.0%}" if one.figure.value else ""


def _csv(ledger: Ledger) -> str:
    head = ["id", "unit", "paper", "low", "high", "simulated", "least", "most"]
    rows: list[list[Any]] = [[*head, "role", "verdict"]]
    for one in ledger.figures:
        figure = one.figure
        simulated = (round(each, 6) for each in (one.simulated, min(one.rates), max(one.rates)))
        numbers = [figure.value, figure.low, figure.high, *simulated]
        rows.append([figure.id, figure.unit, *numbers, figure.role, one.verdict])
    return csv_of(rows)


def simulated_text(one: FigureResult) -> str:
    """The mean of a figure, with the range of its runs if there are several."""
    if len(one.rates) == 1:
        return shown(one.simulated, 4)
    ends = " - ".join(shown(end, 4) for end in (min(one.rates), max(one.rates)))
    return f"{shown(one.simulated, 4)} ({ends})"


def _figure_table(results: Sequence[FigureResult]) -> str:
    rows = [
        [
            one.figure.id,
            one.figure.what,
            shown(one.figure.value, 4),
            f"{shown(one.figure.low, 4)} - {shown(one.figure.high, 4)}",
            simulated_text(one),
            error_text(one),
            one.figure.unit,
            marked(one),
        ]
        for one in results
    ]
    head = ["figure", "what", "paper", "band", "simulated", "error", "unit", "verdict"]
    return lined.table(head, rows, "l" * len(head))


def render_all(all_made: Sequence[Ledger], form: str) -> str:
    """All studies: a line for each, their records as a list, or their counts as CSV."""
    if form == "json":
        return json_text([made.to_json() for made in all_made])
    tallies = [tally(made) for made in all_made]
    if form == "csv":
        return csv_of([[field.name for field in fields(Tally)], *map(astuple, tallies)])
    failed = [
        f"{one.study}: FAILED, {one.unexpected} of its verdicts are not expected"
        for made, one in zip(all_made, tallies, strict=True)
        if not made.passed
    ]
    last = "\n".join(failed) or "All verdicts are as expected; contradictions are listed ones."
    easy, of = (sum(getattr(one, name) for one in tallies) for name in ("easy", "undemanding"))
    apart = f"Counted apart: {easy} of {of} claims hold that random machines bear out too."
    return f"{tally_table(tallies)}\n\n{LEGEND}\n{apart}\n\n{last}\n"
