"""One line on a terminal: what is running, how much is done, and the time left.

The line goes to standard error, and only to a terminal; nothing of it stays when the work ends.
Elsewhere, as in a log, there is a line for each piece of several that begins or ends.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self, TextIO

from simulator.report.sizemissed import missed_text
from simulator.report.sizewords import cost_text, forecast_text, words_of
from simulator.report.terminal import Line
from simulator.study.side_by_side import seconds
from simulator.study.work import span_s
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.sizing.planned import Planned
    from simulator.sizing.sized import Sized

WORTH_SAYING_S = 3.0
"""Seconds of work from which on a line is printed before it."""
_ENOUGH = 0.02
"""Share of the work from which on the time left is that of this machine, not the one measured."""


class Progress(Line):
    """Progress of several pieces of work, done some at a time.

    ``weights`` are their CPU times in seconds as measured once: their shares of the whole, and
    what is said of the time before any work is done.
    """

    def __init__(
        self,
        stream: TextIO,
        weights: dict[str, float],
        jobs: int,
        *,
        wanted: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(stream, wanted=wanted, clock=clock)
        self.weights = weights
        self.jobs = min(jobs, len(weights))
        self.shares: dict[str, float] = {}
        self._began = clock()

    @classmethod
    def of_studies(
        cls, stream: TextIO, names: Sequence[str], jobs: int, runs: int | None = None
    ) -> Progress:
        """Return that of studies that run ``jobs`` at a time."""
        return cls(stream, seconds(names, runs), jobs)

    def __enter__(self) -> Self:
        """State how long it will take."""
        whole = span_s([], list(self.weights.values()), self.jobs)
        if self.wanted and whole >= WORTH_SAYING_S:
            self.stream.write(f"{self._what()}: about {rounded(whole)}\n")
            self.stream.flush()
        return self

    def heard(self, name: str, share: float) -> None:
        """Note the share of a piece of work that is done, from 0 to 1, and show it."""
        began, ended = name not in self.shares, share >= 1 > self.shares.get(name, 0.0)
        self.shares[name] = share
        if not self.wanted and len(self.weights) > 1 and (began or ended):  # As in a log.
            done = sum(one >= 1 for one in self.shares.values())
            told = f"{name} {'is done' if ended else 'begins'}: {done} of {len(self.weights)} done"
            left = f"; about {rounded(self.left_s())} left" if done < len(self.weights) else ""
            self.stream.write(f"{told}{left}\n")
            self.stream.flush()
        self.offer(self.line)

    def left_s(self) -> float:
        """Return the time left, at the pace that was measured here so far."""
        running = [
            (1 - share) * self.weights[name] for name, share in self.shares.items() if share < 1
        ]
        waiting = [weight for name, weight in self.weights.items() if name not in self.shares]
        left = span_s(running, waiting, self.jobs)
        whole = span_s([], list(self.weights.values()), self.jobs)
        done = sum(share * self.weights[name] for name, share in self.shares.items())
        if done < _ENOUGH * sum(self.weights.values()) or left >= whole:
            return left
        return left * (self.clock() - self._began) / (whole - left)

    def line(self) -> str:
        """Return what the line says."""
        running = [(name, share) for name, share in self.shares.items() if share < 1]
        ended = sum(share >= 1 for share in self.shares.values())
        words = [f"{name} {100 * share:.0f} %" for name, share in running]
        if ended:
            words.insert(0, f"{ended} of {len(self.weights)} done")
        return f"{', '.join(words)}; about {rounded(self.left_s())} left"

    def _what(self) -> str:
        if len(self.weights) == 1:
            return next(iter(self.weights))
        return f"{len(self.weights)} studies, {self.jobs} at a time"


def rounded(time_s: float) -> str:
    """A time as people say it.

    >>> rounded(0.3), rounded(7.4), rounded(42), rounded(200), rounded(9300)
    ('1 s', '7 s', '40 s', '3.5 min', '2.5 h')
    """
    if time_s < 10:
        return f"{max(1, round(time_s))} s"
    if time_s >= 7200:
        return f"{round(time_s / 1800) / 2:g} h"
    return f"{5 * round(time_s / 5)} s" if time_s < 100 else f"{round(time_s / 30) / 2:g} min"


# -- other work -----------------------------------------------------------------------------------


class Fitting(Line):
    """Progress of a fit: its step, and its error."""

    def heard(self, what: str, runs: int, rms: float) -> None:
        """Show how many runs were made, a few times a second."""
        error = "" if math.isnan(rms) else f", error {rms * 100:.3g} %"
        self.offer(lambda: f"{what}: {runs:,} runs{error}")


class Probing(Line):
    """Progress of probes: the name of one, and its number."""

    def heard(self, what: str, done: int, total: int) -> None:
        """Show a probe that begins."""
        self.draw(f"{done} of {total} probes: {what}")


class SizingLine(Line):
    """The line of a search: configurations looked at, the time left, the best so far."""

    def __init__(self, stream: TextIO, processes: int, *, wanted: bool | None = None) -> None:
        """``processes``: how many configurations are run at one time."""
        super().__init__(stream, wanted=wanted)
        self._processes = processes
        self._began = 0.0, 0
        """Time at which the first was looked at, and how many had been by then."""
        self._sized: Sized | None = None
        self._before_it: list[Sized] = []
        """Searches of other alternatives that have ended."""
        self._planned: Planned | None = None

    def __enter__(self) -> Self:
        """State that nothing is known yet."""
        self.draw("the requirement is read")
        return self

    def heard(self, found: Sized | Planned) -> None:
        """Show what is known, a few times a second; before any run what the search may take."""
        from simulator.sizing.sized import Sized

        if isinstance(found, Sized):
            self._of_sized(found)
        else:
            self._planned = found
            self.offer(lambda: _of_plan(found))

    def _of_sized(self, sized: Sized) -> None:
        known = (self._sized, *self._before_it)  # Each alternative has its own.
        first = all(one is not sized for one in known)
        if first and self._sized is not None:
            self._before_it.append(self._sized)
        self._sized = sized
        self._began = (0.0, 0) if first else self._began
        if not self._began[1]:
            self._began = self.clock(), _looked(sized)
        if first:
            self._warn(sized)
        if first and sized.each_s is not None and self.wanted:
            self.draw("")
            self.stream.write(f"{self._before(sized, sized.each_s)}\n")
            self.draw("the first is run; how long the others take is known after it")
        elif not first:
            self.offer(lambda: self._text(sized, left=True))

    def _warn(self, sized: Sized) -> None:
        """Write what the runs of the first configuration are warned of, but for lockstep."""
        from simulator.config.doubts import LOCKSTEP
        from simulator.report.sizetrust import doubts

        found = [one for first in sized.order[:1] for _, one in doubts(sized, first)]
        for text in dict.fromkeys(str(one) for one in found if one.message != LOCKSTEP):
            self.draw("")
            self.stream.write(f"{text}\n")

    def interrupted(self, why: str, *, kept: bool) -> str:
        """State what an interrupted search has found, and what is kept of it."""
        told = why or "interrupted"
        goes_on = "long runs are kept: the same command goes on from them"
        keeps = goes_on if kept else "nothing is kept (--no-store)"
        if self._planned is not None:
            return f"{told}: {_of_plan(self._planned)}; {keeps}"
        if self._sized is None or not _looked(self._sized):
            return f"{told} before a configuration was looked at: the same command begins anew"
        return f"{told}: {self._text(self._sized, left=False)}; {keeps}"

    def _before(self, sized: Sized, each_s: float) -> str:
        """State what the search takes at most, by an estimate of the first configuration's runs."""
        most = _most(sized) or 1
        whole_s = each_s * most / min(self._processes, most)
        each = format_time(round(each_s * 1e9))
        return (
            f"{counted(most, 'configuration')}, estimated at {each} each: at most about"
            f" {rounded(whole_s)}, less what bounds and short runs discard"
        )

    def _text(self, sized: Sized, *, left: bool) -> str:
        looked, most = _looked(sized), _most(sized)
        said = f"{looked:,} of {most:,} looked at, {len(sized.outcomes):,} run whole"
        began_s, before = self._began
        if left and before < looked < most:
            each_s = (self.clock() - began_s) / (looked - before)
            said += f"; about {rounded(each_s * (most - looked))} left at this pace"
        elif left and looked < most and sized.each_s is not None:
            left_s = sized.each_s * (most - looked) / min(self._processes, most - looked)
            said += f"; at most about {rounded(left_s)} left"
        met = [one for one in (*self._before_it, sized) if one.winner is not None]
        sized = min(met, key=lambda one: one.rank, default=sized)
        best, name = sized.winner, "best so far"
        if best is None:
            best, name = sized.nearest, "none meets it so far, the nearest"
        if best is None:
            return said if left else f"{said}; none meets it so far"
        missed = "" if left else missed_text(sized, best).rstrip(".")
        told = f"{name}: {cost_text(sized.requirement, best.cost)}, {words_of(sized, best)}"
        return f"{said}; {told}{f'. {missed}' if missed else ''}"


def _of_plan(planned: Planned) -> str:
    """State how far a search for a plan is."""
    looked = f"{planned.looked:,} looked at, {planned.run_whole:,} run whole (each year counted)"
    return f"{looked}; the plan is {forecast_text(planned.requirement, planned.at_least)} or more"


def _looked(sized: Sized) -> int:
    """Return how many configurations were looked at."""
    looked = len(sized.bounds) + len(sized.short.keys() | sized.outcomes.keys())
    return looked + (sized.sampled.dearer_not_run if sized.sampled is not None else 0)


def _most(sized: Sized) -> int:
    """Return how many configurations are looked at, at most."""
    if sized.sampled is None:
        return sized.built or 0
    return max(sized.sampled.trials, _looked(sized))
