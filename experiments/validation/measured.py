"""What is measured in a printed number, for studies that can tell: calls of a run, on files."""

from __future__ import annotations

import importlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from simulator.shipped import shipped_root

if TYPE_CHECKING:
    from simulator.study.study_file import StudyFile

Cells: TypeAlias = frozenset[Hashable]
"""What a number measures, in pieces of which each is in other numbers wholly or not at all."""
Work: TypeAlias = Mapping[tuple[str, str], tuple[float, float]]
"""Calls and bytes that they move, by file system and kind of call."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One printed number, as what was measured in it."""

    cells: Cells
    run: str = ""
    """The run that it is of."""
    alike: str = ""
    """A run of which that one is another, or another node; empty: none."""
    before: str = ""
    """The run of the same work in the year before; empty: none."""
    machine: str = ""
    unit: float = 1.0
    """What one of its unit is, beside numbers of the same kind."""
    kind: Hashable = None
    """Calls that it is of, and what of them."""
    asks: Hashable = None
    """What it is of the run: the same in another run is the same number of that."""
    work: Work = field(default_factory=dict)
    """Calls whose time it is; empty if it is no time of calls."""


def measured_in(study: StudyFile) -> Mapping[str, Measured]:
    """Return what is measured in each number of a study.

    ``measured()`` in experiments/<study>/figures.py. A study without has no number that is known to
    contain another.
    """
    if (shipped_root("experiments") / study.name / "figures.py").is_file():
        module = importlib.import_module(f"simulator.experiments.{study.name}.figures")
        made: Mapping[str, Measured] = module.measured()
        return made
    return {
        one.id: Measured(
            frozenset({one.id}), machine=study.machine, kind=(one.unit, one.what.split(",")[0])
        )
        for one in study.figures
    }
