"""Dicts whose unknown names are named errors, and rows with typed cells."""

from __future__ import annotations

from typing import Any, TypeVar

from simulator.errors import unknown

Of = TypeVar("Of")


class Named(dict[str, Of]):
    """A dict by name; an unknown name is an UnknownNameError with the nearest one."""

    def __missing__(self, name: str) -> Of:
        raise unknown("there is no", name, self)


class Row(Named[Any]):
    """A row of a table: its cells by column, of any type, or of the type that is asked for.

    >>> row = Row(elapsed_s=2, busiest="disk")
    >>> row.number("elapsed_s"), row.text("busiest")
    (2.0, 'disk')
    """

    def number(self, column: str) -> float:
        """Return a cell that is a number; TypeError for any other."""
        found = self[column]
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise TypeError(f"{column} is no number, but {found!r}")
        return float(found)

    def text(self, column: str) -> str:
        """Return a cell that is a text; TypeError for any other."""
        found = self[column]
        if not isinstance(found, str):
            raise TypeError(f"{column} is no text, but {found!r}")
        return found
