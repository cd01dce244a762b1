"""One file read once, and many variants of it: what a setting does not touch is not read again.

A sweep has thousands of machines that differ in a value or two. Reading a file takes some
milliseconds; a variant takes the sections of the file that its settings leave alone as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Generic

from pydantic import ValidationError

from simulator.config.load import MACHINE, WORKLOAD, File, Kind, read_file
from simulator.config.machine import Machine
from simulator.config.plain import Walk
from simulator.config.quantities import Leaf
from simulator.config.section import fields_of
from simulator.config.settings import Setting, apply_settings
from simulator.config.workload import Workload

_REMEMBERED = 1 << 14
"""Variants that are kept: some kilobytes each, but for what they share."""


class Variants(Generic[File]):
    """A machine or a workload file with some settings for all, and more for each variant."""

    def __init__(
        self, kind: Kind[File], name_or_path: str | Path, settings: Sequence[Setting]
    ) -> None:
        self._kind: Kind[File] = kind
        self._settings = tuple(settings)
        self._text, self._name = read_file(kind, name_or_path)
        self._fields = fields_of(kind.section)
        base, self._tree, self._plain = kind.parse(self._text, self._name, self._settings)
        self._base: File = base
        self._variants: dict[tuple[Setting, ...], File] = {}

    def load(self, settings: Sequence[Setting]) -> File:
        """Give a variant; ConfigError lists everything that is wrong with it.

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

    def explained(self, settings: Sequence[Setting]) -> File:
        """The same, all read again: it knows the place and the source of each value."""
        every = (*self._settings, *settings)
        return self._kind.parse(self._text, self._name, every)[0]

    def _make(self, settings: tuple[Setting, ...]) -> File:
        tree, problems = apply_settings(self._tree, self._kind.section, self._kind.noun, settings)
        walk = Walk(self._name, tree)
        plain = dict(self._plain)
        parts = {key: self._whole(key) for key in self._plain}
        for key, node in tree.entries.items():
            if self._tree.entries.get(key) is not node and key in self._fields:
                plain[key] = parts[key] = walk.plain(node, self._fields[key], (key,))
        if problems or walk.problems or any(self._kind.faults(plain)):
            return self.explained(settings)
        try:
            section = self._kind.section.model_validate(parts)
        except ValidationError:
            return self.explained(settings)
        section._origin = self._base.origin
        return section

    def _whole(self, key: str) -> object:
        """What the file has under a key: as a section if it is one, else as written."""
        return self._plain[key] if isinstance(self._fields[key], Leaf) else getattr(self._base, key)


def machine_variants(name_or_path: str | Path, settings: Sequence[Setting]) -> Variants[Machine]:
    """The variants of a machine; ConfigError if the file is wrong with the settings for all."""
    return Variants(MACHINE, name_or_path, settings)


def workload_variants(name_or_path: str | Path, settings: Sequence[Setting]) -> Variants[Workload]:
    """The variants of a workload; ConfigError if the file is wrong with the settings for all."""
    return Variants(WORKLOAD, name_or_path, settings)
