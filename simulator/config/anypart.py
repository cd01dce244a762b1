"""A part of any kind that a machine file can have: the sections of ``simulator/kinds/parts``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Union

from simulator.config.part import Part
from simulator.config.section import ByWord, tags_of
from simulator.kinds import classes_of


def sections() -> Iterator[type[Part]]:
    """Return the sections of all kinds, one after the other."""
    found: Iterator[type[Part]] = classes_of("parts", "section", Part)  # type: ignore[type-abstract]
    return (one for one in found if tags_of(one, "kind"))


if TYPE_CHECKING:
    AnyPart = Part
else:
    AnyPart = Annotated[Union[tuple(sections())], ByWord("kind")]  # noqa: UP007
    """A part of any kind; ``kind`` tells which."""
