"""One file read once, and many variants of it: what a setting does not touch is not read again.

A sweep has thousands of machines that differ in a value or two. Reading a file takes some
milliseconds; a variant takes the sections of the file that its settings leave alone as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as SequenceOf
from contextlib import suppress
from typing import Any, Generic

from simulator.config.errors import ConfigError, PartsError, Path, Plain
from simulator.config.load import File, Kind, read_file
from simulator.config.numbers import NotOneNumber, all_numbers, places_of, replaced
from simulator.config.plain import Walk
from simulator.config.quantities import Leaf
from simulator.config.section import Items, Named, Shape, fields_of
from simulator.config.settings import Setting, apply_settings, is_positioning
from simulator.config.yamltree import Mapping, Node, Sequence
from simulator.inputfile import Source, Text

_REMEMBERED = 1 << 14
"""Variants that are kept: some kilobytes each, but for what they share."""
_NUMBER = re.compile(r"\d[\d.]*( \S+)?")
"""A number, perhaps with its unit; no name has only digits, or a blank."""


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
        self._fields: dict[str, Shape] = fields_of(kind.section)
        self._variants: dict[tuple[Setting, ...], File] = {}
        self._places: dict[str, tuple[Path, ...] | None] = {}
        """Where the number of a setting stands, by its path; None for other settings."""
        self._base: tuple[File, Mapping, Plain] | None = None
        """The file with the settings for all; None if it is wrong without those of a variant."""
        with suppress(ConfigError):
            self._base = kind.parse(*self.text, self._settings)

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
        base, before, read = self._base
        tree, problems = apply_settings(before, self._kind.section, self._kind.noun, settings)
        walk = Walk(self.text.name, tree)
        plain = dict(read)
        # What the file has under a key: as a section if it is one, else as written.
        parts: Plain = {
            key: read[key] if isinstance(self._fields[key], Leaf) else getattr(base, key)
            for key in read
        }
        for key, node in tree.entries.items():
            old = before.entries.get(key)
            if old is node or key not in self._fields:
                continue
            shape, value = self._fields[key], getattr(base, key)
            plain[key], parts[key] = _changed(
                walk, node, old, shape, (value, read.get(key)), (key,)
            )
        if problems or walk.problems:
            return self.explained(settings)
        if not _same_names(plain, read) and any(self._kind.faults(plain)):
            return self.explained(settings)
        try:
            section = self._kind.section(**parts)
        except PartsError:
            return self.explained(settings)
        if any(True for _ in self._kind.checks(section)):
            return self.explained(settings)
        section.remember(base.origin)
        return section


def _same_names(plain: Any, before: Any) -> bool:
    """Whether two plain values differ in numbers alone."""
    if plain is before:
        return True
    if isinstance(plain, dict) and isinstance(before, dict):
        return plain.keys() == before.keys() and all(
            _same_names(one, before[key]) for key, one in plain.items()
        )
    if isinstance(plain, list) and isinstance(before, list):
        return len(plain) == len(before) and all(map(_same_names, plain, before))
    if isinstance(plain, str) and isinstance(before, str):
        return plain == before or all(map(_NUMBER.fullmatch, (plain, before)))
    return bool(plain == before)


def _changed(
    walk: Walk, node: Node, old: Node | None, shape: Shape, was: tuple[Any, Any], at: Path
) -> tuple[Any, Any]:
    """Return the plain values of a node, and the same with the sections of items that stay.

    ``was`` are what the old node stood for: the typed value, and the plain one.
    """
    typed, read = was
    if isinstance(shape, Named) and isinstance(node, Mapping) and isinstance(old, Mapping):
        keys: list[Any] = list(node.entries)
        pairs: list[tuple[Any, Node, Node | None]] = [
            (key, one, old.entries.get(key)) for key, one in node.entries.items()
        ]
    elif isinstance(shape, Items) and isinstance(node, Sequence) and isinstance(old, Sequence):
        keys = list(range(len(node.items)))
        pairs = list(zip(keys, node.items, old.items, strict=False))
    else:
        again = walk.plain(node, shape, at)
        return again, again
    if isinstance(shape.item, Leaf) or len(pairs) != len(keys):
        again = walk.plain(node, shape, at)
        return again, again
    plain, mixed = {}, {}
    for key, new, before in pairs:
        if new is before:
            plain[key], mixed[key] = read[key], typed[key]
        else:
            plain[key] = mixed[key] = walk.plain(new, shape.item, (*at, key))
    if isinstance(shape, Items):
        return list(plain.values()), list(mixed.values())
    return plain, mixed
