"""Replays of several samples of a log that has counters, but not the single calls.

Each sample has the counters of the log (:mod:`simulator.traces.sampled`). What differs between
their times is what the log does not say: the order of the calls within a rank, where they are in
a file, and when.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from simulator.progress import progress_bar
from simulator.replay.replay import Replay, replay, run_of
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.variants import Variants
    from simulator.replay.replay import ReplayOptions
    from simulator.result.result import Result

SAMPLES = 10
SAID_S = 10.0
"""Time of all samples from which on it is said what they take."""
MOST_KEPT = 600_000
"""Calls of all samples that are kept to be run again with changes: some 200 B each."""
APART = 1000
"""Seeds of the samples of a seed are apart from those of the next one by this."""


Answer = TypeVar("Answer")


class Spread(Protocol):
    """Carries out work on several tasks."""

    def __call__(
        self, work: Callable[[int], Answer], tasks: Sequence[int]
    ) -> Iterable[tuple[int, Answer]]:
        """Yield each task and its answer, as they get done."""


def one_by_one(work: Callable[[int], Answer], tasks: Sequence[int]) -> Iterable[tuple[int, Answer]]:
    """Yield each task and its answer, in their order."""
    return ((task, work(task)) for task in tasks)


DRAWING = 0.03
"""Standard error of the logarithm of the time in calls that drawing has beyond what samples show.

It is measured: so far are the middle samples of public logs with DXT from the replays of these
(benchmarks/counters.py, docs/decisions/0082-calls-drawn-from-counters.md).
"""
MODEL = 0.45
"""Standard error of the logarithm of the time on a machine whose values are assumed, as of a job on
the real one that it stands for.

It is measured: the root mean square of four logs of Cori against their replays on lustre-scratch
with drawn values (docs/decisions/0082-calls-drawn-from-counters.md).
"""
CHANCE = 0.9
"""That of an interval to hold the time."""
HABITS = (
    "whether a rank that goes back moves the same bytes again",
    "whether its jumps are regular",
    "whether ranks wait for each other in collective calls",
)
"""What samples differ in by the lowest bits of their seeds (``Habit.of``)."""
LEAST_MOVED = 0.02


@dataclass(frozen=True, slots=True)
class Family:
    """Elapsed times of a log's samples, by their number."""

    first: int
    """The seed of the first sample; that of the next one is larger by one."""
    elapsed_ns: tuple[int, ...]
    moving: float = 1.0
    """The part of the time of processes that is not computing."""
    on_drawn_ns: tuple[int, ...] = ()
    """Elapsed times of the samples on machines whose values are drawn from their ranges."""
    longest: Mapping[str, Any] = field(default_factory=dict)
    """``file`` and ``rank`` of the record whose calls took longest; rank -1: all share it."""
    records: int = 0
    """Records of the log: a file on a rank, or on all that share it."""
    wrong: int = 0
    """Those of which a counter could not be met in the sample that is shown."""

    @property
    def shown(self) -> int:
        """The number of the sample in the middle, which reports show."""
        return self.elapsed_ns.index(sorted(self.elapsed_ns)[(len(self.elapsed_ns) - 1) // 2])

    @property
    def interval(self) -> tuple[int, int]:
        """Between which times the job itself is with a chance of :data:`CHANCE`; ns."""
        return interval_of(self.elapsed_ns, DRAWING * self.moving)

    @property
    def on_real(self) -> tuple[int, int]:
        """Where it is on a machine that this one, with assumed values, stands for; ns."""
        return interval_of((*self.elapsed_ns, *self.on_drawn_ns), self.error)

    @property
    def error(self) -> float:
        """Standard error of the logarithm of a time that the samples do not show.

        >>> [round(Family(0, (1, 1), 1.0, drawn).error, 3) for drawn in ((), (1, 1))]
        [0.03, 0.451]
        """
        return math.hypot(DRAWING, MODEL if self.on_drawn_ns else 0.0) * self.moving

    def to_text(self) -> str:
        """State what is not in the log, and how much it changes the answer."""
        least, most = map(format_time, self.interval)
        text = (
            "The log has counters, but not the single calls:"
            f" {counted(len(self.elapsed_ns), 'sample')} of calls that have its counters take"
            f" {least} to {most} (nine of ten); shown is the one in the middle."
        )
        if self.on_drawn_ns:
            least, most = map(format_time, self.on_real)
            text += (
                f" On a real machine like this one it is {least} to {most}: with assumed values"
                f" from their ranges, and the error of the model on four logs ({MODEL:.0%})."
            )
        unmet = f" Of {self.wrong:,} of {self.records:,} records a counter is not met."
        return " ".join([text, *self._unsaid()]) + (unmet if self.wrong else "")

    def _unsaid(self) -> list[str]:
        """State what moves the answer most of what the log does not say, and how to record it."""
        file = self.longest.get("file")
        if file is None:
            return ["DXT_ENABLE_IO_TRACE=1 records the single calls."]
        rank = self.longest.get("rank", -1)
        of = file if rank < 0 else f"{file} within rank {rank}"
        moved = moves_most(self.elapsed_ns, self.first)
        said = [
            f"Not in the log: the order, the places and the times of the calls on {of}"
            " (DXT_ENABLE_IO_TRACE=1 records them)."
        ]
        if moved is not None:
            said.append(f"It moves the answer by {moved[1]:.0%} {moved[0]}.")
        return said

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "first_seed": self.first,
            "elapsed_s": [one / 1e9 for one in self.elapsed_ns],
            "interval_s": [one / 1e9 for one in self.interval],
            "on_drawn_machines_s": [one / 1e9 for one in self.on_drawn_ns],
            "on_real_s": [one / 1e9 for one in self.on_real] if self.on_drawn_ns else None,
            "longest": dict(self.longest),
            "shown": self.shown,
            "records": self.records,
            "unmet": self.wrong,
        }


def interval_of(times: Sequence[int], error: float) -> tuple[int, int]:
    """Return the interval that holds a further time with a chance of 90 %; ns.

    Logarithms of times are taken for normally distributed: mean +- t sqrt(s^2 (1 + 1/n) + e^2),
    with Student's t of n - 1 degrees of freedom, and ``error`` e of the logarithm beside.

    >>> interval_of([100, 110, 121], 0.0)
    (80, 151)
    """
    logs = [math.log(max(1, one)) for one in times]
    count = len(logs)
    mean = math.fsum(logs) / count
    square = math.fsum((one - mean) ** 2 for one in logs) / (count - 1) if count > 1 else 0.0
    half = _student(count - 1) * math.sqrt(square * (1 + 1 / count) + error**2)
    return round(math.exp(mean - half)), round(math.exp(mean + half))


def _student(freedom: int) -> float:
    """Return the 95 % quantile of Student's t, within 4 % from 2 degrees of freedom on.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.

    >>> round(_student(9), 2), round(_student(4), 2)
    (1.83, 2.13)
    """
    z = 1.6449
    if freedom < 1:
        return z
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def moves_most(times: Sequence[int], first: int) -> tuple[str, float] | None:
    """Return which habit of the program moves the answer most, in words, and by how much.

    It is the ratio of the mean times of the samples with and without it. None: by less than twice
    its standard error, or 2 %.
    """
    found: list[tuple[float, str]] = []
    for bit, words in enumerate(HABITS):
        sides: tuple[list[float], list[float]] = ([], [])
        for number, one in enumerate(times):
            sides[(first + number) >> bit & 1].append(math.log(max(1, one)))
        if min(map(len, sides)) < 2:
            return None
        means = [math.fsum(side) / len(side) for side in sides]
        squares = [
            math.fsum((one - mean) ** 2 for one in side) / (len(side) - 1) / len(side)
            for side, mean in zip(sides, means, strict=True)
        ]
        apart = abs(means[1] - means[0])
        if apart > max(LEAST_MOVED, 2 * math.sqrt(sum(squares))):
            found.append((apart, words))
    return (max(found)[1], math.expm1(max(found)[0])) if found else None


def noise_of(sample: ReplayOptions) -> int:
    """Return the seed of the machine's noise where its values are drawn: that of the sample."""
    return 1 + (sample.sample or 0)


def moving_of(result: Result) -> float:
    """Return the part of the time of processes, without waits for others, that is not computing."""
    masters = result.masters()
    busy = sum(one.elapsed_ns - one.idle_ns for one in masters)
    return 1 - sum(one.compute_ns for one in masters) / busy if busy > 0 else 1.0


def replay_samples(
    paths: Sequence[Path],
    machine: Machine,
    wanted: ReplayOptions,
    samples: int = SAMPLES,
    *,
    drawn: Sequence[Variants[Machine]] = (),
    progress: bool | None = None,
    spread: Spread = one_by_one,
    kept: dict[int, Replay] | None = None,
    **reading: Any,
) -> Replay:
    """Replay logs, or one store; of a log that has only counters the sample in the middle.

    ``spread`` carries out long work on samples, perhaps several at a time. ``kept`` gets those
    that are small. ``drawn``: the machine with values drawn from their ranges; each sample is
    replayed on one of them too. ``reading`` is what
    :func:`~simulator.replay.replay.replay` takes beside.
    """
    began = time.monotonic()
    first = APART * (wanted.seed or 0)
    wanted = replace(wanted, sample=first)
    done = replay(paths, machine, wanted, progress=progress, **reading)
    if "sample" not in done.about:  # The calls are those of the log.
        return done
    each_s, drawn = time.monotonic() - began, drawn[:samples]
    if wanted.said is not None and each_s * samples > SAID_S:
        runs = samples + len(drawn)
        wanted.said(f"{samples} samples of calls make {runs} runs, each of {each_s:.1f} s or less")
    quiet = replace(wanted, said=None)
    keeps = kept is not None and samples * len(done.placed.traced.table) <= MOST_KEPT

    def elapsed(number: int, one: Replay | None = None) -> list[int]:
        sample = replace(quiet, sample=first + number)
        one = one or replay(paths, machine, sample, brief=True, **reading)
        if keeps and kept is not None:
            kept[number] = one
        others = [placed.load(()) for placed in drawn[number : number + 1]]
        return [one.result.elapsed_ns, *(elapsed_on(one, other) for other in others)]

    times, moving = {0: elapsed(0, done)}, moving_of(done.result)
    if not keeps:
        del done  # Its calls take as much memory as those of another one.
    with progress_bar(samples, done=1, unit="sample", wanted=progress) as bar:
        for number, found in (one_by_one if keeps else spread)(elapsed, range(1, samples)):
            times[number] = found
            bar(1)
    each = [times[number] for number in range(samples)]
    on_drawn = [found[1] for found in each if len(found) > 1]
    family = Family(first, tuple(found[0] for found in each), moving, tuple(on_drawn))
    if family.shown or not keeps:
        quiet = replace(quiet, sample=first + family.shown)
        done = replay(paths, machine, quiet, **reading)
    about = done.about["sample"]
    longest = {key: about[key] for key in ("file", "rank") if key in about}
    family = replace(family, records=about["records"], wrong=about["wrong"], longest=longest)
    return replace(done, family=family)


def elapsed_on(sample: Replay, machine: Machine) -> int:
    """Return how long the calls of a sample take on another machine, with its noise; ns."""
    options = replace(sample.wanted, seed=noise_of(sample.wanted))
    placed = replace(sample.placed, wanted=options)
    return run_of(placed.plan(machine), options, record=False).elapsed_ns
