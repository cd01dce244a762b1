"""The page of many logs: what their best cures give back at the site, a row for each log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.report.page import Browser, Column, Drawn, Lines, Markup, Page, Section, Table
from simulator.report.scales import scale_of
from simulator.study.fleet import Fleet, Row, total_ns
from simulator.traces.darshan_records import LAYERS
from simulator.traces.reports.brief import part_of
from simulator.units import format_time
from simulator.wording import brief_size, command_line, counted, percent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST_ROWS, MOST_BARS, MOST_CURES, MOST_NAMES = 1000, 15, 50, 5
NOT_ASKED = "not simulated: name a machine with --on"


class Field(NamedTuple):
    """A column for programs."""

    name: str
    kind: str
    """``text``, ``whole`` or ``number``."""
    value: Callable[[Row], Any]


def _seconds(ns: float | None) -> float | None:
    return None if ns is None else ns / 1e9


def _of_brief(name: str) -> Callable[[Row], Any]:
    return lambda row: None if row.brief is None else getattr(row.brief, name)


def _of_saving(name: str) -> Callable[[Row], Any]:
    return lambda row: None if row.saving is None else getattr(row.saving, name)


def _layer(name: str) -> Callable[[Row], float | None]:
    def share(row: Row) -> float | None:
        if row.brief is None or not row.brief.layers:
            return None
        return part_of(row.brief.layers.get(name, 0), row.brief.client_time_ns)

    return share


def _timed(of: Callable[[str], Callable[[Row], Any]], name: str) -> Callable[[Row], float | None]:
    value = of(name)
    return lambda row: _seconds(value(row))


READ: tuple[Field, ...] = (
    Field("log", "text", lambda row: row.log),
    Field("format", "text", _of_brief("format")),
    Field("job", "text", _of_brief("job")),
    Field("clients", "whole", _of_brief("clients")),
    Field("elapsed_s", "number", _timed(_of_brief, "elapsed_ns")),
    Field("client_time_s", "number", _timed(_of_brief, "client_time_ns")),
    Field("io_s", "number", _timed(_of_brief, "io_ns")),
    Field("io_share", "number", _of_brief("io_share")),
    *(
        Field(f"{name.lower().replace('-', '_')}_share", "number", _layer(name))
        for name in dict.fromkeys(LAYERS.values())
    ),
    Field("read_bytes", "whole", _of_brief("read")),
    Field("written_bytes", "whole", _of_brief("written")),
    Field("calls", "whole", _of_brief("calls")),
    Field("worst", "text", _of_brief("worst")),
    Field("reason", "text", lambda row: row.reason),
)
"""What is read of each log; ``reason`` says why it cannot be."""
TRIED: tuple[Field, ...] = (
    Field("replayed_s", "number", _timed(_of_saving, "replayed_ns")),
    Field("saves_s", "number", _timed(_of_saving, "saves_ns")),
    Field("site_s", "number", lambda row: _seconds(row.site_ns)),
    Field("pattern", "text", _of_saving("pattern")),
    Field("found", "text", _of_saving("found")),
    Field("cure", "text", _of_saving("how")),
    Field("samples", "whole", _of_saving("samples")),
    Field("helped", "whole", _of_saving("helped")),
    Field("untried", "whole", _of_saving("untried")),
    Field("not_tried", "text", _of_saving("note")),
)
"""What is simulated of it; ``not_tried`` says why nothing was."""


def fields_of(fleet: Fleet) -> tuple[Field, ...]:
    """Return the columns for programs."""
    return READ if fleet.trial is None else (*READ, *TRIED)


def fleet_page(fleet: Fleet, command: Sequence[str] = (), top: int | None = None) -> Page:
    """Return the page of many logs; ``top``: rows of its tables at most."""
    most = top or MOST_ROWS
    good = [row for row in fleet.rows if row.brief is not None]
    sections = [
        Section("", [Drawn(lambda: _bars(good))], heading="What gives back most"),
        Section("", [_logs(fleet, good, top, most)], leads=True, name="logs"),
        Section("", [_cures(good, top)], name="cures"),
        Section("", [_broken(fleet, most)], leads=True, name="logs that cannot be read"),
        Section(
            "", [Lines([*_assumptions(fleet)])], name="how this is counted", heading="Assumptions"
        ),
    ]
    title = f"{counted(len(fleet.rows), 'log')} in {fleet.folder}"
    return Page(
        title,
        [],
        [*_answer(fleet, good)],
        sections,
        lambda: _record(fleet),
        lambda: _csv(fleet),
        lambda: Browser(command=command),
    )


# -- for people ------------------------------------------------------------------------------------


def _answer(fleet: Fleet, good: Sequence[Row]) -> Iterator[str]:
    """Yield what the whole folder comes to."""
    broken = len(fleet.rows) - len(good)
    timed = [row.brief for row in good if row.brief and row.brief.io_share is not None]
    whole, io = (sum(getattr(one, name) for one in timed) for name in ("client_time_ns", "io_ns"))
    moved = sum(row.brief.read + row.brief.written for row in good if row.brief)
    told = f"{counted(len(good), 'log')} read, {brief_size(moved)} moved"
    if whole:
        told += f"; {percent(io, whole)} of {format_time(whole)} of process time is I/O"
    yield f"{told}; {counted(broken, 'log')} cannot be read." if broken else f"{told}."
    if fleet.trial is None:
        yield f"What cures would give back was {NOT_ASKED}."
        return
    helped = [row for row in good if row.site_ns]
    given = format_time(total_ns(good))
    machine = fleet.trial.machine
    yield (
        f"On {machine} the best cures of {counted(len(helped), 'log')} give back {given}"
        " of process time, by simulation."
    )
    why = Counter(row.saving.note for row in good if row.saving and row.saving.note)
    if why:
        each = "; ".join(f"{note} ({many:,})" for note, many in why.most_common(3))
        yield f"{counted(sum(why.values()), 'log')} not tried: {each.replace('not tried: ', '')}."


def _logs(fleet: Fleet, good: Sequence[Row], top: int | None, most: int) -> Table:
    """Return the table of the logs that were read."""
    tried = fleet.trial is not None
    times = [one for row in good if row.brief for one in (row.brief.elapsed_ns,)]
    moved = [row.brief.read + row.brief.written for row in good if row.brief]
    site = [row.site_ns for row in good]
    saves = [row.saving.saves_ns if row.saving else None for row in good]
    columns = [
        Column("log", "log"),
        Column("site_s", "gives back", "time", scale_of("time", site)),
        Column("saves_s", "job saves", "time", scale_of("time", saves)),
        Column("replayed_s", "of", "time", scale_of("time", saves)),
        Column("elapsed_s", "took", "time", scale_of("time", times)),
        Column("io_share", "I/O", "share"),
        Column("moved", "moved", "size", scale_of("size", moved)),
        Column("clients", "ranks", "count"),
        Column("worst", "finding", "sentence"),
        Column("layers", "by layer", "sentence"),
    ]
    rows = [_cells(row) for row in good]
    if not tried:
        columns, rows = [*columns[:1], *columns[4:]], [[*row[:1], *row[4:]] for row in rows]
    note = f"{_more(len(rows), top)}" if top else ""
    return Table("logs", "", columns, rows, noun="log", note=note, brief=top, most=most)


def _more(rows: int, top: int) -> str:
    return f"(the first {top:,} of {counted(rows, 'log')})" if rows > top else ""


def _cells(row: Row) -> list[Any]:
    """Return the cells of a log that was read."""
    brief, saving = row.brief, row.saving
    assert brief is not None
    layers = ", ".join(
        f"{name} {percent(ns, brief.client_time_ns)}"
        for name, ns in brief.layers.items()
        if brief.client_time_ns
    )
    found, saves = brief.worst, saving and saving.saves_ns
    if saving is not None:
        found = saving.pattern or ("no cure is worth it" if saving.saves_ns == 0 else "")
        found = saving.note or (f"{found} ({sure})" if (sure := sure_of(row)) else found)
    return [
        *(row.log, row.site_ns, saves, saving and saving.replayed_ns, brief.elapsed_ns),
        *(brief.io_share, brief.read + brief.written, brief.clients, found, layers),
    ]


def sure_of(row: Row) -> str:
    """Return in words how sure a saving is; empty where there is nothing to say."""
    told, one = [], row.saving
    if one is not None and one.helped and one.samples:
        told.append(f"in {one.helped} of {counted(one.samples, 'sample')}")
    if one is not None and one.untried and not one.note:
        told.append(f"{counted(one.untried, 'more finding')} not tried")
    return "; ".join(told)


def _cures(good: Sequence[Row], top: int | None) -> Table:
    """Return the table of what was found, and what cures it."""
    rows: list[list[Any]] = [
        [row.log, row.site_ns, f"{row.saving.pattern}: {row.saving.found}", row.saving.how]
        for row in good
        if row.saving is not None and row.saving.how
    ]
    columns = [
        Column("log", "log"),
        Column("site_s", "gives back", "time", scale_of("time", [row[1] for row in rows])),
        Column("found", "found", "sentence"),
        Column("cure", "cure", "sentence"),
    ]
    return Table("cures", "", columns, rows, noun="cure", brief=top or 5, most=top or MOST_CURES)


def _broken(fleet: Fleet, most: int) -> Table:
    """Return the table of the logs that cannot be read."""
    columns = [Column("broken", "log that cannot be read"), Column("reason", "reason", "sentence")]
    rows = [[row.log, row.reason] for row in fleet.rows if row.brief is None]
    return Table("broken", "", columns, rows, noun="log", most=most)


def _assumptions(fleet: Fleet) -> Iterator[str]:
    yield (
        "I/O: time in calls on files by time of all processes, from the first to the last call of"
        " each (Darshan: each rank runs as long as the job); calls may overlap."
    )
    trial = fleet.trial
    if trial is None:
        yield (
            "Finding: the check with a warning that is farthest beyond its guide value ('nwtsim"
            " trace check LOG' has all of them)."
        )
    else:
        advise = command_line("nwtsim", "advise", "LOG", "--on", trial.machine)
        yield (
            f"Job saves: two replays on {trial.machine}, as it is and with the best cure of the"
            f" program or of a setting, within {trial.limit_s:g} s of processor time for each log;"
            f" of a log with counters only on {trial.samples} samples or as many as there is time"
            " for, in nine of ten of which it has to help. Gives back: that for all processes of"
            " the job, as much less as the replay takes longer than the job took, and of a Darshan"
            f" log at most its time in I/O. {advise} says more."
        )
    if fleet.foreign:
        names = ", ".join(fleet.foreign[:MOST_NAMES])
        more = len(fleet.foreign) - MOST_NAMES
        told = f"{names} and {more:,} more" if more > 0 else names
        yield f"No logs, and left out: {counted(len(fleet.foreign), 'file')} ({told})."


def _bars(good: Sequence[Row]) -> list[Markup]:
    """Draw what each of the first logs gives back, or its time in I/O."""
    from simulator.report.html.page import bars
    from simulator.report.html.svg import Piece

    given = any(row.site_ns for row in good)
    values = [(row, (row.site_ns if given else row.brief.io_ns) or 0) for row in good if row.brief]
    shown = [(row, ns) for row, ns in values if ns > 0][:MOST_BARS]
    if not shown:
        return []
    whole = max(ns for _, ns in shown)
    what = "Process time that the best cure gives back" if given else "Process time in I/O"
    drawn = [(row.log, format_time(ns), [Piece(ns / whole)]) for row, ns in shown]
    return [bars(drawn, f"{what}: ", f"{what}, the first {counted(len(shown), 'log')}")]


# -- for programs ----------------------------------------------------------------------------------


def _record(fleet: Fleet) -> dict[str, Any]:
    trial = fleet.trial
    return {
        "folder": str(fleet.folder),
        "machine": None if trial is None else trial.machine,
        "limit_s": None if trial is None else trial.limit_s,
        "samples": None if trial is None else trial.samples,
        "site_s": None if trial is None else total_ns(fleet.rows) / 1e9,
        "foreign": fleet.foreign,
        "logs": [{one.name: one.value(row) for one in fields_of(fleet)} for row in fleet.rows],
    }


def _csv(fleet: Fleet) -> Iterator[list[Any]]:
    fields = fields_of(fleet)
    yield [one.name for one in fields]
    for row in fleet.rows:
        yield [one.value(row) for one in fields]


def write_parquet(fleet: Fleet, path: Path) -> None:
    """Write the columns for programs with their types; what a log does not say is null."""
    import pyarrow as pa
    from pyarrow import parquet

    types = {"text": pa.string(), "whole": pa.int64(), "number": pa.float64()}
    fields = fields_of(fleet)
    arrays = [pa.array([one.value(row) for row in fleet.rows], types[one.kind]) for one in fields]
    parquet.write_table(pa.Table.from_arrays(arrays, [one.name for one in fields]), path)
