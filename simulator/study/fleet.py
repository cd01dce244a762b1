"""Many logs: each in a row, with what its best cure would give back at the site.

Logs are read in processes side by side, and then replayed with their cures, those with most I/O
first, each within a limit of processor time. A log that cannot be read is a row with its reason,
also if its process is killed. What is done is kept in a store, by the bytes of the log, so that the
same command goes on after an interrupt.

*Given back at the site*: the seconds that a job takes less, for each of the processes that it has
at a time on the average (a Darshan log: for each rank). Where the replay takes longer than the job
did, as much less than they are: the site's own storage is faster than the simulated one. Of a
Darshan log at most its time in I/O, which is all that a cure of I/O can give back.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.errors import InputError
from simulator.inputfile import open_input
from simulator.progress import progress_bar
from simulator.replay.within import Saving, best_cure, grown
from simulator.study.processes import map_in_processes
from simulator.study.results import Saving as Storing
from simulator.traces import darshan_server
from simulator.traces.errors import UnknownFormatError
from simulator.traces.record import BESIDE
from simulator.traces.reports.brief import Brief, brief_of

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.variants import Variants
    from simulator.replay.replay import ReplayOptions
    from simulator.study.results import Results

_PART = re.compile(r"(.*)\.[0-9]+")
"""The name of one of the files of strace -ff."""
_BLOCK = 1 << 20
LARGE = 240_000_000
"""Bytes that a process has grown by from which on another one reads the next log."""
KILLED = "its process was killed; perhaps for want of memory"


@dataclass(frozen=True, slots=True)
class Log:
    """A log of a folder: one file, or those of one strace -ff."""

    name: str
    """Within the folder."""
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """How the cures of logs are tried."""

    variants: Variants[Machine]
    wanted: ReplayOptions
    limit_s: float
    """Processor time for each log."""
    samples: int
    """Samples of a log that has counters only, at most."""
    machine: str
    """The name of the machine."""
    settings: tuple[tuple[str, str], ...] = ()
    within_s: float = math.inf
    """Time after which no further log is begun."""

    @property
    def key(self) -> str:
        """Everything that its savings follow from."""
        text = repr((self.variants.text, self.settings, self.wanted, self.limit_s, self.samples))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Row:
    """A log, read and replayed as far as that can be done."""

    log: str
    brief: Brief | None = None
    reason: str = ""
    """Why it cannot be read; empty: it was."""
    foreign: bool = False
    """Whether it is no log at all."""
    saving: Saving | None = None

    @property
    def site_ns(self) -> int | None:
        """The processes' time that the best cure gives back; None: it is not known."""
        brief, saving = self.brief, self.saving
        if brief is None or saving is None or saving.saves_ns is None:
            return None
        took, replayed = brief.elapsed_ns, saving.replayed_ns
        part = min(1.0, took / replayed) if took and replayed else 1.0
        given = round(saving.saves_ns * part * (1.0 if brief.wide is None else brief.wide))
        bounded = brief.io_ns is not None and brief.format == "darshan"
        return min(given, brief.io_ns or 0) if bounded else given


@dataclass(frozen=True, slots=True)
class Fleet:
    """The rows of a folder: what gives back most first, then by their time in I/O."""

    folder: Path
    rows: list[Row]
    trial: Trial | None = None
    stored: int = 0
    """Answers that were in the store."""
    foreign: list[str] = field(default_factory=list)
    """Files that are no logs."""


def logs_in(folder: Path, pattern: str = "*") -> list[Log]:
    """Return the logs in a folder and its folders, by name; InputError if there is no file."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no folder; name one with logs")
    names: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob(pattern)):
        name = str(path.relative_to(folder))
        hidden = any(part.startswith(".") for part in Path(name).parts)
        if not hidden and path.is_file() and not name.endswith(BESIDE):
            names.setdefault(name, []).append(path)
    for name in [*names]:
        if (part := _PART.fullmatch(name)) is not None:
            names.setdefault(f"{part[1]}.*", []).extend(names.pop(name))
    logs = [
        Log(str(paths[0].relative_to(folder)) if len(paths) == 1 else name, tuple(paths))
        for name, paths in names.items()
    ]
    if not logs:
        raise InputError(f"{folder}: no file is there that matches {pattern!r}")
    return sorted(logs, key=lambda log: log.name)


def read_fleet(
    folder: Path,
    logs: Sequence[Log],
    trial: Trial | None = None,
    *,
    lenient: bool = False,
    jobs: int = 1,
    results: Results | None = None,
    progress: bool | None = None,
    said: Callable[[str], None] = lambda _line: None,
) -> Fleet:
    """Read logs, and try their cures, ``jobs`` at a time; see the module."""
    work = _Work(jobs, results, progress, said)
    rows = dict.fromkeys((log.name for log in logs), Row(""))
    keys = {log.name: f"{_digest(log)} fleet lenient={lenient}" for log in logs}
    for log, answer in work.answers(_Read(lenient=lenient), logs, lambda log: keys[log.name]):
        brief = answer.pop("brief", None)
        known = None if brief is None else Brief(**brief)
        rows[log.name] = Row(log.name, known, **answer)
    if trial is not None:
        busy = sorted(logs, key=lambda log: -_io(rows[log.name]))
        tried = [log for log in busy if rows[log.name].brief is not None]
        cure = _Cure(trial, lenient=lenient)
        late = Saving(f"not tried: the {trial.within_s:g} s for all logs are over (--within)")
        for log in tried:
            rows[log.name] = replace(rows[log.name], saving=late)
        for log, answer in work.answers(cure, tried, lambda log: f"{keys[log.name]} {trial.key}"):
            rows[log.name] = replace(rows[log.name], saving=Saving(**answer))
    found = sorted(rows.values(), key=_rank)
    foreign = [row.log for row in found if row.foreign]
    return Fleet(folder, [row for row in found if not row.foreign], trial, work.stored, foreign)


def _io(row: Row) -> int:
    return (row.brief.io_ns or 0) if row.brief is not None else 0


def _rank(row: Row) -> tuple[Any, ...]:
    """Return what rows are sorted by: broken ones are last."""
    site = row.site_ns
    return row.brief is None, site is None, -(site or 0), -_io(row), row.log


def _digest(log: Log) -> str:
    """Return the digest of a log's bytes, and of the record beside it."""
    digest = hashlib.sha256()
    for path in log.paths:
        for one in (path, path.with_name(f"{path.name}{BESIDE}")):
            try:
                with open_input(one) as file:
                    while block := file.read(_BLOCK):
                        digest.update(block)
            except (OSError, InputError):
                digest.update(str(one).encode())
    return digest.hexdigest()


# -- side by side ----------------------------------------------------------------------------------


class _Work:
    """Processes that answer for each of many logs, and the store of their answers."""

    def __init__(
        self,
        jobs: int,
        results: Results | None,
        progress: bool | None,
        said: Callable[[str], None],
    ) -> None:
        self.stored = 0
        self._jobs, self._results = jobs, results
        self._progress, self._said = progress, said

    def answers(
        self,
        work: _Read | _Cure,
        logs: Sequence[Log],
        key: Callable[[Log], str],
    ) -> Iterator[tuple[Log, dict[str, Any]]]:
        """Yield each log and its answer, those of the store first."""
        known = {} if self._results is None else self._results.get(map(key, logs))
        left = [log for log in logs if key(log) not in known]
        self.stored += len(logs) - len(left)
        for log in logs:
            if key(log) in known:
                yield log, known[key(log)]
        if not left:
            return
        if self._results is not None:
            self._results.close()  # A connection must not cross a fork.
        jobs = min(self._jobs, len(left))
        begun = begun_within(work.within_s, left)
        made = map_in_processes(work, begun, jobs, ahead=1, lost=work.lost, spent=is_large)
        done = len(logs) - len(left)
        with (
            progress_bar(len(logs), done=done, unit=work.unit, wanted=self._progress) as on,
            Storing(self._results, self._said) as storing,
        ):
            for log, answer in made:
                storing.add([(key(log), json.dumps(answer))])
                on(1)
                yield log, answer


def begun_within(seconds: float, logs: Iterable[Log]) -> Iterator[Log]:
    """Yield logs as they are asked for, until so many seconds are over."""
    end = time.monotonic() + seconds
    for log in logs:
        if time.monotonic() > end:
            return
        yield log


@dataclass(frozen=True, slots=True)
class _Read:
    """Reads a log."""

    lenient: bool
    unit: str = "log"
    within_s: float = math.inf

    def __call__(self, log: Log) -> dict[str, Any]:
        """Return the log's figures, or why there are none."""
        darshan_server.keep()
        try:
            return {"brief": brief_of(log.paths, lenient=self.lenient).to_record()}
        except UnknownFormatError as error:
            return {"reason": reason_of(error, log), "foreign": True}
        except Exception as error:  # noqa: BLE001 - a broken log is a row
            return {"reason": reason_of(error, log)}

    def lost(self, _log: Log) -> dict[str, Any]:
        """Return the answer of a log that has killed its process."""
        return {"reason": KILLED}


@dataclass(frozen=True, slots=True)
class _Cure:
    """Tries the cures of a log."""

    trial: Trial
    lenient: bool
    unit: str = "replayed log"

    @property
    def within_s(self) -> float:
        """Time after which no further log is begun."""
        return self.trial.within_s

    def __call__(self, log: Log) -> dict[str, Any]:
        """Return what the best cure saves."""
        darshan_server.keep()
        trial = self.trial
        try:
            found = best_cure(
                log.paths,
                trial.variants,
                trial.wanted,
                limit_s=trial.limit_s,
                samples=trial.samples,
                lenient=self.lenient,
            )
        except Exception as error:  # noqa: BLE001 - a broken log is a row
            found = Saving(f"not tried: {type(error).__name__}: {error}")
        return found.to_record()

    def lost(self, _log: Log) -> dict[str, Any]:
        """Return the answer of a log that has killed its process."""
        return Saving(f"not tried: {KILLED}").to_record()


def reason_of(error: Exception, log: Log) -> str:
    """Return why a log cannot be read, without the name of its file, which the row has."""
    text = str(error) or type(error).__name__
    for path in log.paths:
        text = text.removeprefix(f"{path}: ")
        if text.startswith(f"{path}:"):
            text = f"line {text.removeprefix(f'{path}:')}"
    return text


def is_large() -> bool:
    """Return whether this process keeps so much memory that the next log has too little."""
    return grown() > LARGE


def total_ns(rows: Iterable[Row]) -> int:
    """Return what the best cures of all rows give back."""
    return sum(row.site_ns or 0 for row in rows)
