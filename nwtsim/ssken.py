"""Jobs of the SS-ken study: printed numbers beside simulated ones, and what a change would do."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from simulator.experiments.ssken.runs import SskenRuns


class Figure(NamedTuple):
    """A printed number, and what the job takes that it is of."""

    what: str
    printed: str
    unit: str
    simulated: float
    inside: bool
    """Whether it is within the study's band: mostly 10 %."""


def figures(ref: str) -> list[Figure]:
    """Simulate what a table or a figure of the report prints: ``table 4.4.5``."""
    from simulator.experiments.ssken import figures as study
    from simulator.study.study_file import load_study_file

    texts = {one["id"]: one.get("printed", "") for one in study.raw_study()["figures"]}
    functions, found = study.functions(), []
    for one in load_study_file("ssken").figures:
        if one.ref == ref:
            simulated = functions[one.id](_runs())
            printed = texts[one.id] or f"{one.low:g} to {one.high:g}"
            inside = one.low <= simulated <= one.high
            found.append(Figure(one.what, printed, one.unit, simulated, inside))
    return found


def calls_s(job: str, settings: Mapping[str, str] | None = None) -> float:
    """Simulate a job of ``jobs.yaml`` on its site's machine with settings; the time of its calls.

    In seconds, and of all calls that the report counts.
    """
    given = tuple((f"machine.{key}", value) for key, value in (settings or {}).items())
    seconds: float = sum(one.seconds for one in _runs().run(job, given).spent.values())
    return seconds


@functools.cache
def _runs() -> SskenRuns:
    from simulator.experiments.ssken.runs import SskenRuns

    return SskenRuns("auto")
