"""The ledger of all studies for docs/validation.md: each figure and claim with its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tabulate import tabulate

from simulator.report.ledger import shown
from simulator.study.ledger import Ledger
from simulator.study.studies import Reproduced, Tally, tally

INTRODUCTION = """\
Every study is run by `nwtsim reproduce`. A figure is *calibrated* if a value of the machine was
fitted to it, else *predicted*; a claim is what the figures are that decide it. Where only a
sentence or the shape of a curve survives, the band or rule is ours and stands beside the verdict.
A figure or claim that runs do not bear out, though nothing in the model can be named that would,
is listed as *contradicted*, with what is known of it. A claim that cannot be tested says why."""


def ledger_sections(all_made: Mapping[str, Reproduced], untestable: Sequence[str] = ()) -> str:
    """All studies as Markdown: one table of counts, then figures and claims of each.

    The NWT's cells and claims have tables of their own on the page; ``untestable`` are the rows
    of those of its claims that no run can decide.
    """
    blocks = ["## All studies", INTRODUCTION, _counts([tally(one) for one in all_made.values()])]
    for made in all_made.values():
        if isinstance(made, Ledger):
            blocks += _study(made)
    return "\n\n".join([*blocks, *untestable])


def untestable_claims(raw: Sequence[Mapping[str, Any]], title: str) -> str:
    """A table of the claims that no run can decide, as a study's file has them."""
    rows = [[one["id"], _cell(one["text"]), _cell(one["untestable"])] for one in raw]
    return f"{title}\n\n" + _table(rows, ["claim", "the paper says", "why it cannot be tested"])


def _counts(tallies: Sequence[Tally]) -> str:
    rows = [
        [
            one.study,
            f"{one.inside} of {one.cells}",
            f"{one.holding} of {one.testable}",
            str(one.contradicted),
            str(one.untestable),
        ]
        for one in tallies
    ]
    head = ["study", "figures inside", "testable claims that hold", "contradicted", "untestable"]
    return _table(rows, head)


def _study(ledger: Ledger) -> list[str]:
    study = ledger.study
    return [
        f"### {study.title}",
        f"{study.paper}. `nwtsim reproduce {study.name}` (seed {ledger.seed}, {ledger.engine} "
        f"engine); {len(ledger.calibrated)} values of the machine are calibrated and "
        f"{len(ledger.assumed)} assumed.",
        *([f"```text\n{ledger.freedom}\n```"] if ledger.freedom else []),
        _figures(ledger),
        _claims(ledger),
    ]


def _figures(ledger: Ledger) -> str:
    rows = []
    for one in ledger.figures:
        figure = one.figure
        rows.append(
            [
                figure.id,
                _cell(figure.what),
                shown(figure.value, 4),
                f"{shown(figure.low, 4)} - {shown(figure.high, 4)}",
                shown(one.simulated, 4),
                figure.unit,
                figure.role,
                _verdict(one.verdict, good=one.inside, why=figure.contradicted),
            ]
        )
    head = ["figure", "what", "paper", "band", "simulated", "unit", "role", "verdict"]
    return _table(rows, head)


def _claims(ledger: Ledger) -> str:
    rows = []
    for one in ledger.claims:
        claim = one.claim
        figures = "; ".join(f"{key} {shown(value, 4)}" for key, value in one.figures.items())
        why = f"untestable: {claim.untestable}" if one.holds is None else claim.rule
        verdict = _verdict(one.verdict, good=one.holds is not False, why=claim.contradicted)
        role = claim.role or "-"
        rows.append([claim.id, claim.ref, _cell(claim.text), _cell(why), figures, role, verdict])
    return _table(
        rows, ["claim", "section", "the paper says", "rule", "figures", "role", "verdict"]
    )


def _verdict(verdict: str, *, good: bool, why: str) -> str:
    """Return a verdict, in bold if it is a bad one, with what is known of a contradiction."""
    if good:
        return verdict
    return f"**{verdict}**: {_cell(why)}" if why else f"**{verdict}**"


def _cell(text: str) -> str:
    """A text on one line, without what ends a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def _table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    return tabulate(rows, headers=head, tablefmt="github", disable_numparse=True)
