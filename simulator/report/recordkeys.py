"""Keys of the JSON records of commands, and what they mean: ``keys.yaml`` beside this module.

``nwtsim schema report`` prints that file; the site has a page of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

KEYS = Path(__file__).with_name("keys.yaml")
"""By records: ``about``, the command that returns it, and ``keys`` with their meanings."""


def records() -> dict[str, dict[str, Any]]:
    """Return the records by name, as the file has them."""
    import yaml

    found: dict[str, dict[str, Any]] = yaml.safe_load(KEYS.read_text(encoding="utf-8"))
    return found


def keys_of(record: str) -> Iterator[tuple[str, str]]:
    """Yield the paths of a record, several in braces, each with its meaning."""
    yield from _paths(records()[record]["keys"], "")


def _paths(keys: dict[str, Any], begin: str) -> Iterator[tuple[str, str]]:
    for key, meaning in keys.items():
        if isinstance(meaning, dict):
            yield from _paths(meaning, f"{begin}{key}.")
        else:
            yield begin + key, meaning
