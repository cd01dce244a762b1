"""What every kind of file is: a section that remembers the file it was read from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import PrivateAttr

from simulator.config.quantities import FileName, Text
from simulator.config.section import Section
from simulator.config.sources import Origin, Source


class Document(Section):
    """A whole file, with the place and the source of each of its values."""

    if TYPE_CHECKING:  # Each kind declares these itself, so that its keys keep their order.
        name: FileName
        title: Text = ""
        references: dict[str, Text] = {}

    _origin: Origin | None = PrivateAttr(default=None)  # A factory would be inspected each time.

    def __eq__(self, other: object) -> bool:
        """Whether another file of the kind has the same values, wherever they come from."""
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, key) == getattr(other, key) for key in type(self).model_fields)

    __hash__ = None  # type: ignore[assignment]

    @property
    def origin(self) -> Origin:
        """The file this was read from."""
        if self._origin is None:
            self._origin = Origin()
        return self._origin

    @property
    def sources(self) -> Mapping[str, Source]:
        """Where the numbers come from, by their dotted paths."""
        return self.origin.sources
