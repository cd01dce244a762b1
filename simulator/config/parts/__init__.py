"""The kinds of parts that a machine file can have: the sections in the modules of this folder.

To add one: a module with its section here, and its class in ``simulator/reference/parts``; see
docs/extending.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Union

from simulator.config.parts.base import Part
from simulator.config.section import ByWord, tags_of
from simulator.kinds import classes_of, places

__path__ = places("config/parts")


def sections() -> Iterator[type[Part]]:
    """Return the sections of all kinds, module after module."""
    found: Iterator[type[Part]] = classes_of(__name__, Part)  # type: ignore[type-abstract]
    return (one for one in found if _has_kind(one))


def _has_kind(section: type[Part]) -> bool:
    return bool(tags_of(section, "kind"))


if TYPE_CHECKING:
    AnyPart = Part
else:
    AnyPart = Annotated[Union[tuple(sections())], ByWord("kind")]  # noqa: UP007
    """A part of any kind; ``kind`` tells which."""
