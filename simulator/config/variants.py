"""One file read once, and many variants of it: what a setting does not touch is not read again.

A sweep has thousands of machines that differ in a value or two. Reading a file takes some
milliseconds; a variant takes the sections of the file that its settings leave alone as they are.
Of numbers in the place of others only the sections around them are made anew, and checked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as SequenceOf
from contextlib import suppress
from typing import Any, Generic

from simulator.config.errors import ConfigError, PartsError, Path
from simulator.config.load import File, Kind, parsed, read_file
from simulator.config.quantities import Leaf
from simulator.config.reader import Made
from simulator.config.section import Section, cached, fields_of, keys_in
from simulator.config.settings import Setting, apply_settings, is_positioning
from simulator.config.sources import Document
from simulator.config.yamltree import Mapping, Node, Scalar, Sequence
from simulator.inputfile import Source, Text

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
    elif isinstance(after, Mapping) and isinstance(
        before, Scalar | Sequence
    ):  # short for a mapping
        for key, inner in after.entries.items():
            _find(before if type(inner) is type(before) else None, inner, (*at, key), found)
    elif isinstance(after, Mapping) and isinstance(before, Mapping):
        for key, inner in after.entries.items():
            _find(before.entries.get(key), inner, (*at, key), found)
    elif isinstance(after, Sequence) and isinstance(before, Sequence):
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


def all_numbers(values: SequenceOf[tuple[str, str]]) -> bool:
    """Return whether the values of all settings are numbers."""
    return all(NUMBER.fullmatch(value) for _, value in values)


_REMEMBERED = 1 << 14
"""Variants that are kept: some kilobytes each, but for what they share."""


class Variants(Generic[File]):
    """A machine or a workload file with some settings for all, and more for each variant."""

    def __init__(
        self,
        kind: Kind[File],
        source: Source,
        settings: SequenceOf[Setting],
    ) -> None:
        """``settings`` are those of all variants, with full paths."""
        self._kind: Kind[File] = kind
        self._source: Source = source
        self._settings: tuple[Setting, ...] = tuple(settings)
        self._variants: dict[tuple[Setting, ...], File] = {}
        self._places: dict[str, tuple[Path, ...] | None] = {}
        """Where the number of a setting stands, by its path; None for other settings."""
        self._base: tuple[File, Mapping, Made] | None = None
        """The file with the settings for all; None if it is wrong without those of a variant."""
        with suppress(ConfigError):
            self._base = parsed(kind, self.text, self._settings)

    def load(self, settings: SequenceOf[Setting]) -> File:
        """Return a variant; ConfigError lists everything that is wrong with it.

        Its values are those of a file read with all settings; the places and sources that it
        remembers are those of the file without its own (see :meth:`explained`).
        """
        key = tuple(settings)
        variant = self._variants.get(key)
        if variant is None:
            variant = self.of_numbers(key) or self._make(key)
            if len(self._variants) < _REMEMBERED:
                self._variants[key] = variant
        return variant

    def explained(self, settings: SequenceOf[Setting]) -> File:
        """The same, all read again: it knows the place and the source of each value."""
        return self._kind.parse(*self.text, (*self._settings, *settings))[0]

    @property
    def text(self) -> Text:
        """The file's text, and what messages call it; it stays what it was at first."""
        self._source = text = read_file(self._kind, self._source)
        return text

    def of_numbers(self, settings: tuple[Setting, ...]) -> File | None:
        """Return a variant that differs in some numbers; None if there is more to it, or a mistake.

        Names that the file's own checks look at stay, so that only those of sections are repeated.
        """
        if self._base is None or not all_numbers(settings):
            return None
        section: File = self._base[0]
        for setting in settings:
            path = setting[0]
            if path not in self._places:
                self._places[path] = self._places_of(setting)
            places = self._places[path]
            if places is None:
                return None
            try:
                for place in places:
                    section = replaced(section, place, setting[1])
            except ValueError:
                return None
        if any(True for _ in self._kind.checks(section)):
            return None
        section.remember(self._base[0].origin)
        return section

    def _places_of(self, setting: Setting) -> tuple[Path, ...] | None:
        assert self._base is not None
        if is_positioning(setting[0]):
            return None
        base, before, _ = self._base
        after, problems = apply_settings(before, self._kind.section, self._kind.noun, [setting])
        try:
            return None if problems else places_of(before, after, base)
        except NotOneNumber:
            return None

    def _make(self, settings: tuple[Setting, ...]) -> File:
        if self._base is None:
            return self.explained(settings)
        base, tree, made = self._base
        try:
            section, _, _ = self._kind.read(tree, self.text.name, settings, known=made)
        except ConfigError:
            return self.explained(settings)
        section.remember(base.origin)
        return section
