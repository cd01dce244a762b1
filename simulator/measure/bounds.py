"""How much a measurement may use, where nobody says; the same for the command and from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.processors import processors

if TYPE_CHECKING:
    from simulator.measure.probe import Limits

LEAST_MIB = 16
"""The least that the files of the probes hold."""
MOST_PROCESSES = 64
_QUICK_MIB, _USUAL_MIB = 128, 512
_QUICK_S, _USUAL_S = 10.0, 60.0


def limits_of(
    *, size: int | None, seconds: float | None, processes: int | None, quick: bool, seed: int
) -> Limits:
    """Return the limits, with what is usual for those that are None."""
    from simulator.measure.probe import MIB, Limits

    return Limits(
        size=size or (_QUICK_MIB if quick else _USUAL_MIB) * MIB,
        seconds=seconds or (_QUICK_S if quick else _USUAL_S),
        processes=processes or min(processors() or 1, MOST_PROCESSES),
        quick=quick,
        seed=seed,
    )
