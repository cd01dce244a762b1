"""Bytes over time of each process, or file: of single calls, HEATMAP, or first and last times.

A Darshan log without DXT has the bytes of each rank in intervals (HEATMAP, of Darshan 3.4 and
later), and of each file its bytes and when the first and the last read and write were: these are
spread evenly between. Not modelled: which rank moved bytes of which file in such a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from simulator.errors import InputError
from simulator.traces.darshan_records import STREAMS
from simulator.traces.reports.intervals import fitting, round_step
from simulator.traces.reports.opened import Opened
from simulator.traces.reports.table import Column, Report, Table
from simulator.wording import counted, exact_time

By = Literal["process", "file"]
WAYS = ("read", "write")
MOST_LINES = 64
"""Processes or files that have a line of their own in a picture."""
TABLE = (
    Column("read_bytes", "bytes read", "size", "bytes"),
    Column("written_bytes", "bytes written", "size", "bytes"),
    Column("first_s", "from", "time", "when"),
    Column("last_s", "to", "time", "when"),
    Column("busiest_Bps", "busiest", "rate"),
)


class Line(NamedTuple):
    """A process or a file: the bytes that it read and wrote in each interval."""

    name: str
    read: list[float]
    write: list[float]
    alone: bool = True
    """False of several files together."""

    @property
    def bytes(self) -> float:
        """All of its bytes."""
        return sum(self.read) + sum(self.write)


class Activity(NamedTuple):
    """Bytes of processes or files in intervals from the start of the log."""

    step_ns: int
    lines: list[Line]
    source: str
    """What the log has them of, in words."""
    latencies: list[tuple[int, float, float]]
    """Interval, median and longest time of its reads and writes in ns; empty without their times.
    """

    @property
    def intervals(self) -> int:
        """The number of intervals."""
        return max((len(one.read) for one in self.lines), default=0)

    def total(self, way: str) -> list[float]:
        """Return the bytes of all lines in each interval."""
        every = [getattr(one, way) for one in self.lines]
        return [sum(some) for some in zip(*every, strict=True)]

    def shown(self, most: int = MOST_LINES) -> list[Line]:
        """Return at most so many lines: bands of neighbours, each of as many."""
        each = max(1, -(-len(self.lines) // most))
        return [_joined(self.lines[at : at + each]) for at in range(0, len(self.lines), each)]


def _joined(lines: Sequence[Line]) -> Line:
    if len(lines) == 1:
        return lines[0]
    word, _, first = lines[0].name.partition(" ")
    last = lines[-1].name.partition(" ")[2]
    return _sum(lines, f"{word} {first.partition('-')[0]}-{last.rpartition('-')[2]}")


def _sum(lines: Sequence[Line], name: str) -> Line:
    """Return the bytes of several lines under one name."""
    read, write = (
        [sum(some) for some in zip(*(getattr(one, way) for one in lines), strict=True)]
        for way in WAYS
    )
    return Line(name, read, write)


def activity(trace: Opened, by: By = "process", top: int | None = None) -> Report:
    """Report the bytes of each process or file, and when it moved them."""
    found = activity_of(trace, by)
    rows = [_row(one, found.step_ns) for one in found.lines if one.bytes]
    rows.sort(key=lambda row: -(row[1] + row[2]))
    kept = rows if top is None else rows[:top]
    notes = [f"by {found.source}, in intervals of {exact_time(found.step_ns)}"]
    if idle := len(found.lines) - len(rows):
        notes.append(f"{counted(idle, by)} without bytes")
    name = Column(by, by, "text")
    shown = (("", (*(one.key for one in TABLE), by)),)
    table = Table("activity", (name, *TABLE), kept, len(rows) - len(kept), shown)
    notes += trace.lacks
    return Report([table], trace.unknown, values={"interval_s": found.step_ns / 1e9}, notes=notes)


def _row(one: Line, step_ns: int) -> tuple[Any, ...]:
    both = [read + write for read, write in zip(one.read, one.write, strict=True)]
    used = [place for place, moved in enumerate(both) if moved]
    first, last = (used[0] * step_ns, (used[-1] + 1) * step_ns) if used else (None, None)
    busiest = max(both, default=0) * 1e9 / step_ns
    return one.name, round(sum(one.read)), round(sum(one.write)), first, last, busiest


def activity_of(trace: Opened, by: By) -> Activity:
    """Return who moved how much when; InputError if the log does not say it."""
    darshan = trace.darshan
    if darshan is None or darshan["segments"]:
        trace.need_times("activity")
        return _of_calls(trace, by)
    if trace.choice.by_name or trace.choice.calls or trace.choice.since or trace.choice.until:
        raise InputError(
            f"{', '.join(trace.names)}: a Darshan log without DXT has bytes over time of all"
            " files together; leave out what chooses some"
        )
    return _of_spans(trace, darshan) if by == "file" else _of_heat(trace, darshan)


# -- of single calls ------------------------------------------------------------------------------


def _of_calls(trace: Opened, by: By) -> Activity:
    step, start = fitting(trace), trace.start
    good = "error IS NULL AND coalesce(returned, 0) > 0"
    name = "file" if by == "file" else "process"
    query = (
        f"SELECT {{name}} AS name, any_value(pid) AS pid, (time_ns - {start}) // {step} AS i,"
        f" sum(returned)::HUGEINT FROM calls WHERE time_ns IS NOT NULL AND {good} AND {{way}}"
        f" AND {{name}} IS NOT NULL GROUP BY 1, 3 ORDER BY 1, 3"
    )
    both = {"read": name, "write": name}
    if by == "file" and trace.copies:
        both["write"] = "coalesce(to_file, file)"
    sums: dict[Any, dict[str, dict[int, int]]] = {}
    pids: dict[Any, int] = {}
    for way, condition in zip(WAYS, (trace.reads, trace.writes), strict=True):
        for key, pid, place, moved in trace.rows(query.format(name=both[way], way=condition)):
            sums.setdefault(key, {"read": {}, "write": {}})[way][place] = int(moved)
            pids[key] = pid
    many = 1 + max((at for one in sums.values() for of in one.values() for at in of), default=-1)
    word = "rank" if trace.darshan is not None else "pid"
    order = sorted(sums, key=lambda one: one if by == "file" else (pids[one], one))
    lines = []
    for key in order:
        name = str(key) if by == "file" else f"{word} {pids[key]}"
        read, write = ([float(sums[key][way].get(at, 0)) for at in range(many)] for way in WAYS)
        lines.append(Line(name, read, write))
    return Activity(step, lines, "single calls", _latencies(trace, step))


def _latencies(trace: Opened, step: int) -> list[tuple[int, float, float]]:
    """Return the median and the longest time of what moved bytes in each interval."""
    return [
        (int(place), float(median), float(longest))
        for place, median, longest in trace.rows(
            f"SELECT (time_ns - {trace.start}) // {step} AS i, median(duration_ns),"
            f" max(duration_ns) FROM calls WHERE time_ns IS NOT NULL AND duration_ns IS NOT NULL"
            f" AND {trace.moves} GROUP BY 1 ORDER BY 1"
        )
    ]


# -- of counters ----------------------------------------------------------------------------------


def _of_heat(trace: Opened, darshan: dict[str, Any]) -> Activity:
    """Return bytes of ranks by HEATMAP, of the module that moved most beneath others."""
    heat = darshan.get("heat", {})
    known = [name for name in ("POSIX", "STDIO") if name in heat] or list(heat)
    if not known:
        raise InputError(
            f"{', '.join(trace.names)}: the log has neither DXT nor HEATMAP, which Darshan 3.4 and"
            " later records by itself; --by file shows when each file was used"
        )
    module = max(known, key=lambda name: sum(map(_moved, _bands(heat[name]))))
    of = heat[module]
    bands = of["ranks"] / len(of["read"])
    lines = []
    for number, (read, write) in enumerate(_bands(of)):
        first, last = -int(-number * bands // 1), -int(-(number + 1) * bands // 1) - 1
        name = f"rank {first}" if first >= last else f"rank {first}-{last}"
        lines.append(Line(name, read, write))
    source = f"HEATMAP of {module}"
    if len(known) > 1:
        source += f" ({', '.join(name for name in known if name != module)} left out)"
    return Activity(round(of["bin_s"] * 1e9), lines, source, [])


def _bands(of: dict[str, Any]) -> Iterator[tuple[list[float], list[float]]]:
    """Yield the bytes read and written of each band of ranks, in as many intervals each."""
    many = max(len(one) for way in WAYS for one in of[way])
    for read, write in zip(of["read"], of["write"], strict=True):
        yield _filled(read, many), _filled(write, many)


def _filled(values: Sequence[float], many: int) -> list[float]:
    return [*map(float, values), *([0.0] * (many - len(values)))]


def _moved(band: tuple[list[float], list[float]]) -> float:
    return sum(map(sum, band))


def _of_spans(trace: Opened, darshan: dict[str, Any]) -> Activity:
    """Return bytes of files, spread evenly from the first to the last read or write."""
    used = [one for one in darshan["files"] if one["module"] in ("POSIX", "STDIO")]
    used = [one for one in used if one.get("span") and one["file"] not in STREAMS]
    if not used:
        raise InputError(
            f"{', '.join(trace.names)}: the log has no times of reads and writes of files"
        )
    end = max(to for one in used for _, to in one["span"].values())
    step = round_step(max(1, round(end * 1e9)))
    many = max(1, -(-round(end * 1e9) // step))
    lines: dict[str, Line] = {}
    for one in used:
        line = lines.setdefault(one["file"], Line(one["file"], [0.0] * many, [0.0] * many))
        for way, counter in (("read", "BYTES_READ"), ("write", "BYTES_WRITTEN")):
            if way in one["span"] and (moved := one["counters"].get(counter, 0)):
                _spread(getattr(line, way), moved, one["span"][way], step / 1e9)
    kept = [one for one in lines.values() if one.bytes]
    source = "bytes of each file, spread evenly from its first to its last read or write"
    return Activity(step, sorted(kept, key=lambda one: one.name), source, [])


def _spread(into: list[float], moved: float, span: Sequence[float], step_s: float) -> None:
    """Add bytes evenly to the intervals from the first to the last of two times in s."""
    first, last = span
    length = max(last - first, 1e-9)
    last = first + length
    for place in range(int(first // step_s), min(len(into), int(last // step_s) + 1)):
        inside = min(last, (place + 1) * step_s) - max(first, place * step_s)
        into[min(place, len(into) - 1)] += moved * max(inside, 0.0) / length


def most_used(found: Activity, most: int) -> list[Line]:
    """Return the lines with most bytes, in their order, and what the others moved as one."""
    if len(found.lines) <= most:
        return found.lines
    order = sorted(range(len(found.lines)), key=lambda at: -found.lines[at].bytes)
    kept, others = sorted(order[: most - 1]), [found.lines[at] for at in order[most - 1 :]]
    rest = _sum(others, counted(len(others), "other file"))._replace(alone=False)
    return [*(found.lines[at] for at in kept), rest]
