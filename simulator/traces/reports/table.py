"""What a report says: tables, single values, notes, and what the log cannot say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

Form = Literal["text", "count", "time", "clock", "step", "size", "rate", "kilo", "number"]
TIMES = ("time", "clock", "step")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name for programs, its name for people, and what its values are.

    A ``time`` is in nanoseconds here and in seconds for programs, and so is a ``clock``, of which
    people see seconds to the microsecond, and a ``step``, of which they see what digits it has; a
    ``size`` is in bytes, a ``rate`` in bytes per second, a ``kilo`` a number of which people see
    thousands.
    """

    key: str
    label: str
    form: Form = "count"


@dataclass(slots=True)
class Table:
    """Rows under one name."""

    name: str
    """Of the list in JSON."""
    columns: tuple[Column, ...]
    rows: Iterable[tuple[Any, ...]]
    more: int = 0
    """Rows that there are besides."""
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Which columns people see, in one or more tables with a title each; none: all columns.
    A row of which a part has only the first column is left out there."""
    in_csv: bool = True

    def row_dicts(self) -> Iterable[dict[str, Any]]:
        """Give each row with the names for programs, in base units."""
        keys = [column.key for column in self.columns]
        times = [column.form in TIMES for column in self.columns]
        for row in self.rows:
            yield {
                key: value / 1e9 if is_time and value is not None else value
                for key, value, is_time in zip(keys, row, times, strict=True)
            }


@dataclass(slots=True)
class Report:
    """One report."""

    tables: list[Table]
    unknown: dict[str, dict[str, int]]
    title: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    """Further keys in JSON."""
    notes: list[str] = field(default_factory=list)
    """Sentences that belong to the tables."""


def per(amount: float | None, time_ns: float | None) -> float | None:
    """Give an amount per second; None without a time.

    >>> per(10, 2_000_000_000), per(10, 0), per(None, 1)
    (5.0, None, None)
    """
    return amount * 1e9 / time_ns if amount is not None and time_ns else None


def mean(total: float | None, count: int) -> float | None:
    """Give a mean; None of nothing."""
    return total / count if count and total is not None else None
