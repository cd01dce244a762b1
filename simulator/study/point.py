"""One point of a sweep: a run, and the row of figures that is kept of it."""

from __future__ import annotations

import json
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, overload

from simulator.config.machine_file import Machine
from simulator.config.workload_file import Workload
from simulator.plan.drawn import varies
from simulator.plan.errors import SimulationError
from simulator.result.jobs import phase_times_ns
from simulator.result.totals import totals_of
from simulator.run import EngineName
from simulator.study.figures import COLUMNS, LATENCIES, RUNS, Row, phase_column
from simulator.study.repeated import Repeated
from simulator.study.replications import seed_of

if TYPE_CHECKING:
    from simulator.config.settings import Setting
    from simulator.prepared import Plans
    from simulator.result.result import Result
    from simulator.result.totals import Totals
    from simulator.study.grid import Sweep
    from simulator.study.replications import Replications
    from simulator.unused import Unused


Figures: TypeAlias = "Callable[[Result], Row]"
"""Takes what is to be kept from a run; a function of a module, so that processes find it."""


@dataclass(frozen=True, slots=True)
class Point:
    """One combination of values, with what they make of the files."""

    number: int
    """Its place in the grid, from 0."""
    name: str
    """Its values, for messages: ``buffer=8 MB, clients=4``."""
    machine: Machine
    workload: Workload
    digest: str
    """Of the machine and the workload."""
    seed: int | None
    """None: service times do not vary."""
    engine: EngineName
    unused: Unused | None = None
    """Takes note of settings that no point has used."""
    replications: Replications | None = None
    """How often it is run, with other seeds; None: once."""
    varied: tuple[Setting, ...] = ()
    """What makes it, beside what holds for all points."""
    run: int = 0
    """Which of several runs with this seed."""
    figures: Figures | None = None
    """What is kept of a run; None: :func:`row_of`."""
    phases: tuple[str, ...] = ()
    """Names of phases whose times are kept besides, as ``application.0``."""


def run_point(point: Point, stopped: Callable[[], bool] | None = None) -> Row:
    """Run one point, or its replications; SimulationError names it.

    The native engine asks ``stopped`` now and then whether to give up (KeyboardInterrupt).
    """
    try:
        if point.replications is None:
            return _run(point, point.seed, stopped)
        return _replicated(point, point.replications, stopped)
    except SimulationError as error:
        raise SimulationError(f"at the point {point.name}: {error}") from error


def _replicated(
    point: Point, replications: Replications, stopped: Callable[[], bool] | None
) -> Row:
    """Run a point with one seed after the other, and return the means of its figures."""
    assert point.seed is not None  # What is replicated has one.
    make = _before().make
    repeated = Repeated(replications, more_columns=tuple(map(phase_column, point.phases)))
    plans = [
        make(point.machine, point.workload, point.digest, seed_of(point.seed, one))
        for one in (0, 1)
    ]
    repeated.varies = varies(*plans)
    while repeated.more:
        seed = seed_of(point.seed, len(repeated.rows))
        repeated.rows.append(_run(point, seed, stopped))
    return repeated.to_row()


def _run(point: Point, seed: int | None, stopped: Callable[[], bool] | None) -> Row:
    """Run a point once; a whole result is made only where it is looked at."""
    plans = _before()
    plan = plans.make(point.machine, point.workload, point.digest, seed, point.run)
    looks = point.unused is not None and bool(point.unused.left)
    if not (looks or point.figures or point.phases):
        return row_of_totals(plans.totals(plan, engine=point.engine, stopped=stopped))
    result = plans.run(plan, engine=point.engine, stopped=stopped)
    if looks:
        assert point.unused is not None
        point.unused.look(plan, result)
    return (point.figures or row_of)(result) | phase_times(result, point.phases)


_local = threading.local()


def _before() -> Plans:
    """What this thread knows of the points before."""
    if not hasattr(_local, "plans"):
        from simulator.prepared import Plans

        _local.plans = Plans()
    plans: Plans = _local.plans
    return plans


def row_of(result: Result) -> Row:
    """Return the figures of a run that a sweep keeps; counters of all stores are added up."""
    return row_of_totals(totals_of(result))


def row_of_totals(totals: Totals) -> Row:
    """Return the figures that a sweep keeps of what a run comes to."""
    latencies: dict[str, float | None] = dict.fromkeys(LATENCIES)
    for column, operation, figure in _LATENCIES:
        one = totals.latencies.get(operation)
        if one is not None and one.count:
            time = one.mean_ns if figure == "mean" else one.quantile_ns(0.99)
            latencies[column] = round(time / 1e6, 6)
    read, written, came = totals.read, totals.written, totals.reached
    return {
        "read_MBps": round(read.rate / 1e6, 6),
        "write_MBps": round(written.rate / 1e6, 6),
        "stable_MBps": 0.0 if came is None else round(came.rate / 1e6, 6),
        "read_io_MBps": round(read.io_rate / 1e6, 6),
        "write_io_MBps": round(written.io_rate / 1e6, 6),
        "elapsed_s": totals.elapsed_ns / 1e9,
        "end_s": totals.end_ns / 1e9,
        "elapsed_ns": totals.elapsed_ns,
        "end_ns": totals.end_ns,
        "read_s": totals.read_calls_ns / 1e9,
        "write_s": totals.write_calls_ns / 1e9,
        "lost_percent": round(100 * totals.lost, 6),
        **totals.counts,
        **latencies,
        "bottleneck": totals.busiest,
    }


_LATENCIES = [(column, *column.split("_")[:2]) for column in LATENCIES]


def phase_times(result: Result, phases: Sequence[str]) -> Row:
    """Return what a process spends in each of some phases, on the average, in s, as columns.

    None for a phase that no process came to.
    """
    if not phases:
        return {}
    found = {phase: time / 1e9 for phase, time in phase_times_ns(result).items()}
    return {phase_column(phase): found.get(phase) for phase in phases}


# -- the rows of a sweep, read from its folder when wanted: a sweep may be larger than memory ------


class Rows(Sequence[Row]):
    """One row for each point of a part: its values, the figures, its digest.

    The records are lines of JSON in ``file``; ``offsets`` says where that of each point begins.
    """

    def __init__(self, sweep: Sweep, part: range, file: Path, offsets: array[int]) -> None:
        self.sweep = sweep
        self.part = part
        self._figures = sweep.figures
        self._logged = (*_HEAD, *self._figures)
        self._file = file
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self.part)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        with self._file.open("rb") as file:
            if isinstance(index, slice):
                return [self._row(file, one) for one in range(*index.indices(len(self)))]
            return self._row(file, range(len(self))[index])

    def __iter__(self) -> Iterator[Row]:
        return (self._made(self._record(line), index) for index, line in self._lines())

    def with_texts(self) -> Iterator[tuple[Row, str]]:
        """Yield each row, and the same as JSON."""
        for index, line in self._lines():
            record = self._record(line)
            row = self._made(record, index)
            yield row, self._text(line, record, row, index)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the index of each point, and its line."""
        with self._file.open("rb") as file:
            end = 0
            for index, offset in enumerate(self._offsets):
                if offset != end:  # seeking empties the buffer
                    file.seek(offset)
                line = file.readline()
                end = offset + len(line)
                yield index, line

    def moved(self, file: Path, offsets: array[int]) -> None:
        """Read the same records from another file from now on."""
        self._file, self._offsets = file, offsets

    def _row(self, file: BinaryIO, index: int) -> Row:
        file.seek(self._offsets[index])
        return self._made(self._record(file.readline()), index)

    @staticmethod
    def _record(line: bytes) -> dict[str, Any]:
        record = record_of(line)
        assert record is not None  # Nobody else writes to the folder.
        return record

    def _made(self, record: dict[str, Any], index: int) -> Row:
        return {
            **self.sweep.values(self.part[index]),
            **{column: record[column] for column in self._figures},
            "digest": record["digest"],
        }

    def _text(self, line: bytes, record: dict[str, Any], row: Row, index: int) -> str:
        """Return a row as JSON: of a line of a log, its figures as they stand there."""
        values = self.sweep.values(self.part[index])
        if (*record,) != self._logged or len(row) != len(values) + len(self._figures) + 1:
            return json.dumps(row)
        digest = f'"digest": "{record["digest"]}"'
        figures = line.decode("ascii").rstrip("\r\n").partition(f"{digest}, ")[2]
        return f"{json.dumps(values)[:-1]}, {figures[:-1]}, {digest}}}"


class Held(tuple[Row, ...]):
    """The rows of a sweep that is not too large to be held in memory."""

    texts: tuple[str, ...]
    """The same as JSON."""

    @classmethod
    def of(cls, rows: Rows) -> Held:
        """Read all rows."""
        both = [*rows.with_texts()]
        held = cls(row for row, _ in both)
        held.texts = tuple(text for _, text in both)
        return held

    def with_texts(self) -> Iterator[tuple[Row, str]]:
        """Yield each row, and the same as JSON."""
        return zip(self, self.texts, strict=True)


_HEAD = ("check", "point", "digest")
"""Keys of a line of a log, before the figures."""
_WHOLE = frozenset(("digest", *COLUMNS))


def columns_of(sweep: Sweep) -> list[str]:
    """Name the columns of a sweep's rows."""
    varied = [name for axis in sweep.axes for name in (axis.name, axis.column) if name]
    figures = (figure for figure in sweep.figures if figure != RUNS)
    return list(dict.fromkeys([*varied, *figures, "digest"]))


def record_of(line: bytes) -> dict[str, Any] | None:
    """Read a record; None if the line is torn, or something else."""
    try:
        record = json.loads(line.rstrip(b",\r\n").decode("utf-8"))
    except ValueError:
        return None
    whole = isinstance(record, dict) and record.keys() >= _WHOLE
    return record if whole else None
