"""Measured quantities of printed numbers, for studies that define them: calls on files."""

from __future__ import annotations

import importlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from simulator.shipped import shipped_root

if TYPE_CHECKING:
    from simulator.study.study_file import StudyFile

Cells: TypeAlias = frozenset[Hashable]
"""Parts of a measured quantity, each of which is in other numbers wholly or not at all."""
Work: TypeAlias = Mapping[tuple[str, str], tuple[float, float]]
"""Calls and their bytes, by file system and kind of call."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The measured quantity of one printed number."""

    cells: Cells
    run: str = ""
    """The run to which it belongs."""
    alike: str = ""
    """A run of which that one is another, or another node; empty: none."""
    before: str = ""
    """The run of the same work in the previous year; empty: none."""
    machine: str = ""
    unit: float = 1.0
    """Size of its unit, relative to numbers of the same kind."""
    kind: Hashable = None
    """Its calls, and the measured aspect of them."""
    asks: Hashable = None
    """Quantity measured in the run: equal quantities of two runs are the same number."""
    work: Work = field(default_factory=dict)
    """Calls whose time it is; empty if it is not a time of calls."""


def measured_in(study: StudyFile) -> Mapping[str, Measured]:
    """Return the measured quantity of each number of a study.

    ``measured()`` in experiments/<study>/figures.py. Without it no number of a study is known to
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
