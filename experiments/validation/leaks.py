"""Independence of printed numbers from those to which values were fitted.

A number is *calibrated* if a value was fitted to it, or to a sum that it is an addend of. It is
*dependent* if it is a total of other printed numbers, or repeats one that a value was fitted to:
the same calls on another file, in another run or on another node. The rest is *predicted*.

The roles in a study's file are checked against the measured quantities of its numbers. Where these
are unknown, a dependence stated in the file is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.study.study_file import (
    BY_CONSTRUCTION,
    CALIBRATED,
    DEPENDENT,
    PREDICTED,
    load_study_file,
)

from .measured import Cells, Measured, measured_in

if TYPE_CHECKING:
    from simulator.study.study_file import StudyFile

ALIKE = 0.05
"""Relative difference of counts, or bytes, up to which work is the same."""
MOVING = ("read", "write")
"""Calls whose time is that of their bytes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The role of a printed number by its measured quantity, and the numbers that determine it."""

    role: str
    of: tuple[str, ...] = ()
    how: str = ""
    """``fitted``, ``addend``, ``total`` or ``repeat``; empty if it is predicted."""


class Leaks:
    """The numbers of a study, each with the data that contain it."""

    def __init__(self, study: StudyFile) -> None:
        self.study = study
        self.measured = measured_in(study)
        addends = {one for ids in study.sums.values() for one in ids}
        self.fitted = {
            one.id: self.measured[one.id].cells
            for one in study.figures
            if one.role == CALIBRATED and one.id not in addends
        }
        """Numbers to which alone a value was fitted, and the measured quantity of each."""
        self.sums = {
            name: frozenset[object]().union(*(self.measured[one].cells for one in ids))
            for name, ids in study.sums.items()
        }
        """Sums to which values were fitted."""

    def finding(self, id_: str) -> Finding:
        """Return the role of a number."""
        if id_ in self.fitted:
            return Finding(CALIBRATED, (id_,), "fitted")
        if containing := self.containing(id_):
            return Finding(CALIBRATED, containing, "addend")
        if parts := self.parts(id_):
            return Finding(DEPENDENT, parts, "total")
        if repeated := self.repeated(id_):
            return Finding(DEPENDENT, repeated, "repeat")
        return Finding(PREDICTED)

    def containing(self, id_: str) -> tuple[str, ...]:
        """Return the fitted data that contain a number and more."""
        cells = self.measured[id_].cells
        data: Mapping[str, Cells] = {**self.fitted, **self.sums}
        return tuple(name for name, of in data.items() if cells < of)

    def parts(self, id_: str) -> tuple[str, ...]:
        """Return the numbers whose total a number is; none if any part of it is in no other."""
        cells = self.measured[id_].cells
        parts = {
            one.id: self.measured[one.id].cells
            for one in self.study.figures
            if one.role != BY_CONSTRUCTION and self.measured[one.id].cells < cells
        }
        whole = frozenset[object]().union(*parts.values())
        return tuple(parts) if parts and whole == cells else ()

    def repeated(self, id_: str) -> tuple[str, ...]:
        """Return the fitted numbers of which a number is another measurement."""
        one = self.measured[id_]
        return tuple(name for name in self.fitted if self._repeats(one, self.measured[name]))

    def _repeats(self, one: Measured, other: Measured) -> bool:
        return other.run in (one.run, one.alike) and same_work(one, other)


def same_work(one: Measured, other: Measured) -> bool:
    """Return whether two numbers are times of the same calls."""
    if not one.work or set(one.work) != set(other.work):
        return False
    return all(_same(kind, one.work[key], other.work[key]) for key in one.work for kind in [key[1]])


def _same(kind: str, one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Compare calls and bytes; for calls that move bytes only these."""
    pairs = list(zip(one, other, strict=True))[1 if kind in MOVING else 0 :]
    return all(abs(a - b) <= ALIKE * max(a, b) for a, b in pairs)


def wrong_roles(study: str) -> list[str]:
    """Return a line for each number of a study whose role contradicts its measured quantity."""
    file = load_study_file(study)
    leaks = Leaks(file)
    found = []
    for one in file.figures:
        if one.role == BY_CONSTRUCTION:
            continue
        finding = leaks.finding(one.id)
        stated = (
            one.role == DEPENDENT and finding.role == PREDICTED and not leaks.measured[one.id].run
        )
        if finding.role != one.role and not stated:
            of = f" ({finding.how} of {', '.join(finding.of)})" if finding.of else ""
            found.append(f"{one.id}: called {one.role}, is {finding.role}{of}")
        if (one.role == DEPENDENT) != bool(one.dependent):
            found.append(f"{one.id}: dependent, but it is not said on what")
    return found
