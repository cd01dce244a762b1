"""What a finished sweep leaves in its folder: a table twice, a manifest, and a plot."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from simulator.output import write_bytes, write_text
from simulator.report.plots import draw_sweep, png, svg
from simulator.study.grid import Sweep
from simulator.study.kept import LOG, MANIFEST, POINTS
from simulator.study.sweep import Swept
from simulator.wording import counted

MOST_AXES_DRAWN = 2
MOST_ROWS_SHOWN = 24


def write_sweep(swept: Swept, folder: Path) -> None:
    """Write the files of a sweep; the manifest last, since it says that all are there."""
    write_text(folder / "points.csv", sweep_csv(swept))
    write_text(folder / POINTS, json.dumps(list(swept.rows), indent=1) + "\n")
    if len(swept.sweep.axes) <= MOST_AXES_DRAWN:
        figure = draw_sweep(swept)
        write_bytes(folder / "plot.png", png(figure))
        write_bytes(folder / "plot.svg", svg(figure))
    write_text(folder / MANIFEST, json.dumps(_manifest(swept), indent=2) + "\n")
    (folder / LOG).unlink(missing_ok=True)


def sweep_csv(swept: Swept) -> str:
    """Write the points of a sweep as CSV, one line each."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(swept.rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(swept.rows)
    return text.getvalue()


def sweep_text(swept: Swept, folder: Path) -> str:
    """Say what was done, and show the points if they are not too many."""
    from tabulate import tabulate

    names = {axis.name: axis.name for axis in swept.sweep.axes}
    rates = {"read_MBps": "read MB/s", "write_MBps": "write MB/s"}
    used = {key: label for key, label in rates.items() if any(row[key] for row in swept.rows)}
    columns = {**names, **used, "elapsed_s": "elapsed s", **_waits(swept, used)}
    columns["bottleneck"] = "bottleneck"
    shown = [[_cell(row[key]) for key in columns] for row in swept.rows[:MOST_ROWS_SHOWN]]
    align = ["right"] * (len(columns) - 1) + ["left"]
    table = tabulate(shown, headers=list(columns.values()), colalign=align, disable_numparse=True)
    if more := len(swept.rows) - len(shown):
        table += f"\nand {counted(more, 'more point')}"
    done = f"{counted(len(swept.rows), 'point')} in {folder} ({counted(swept.computed, 'run')} now)"
    return f"{table}\n\n{done}\n"


def _waits(swept: Swept, used: Iterable[str]) -> dict[str, str]:
    """The columns for jobs that compute: what they spend on input and output, by the mean job."""
    if not any(0 < row["lost_percent"] < 100 for row in swept.rows):
        return {}
    labels = {"read_MBps": ("read_s", "reading s"), "write_MBps": ("write_s", "writing s")}
    return {**dict(labels[rate] for rate in used), "lost_percent": "lost %"}


def _cell(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e15 else f"{value:.4g}"


def _manifest(swept: Swept) -> dict[str, Any]:
    sweep = swept.sweep
    return {
        "format": "sweep/1",
        "command": command(sweep),
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
    }


def command(sweep: Sweep) -> str:
    """Give the command that repeats a sweep, but for its folder and its number of processes."""
    words = ["nwtsim", "sweep", sweep.machine, sweep.workload]
    for axis in sweep.axes:
        words += ["--vary", f"{axis.name}={','.join(axis.texts)}"]
    for path, value in sweep.settings:
        words += ["--set", f"{path}={value}"]
    if sweep.seed is not None:
        words += ["--seed", str(sweep.seed)]
    return shlex.join(words)
