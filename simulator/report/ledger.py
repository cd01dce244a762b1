"""A study of figures and claims, as a table, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from tabulate import tabulate

from simulator.study.ledger import FigureResult, Ledger


def render_ledger(ledger: Ledger, form: str) -> str:
    """The ledger as ``table``, ``json`` or ``csv`` text."""
    if form == "json":
        return json.dumps(ledger.to_json(), indent=2, ensure_ascii=False) + "\n"
    if form == "csv":
        return _csv(ledger)
    study = ledger.study
    claims = [(one.claim.id, one.verdict, one.claim.text) for one in ledger.claims]
    inside = sum(one.inside for one in ledger.figures)
    testable = [one for one in ledger.claims if one.holds is not None]
    holding = sum(bool(one.holds) for one in testable)
    return (
        "\n\n".join(
            [
                f"{study.title}\n{study.paper}",
                *([ledger.freedom] if ledger.freedom else []),
                _figure_table(ledger.figures),
                *ledger.blocks,
                "Claims of the paper\n" + tabulate(claims, tablefmt="plain"),
                f"{inside} of {len(ledger.figures)} figures inside their bands, "
                f"{holding} of {len(testable)} testable claims hold{_listed(ledger)} "
                f"(seed {ledger.seed}, {ledger.engine} engine). "
                f"{len(ledger.calibrated)} values of the machine are calibrated and "
                f"{len(ledger.assumed)} assumed: nwtsim show {study.machine}.",
            ]
        )
        + "\n"
    )


def _listed(ledger: Ledger) -> str:
    """Say how many figures and claims are contradicted, if any are."""
    verdicts = [one.verdict for one in ledger.figures] + [one.verdict for one in ledger.claims]
    listed = verdicts.count("contradicted")
    text = f", {listed} contradicted as listed" if listed else ""
    inside = [one.figure.id for one in ledger.figures if one.inside and not one.expected]
    holding = [one.claim.id for one in ledger.claims if one.holds and not one.expected]
    if inside or holding:
        text = f"{text}, LISTED AS CONTRADICTED BUT NOT: {', '.join(inside + holding)}"
    return text


def _csv(ledger: Ledger) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "unit", "paper", "low", "high", "simulated", "role", "verdict"])
    for one in ledger.figures:
        figure = one.figure
        numbers = [figure.value, figure.low, figure.high, round(one.simulated, 6)]
        writer.writerow([figure.id, figure.unit, *numbers, figure.role, one.verdict])
    return text.getvalue()


def shown(value: float | None, digits: int = 3) -> str:
    """A number for people: large ones in full.

    >>> shown(1996569.0), shown(3.2911), shown(40000, 4), shown(None)
    ('1,996,569', '3.29', '40,000', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def _figure_table(results: Sequence[FigureResult]) -> str:
    rows = [
        [
            one.figure.id,
            one.figure.what,
            shown(one.figure.value, 4),
            f"{shown(one.figure.low, 4)} - {shown(one.figure.high, 4)}",
            shown(one.simulated),
            one.figure.unit,
            one.figure.role,
            "OUTSIDE" if one.verdict == "outside" else one.verdict,
        ]
        for one in results
    ]
    head = ["figure", "what", "paper", "band", "simulated", "unit", "role", "verdict"]
    return tabulate(rows, headers=head, disable_numparse=True, tablefmt="simple")
