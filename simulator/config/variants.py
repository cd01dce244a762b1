"""One file read once, and many variants of it: what a setting does not touch is not read again.

A sweep has thousands of machines that differ in a value or two. Reading a file takes some
milliseconds; a variant is read in the same way, but what was made of nodes that its settings leave
alone is taken as it is, so that only the sections around what is set are made and checked.
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from contextlib import suppress
from typing import Generic

from simulator.config.errors import ConfigError
from simulator.config.load import File, Kind, parsed, read_file
from simulator.config.reader import NodeCache
from simulator.config.settings import Setting
from simulator.config.yamltree import Mapping
from simulator.inputfile import Source, Text

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
        self._base: tuple[File, Mapping, NodeCache] | None = None
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
            variant = self._make(key)
            if len(self._variants) < _REMEMBERED:
                self._variants[key] = variant
        return variant

    def explained(self, settings: SequenceOf[Setting]) -> File:
        """Return a variant, read again with the place and the source of each value."""
        return self._kind.parse(*self.text, (*self._settings, *settings))[0]

    @property
    def text(self) -> Text:
        """The file's text, and what messages call it; it stays what it was at first."""
        self._source = text = read_file(self._kind, self._source)
        return text

    def _make(self, settings: tuple[Setting, ...]) -> File:
        if self._base is None:
            return self.explained(settings)
        base, tree, made = self._base
        origin = base.origin  # A variant without settings is the base itself.
        try:
            section, _, _ = self._kind.read(tree, self.text.name, settings, known=made)
        except ConfigError:
            return self.explained(settings)
        section.remember(origin)
        return section
