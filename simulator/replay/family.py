"""Replays of several samples of a log that has counters, but not the single calls.

Each sample has the counters of the log (:mod:`simulator.traces.sampled`). What differs between
their times is what the log does not say: the order of the calls within a rank, where they are in
a file, and when.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.progress import progress_bar
from simulator.replay.replay import Replay, replay
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.replay.replay import ReplayOptions

SAMPLES = 10
APART = 1000
"""Seeds of the samples of a seed are apart from those of the next one by this."""


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
        order = sorted(range(len(self.elapsed_ns)), key=self.elapsed_ns.__getitem__)
        return order[(len(order) - 1) // 2]

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
    **reading: Any,
) -> Replay:
    """Replay logs, or one store; of a log that has only counters the sample in the middle.

    ``reading`` is what :func:`~simulator.replay.replay.replay` takes beside.
    """
    first = APART * (wanted.seed or 0)
    wanted = replace(wanted, sample=first)
    done = replay(paths, machine, wanted, progress=progress, **reading)
    if "sample" not in done.about:  # The calls are those of the log.
        return done
    times = [done.result.elapsed_ns]
    quiet = replace(wanted, said=None)
    with progress_bar(samples, done=1, unit="sample", wanted=progress) as on:
        for number in range(1, samples):
            one = replay(paths, machine, replace(quiet, sample=first + number), **reading)
            times.append(one.result.elapsed_ns)
            on(1)
    family = Family(first, tuple(times))
    if family.shown:
        quiet = replace(quiet, sample=first + family.shown)
        done = replay(paths, machine, quiet, **reading)
    about = done.about["sample"]
    family = replace(family, records=about["records"], wrong=about["wrong"])
    return replace(done, family=family)
