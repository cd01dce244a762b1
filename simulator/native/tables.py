"""Tables of the kernel's layout while their columns are built."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from simulator.native import kernel

if TYPE_CHECKING:
    from simulator.plan.plan import Plan

Column = Any
LAYOUT: dict[str, Any] = kernel.layout()


def signed(key: int) -> int:
    """Return a 64-bit key as the signed number that the kernel takes."""
    return key - (1 << 64) * (key >> 63)


class Tables:
    """The columns of a plan, by the names of their tables and fields."""

    def __init__(self, plan: Plan, known: dict[str, Column] | None = None) -> None:
        """``known``: columns that remain unless they are built again."""
        self.plan = plan
        self.made: dict[str, Column] = dict(known or {})
        self.places = array("q")
        self.place_rows: dict[tuple[int, ...], int] = {}

    def _table(self, table: str, rows: Sequence[Any], **others: Callable[[Any], Any]) -> None:
        """Add the columns of a table: the attributes of its rows, or given columns."""
        for field, form in LAYOUT["tables"][table].items():
            values: Iterable[Any]
            if field in others:
                values = map(others[field], rows)
            else:
                values = [getattr(row, field) for row in rows]
            self.made[f"{table}.{field}"] = array(form, values)

    def _rows(self, table: str, rows: Sequence[dict[str, Any]]) -> None:
        """Add the columns of a table whose rows have all of its fields."""
        for field, form in LAYOUT["tables"][table].items():
            self.made[f"{table}.{field}"] = array(form, [row[field] for row in rows])

    def _groups_row(self, groups: tuple[int, ...]) -> int:
        """Return the row at which the groups of these places begin."""
        if groups not in self.place_rows:
            self.place_rows[groups] = len(self.places)
            self.places.extend(groups)
        return self.place_rows[groups]
