"""Local execution of the Ninf study's clients."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.experiments.ninf.runs import NinfRuns


def local_s(client: str, library: str, n: int) -> float:
    """Return the seconds in which a client (``supersparc``, ``alpha``) solves n linear equations.

    ``library`` is one of the client's libraries in the machine ``ninf``.
    """
    nanoseconds: int = _runs().local_ns(client, library, n)
    return nanoseconds / 1e9


@functools.cache
def _runs() -> NinfRuns:
    from simulator.experiments.ninf.runs import NinfRuns
    from simulator.study.study_file import load_study_file

    return NinfRuns(load_study_file("ninf"), runs=1, seed=1998)
