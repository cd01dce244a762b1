"""One number of a file replaced: only the sections around it are made anew, and checked.

For sweeps: a path is looked up in the tree of the file once; each further value of it costs the
section that has the number, and copies of what is around that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from simulator.config.errors import PartsError, Path
from simulator.config.quantities import Leaf
from simulator.config.section import Section, cached, fields_of, keys_in
from simulator.config.sources import Document
from simulator.config.yamltree import Mapping, Node, Scalar
from simulator.config.yamltree import Sequence as Items

NUMBER = re.compile(r"\d[\d.]{0,30}( ?[A-Za-z%/]{1,12})?")
"""A number, perhaps with its unit, that YAML reads as this text; a list, or a name, is none."""
MOST_PLACES = 1_000
"""Places of a setting with ``*`` that are worth while."""


class NotOneNumber(Exception):  # noqa: N818 - no mistake: such a setting goes the whole way
    """A setting that is more than a number in the place of another value."""


def places_of(before: Mapping, after: Mapping, section: Document) -> tuple[Path, ...]:
    """Return where the value of a setting stands in the tree ``after`` it, as paths of ``section``.

    ``before`` is the tree that the section was read from. NotOneNumber if a place is none of a
    number in a section that can be made from its values again.
    """
    found: list[Path] = []
    _find(before, after, (), found)
    if not 0 < len(found) <= MOST_PLACES or has_checks(type(section)):
        raise NotOneNumber
    for path in found:
        _check(section, path)
    return tuple(found)


def _find(before: Node | None, after: Node, at: Path, found: list[Path]) -> None:
    """Compare two trees; everything that differs must be the value of the setting itself."""
    if after is before:
        return
    if isinstance(after, Scalar) and after.place.setting:
        found.append(at)
    elif isinstance(after, Mapping) and isinstance(before, Scalar | Items):  # short for a mapping
        for key, inner in after.entries.items():
            _find(before if type(inner) is type(before) else None, inner, (*at, key), found)
    elif isinstance(after, Mapping) and isinstance(before, Mapping):
        for key, inner in after.entries.items():
            _find(before.entries.get(key), inner, (*at, key), found)
    elif isinstance(after, Items) and isinstance(before, Items):
        for index, (old, inner) in enumerate(zip(before.items, after.items, strict=True)):
            _find(old, inner, (*at, index), found)
    else:
        raise NotOneNumber


def _check(section: Document, path: Path) -> None:
    """Raise NotOneNumber unless all sections along a path can be made from their own values."""
    *around, key = path
    inner: Any = section
    for step in around:
        if isinstance(inner, Section):
            _check_again(inner)
        inner = _inner(inner, step)
    if not isinstance(inner, Section) or inner is section:
        raise NotOneNumber
    leaf = fields_of(type(inner)).get(str(key))
    old = getattr(inner, str(key), None)
    if not isinstance(leaf, Leaf) or not leaf.sourced or isinstance(old, str | bool):
        raise NotOneNumber
    _check_again(inner)


def _inner(around: Any, step: Any) -> Any:
    """Return what is under a key, name or index."""
    if isinstance(around, Section) and step in fields_of(type(around)):
        return getattr(around, step)
    if (isinstance(around, dict) and step in around) or isinstance(around, tuple):
        return around[step]
    raise NotOneNumber


def _check_again(section: Section) -> None:
    """Raise NotOneNumber if a section's own values would not make it again."""
    if has_checks(type(section)):
        try:
            again = type(section)(**_values(section))
        except PartsError:
            raise NotOneNumber from None
        if again != section or again.given != section.given:
            raise NotOneNumber


def replaced(section: Any, path: Path, text: str) -> Any:
    """Return a section, dict or tuple with a number replaced; PartsError if that is wrong."""
    key, *rest = path
    if isinstance(section, Section):
        value = replaced(getattr(section, str(key)), tuple(rest), text) if rest else text
        if has_checks(type(section)):
            return type(section)(**{**_values(section), str(key): value})
        if not rest:
            leaf = fields_of(type(section))[str(key)]
            assert isinstance(leaf, Leaf)
            value = leaf.read(text)
        return section.with_value(str(key), value)
    inner = replaced(section[key], tuple(rest), text)
    if isinstance(section, dict):
        return {**section, key: inner}
    items = [*section]
    items[int(key)] = inner
    return tuple(items)


def _values(section: Section) -> dict[str, Any]:
    """Return the values that a section was given, as they were read."""
    return {key: getattr(section, key) for key in section.given}


@cached
def has_checks(section: type[Section]) -> bool:
    """Return whether values of a section are checked beside others, or follow from others.

    A whole file is not: it only adds what is left out.
    """
    completes = "_completed" in {name for base in section.__mro__[:-2] for name in vars(base)}
    if issubclass(section, Document):
        completes = False
    return completes or any(key.checks for key in keys_in(section))


def all_numbers(values: Sequence[tuple[str, str]]) -> bool:
    """Return whether the values of all settings are numbers."""
    return all(NUMBER.fullmatch(value) for _, value in values)
