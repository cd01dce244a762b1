"""A null model without formulas: a number equals its neighbour in the paper.

The neighbour is the same number of the run in the previous year. Without one it is the nearest
number above in the study's file, or otherwise below, of the same kind of call on the same machine.
A number without a neighbour is not predicted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .measured import Measured, measured_in

if TYPE_CHECKING:
    from simulator.study.study_file import Figure, StudyFile


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The number that predicts another one."""

    id: str
    value: float
    """Its value, in the other's unit."""
    before: bool
    """True if it is the same number of the previous run."""


def neighbours(study: StudyFile) -> dict[str, Neighbour]:
    """Return the neighbour of each number of a study that has one, by its id."""
    measured = measured_in(study)
    found = {}
    for at, figure in enumerate(study.figures):
        around = [*reversed(study.figures[:at]), *study.figures[at + 1 :]]
        neighbour = _before(figure, study.figures, measured) or _beside(figure, around, measured)
        if neighbour is not None:
            found[figure.id] = neighbour
    return found


def _before(
    figure: Figure, figures: Sequence[Figure], measured: Mapping[str, Measured]
) -> Neighbour | None:
    one = measured[figure.id]
    same = (
        other
        for other in (figures if one.before else ())
        if (measured[other.id].run, measured[other.id].asks) == (one.before, one.asks)
    )
    return _first(one, same, measured, before=True)


def _beside(
    figure: Figure, around: Sequence[Figure], measured: Mapping[str, Measured]
) -> Neighbour | None:
    one = measured[figure.id]
    alike = (
        other
        for other in around
        if (measured[other.id].machine, measured[other.id].kind) == (one.machine, one.kind)
    )
    return _first(one, alike, measured, before=False)


def _first(
    one: Measured, others: Iterable[Figure], measured: Mapping[str, Measured], *, before: bool
) -> Neighbour | None:
    """Return the first of some numbers in the unit of another; ranges are skipped."""
    for other in others:
        if other.value is not None:
            value = other.value * measured[other.id].unit / one.unit
            return Neighbour(other.id, value, before)
    return None
