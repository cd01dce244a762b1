"""What a finished sweep leaves in its folder: a table twice, a manifest, and a plot."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.csvtext import CsvWriter
from simulator.extras import missing
from simulator.output import placing, write_bytes, write_text
from simulator.report.knees import knees_record, knees_text
from simulator.report.limits import NONE
from simulator.report.page import Lines, Page, Plain, Section, table_of_texts
from simulator.report.replications import noise_of, sweep_said, with_half
from simulator.report.screen import form_text
from simulator.study.figures import Row, end_column, phase_column
from simulator.study.folder import MANIFEST, POINTS
from simulator.study.grid import Shard, Sweep
from simulator.study.point import columns_of
from simulator.study.sweep import Swept
from simulator.wording import command_line, counted

if TYPE_CHECKING:
    from collections.abc import Iterator


MOST_AXES_DRAWN = 2
HOW_TO_PLOT = "then repeat the command, which runs nothing again"


def write_sweep(swept: Swept, folder: Path, *, plot: bool = True, parquet: bool = False) -> str:
    """Write the files of a sweep; the manifest last, since it says that all are there.

    ``parquet``: also points.parquet, which needs pyarrow. Return why there is no plot although one
    was wanted; empty if there is, or none was. A part of a sweep has none, nor has a sweep of three
    values.
    """
    _write_rows(swept, folder)
    if parquet:
        from simulator.report.sweep_parquet import write_parquet

        write_parquet(swept, folder)
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


def _write_plots(swept: Swept, folder: Path) -> str:
    try:
        from simulator.report.plots import draw_sweep, png, svg
    except ModuleNotFoundError:
        return f"no plot was drawn: {missing('matplotlib')}; {HOW_TO_PLOT}"
    figure = draw_sweep(swept)
    write_bytes(folder / "plot.png", png(figure))
    write_bytes(folder / "plot.svg", svg(figure))
    return ""


_RATES = {"read_MBps": "read MB/s", "write_MBps": "write MB/s", "stable_MBps": "stable MB/s"}
_IN_CALLS = {"read_io_MBps": "read MB/s in calls", "write_io_MBps": "write MB/s in calls"}


def sweep_text(swept: Swept, folder: Path, done_by: str = "", *, full: bool = True) -> str:
    """Say what was done, and show the points: all, or as many as fit a screen.

    ``done_by`` is where the points come from, instead of how many were run.
    """
    stored = f", {swept.stored:,} from the store" if swept.stored else ""
    done_by = done_by or f"{swept.computed:,} run now{stored}"
    done = f"{counted(len(swept.rows), 'point')} in {folder} ({done_by})"
    if swept.shard:
        done += f": part {swept.shard} of a sweep of {counted(swept.sweep.size, 'point')}"
    if not swept.rows:
        return f"{done}\n"
    columns = {axis.name: axis.name for axis in swept.sweep.axes} | figure_columns(swept)
    columns["bottleneck"] = "busiest"
    if swept.sweep.limits:
        columns |= {"limit": "limit", "limit_kind": "by", "limit_saves_s": "saves s"}
    shown = [[figure_text(row, key) for key in columns] for row in swept.rows]
    words = ("bottleneck", "limit", "limit_kind")
    align = "".join("l" if column in words else "r" for column in columns)
    points = table_of_texts(list(columns.values()), shown, align, "point")
    changes, replicated = changes_text(swept), ""
    if swept.sweep.replications is not None:
        replicated = sweep_said(swept.rows, swept.sweep.replications, swept.sweep.seed)
    knees = [Plain(one) for one in knees_text(swept).split("\n\n") if one]
    sections = [
        Section("", [points], leads=True, name="points"),
        Section("", [Plain(replicated)], leads=True, name="intervals"),
        Section("", knees, leads=True, name="where it stops paying"),
        Section("", [Lines(changes.splitlines())], leads=True, name="what limits changes"),
        Section("", [Plain(done)], leads=True, name="folder"),
    ]
    return form_text(Page(left_out(swept), [], [], sections), full=full)


def left_out(swept: Swept) -> str:
    """Say that the noise which the machine states is left out; nothing where none is."""
    noise = noise_of(swept.noise)
    return f"No seed: the noise that the machine states is left out ({noise})." if noise else ""


def figure_columns(swept: Swept) -> dict[str, str]:
    """Return the figures of points that are shown, by their columns, with their heads."""
    rates = _IN_CALLS if _computes(swept) else _RATES
    used = {key: label for key, label in rates.items() if any(row[key] for row in swept.rows)}
    columns = {**used, "elapsed_s": "elapsed s", **_waits(swept, used)}
    return columns | {phase_column(one): f"{one} s" for one in swept.sweep.phases}


def _waits(swept: Swept, used: Iterable[str]) -> dict[str, str]:
    """The columns for jobs that compute: what they spend on input and output, by the mean job."""
    if not _computes(swept):
        return {}
    labels = {"read_io_MBps": ("read_s", "reading s"), "write_io_MBps": ("write_s", "writing s")}
    waits = dict(labels[rate] for rate in used if rate in labels)
    return {**waits, "lost_percent": "lost %"}


def _computes(swept: Swept) -> bool:
    """Whether processes compute between their calls, so that rates are of the time in calls."""
    return any(0 < row["lost_percent"] < 100 for row in swept.rows)


def figure_text(row: Row, column: str) -> str:
    """Return a figure of a point; with half of its interval if it was replicated."""
    text = _cell(row[column])
    return with_half(text, row, (end_column(column, "low"), end_column(column, "high")))


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e15 else f"{value:.4g}"


def _manifest(swept: Swept) -> dict[str, Any]:
    sweep = swept.sweep
    return {
        "format": "sweep/1",
        "command": command(sweep, swept.shard),
        "machine": sweep.machine,
        "workload": sweep.workload,
        "settings": [list(setting) for setting in sweep.settings],
        "axes": [
            {
                "name": axis.name,
                "path": axis.path,
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


MOST_SHOWN = 12
MOST_POINTS = 10_000


def changes_text(swept: Swept) -> str:
    """Say between which points what limits changes; empty if nobody asked, or for a part."""
    if not known(swept):
        return ""
    lines = list(changes(swept))
    if not lines:
        return "What limits is the same at all points."
    more = [f"  ... and {counted(len(lines) - MOST_SHOWN, 'more change')}"]
    return "\n".join(
        ["What limits changes:", *lines[:MOST_SHOWN], *(more if len(lines) > MOST_SHOWN else [])]
    )


def known(swept: Swept) -> bool:
    """Whether a sweep says where what limits changes: if it asked, is whole, and not too large."""
    return swept.sweep.limits and not swept.shard and len(swept.rows) <= MOST_POINTS


def changes(swept: Swept) -> Iterator[str]:
    """Yield a line for each two neighbouring points between which what limits changes."""
    sweep = swept.sweep
    limits = [row["limit"] or NONE for row in swept.rows]
    for number, limit in enumerate(limits):
        places = sweep.places(number)
        for index, axis in enumerate(sweep.axes):
            if places[index] + 1 == len(axis.texts):
                continue
            after = list(places)
            after[index] += 1
            other = limits[sweep.number(after)]
            if other != limit:
                others = [
                    f"{one.name}={one.texts[place]}"
                    for one, place in zip(sweep.axes, places, strict=True)
                    if one is not axis
                ]
                step = f"{axis.name} {axis.texts[places[index]]} -> {axis.texts[after[index]]}"
                where = f" ({', '.join(others)})" if others else ""
                yield f"  {step}{where}: {limit} -> {other}"
