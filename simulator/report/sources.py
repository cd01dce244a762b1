"""Sources of the values of files: how many have which, and those without a published one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from simulator.report.page import Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.config.sources import FromFile

_ORDER = (
    *("paper", "literature", "measured", "calibrated", "assumed"),
    *("unstated", "set by the user", "default"),
)
"""Sources as reports list them."""


def sources_of(*files: FromFile) -> dict[str, int]:
    """Count the values of some files by where they come from."""
    from simulator.config.sources import provenance

    kinds: Counter[str] = Counter(one.kind for file in files for one in provenance(file))
    return {kind: kinds[kind] for kind in _ORDER if kinds[kind]}


MOST_VALUES = 150
WEAK = {
    "unstated": "unsourced",
    "assumed": "assumed",
    "calibrated": "calibrated",
    "set by the user": "set by the user",
}
"""Sources that are listed value by value, the weakest first."""


def sources(counts: Mapping[str, int], files: Sequence[FromFile]) -> list[Table]:
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
    return [
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


def doubtful_in(*files: FromFile) -> dict[str, int]:
    """Count the values that nobody has measured or printed, by what their source is called."""
    counts = sources_of(*files)
    return {DOUBTFUL[kind]: count for kind, count in counts.items() if kind in DOUBTFUL}


DOUBTFUL = {
    "calibrated": "calibrated",
    "assumed": "assumed",
    "unstated": "unsourced",
    "default": "default",
}
"""Sources of values that nobody has measured or printed, and what they are called."""
