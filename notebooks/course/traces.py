"""Lesson 6: traces and cures: a job of today, and a program of the SS-ken report (2015)."""

from __future__ import annotations

import functools
import gzip
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import nwtsim

from . import strace
from .chart import Chart, Point
from .exercises import Exercise, Lesson, Numbers, Said
from .ssken import superk
from .strace import Call

if TYPE_CHECKING:
    from nwtsim import Result

DATA = Path(__file__).resolve().parents[1] / "data"
"""Logs that were recorded in November 2026: ``job``, and ``cured``, with a larger buffer."""
JOB = "/home/student/job"
"""Where the job began. No log says it."""
RESULT = f"{JOB}/result.dat"
STEP_MS = 2
"""Interval of the pictures over time."""
KINDS = {"read": "read", "write": "write", "lseek": "seek", "openat": "open", "close": "close"}
"""Calls that a simulated process makes, and what they are named there."""
WORKLOAD = """
format: workload/2
name: model
jobs: [{{name: model, calls: {{file: calls.csv{how}}}}}]
"""


def lesson(student: str) -> Lesson:
    """Return the exercises, with numbers that belong to this name."""
    return Lesson("traces", student, EXERCISES)


# -- the log ----------------------------------------------------------------------------------


@functools.cache
def lines(name: str = "job") -> tuple[str, ...]:
    """Return the lines of a log."""
    with gzip.open(DATA / f"{name}.strace.gz", "rt", encoding="utf-8", errors="replace") as file:
        return tuple(file.read().splitlines())


@functools.cache
def log(name: str = "job") -> tuple[Call, ...]:
    """Return the calls of a log."""
    return tuple(strace.read(lines(name), JOB))


def some(word: str, after: str = "", count: int = 9) -> Said:
    """Show the first lines that have a word, after one that has another, shortened."""
    begin = next(place for place, one in enumerate(lines()) if after in one)
    found = [one for one in lines()[begin:] if word in one]
    return Said("\n".join(one if len(one) < 90 else f"{one[:86]} ..." for one in found[:count]))


def model(name: str = "job") -> list[Call]:
    """Return the calls of the model, the process that writes the result."""
    pid = next(one.pid for one in log(name) if one.file == RESULT)
    return [one for one in log(name) if one.pid == pid]


def of(name: str, file: str, log_name: str = "job") -> list[Call]:
    """Return the calls of a kind on a file of the job."""
    return [one for one in log(log_name) if one.name == name and one.file == f"{JOB}/{file}"]


# -- five reports -----------------------------------------------------------------------------


def summary(by_file: bool = False, top: int = 8) -> Said:
    """Show number, errors, time and bytes of the calls, by kind, or by kind and file of the job."""
    groups: dict[str, list[Call]] = {}
    for one in log():
        if not by_file:
            groups.setdefault(one.name, []).append(one)
        elif (one.file or "").startswith(f"{JOB}/"):
            groups.setdefault(f"{one.name:10} {Path(one.file or '').name}", []).append(one)
    rows = [f"{'call':24}  calls  errors         ms          bytes"]
    for name, calls in sorted(groups.items(), key=lambda one: -_ms(one[1]))[:top]:
        errors, moved = sum(bool(one.error) for one in calls), sum(one.size for one in calls)
        rows.append(f"{name:24}  {len(calls):5}  {errors:6}  {_ms(calls):9.3f}  {moved:13,}")
    return Said("\n".join(rows))


def _ms(calls: Iterable[Call]) -> float:
    return sum(one.took_ns for one in calls) / 1e6


def sizes() -> Said:
    """Show reads and writes of the job's files by their length, in powers of two."""
    counts: dict[str, Counter[int]] = {"read": Counter(), "write": Counter()}
    for one in log():
        if one.name in counts and (one.file or "").startswith(f"{JOB}/") and one.size:
            counts[one.name][(one.size - 1).bit_length()] += 1
    rows = ["      from         to   reads  writes"]
    for power in sorted(counts["read"] | counts["write"]):
        low = 2 ** (power - 1) + 1
        both = "  ".join(f"{counts[name][power]:6}" for name in counts)
        rows.append(f"{low:10,} {2**power:10,}  {both}")
    return Said("\n".join(rows))


def lengths() -> Chart:
    """Draw which share of the writes of the result, and of their bytes, is how short."""
    calls = of("write", "result.dat")
    known = sorted({one.size for one in calls})
    count, moved = len(calls), sum(one.size for one in calls)
    up_to = {size: [one.size for one in calls if one.size <= size] for size in known}
    curves: dict[str, list[Point]] = {
        "of the calls": [(size, 100 * len(found) / count) for size, found in up_to.items()],
        "of the bytes": [(size, 100 * sum(found) / moved) for size, found in up_to.items()],
    }
    title = f"Of {count} calls that write {moved:,} bytes two thirds have 4 or 8 bytes"
    return Chart(title, "bytes of a call, at most", "percent", curves)


def calls() -> Chart:
    """Draw the calls that began in each interval."""
    curves = {
        "succeeded": _by_time(lambda one: not one.error),
        "failed": _by_time(lambda one: bool(one.error)),
    }
    title = "Calls per interval: programs look for their files when they start"
    return Chart(title, f"ms, intervals of {STEP_MS}", "calls", curves, even=True)


def rate() -> Chart:
    """Draw the MB/s that were read and written in each interval."""
    curves = {
        name: [(at, moved / STEP_MS / 1e3) for at, moved in found]
        for name, found in (
            ("reads", _by_time(lambda one: one.size * (one.name in strace.READS))),
            ("writes", _by_time(lambda one: one.size * (one.name in strace.WRITES))),
        )
    }
    title = "Bytes per interval: the model writes for 18 of 48 ms"
    return Chart(title, f"ms, intervals of {STEP_MS}", "MB/s", curves, even=True)


def _by_time(value: Callable[[Call], float]) -> list[Point]:
    """Add up a value of the calls that began in each interval."""
    last = max(one.begin_ns for one in log())
    step = STEP_MS * 10**6
    sums = [0.0] * (last // step + 1)
    for one in log():
        sums[one.begin_ns // step] += value(one)
    return [(STEP_MS * (place + 0.5), number) for place, number in enumerate(sums)]


def offsets() -> Chart:
    """Draw where in its files the model reads and writes, over time."""
    curves = {
        "writes of result.dat": of("write", "result.dat"),
        "reads of boundary.dat": of("read", "boundary.dat"),
    }
    made = {
        name: [(one.begin_ns / 1e6, (one.offset or 0) / 1e6) for one in found]
        for name, found in curves.items()
    }
    title = "The result is written from begin to end, and the boundary values are read five times"
    return Chart(title, "ms", "place in the file, MB", made, even=True)


def went_back(name: str = "job") -> int:
    """Count the writes of the result that begin before the end of what was written."""
    found, end = 0, 0
    for one in of("write", "result.dat", name):
        found += (one.offset or 0) < end
        end = max(end, (one.offset or 0) + one.size)
    return found


# -- the same calls on another machine ----------------------------------------------------------


def table(chosen: Iterable[Call]) -> str:
    """Return the calls on files of the job as a table of calls that a workload can have."""
    made = [one for one in chosen if _is_made(one)]
    return "\n".join(["client,do,file,offset,size,gap_ns", *_files(made), *_rows(made), ""])


def _is_made(one: Call) -> bool:
    return one.name in KINDS and not one.error and (one.file or "").startswith(f"{JOB}/")


def _files(made: list[Call]) -> Iterator[str]:
    """Yield the files: their bytes before the job, and the most that they have."""
    for file in dict.fromkeys(one.file for one in made):
        moves = [one for one in made if one.file == file and one.size]
        most = max(((one.offset or 0) + one.size for one in moves), default=0)
        before = 0 if any(one.name == "write" for one in moves) else most
        yield f",file,{file},{before},{most},"


def _rows(made: list[Call]) -> Iterator[str]:
    """Yield the calls, each with the time since the one before it ended."""
    yield "model,start,,0,,0"
    end, written = made[0].begin_ns, set()
    for one in made:
        gap, end = one.begin_ns - end, one.begin_ns + one.took_ns
        place = one.offset if one.offset is not None else ""
        size: int | str = one.size if one.name in ("read", "write") else ""
        if one.name == "write":
            written.add(one.file)
        if one.name == "close" and one.file in written:
            size = 1
        yield f"model,{KINDS[one.name]},{one.file},{place},{size},{gap}"


def replay(name: str = "job", buffer_MB: float | None = None, skip: str = "") -> Result:
    """Simulate the calls of the model on the NWT.

    ``buffer_MB``: a library gathers them in a buffer; ``skip``: what reads this file again is
    left out.
    """
    return _replayed(name, buffer_MB, skip)


@functools.cache
def _replayed(name: str, buffer_MB: float | None, skip: str) -> Result:
    """Simulate them once: the lesson and the exercises ask for the same runs."""
    chosen, seen = [], 0
    for one in model(name):
        if skip and one.file == f"{JOB}/{skip}":
            seen += one.name == "openat"
            if seen > 1:
                continue
        chosen.append(one)
    how = f", buffer: {buffer_MB} MB" if buffer_MB else ""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "calls.csv").write_text(table(chosen), "utf-8")
        workload = Path(folder) / "model.yaml"
        workload.write_text(WORKLOAD.format(how=how), "utf-8")
        return nwtsim.run("nwt", workload)


def cures() -> Said:
    """Compare what the calls take on the NWT with what they take after each cure."""
    ways = {
        "as traced": replay(),
        "boundary read once": replay(skip="boundary.dat"),
        "a buffer of 1 MB": replay(buffer_MB=1),
        "a buffer of 16 MB": replay(buffer_MB=16),
        "traced with 1 MiB": replay("cured"),
    }
    return Said("\n".join(f"{name:20} {one.elapsed_s:6.3f} s" for name, one in ways.items()))


# -- exercises --------------------------------------------------------------------------------


def short(numbers: Numbers) -> int:
    """Count short writes in the log until a moment."""
    until = numbers["ms"] * 10**6
    return sum(one.size <= 8 and one.begin_ns < until for one in of("write", "result.dat"))


def slowed(numbers: Numbers) -> float:
    """Compute what a tracer adds to the model, by the calls that the model makes; ms."""
    return len(model()) * numbers["us"] / 1000


def buffered(numbers: Numbers) -> float:
    """Simulate the model on the NWT with a buffer; seconds."""
    return replay(buffer_MB=numbers["MB"]).elapsed_s


def costly(numbers: Numbers) -> float:
    """Simulate Super-Kamiokande's program where a call costs something else; seconds."""
    return superk(call_us=numbers["us"])


def bought(numbers: Numbers) -> float:
    """Simulate it with a faster file system; by how many percent the calls take less."""
    return 100 * (1 - superk(rate=numbers["times"]) / superk())


EXERCISES = (
    Exercise(
        "How many writes of result.dat began within the first {ms} ms of the log, and have at most"
        " 8 bytes?",
        "calls",
        "traces.of('write', 'result.dat') are its writes; each has .begin_ns, in nanoseconds since"
        " the log began, and .size. Count those you want: sum(... for one in ...).",
        "In the log: {answer}. For each record there are two: its length, after a seek back, and"
        " behind the record the length again, with zeros for that of the next.",
        lambda rng: {"ms": rng.randrange(20, 36)},
        short,
    ),
    Exercise(
        "A tracer adds {us} us to each call. How many milliseconds does it add to the model?",
        "ms",
        "len(traces.model()) are the model's calls, whatever they do.",
        "Computed: {answer}, by {us} us for each of its calls. 'nwtsim trace record'"
        " measures this on the machine, and a replay takes it out.",
        lambda rng: {"us": rng.choice((5, 8, 12, 15, 20, 25, 30, 40))},
        slowed,
        relative=0.02,
    ),
    Exercise(
        "How many seconds do the model's calls take on the NWT if its library has a buffer of {MB}"
        " MB?",
        "s",
        "traces.replay(buffer_MB={MB}).elapsed_s simulates it. How many of the 20 records fit into"
        " the buffer, and how often does a length have to be rewritten on the disk?",
        "Simulated: {answer}. Where a buffer was written before the end of a record, the record's"
        " length is in it, and is rewritten; the program then waits for the disk.",
        lambda rng: {"MB": rng.choice((0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8))},
        buffered,
        relative=0.05,
    ),
    Exercise(
        "On another computer each call of Super-Kamiokande's program costs {us} us of the processor"
        " (9.7 in the report). How many seconds do its calls take before the change?",
        "s",
        "There are 1,583,552 records with five calls each. ssken.superk(call_us={us}) simulates"
        " it.",
        "Simulated: {answer}. Five times 1,583,552 calls of {us} us, and the copying of 26 GB.",
        lambda rng: {"us": rng.choice((2, 3, 4, 5, 6, 7, 8, 12, 14))},
        costly,
        relative=0.05,
    ),
    Exercise(
        "By how many percent is the time of these calls shorter if the file system is {times} times"
        " as fast?",
        "percent",
        "How many of the 26 GB come from the file system, if the file has 500 MB?"
        " ssken.superk(rate={times}) simulates it.",
        "Simulated: {answer}. The file comes from the file system once, and then from memory: what"
        " takes long is the number of calls.",
        lambda rng: {"times": rng.choice((2, 3, 4, 5, 8, 10, 20))},
        bought,
        absolute=0.5,
    ),
)
