"""One study in full, or several in short: as tables, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from simulator.report.ledger import render_ledger
from simulator.report.tables import render_tables
from simulator.study.ledger import Ledger
from simulator.study.reproduce import Reproduction
from simulator.study.studies import Reproduced, Tally, tally


def render_study(made: Reproduced, form: str) -> str:
    """Return a study as ``table``, ``json`` or ``csv`` text."""
    if isinstance(made, Ledger):
        return render_ledger(made, form)
    assert isinstance(made, Reproduction)
    return render_tables(made, form)


def render_studies(all_made: Sequence[Reproduced], form: str) -> str:
    """Return several studies: each in full, their records as a list, or their counts as CSV."""
    if form == "table":
        return "\n\n".join(render_study(made, form) for made in all_made)
    return render_all(all_made, form)


def render_all(all_made: Sequence[Reproduced], form: str) -> str:
    """All studies: a line for each, their records as a list, or their counts as CSV."""
    if form == "json":
        records = [made.to_json() for made in all_made]
        return json.dumps(records, indent=2, ensure_ascii=False) + "\n"
    tallies = [tally(made) for made in all_made]
    if form == "csv":
        return _csv(tallies)
    return "".join(_line(made, one) for made, one in zip(all_made, tallies, strict=True))


def _line(made: Reproduced, one: Tally) -> str:
    verdict = "passed" if made.passed else "FAILED"
    return (
        f"{one.study:<8}{verdict}  {one.inside:>2} of {one.cells:>2} cells inside, "
        f"{one.holding:>2} of {one.testable:>2} testable claims hold, "
        f"{one.contradicted} contradicted, {one.untestable} untestable\n"
    )


def _csv(tallies: Sequence[Tally]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["study", "cells", "inside", "claims", "holding", "untestable", "contradicted"])
    for one in tallies:
        counts = [one.cells, one.inside, one.claims, one.holding, one.untestable, one.contradicted]
        writer.writerow([one.study, *counts])
    return text.getvalue()
