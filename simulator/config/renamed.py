"""Old keys of files: they are read as their new ones, with a warning that says these."""

from __future__ import annotations

from collections.abc import Mapping as PlainMapping
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.config.yamltree import Mapping

if TYPE_CHECKING:
    from simulator.config.section import Section

RENAMED: PlainMapping[str, PlainMapping[str, str]] = {
    "FileSystem": {"give_up": "timeout"},  # It reads as a switch, and has a time.
}
"""Sections, their old keys, and the new ones. To rename a key, add it here."""


def new_key(key: str) -> str:
    """Return the new name of a key of any section, for the last step of a short name."""
    return next((keys[key] for keys in RENAMED.values() if key in keys), key)


def old_keys(node: Mapping, section: type[Section]) -> dict[str, str]:
    """Return the old keys of a section's node, with their new names, unless these are there too."""
    names = RENAMED.get(section.__name__, {})
    return {old: new for old, new in names.items() if old in node.entries and new not in node.keys}


def with_names(node: Mapping, names: PlainMapping[str, str]) -> Mapping:
    """Return a mapping with other names for some of its keys; the same if there are none."""
    if not names:
        return node
    return replace(
        node,
        entries={names.get(key, key): inner for key, inner in node.entries.items()},
        keys={names.get(key, key): place for key, place in node.keys.items()},
        before=node,
    )
