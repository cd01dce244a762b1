"""Laws of overhead tested against both thresholds of the Orion paper.

With a constant overhead they contradict each other: one node is faster up to 40,000 points only if
the overhead is the time of 30,000 points, and four are 3.5 times as fast at 200,000 only if it is
that of 7,000. Each law has one free value, which is fitted so that the speedup of four nodes is
``TARGET`` at 200,000 points; their break-even point with one node then tests the law. The last law
is that of the shipped machine.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .runs import OrionRuns, bracket, interval, server

if TYPE_CHECKING:
    from simulator.study.work import Work

    from .runs import Settings

TARGET = 3.3
"""Speedup at 200,000 points: the result of the shipped machine."""
SIDE = 447
STEPS = 512
LAW_RUNS = 3
"""Number of runs per setting while a law is fitted."""
PRINTED = 40_000
"""Maximum points at which the paper's single node is faster."""


NO_CACHE: Settings = (
    ("machine.parts.processor.update", "1800 ns"),
    ("machine.parts.processor.cache.line_time", "0 s"),
)
"""Settings with which every point takes as long as one outside of the cache."""
IDEAL_NETWORK: Settings = (
    *(("machine.parts.lan.rate", "1 GB/s"), ("machine.parts.lan.overhead", "0 s")),
    *server(copy_rate="1 GB/s"),
)
CHEAP_MESSAGES: Settings = server(send="0.5 ms", deliver="0.5 ms")
"""Settings with cheap messages."""
PROMPT_DETECTION: Settings = server(interval="4 ms", poll="0 s")
"""Settings with prompt and free detection of messages."""
OVERLAP: Settings = (("workload.jobs.*.phases.*.order", "edges-first"),)


@dataclass(frozen=True, slots=True)
class Law:
    """One law of overhead and its free value."""

    name: str
    about: str
    settings: Settings
    free: Callable[[float], Settings]
    """The free value -> settings."""
    what: str
    """Meaning of the free value, with its unit."""
    least: float
    most: float
    bare: bool = False
    """True if one node runs without servers."""

    @property
    def key(self) -> str:
        """Its name as one word."""
        return self.name.replace(",", "").replace(" ", "_")


def _messages(ms: float) -> Settings:
    return server(send=f"{ms:.4f} ms", deliver=f"{ms:.4f} ms")


def _bytes(us: float) -> Settings:
    return server(copy_rate=f"{1e6 / us:.0f} B/s")


def _latency(ms: float) -> Settings:
    return (("machine.parts.lan.overhead", f"{ms:.4f} ms"),)


LAWS = (
    Law(
        "constant",
        "each message costs the same",
        (*NO_CACHE, *IDEAL_NETWORK, *PROMPT_DETECTION),
        _messages,
        "send and deliver, ms",
        0.1,
        30,
    ),
    Law(
        "edges",
        "each byte of an edge costs the same",
        (*NO_CACHE, *CHEAP_MESSAGES, *PROMPT_DETECTION),
        _bytes,
        "copying a byte, us",
        0.01,
        20,
    ),
    Law(
        "detection",
        "messages lie there until a poll",
        (*NO_CACHE, *CHEAP_MESSAGES),
        interval,
        "interval, ms",
        1,
        200,
    ),
    Law(
        "share",
        "polls take a share of four processors, not of the one",
        (*NO_CACHE, *CHEAP_MESSAGES),
        lambda ms: server(poll=f"{ms:.4f} ms"),
        "poll, ms",
        0.01,
        6,
        bare=True,
    ),
    Law(
        "overlap",
        "messages are on their way while the rest is computed",
        (*NO_CACHE, *CHEAP_MESSAGES, *OVERLAP),
        _latency,
        "latency, ms",
        0.1,
        40,
    ),
    Law(
        "all, no cache",
        "the shipped machine, all points equally slow",
        NO_CACHE,
        _messages,
        "send and deliver, ms",
        0.1,
        30,
    ),
    Law(
        "all, with cache",
        "the shipped machine: small blocks are computed faster",
        (),
        _messages,
        "send and deliver, ms",
        0.1,
        30,
    ),
)


@dataclass(frozen=True, slots=True)
class LawResult:
    """Result of a law with its free value fitted."""

    law: Law
    value: float
    """The free value."""
    small: float
    """Speedup at 40,000 points: 1 or less in the paper."""
    fitted: float
    """Speedup at 200,000 points."""
    large: float
    """Speedup at 1,960,000 points."""
    break_even: float
    """Break-even point, in points."""
    late: float
    """Time of a loop with polls every 100 ms over that with the fitted interval or 10 ms."""


def fit_laws(runs: int, seed: int, work: Work | None = None) -> tuple[LawResult, ...]:
    """Fit all laws, with up to ``LAW_RUNS`` runs of each setting, shared by all."""
    few = _few_runs(min(LAW_RUNS, runs), seed)
    if work:
        few.work = work
    return tuple(fit_law(few, law) for law in LAWS)


@functools.lru_cache(maxsize=8)
def _few_runs(runs: int, seed: int) -> OrionRuns:
    return OrionRuns(runs, seed)


def fit_law(runs: OrionRuns, law: Law) -> LawResult:
    """Fit a law's free value to a part in ``STEPS`` of its range, and compute its other results."""

    def value_of(step: float) -> float:
        return law.least + (law.most - law.least) * step / STEPS

    def late_ms(step: int) -> float:
        settings = (*law.settings, *law.free(value_of(step)))
        one = runs.loop_ms(1, SIDE, _alone(law, settings) or settings)
        return runs.loop_ms(4, SIDE, settings) - one / TARGET

    low, high = bracket(late_ms, 0, STEPS)
    value = value_of((low + high) / 2)
    settings = (*law.settings, *law.free(value))
    usual = settings if law.name == "detection" else (*settings, *interval(10))
    late = runs.loop_ms(4, 1000, (*settings, *interval(100))) / runs.loop_ms(4, 1000, usual)
    return LawResult(
        law=law,
        value=value,
        small=_speedup(runs, law, value, 200),
        fitted=_speedup(runs, law, value, SIDE),
        large=_speedup(runs, law, value, 1400),
        break_even=runs.break_even(settings, _alone(law, settings)),
        late=late,
    )


def _speedup(runs: OrionRuns, law: Law, value: float, side: int) -> float:
    settings = (*law.settings, *law.free(value))
    return runs.speedup(side, settings, _alone(law, settings))


def _alone(law: Law, settings: Settings) -> Settings | None:
    """Return the settings of the single node, if they differ."""
    return (*settings, *server(poll="0 s")) if law.bare else None
