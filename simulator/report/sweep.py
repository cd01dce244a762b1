"""The page of a sweep, and the files in its folder: a table twice, a manifest, a plot."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.csvtext import CsvWriter
from simulator.extras import missing
from simulator.output import placing, write_bytes, write_text
from simulator.report.forms import picked
from simulator.report.knees import TITLE, knees_record, knees_text
from simulator.report.page import (
    Block,
    Browser,
    Drawn,
    Lines,
    Page,
    Plain,
    Section,
    Terminal,
)
from simulator.report.points import changes_text, left_out, points_table
from simulator.report.replications import sweep_said
from simulator.result.totals import COUNTERS
from simulator.study.folder import MANIFEST, PARQUET, POINTS
from simulator.study.grid import Shard, Sweep
from simulator.study.point import columns_of
from simulator.study.sweep import Swept
from simulator.wording import command_line, counted

if TYPE_CHECKING:
    from simulator.report.html.sweep import Drawings


MOST_AXES_DRAWN = 2
AT_ONCE = 10_000
"""Rows in memory."""
_WORDS = {"bottleneck", "limit", "limit_kind", "digest"}
_WHOLE = {"elapsed_ns", "end_ns", *COUNTERS}
HOW_TO_PLOT = "then repeat the command, which runs nothing again"


def write_sweep(swept: Swept, folder: Path, *, plot: bool = True, parquet: bool = False) -> str:
    """Write the files of a sweep; the manifest last, since it says that all are there.

    ``parquet``: also points.parquet, which needs pyarrow. Return why there is no plot although one
    was wanted; empty if there is, or none was. A part of a sweep has none, nor has a sweep of three
    values.
    """
    _write_rows(swept, folder)
    if parquet:
        _write_parquet(swept, folder)
    missing = ""
    if plot and not swept.shard and len(swept.sweep.axes) <= MOST_AXES_DRAWN:
        missing = _write_plots(swept, folder)
    write_text(folder / MANIFEST, json.dumps(_manifest(swept), indent=2) + "\n")
    return missing


def _write_rows(swept: Swept, folder: Path) -> None:
    """Write CSV and JSON, a line for each point."""
    with (
        placing(folder / "points.csv") as csv_part,
        placing(folder / POINTS) as json_part,
        csv_part.open("w", encoding="utf-8", newline="") as csv_file,
        json_part.open("wb") as json_file,
    ):
        columns = columns_of(swept.sweep)
        writer = CsvWriter(csv_file)
        writer.writerow(columns)
        json_file.write(b"[")
        for number, row in enumerate(swept.rows):
            writer.writerow([row[column] for column in columns])
            json_file.write(f"{',' if number else ''}\n{json.dumps(row)}".encode("ascii"))
        json_file.write(b"\n]\n")


def _write_parquet(swept: Swept, folder: Path) -> None:
    """Write the rows in groups; what a point has none of is null."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = columns_of(swept.sweep)
    schema = pa.schema([(name, _type(pa, swept.sweep, name)) for name in columns])
    rows = iter(swept.rows)
    with placing(folder / PARQUET) as part, parquet.ParquetWriter(part, schema) as writer:
        while some := list(itertools.islice(rows, AT_ONCE)):
            arrays = [
                pa.array([row[name] for row in some], schema.field(name).type) for name in columns
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _type(pa: Any, sweep: Sweep, name: str) -> Any:
    """Return the type of a column: text, a whole number, or any number."""
    if name in _WORDS:
        return pa.string()
    for axis in sweep.axes:
        numbers = axis.numbers
        if name == axis.name and (axis.column or numbers is None):
            return pa.string()
        if name in (axis.name, axis.column) and numbers is not None:
            whole = all(isinstance(one, int) for one in numbers)
            return pa.int64() if whole else pa.float64()
    return pa.int64() if name in _WHOLE else pa.float64()


def _write_plots(swept: Swept, folder: Path) -> str:
    try:
        from simulator.report.plots import draw_sweep, png, svg
    except ModuleNotFoundError:
        return f"no plot was drawn: {missing('matplotlib')}; {HOW_TO_PLOT}"
    figure = draw_sweep(swept)
    write_bytes(folder / "plot.png", png(figure))
    write_bytes(folder / "plot.svg", svg(figure))
    return ""


def sweep_page(
    swept: Swept, folder: Path | None, done_by: str = "", *, repeated: bool = True
) -> Page:
    """Return a sweep as a page: the points, where it stops paying, and what limits.

    ``folder`` has all points, and ``done_by`` is where they come from, instead of how many were
    run. ``repeated``: whether a command repeats it, since its machine and workload are in files.
    """
    done = _done(swept, folder, done_by)
    if not swept.rows:
        return Page(done, [], [], [], browser=lambda: _browser(swept, None, repeated=repeated))
    made = cache(lambda: _drawings(swept))
    replicated = ""
    if swept.sweep.replications is not None:
        replicated = sweep_said(swept.rows, swept.sweep.replications, swept.sweep.seed)
    points = points_table(swept, swept.rows)
    knees = [Terminal(Plain(one)) for one in knees_text(swept).split("\n\n") if one]
    changed = Terminal(Lines(changes_text(swept).splitlines()))
    last: list[Block] = [Terminal(Plain(done)), Drawn(lambda: [_where(folder)])]
    sections = [
        Section("", [Drawn(lambda: made().plots)], heading="What the values do"),
        Section("", [Drawn(lambda: made().knees)], heading=TITLE),
        Section("", [Drawn(lambda: made().limits)], heading="What limits"),
        Section("", [Terminal(points), Drawn(lambda: made().points)], True, "points", "Points"),
        Section("", [Plain(replicated)], True, "intervals", "From run to run"),
        Section("", knees, True, "where it stops paying", TITLE),
        Section("", [changed], True, "what limits changes", "What limits"),
        Section("", last, True, "folder", "Points"),
    ]
    browser = partial(_browser, swept, made, repeated=repeated)
    return Page(left_out(swept), [], [], sections, browser=browser)


def _done(swept: Swept, folder: Path | None, done_by: str) -> str:
    """State what was done."""
    stored = f", {swept.stored:,} from the store" if swept.stored else ""
    done_by = done_by or f"{swept.computed:,} run now{stored}"
    done = f"{counted(len(swept.rows), 'point')} in {folder} ({done_by})"
    if swept.shard:
        done += f": part {swept.shard} of a sweep of {counted(swept.sweep.size, 'point')}"
    return done


def _drawings(swept: Swept) -> Drawings:
    from simulator.report.html.sweep import drawings

    return drawings(swept)


def _where(folder: Path | None) -> str:
    return f"All figures of all points are in {folder}." if folder else ""


def _browser(swept: Swept, made: Callable[[], Drawings] | None, *, repeated: bool) -> Browser:
    sweep = swept.sweep
    count = counted(len(swept.rows), "point")
    title = f"{Path(sweep.workload).stem} on {Path(sweep.machine).stem}: {count}"
    varied = ", ".join(f"{axis.name} ({counted(len(axis.texts), 'value')})" for axis in sweep.axes)
    about = [f"varied: {varied}"]
    about += [f"part {swept.shard} of {counted(sweep.size, 'point')}"] if swept.shard else []
    if made is None:
        return Browser(title, about, ["This part has no points."])
    facts = {
        **picked(sweep, "machine workload"),
        "seed": "none" if sweep.seed is None else str(sweep.seed),
        "digest of the first point": str(swept.identity["points"]),
    }
    words = shlex.split(command(sweep, swept.shard)) if repeated else ()
    return Browser(title, about, made().answer, words, facts)


def _manifest(swept: Swept) -> dict[str, Any]:
    sweep = swept.sweep
    return {
        "format": "sweep/1",
        "command": command(sweep, swept.shard),
        **picked(sweep, "machine workload"),
        "settings": [list(setting) for setting in sweep.settings],
        "axes": [
            {
                **picked(axis, "name path"),
                "values": list(axis.texts),
                "numbers": None if axis.numbers is None else list(axis.numbers),
                "unit": axis.unit,
            }
            for axis in sweep.axes
        ],
        "size": sweep.size,
        "identity": swept.identity,
        **({} if swept.shard else knees_record(swept)),
    }


def command(sweep: Sweep, shard: Shard | None = None) -> str:
    """Return the command that repeats a sweep, but for its folder and its number of processes."""
    words = ["nwtsim", "sweep", sweep.machine, sweep.workload]
    for axis in sweep.axes:
        words += ["--vary", f"{axis.name}={','.join(axis.texts)}"]
    for path, value in sweep.settings:
        words += ["--set", f"{path}={value}"]
    if sweep.seed is not None:
        words += ["--seed", str(sweep.seed)]
    if sweep.limits:
        words.append("--limits")
    for phase in sweep.phases:
        words += ["--phase", phase]
    if sweep.replications is not None:
        words += sweep.replications.options()
    if sweep.engine != "auto":
        words += ["--engine", sweep.engine]
    if shard:
        words += ["--shard", str(shard)]
    return command_line(*words)
