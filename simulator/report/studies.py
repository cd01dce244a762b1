"""One study in full, or several in short: as tables, JSON or CSV."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import astuple, fields

from simulator.csvtext import CsvWriter
from simulator.report.freedom import LEGEND, tally_table
from simulator.report.ledger import render_ledger
from simulator.study.ledger import Ledger
from simulator.study.studies import Tally, tally


def render_studies(all_made: Sequence[Ledger], form: str) -> str:
    """Return several studies: each in full, their records as a list, or their counts as CSV."""
    if form == "table":
        return "\n\n".join(render_ledger(made, form) for made in all_made)
    return render_all(all_made, form)


def render_all(all_made: Sequence[Ledger], form: str) -> str:
    """All studies: a line for each, their records as a list, or their counts as CSV."""
    if form == "json":
        records = [made.to_json() for made in all_made]
        return json.dumps(records, indent=2, ensure_ascii=False) + "\n"
    tallies = [tally(made) for made in all_made]
    return _csv(tallies) if form == "csv" else _lines(all_made, tallies)


def _lines(all_made: Sequence[Ledger], tallies: Sequence[Tally]) -> str:
    failed = [
        f"{one.study}: FAILED, {one.unexpected} of its verdicts are not expected"
        for made, one in zip(all_made, tallies, strict=True)
        if not made.passed
    ]
    last = "\n".join(failed) or "All verdicts are as expected; contradictions are listed ones."
    return f"{tally_table(tallies)}\n\n{LEGEND}\n\n{last}\n"


def _csv(tallies: Sequence[Tally]) -> str:
    text = io.StringIO()
    writer = CsvWriter(text)
    writer.writerow([field.name for field in fields(Tally)])
    writer.writerows(astuple(one) for one in tallies)
    return text.getvalue()
