"""A scheduler's log in the Standard Workload Format: a line of 18 numbers for each job.

Columns, from 1: job, submit time, wait time, run time (s), processors, mean processor time (s),
memory used (KB a processor), processors, time (s) and memory asked for, status, user, group,
program, queue, partition, job before, think time. -1 is what is not known; a line that begins with
``;`` is a comment. Source: S. J. Chapin et al., "Benchmarks and standards for the evaluation of
parallel job schedulers", JSSPP 1999, and the Parallel Workloads Archive (version 2.2).
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from simulator.errors import InputError
from simulator.inputfile import open_input
from simulator.units import Nanoseconds, shown

COLUMNS = (
    *("job", "submit", "wait", "run", "processors", "cpu", "memory", "asked_processors"),
    *("asked_time", "asked_memory", "status", "user", "group", "program", "queue", "partition"),
    *("before", "think"),
)
SECOND = 10**9
KILOBYTE = 1024
LARGEST = 10**9
"""Seconds, processors and KB of a line at most: 31 years, and more than any machine has."""
LONGEST = 10_000
"""Bytes of a line."""
MOST_JOBS = 1_000_000
MOST_TOLD = 20
GZIP = b"\x1f\x8b"
"""How a packed log begins."""
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MARK = "\ufeff"
"""How a text in UTF-8 may begin."""
NO_TIME = "whose run time is not known (-1)"
NO_PROCESSORS = "whose processors are not known (-1)"


class JobLogError(InputError):
    """A log with mistakes in it: one for each line."""


def _cells() -> array[int]:
    return array("q")


@dataclass(slots=True)
class JobLog:
    """The jobs of a log that ran, in the order of their submission."""

    name: str
    digest: str = ""
    head: dict[str, str] = field(default_factory=dict)
    """What comments at the begin say, as ``MaxNodes: 240``."""
    lines: int = 0
    """Jobs of the file, those that are left out too."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Jobs that cannot be simulated, by the reason."""
    submit_ns: array[int] = field(default_factory=_cells)
    """After the first job of the file."""
    wait_ns: array[int] = field(default_factory=_cells)
    """-1: not recorded."""
    run_ns: array[int] = field(default_factory=_cells)
    requested_ns: array[int] = field(default_factory=_cells)
    """The run time if no time was asked for."""
    processors: array[int] = field(default_factory=_cells)
    memory: array[int] = field(default_factory=_cells)
    """Bytes a processor; 0 if nobody knows."""
    user: array[int] = field(default_factory=_cells)
    queue: array[int] = field(default_factory=_cells)
    partition: array[int] = field(default_factory=_cells)

    def __len__(self) -> int:
        return len(self.submit_ns)

    def rows(self, fits: Callable[[int], bool]) -> list[int]:
        """Return the rows that fit, in order."""
        return [row for row in range(len(self)) if fits(row)]


@lru_cache(maxsize=4)
def _read(path: str, _changed: int, _size: int) -> JobLog:
    """Read a file once for many variants."""
    with open_input(Path(path)) as raw:
        begin = raw.read(len(GZIP))
        if begin in UTF_16:
            raise JobLogError(f"{path}: this is UTF-16; write it as plain text (ASCII or UTF-8)")
        raw.seek(0)
        try:
            with gzip.open(raw) if begin == GZIP else io.BufferedReader(raw) as stream:
                return read_lines(_lines(stream.readline), path)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise JobLogError(f"{path}: this is no whole gzip file: {error}") from None


def _lines(readline: Callable[[int], bytes]) -> Iterator[str]:
    """Yield lines; of one that is too long for a job only its begin."""
    while line := readline(LONGEST):
        yield line.decode("utf-8", "surrogateescape")


def read_job_log(path: str | Path) -> JobLog:
    """Read a log. JobLogError if lines are wrong, InputError or OSError if it cannot be read."""
    status = Path(path).stat()
    return _read(str(path), status.st_mtime_ns, status.st_size)


def read_lines(lines: Iterator[str], path: str) -> JobLog:
    """Read the lines of a log; ``path`` is what messages call it.

    >>> log = read_lines(iter(["; MaxNodes: 2", "1 5 0 10 1 -1 -1 1 20 -1 1 3 1 1 1 1 -1 -1"]), "x")
    >>> log.head, list(log.run_ns), list(log.user), list(log.submit_ns)
    ({'MaxNodes': '2'}, [10000000000], [3], [0])
    """
    log, wrong, digest = JobLog(Path(path).name), list[str](), hashlib.sha256()
    rows: list[tuple[int, ...]] = []
    for number, line in enumerate(lines, 1):
        digest.update(line.encode("utf-8", "surrogateescape"))
        text = (line.removeprefix(MARK) if number == 1 else line).strip()
        if len(line) >= LONGEST:
            wrong.append(f"{path}:{number}: a line of {LONGEST:,} characters or more; is it a log?")
            break
        if text.startswith(";"):
            key, colon, value = text.lstrip("; ").partition(":")
            if colon and not rows:
                log.head.setdefault(key.strip(), value.strip())
        elif text:
            log.lines += 1
            if log.lines > MOST_JOBS:
                raise JobLogError(f"{path}: more than {MOST_JOBS:,} jobs; divide the file")
            try:
                row = _row(text)
            except ValueError as error:
                wrong.append(f"{path}:{number}: {error}")
                if len(wrong) == MOST_TOLD:
                    wrong.append(f"{path}: and perhaps more; mend these first")
                    break
                continue
            if isinstance(row, str):
                log.left_out[row] += 1
            else:
                rows.append(row)
    if wrong:
        raise JobLogError("\n".join(wrong))
    if not rows:
        raise JobLogError(f"{path}: no job with a run time; write lines of {len(COLUMNS)} numbers")
    _fill(log, rows)
    log.digest = digest.hexdigest()
    return log


def _row(text: str) -> tuple[int, ...] | str:
    """Return the numbers of a job that it is simulated with, or why it is left out."""
    words = text.split()
    if len(words) != len(COLUMNS):
        about = f"{len(words)} columns; the format has {len(COLUMNS)}"
        raise ValueError(f"{about}, with -1 for what is not known")
    values = {name: _number(name, word) for name, word in zip(COLUMNS, words, strict=True)}
    if values["submit"] < 0:
        raise ValueError("submit (column 2) is -1, and no job can be without; write its seconds")
    processors = int(max(values["processors"], 0) or max(values["asked_processors"], 0))
    if values["run"] < 0:
        return NO_TIME
    if not processors:
        return NO_PROCESSORS
    run = round(values["run"] * SECOND)
    asked, memory = values["asked_time"], max(values["asked_memory"], values["memory"], 0)
    return (
        round(values["submit"] * SECOND),
        round(values["wait"] * SECOND) if values["wait"] >= 0 else -1,
        run,
        round(asked * SECOND) if asked > 0 else max(run, 1),
        processors,
        round(memory * KILOBYTE),
        *(int(values[name]) for name in ("user", "queue", "partition")),
    )


def _number(name: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = float("nan")
    if not -1 <= value <= LARGEST:  # Not a number is neither.
        column = COLUMNS.index(name) + 1
        about = f"{name} (column {column}) is {shown(word)}; write a number from 0 to"
        raise ValueError(f"{about} {LARGEST:,}, or -1 if it is not known")
    return value


def _fill(log: JobLog, rows: list[tuple[int, ...]]) -> None:
    """Put the rows in order, and into columns; times count from the first."""
    rows.sort(key=lambda row: row[0])
    begin = rows[0][0]
    columns = (
        *(log.submit_ns, log.wait_ns, log.run_ns, log.requested_ns, log.processors, log.memory),
        *(log.user, log.queue, log.partition),
    )
    for column, values in zip(columns, zip(*rows, strict=True), strict=True):
        column.extend(values)
    for row, time in enumerate(log.submit_ns):
        log.submit_ns[row] = Nanoseconds(time - begin)


# -- what a command says and writes --------------------------------------------------------------


def waited_beside_room(log: JobLog, processors: int) -> float | None:
    """Return which part of the recorded waits had room: as many processors free as the job has.

    Free is what the log's own running jobs leave of all ``processors``. None if nobody waited.

    >>> head = ["1 0 0 100 3 -1 -1 3 100 -1 1 1 1 1 1 1 -1 -1"]  # It has three until 100 s.
    >>> wide = "2 10 120 10 2 -1 -1 2 10 -1 1 1 1 1 1 1 -1 -1"  # 90 s for room, 30 s for nothing
    >>> waited_beside_room(read_lines(iter([*head, wide]), "x"), 4)
    0.25
    """
    import numpy as np

    columns = (log.submit_ns, log.wait_ns, log.run_ns, log.processors)
    submit, wait, run, wide = (np.array(one, np.int64) for one in columns)
    start = submit + np.maximum(wait, 0)
    times = np.concatenate([start, start + run])
    order = np.argsort(times, kind="stable")
    times = times[order]
    free = processors - np.cumsum(np.concatenate([wide, -wide])[order])
    beside = 0.0
    for many in np.unique(wide[wait > 0]):
        here = (wide == many) & (wait > 0)
        has = np.concatenate([[True], free >= many])  # Before the first job starts all are free.
        room = np.concatenate([[0], np.cumsum(np.diff(times) * has[1:-1])])

        def until(moment: Any, has: Any = has, room: Any = room) -> Any:
            """Return the time with room from the first start on, below 0 before it."""
            at = np.searchsorted(times, moment, "right") - 1
            return room[np.maximum(at, 0)] + (moment - times[np.maximum(at, 0)]) * has[at + 1]

        beside += float((until(start[here]) - until(submit[here])).sum())
    whole = float(wait[wait > 0].sum())
    return beside / whole if whole else None


def summary_text(log: JobLog) -> str:
    """Say what a log has: jobs, users, times, and what is left out."""
    from simulator.wording import counted

    days = (max(log.submit_ns) / SECOND) / 86_400
    lines = [
        f"detected Standard Workload Format: {counted(log.lines, 'job')} in {days:,.1f} days,"
        f" {counted(len(set(log.user)), 'user')}, {counted(len(set(log.queue)), 'queue')},"
        f" at most {max(log.processors):,} processors"
    ]
    lines += [f"left out: {counted(many, 'job')} {why}" for why, many in log.left_out.items()]
    waits = [one for one in log.wait_ns if one >= 0]
    if waits:
        lines.append(f"recorded waits: mean {sum(waits) / len(waits) / SECOND / 3600:.2f} h")
        lines += _room(log)
    for key in ("MaxNodes", "MaxProcs"):
        if key in log.head:
            lines.append(f"{key}: {log.head[key]}")
    return "".join(f"{line}\n" for line in lines)


def _room(log: JobLog) -> Iterator[str]:
    """Say how much of the waits no policy that knows nodes and times alone can explain."""
    all_of = next((log.head[key] for key in ("MaxProcs", "MaxNodes") if key in log.head), "")
    beside = waited_beside_room(log, int(all_of)) if all_of.isdecimal() else None
    if beside is not None:
        yield (
            f"{beside:.1%} of the recorded waiting passed while the log's running jobs left as many"
            f" of {all_of} processors free as were waited for: limits of users, reservations or"
            " nodes that were down, which the log does not have, and a simulation does not either"
        ).replace("%", " %", 1)


def workload_text(log: JobLog, name: str, path: str) -> str:
    """Write a workload that submits the jobs of a log; ``path`` is the log's, beside it."""
    import json
    import re

    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "jobs"
    nodes, processors = (log.head.get(key, "") for key in ("MaxNodes", "MaxProcs"))
    each = 1
    if nodes.isdecimal() and processors.isdecimal() and int(nodes) and int(processors):
        each = max(1, int(processors) // int(nodes))
    jobs = f"{len(log):,} of {log.lines:,} jobs of {log.name}"
    return f"""# {jobs}: those with a run time and processors.
# For a machine whose nodes have a queue; reads and writes of each job can be added to its phases.
format: workload/2
name: {plain}
jobs:
- name: log
  log: {{file: {json.dumps(path)}, processors: {each}}}     # of the log on one node
  phases:
  - {{do: compute, of_run: 100 %}}
"""
