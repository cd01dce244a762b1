"""Repetitions of merges and splits: four or five of each."""

from __future__ import annotations

from .runs import ALL, listed, name_of


def repetitions() -> dict[str, tuple[float, ...]]:
    """Return the whole time of each repetition, by the id of the number; s."""
    return {name_of(cell): tuple(map(float, listed(*cell)["whole"])) for cell in ALL}
