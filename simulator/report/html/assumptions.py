"""What the numbers of a page rest on: sources of values, warnings, and how to make it again."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from simulator.report.html.cells import table
from simulator.report.html.markup import Markup, tag
from simulator.report.html.page import code, listed
from simulator.report.page import Column, Table
from simulator.report.versions import versions
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from simulator.config.sources import FromFile

MOST_VALUES = 150
MOST_WARNINGS = 50
WEAK = {
    "unstated": "unsourced",
    "assumed": "assumed",
    "calibrated": "calibrated",
    "set by the user": "set by the user",
}
"""Sources that are listed value by value, the weakest first."""


def sources(counts: Mapping[str, int], files: Sequence[FromFile]) -> list[Markup]:
    """Count the values by source, and list those without a published one."""
    if not counts:
        return []
    rows = [["unsourced" if kind == "unstated" else kind, many] for kind, many in counts.items()]
    head = [Column("source", "source"), Column("values", "values", "count")]
    weak = [
        Column("value", "value"),
        Column("is", ""),
        Column("source", "source"),
        Column("note", "note", "sentence"),
    ]
    made = [
        Table("sources", "Sources of the values", head, rows),
        Table(
            "values",
            "Values that are unsourced, assumed, calibrated or set by the user",
            weak,
            _weak(files),
            noun="value",
            most=MOST_VALUES,
            whole=True,
        ),
    ]
    return [table(one) for one in made]


def _weak(files: Sequence[FromFile]) -> list[list[str]]:
    from simulator.config.sources import provenance

    order = list(WEAK)
    rows = [
        (order.index(one.kind), [f"{kind}{one.path}", one.value, _source(one), one.note])
        for kind, file in zip(("machine.", "workload."), files, strict=False)
        for one in provenance(file)
        if one.kind in WEAK
    ]
    return [row for _, row in sorted(rows, key=lambda row: row[0])]


def _source(one: object) -> str:
    kind, detail = (str(getattr(one, name)) for name in ("kind", "detail"))
    return f"{WEAK[kind]} {detail}".rstrip()


def warnings(lines: Iterable[str]) -> list[Markup]:
    """List the warnings of a run; say so if there are none."""
    every = list(dict.fromkeys(lines))
    if not every:
        return [tag("p", "No warnings.")]
    shown = [tag("li", line) for line in every[:MOST_WARNINGS]]
    more = len(every) - MOST_WARNINGS
    rest = [tag("li", f"and {counted(more, 'more warning')}")] if more > 0 else []
    return [tag("ul", shown, rest)]


def made_by(command: Sequence[str], about: Mapping[str, str]) -> list[Markup]:
    """Say which command makes this page again, with which versions."""
    pairs = [*about.items(), *((f"version of {name}", text) for name, text in versions().items())]
    shown = [code([shlex.join(command)])] if command else []
    return [*shown, listed(pairs)]
