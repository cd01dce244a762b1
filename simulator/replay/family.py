"""Replays of several samples of a log that has counters, but not the single calls.

Each sample has the counters of the log (:mod:`simulator.traces.sampled`). What differs between
their times is what the log does not say: the order of the calls within a rank, where they are in
a file, and when.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from simulator.progress import progress_bar
from simulator.replay.replay import Replay, replay
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.replay.replay import ReplayOptions

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


@dataclass(frozen=True, slots=True)
class Family:
    """Elapsed times of a log's samples, by their number."""

    first: int
    """The seed of the first sample; that of the next one is larger by one."""
    elapsed_ns: tuple[int, ...]
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
        """The shortest and the longest time."""
        return min(self.elapsed_ns), max(self.elapsed_ns)

    def to_text(self) -> str:
        """State what is not in the log, and how much it changes the answer."""
        least, most = map(format_time, self.interval)
        unmet = f" Of {self.wrong:,} of {self.records:,} records a counter is not met."
        text = (
            "The log has counters, but not the single calls:"
            f" {counted(len(self.elapsed_ns), 'sample')} of calls that have its counters take"
            f" {least} to {most}; shown is the one in the middle. Not in the log: the order of a"
            " rank's calls, their places and times (DXT_ENABLE_IO_TRACE=1 records them)."
        )
        return text + unmet if self.wrong else text

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "first_seed": self.first,
            "elapsed_s": [one / 1e9 for one in self.elapsed_ns],
            "shown": self.shown,
            "records": self.records,
            "unmet": self.wrong,
        }


def replay_samples(
    paths: Sequence[Path],
    machine: Machine,
    wanted: ReplayOptions,
    samples: int = SAMPLES,
    *,
    progress: bool | None = None,
    spread: Spread = one_by_one,
    kept: dict[int, Replay] | None = None,
    **reading: Any,
) -> Replay:
    """Replay logs, or one store; of a log that has only counters the sample in the middle.

    ``spread`` carries out long work on samples, perhaps several at a time. ``kept`` gets those
    that are small. ``reading`` is what :func:`~simulator.replay.replay.replay` takes beside.
    """
    began = time.monotonic()
    first = APART * (wanted.seed or 0)
    wanted = replace(wanted, sample=first)
    done = replay(paths, machine, wanted, progress=progress, **reading)
    if "sample" not in done.about:  # The calls are those of the log.
        return done
    each_s = time.monotonic() - began
    times, quiet = {0: done.result.elapsed_ns}, replace(wanted, said=None)
    if wanted.said is not None and each_s * samples > SAID_S:
        wanted.said(f"{samples} samples of calls are replayed, each in {each_s:.1f} s or less")
    keeps = kept is not None and samples * len(done.placed.traced.table) <= MOST_KEPT

    def elapsed(number: int) -> int:
        one = replay(paths, machine, replace(quiet, sample=first + number), brief=True, **reading)
        if keeps and kept is not None:
            kept[number] = one
        return one.result.elapsed_ns

    with progress_bar(samples, done=1, unit="sample", wanted=progress) as on:
        for number, found in (one_by_one if keeps else spread)(elapsed, range(1, samples)):
            times[number] = found
            on(1)
    family = Family(first, tuple(times[number] for number in range(samples)))
    if keeps and kept is not None:
        kept[0] = done
    if family.shown:
        quiet = replace(quiet, sample=first + family.shown)
        done = replay(paths, machine, quiet, **reading)
    about = done.about["sample"]
    family = replace(family, records=about["records"], wrong=about["wrong"])
    return replace(done, family=family)
