"""Compare the rows of a reader with the truth of a random world."""

from __future__ import annotations

from simulator.traces.columns import COLUMNS
from tests.traces.fast_and_slow import Answer, by_first_row
from tests.traces.kernels import World
from tests.traces.worlds import Maybe


def untrue(answer: Answer, world: World, *, most: int = 10) -> list[str]:
    """Where an answer is not the truth, in words."""
    if answer.refused:
        return [f"refused: {answer.refused}"]
    found = []
    if len(answer.rows) != len(world.rows):
        found.append(f"{len(answer.rows)} rows instead of {len(world.rows)}")
    pairs = zip(by_first_row(answer.rows), by_first_row(world.rows), strict=False)
    for at, (row, truth) in enumerate(pairs):
        wrong = {
            column: (row[column], truth.get(column))
            for column in COLUMNS
            if column in row and not is_true(row[column], truth.get(column))
        }
        if wrong:
            found.append(f"row {at} ({row['call']}), read and true: {wrong}")
    return found[:most]


def is_true(said: object, truth: object) -> bool:
    """Is it the truth, or unknown where it may be?"""
    if isinstance(truth, Maybe):
        return said is None or said == truth.value
    return said == truth
