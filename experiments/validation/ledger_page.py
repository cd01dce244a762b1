"""Studies for docs/validation.md: the table of all, then each figure and claim with its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tabulate import tabulate

from simulator.report.freedom import freedom_text, tally_table
from simulator.report.ledger import shown, simulated_text
from simulator.study.ledger import FigureResult, Ledger, SentenceResult
from simulator.study.studies import tally


def opening(all_made: Mapping[str, Ledger]) -> str:
    """The table of all studies, which a reviewer can read in a minute."""
    return tally_table([tally(one) for one in all_made.values()], "github")


def study_section(ledger: Ledger, *more: str) -> str:
    """One study as Markdown: degrees of freedom, what is given besides, figures and claims."""
    study = ledger.study
    blocks = [
        f"## {study.title}",
        f"{study.paper}. `nwtsim reproduce {study.name}` (seed {ledger.seed}, {ledger.engine} "
        f"engine); {len(ledger.calibrated)} values of the machine are calibrated and "
        f"{len(ledger.assumed)} assumed.",
        f"```text\n{freedom_text(ledger)}\n```",
        *more,
        *([_figures(ledger)] if ledger.figures else []),
        _claims(ledger),
    ]
    return "\n\n".join(blocks)


def _figures(ledger: Ledger) -> str:
    rows = []
    for one in ledger.figures:
        figure = one.figure
        rows.append(
            [
                figure.id,
                cell(figure.what),
                shown(figure.value, 4),
                f"{shown(figure.low, 4)} - {shown(figure.high, 4)}",
                simulated_text(one),
                f"{one.simulated / figure.value - 1:+.1%}" if figure.value else "",
                figure.unit,
                _verdict(one, figure.contradicted),
            ]
        )
    head = ["figure", "what", "paper", "band", "simulated", "error", "unit", "verdict"]
    return table(rows, head)


def _claims(ledger: Ledger) -> str:
    rows = []
    for one in ledger.claims:
        claim = one.claim
        figures = "; ".join(f"{key} {shown(value, 4)}" for key, value in one.figures.items())
        conditions = "; ".join(f"`{each.text}`" for each in claim.conditions)
        rule = claim.untestable or f"{claim.rule}: {conditions}"
        verdict = _verdict(one, claim.contradicted)
        rows.append([claim.id, claim.ref, cell(claim.text), cell(rule), cell(figures), verdict])
    return table(rows, ["claim", "section", "the paper says", "rule", "figures", "verdict"])


def _verdict(one: FigureResult | SentenceResult, why: str) -> str:
    """Return a verdict, in bold if it is a contradiction, with what is known of it."""
    if one.verdict != "contradicted":
        return one.verdict if one.expected else f"{one.verdict} (**listed as contradicted**)"
    return f"**contradicted**: {cell(why)}" if why else "**contradicted, not expected**"


def cell(text: str) -> str:
    """A text on one line, without what ends a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    """A table as Markdown."""
    return tabulate(rows, headers=head, tablefmt="github", disable_numparse=True)
