"""What the best cure of a traced program saves, as far as a time limit allows to simulate it.

Every saving is the difference of two replays. Of a log with counters only, changes are run on as
many samples as there is time for, and one counts that saves time in nine of ten of them.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.answers.ranking import advise, ranked
from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.plan.errors import SimulationError
from simulator.replay.advice import findings_in, program_of
from simulator.replay.confirmed import HELPS, MOST_CHECKED, same_change
from simulator.replay.replay import replay
from simulator.replay.tracejob import job_of
from simulator.wording import brief_size

if TYPE_CHECKING:
    from simulator.answers.advise import Advice
    from simulator.config.machine_file import Machine
    from simulator.config.variants import Variants
    from simulator.replay.replay import Replay, ReplayOptions

MOST_MEMORY = 400_000_000
"""Bytes that a process may have more than before its first log, its libraries among them."""
_FIRST: dict[int, int] = {}
"""Bytes of a process, by its number, before its first log."""
_EVERY_S = 0.1


@dataclass(frozen=True, slots=True)
class Saving:
    """What the best cure of a log saves on a machine; times in ns."""

    note: str = ""
    """Why nothing was simulated; empty: it was."""
    replayed_ns: int | None = None
    """The job as it is."""
    saves_ns: int | None = None
    """None: nothing was simulated, or not to its end; 0: no cure is worth it."""
    pattern: str = ""
    found: str = ""
    how: str = ""
    """The pattern that is cured, in words, and the cure."""
    samples: int = 0
    """Samples of calls on which it was run; 0: the log has the calls."""
    helped: int = 0
    """Those in which it saves time."""
    untried: int = 0
    """Findings that there was no time for."""

    def to_record(self) -> dict[str, Any]:
        """Return the fields, as JSON has them."""
        return asdict(self)


class BeyondLimitError(BaseException):
    """The time or memory for a log is used up; ``str()`` says which."""


@contextmanager
def limited(limit_s: float, memory: int = MOST_MEMORY) -> Iterator[None]:
    """Raise BeyondLimitError once the work within takes too much processor time, or memory.

    Where there is no SIGALRM it may take what it takes.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    grown()
    end_s = time.process_time() + limit_s

    def look(_number: int, _frame: object) -> None:
        if time.process_time() > end_s:
            raise BeyondLimitError(f"it takes more than {limit_s:g} s")
        if grown() > memory:
            raise BeyondLimitError(f"it takes more than {brief_size(memory)} of memory")

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _EVERY_S, _EVERY_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def grown() -> int:
    """Return how many bytes this process has more than at the first call; 0: it is not known."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    now = int(pages) * os.sysconf("SC_PAGE_SIZE")
    return now - _FIRST.setdefault(os.getpid(), now)


@dataclass(slots=True)
class _Work:
    """What was simulated of a log so far."""

    first: Replay | None = None
    good: list[Advice] | None = None
    """Advice of the findings that were tried; None: none was."""
    untried: int = 0
    bases: list[int] | None = None
    """Times of samples as they are; None: the log has the calls."""
    times: list[list[int]] | None = None
    """Of each advice that is run on all samples, its time in each."""


def best_cure(
    paths: Sequence[Path],
    variants: Variants[Machine],
    wanted: ReplayOptions,
    *,
    limit_s: float,
    samples: int,
    lenient: bool = False,
) -> Saving:
    """Replay logs, or one store, and what would cure it, within a time limit."""
    work = _Work()
    try:
        with limited(limit_s):
            _simulate(work, paths, variants, wanted, samples, lenient=lenient)
    except BeyondLimitError as end:
        if not work.good and (work.good is None or work.untried):
            return _saving(work, f"not tried: {end}")
    except (InputError, ConfigError, SimulationError, MemoryError) as error:
        return Saving(f"not tried: {str(error) or type(error).__name__}")
    return _saving(work)


def _simulate(
    work: _Work,
    paths: Sequence[Path],
    variants: Variants[Machine],
    wanted: ReplayOptions,
    samples: int,
    *,
    lenient: bool,
) -> None:
    machine = variants.load(())
    wanted = replace(wanted, said=None)
    done = work.first = replay(paths, machine, wanted, lenient=lenient)
    job, findings = job_of(done, variants, ()), findings_in(program_of(done, done.placed, machine))
    work.untried = len(findings)
    work.bases = [done.result.elapsed_ns] if "sample" in done.about else None
    for one in findings:
        advised = advise(job, [one], together=False)
        work.good = [*(work.good or ()), *advised.advice]
        work.untried -= 1
    work.good = ranked(work.good or (), done.result.elapsed_ns)[:MOST_CHECKED]
    if work.bases is None:
        return
    work.times = [[one.elapsed_ns] for one in work.good]
    for number in range(1, samples if work.good else 0):
        seed = (wanted.sample or 0) + number
        other = replay(paths, machine, replace(wanted, sample=seed), lenient=lenient, brief=True)
        base = other.result.elapsed_ns
        there = findings_in(program_of(other, other.placed, machine)) if work.good else ()
        job = job_of(other, variants, ())
        found = [same_change(job, there, one) for one in work.good]
        work.bases.append(base)
        for times, ran in zip(work.times, found, strict=True):
            times.append(base if ran is None else ran)


def _saving(work: _Work, note: str = "") -> Saving:
    """Return what is known when the work ends."""
    if work.first is None:
        return Saving(note)
    base = work.first.result.elapsed_ns
    bases = work.bases or [base]
    known = Saving(note, middle(bases), untried=work.untried, samples=len(work.bases or ()))
    if note:
        return known
    best = replace(known, saves_ns=0)
    for number, one in enumerate(ranked(work.good or (), base)):
        times = [one.elapsed_ns] if work.times is None else work.times[number]
        saved = [was - now for was, now in zip(bases, times, strict=False)]
        helped = sum(ns > 0 for ns in saved)
        if helped >= HELPS * len(saved) and middle(saved) > (best.saves_ns or 0):
            best = replace(
                known,
                saves_ns=middle(saved),
                pattern=one.finding.pattern,
                found=one.finding.found,
                how=one.cure.how,
                helped=helped,
            )
    return best


def middle(values: Sequence[int]) -> int:
    """Return the value in the middle, of two the smaller.

    >>> middle([3, 1, 2]), middle([4, 1])
    (2, 1)
    """
    return sorted(values)[(len(values) - 1) // 2]
