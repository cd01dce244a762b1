"""Loops of phases, which may be in each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import AnyPhase, Phase
from simulator.config.quantities import Count
from simulator.config.section import FULL


class Loop(Phase):
    """Carry out phases several times."""

    rank = 8
    within = "phases"
    synonyms = {"count": "times", "repeat": "times", "loops": "times"}

    do: Literal["loop"]
    """What it does."""
    times: Count
    """How often."""
    phases: Annotated[tuple[AnyPhase, ...], FULL]
    """What is repeated: phases of any kind, other loops too."""

    @property
    def inner(self) -> Sequence[Phase]:
        """Its phases."""
        return self.phases

    @property
    def rounds(self) -> int:
        """Return how often they follow each other."""
        return self.times

    def lower(self, process: ProcessBuilder) -> None:
        """Add its phases once, and where they lead back to the first."""
        process.finish()
        first = len(process.phases)
        super().lower(process)
        process.finish()
        process.repeat_from(first, self.times)
