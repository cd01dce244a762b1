"""The sweeps of ``experiments/checkpoint`` and their page, README.md beside this module.

``python -m experiments.checkpoint.page`` runs every sweep, puts its command and its output into
the page between ``<!-- sweep NAME -->`` and ``<!-- end -->``, and draws the picture beside it.
The sentences of the page stay as they are.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import yaml
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from simulator.output import write_bytes, write_text
from simulator.report.forms import written
from simulator.report.plots import COLOURS, STYLE, png
from simulator.report.sweep import command, sweep_page
from simulator.report.versions import versions
from simulator.shipped import shipped_root
from simulator.study.grid import Sweep, make_sweep
from simulator.study.intervals import daly, expected, young
from simulator.study.sweep import Swept, run_sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.study.figures import Row


CHECKPOINTS = 3
"""Number of checkpoints of a job of checkpoint-hourly."""
REPEATED = 2
"""Number of checkpoints of a job of checkpoint-interval."""
WHOLE = "168 GB"
"""Flash of a node that holds a whole checkpoint."""
ROOM = "flash of each node; a checkpoint is 167 GB on each"
BETWEEN_FAILURES_S = 86_400.0
"""Assumed: one failure a day stops a job on 1,000 nodes."""

_BLOCK = re.compile(r"(<!-- sweep ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def load_sweeps() -> dict[str, Sweep]:
    """Read the shipped sweeps, by name."""
    path = shipped_root("experiments") / "checkpoint" / "sweeps.yaml"
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {name: _sweep(one) for name, one in raw["sweeps"].items()}


def _sweep(raw: Mapping[str, Any]) -> Sweep:
    return make_sweep(
        raw["machine"],
        raw["workload"],
        vary=list(raw["vary"].items()),
        settings=list(raw.get("set", {}).items()),
        seed=raw.get("seed"),
    )


def shown(swept: Swept) -> str:
    """Return a sweep for the page: its command, and the table that it prints."""
    head, *rows = cells_in(written(sweep_page(swept, Path()), "table"))
    lines = [f"`{command(swept.sweep)}`", "", _row(head), "|---" * len(head) + "|"]
    return "\n".join([*lines, *map(_row, rows), ""])


def cells_in(text: str) -> list[list[str]]:
    """Return the cells of a sweep's table, its head first."""
    blocks = (part.splitlines() for part in text.split("\n\n"))
    head, _, *rows = next(lines for lines in blocks if len(lines) > 2)
    return [re.split(r" {2,}", line.strip()) for line in (head, *rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def filled(page: str, blocks: Mapping[str, str]) -> str:
    r"""Replace the outputs of sweeps in a page.

    >>> filled("<!-- sweep a-b -->\nold\n<!-- end -->", {"a-b": "new\n"})
    '<!-- sweep a-b -->\nnew\n<!-- end -->'
    """
    return _BLOCK.sub(lambda found: f"{found[1]}{blocks[found[2]]}{found[3]}", page)


# -- the interval -----------------------------------------------------------------------------


def optimum(done: Mapping[str, Swept]) -> str:
    """Return the table of losses at each interval, with failures, and the optimum."""
    lines = ["| machine | computing | a checkpoint | lost to checkpoints | lost in all |"]
    lines.append("|---|---|---|---|---|")
    ends = []
    for name in ("interval-lustre", "interval-burst"):
        machine, restart = done[name].sweep.machine, restart_s(done, name)
        for row in done[name].rows:
            cost = row["write_s"] / REPEATED
            text = row["workload.jobs.0.phases.0.time"]
            lost = wasted(computing_s(row), cost, restart, BETWEEN_FAILURES_S)
            cells = (machine, text, f"{cost:.1f} s", f"{row['lost_percent']:.2f} %")
            lines.append(f"| {' | '.join(cells)} | {100 * lost:.2f} % |")
        ends.append(
            f"| {machine} | {cost:.1f} s | {restart:.1f} s"
            f" | {young(cost, BETWEEN_FAILURES_S):.0f} s | {daly(cost, BETWEEN_FAILURES_S):.0f} s |"
        )
    lines += ["", "| machine | a checkpoint | a restart | Young | Daly |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *ends, ""])


def computing_s(row: Row) -> float:
    """Return the interval of a point; s."""
    return float(row["workload.jobs.0.phases.0.time_ns"]) / 1e9


def wasted(computing: float, cost: float, restart: float, between_failures: float) -> float:
    """Return the fraction of time lost to checkpoints, failures and restarts, by Daly's model.

    >>> round(wasted(1000, 50, 50, 10_000), 4)
    0.1012
    """
    return 1 - computing / expected(computing, cost, restart, between_failures)


def restart_s(done: Mapping[str, Swept], name: str) -> float:
    """Return the restart time of a point: from the disks, or prestaged in the burst buffer; s."""
    if name == "interval-burst":
        rows = done["prestage"].rows
        return next(_restart(row) for row in rows if row["flash.capacity"] == WHOLE)
    rows = done["read-ahead"].rows
    return next(_restart(row) for row in rows if row["pages.read_ahead"] == "32 MB")


# -- the picture ----------------------------------------------------------------------------


def draw(done: Mapping[str, Swept]) -> Figure:
    """Draw checkpoint wait and restart time over the varied values."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(11.0, 7.6), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(2, 2)
        _draw_units(panels[0, 0], done)
        _draw_starts(panels[0, 1], done["start"])
        _draw_shares(panels[1, 0], done)
        _draw_restarts(panels[1, 1], done["prestage"])
    return figure


def _draw_units(axes: Axes, done: Mapping[str, Swept]) -> None:
    lines = {
        "lustre-scratch: checkpoint": ("unit-lustre", "pages", _wait),
        "burst-buffer, half a checkpoint's room: checkpoint": ("unit-burst", "flash", _wait),
        "burst-buffer: restart, not prestaged": ("unit-restart", "flash", _restart),
    }
    for number, (label, (name, store, figure)) in enumerate(lines.items()):
        rows = done[name].rows
        places = [row[f"{store}.block_bytes"] / 1e6 for row in rows]
        axes.plot(places, [figure(row) for row in rows], "o-", color=COLOURS[number], label=label)
    axes.set_xscale("log", base=2)
    axes.set_xticks([1, 2, 4, 8, 16, 32], ["1", "2", "4", "8", "16", "32"])
    _finish(axes, "block size", "block (MB)", "time (s)")


def _draw_starts(axes: Axes, swept: Swept) -> None:
    starts, sizes = (axis.texts for axis in swept.sweep.axes)
    for number, start in enumerate(starts):
        rows = swept.rows[number * len(sizes) : (number + 1) * len(sizes)]
        places = [place + (number - 1) * 0.27 for place in range(len(sizes))]
        axes.bar(
            places, list(map(_wait, rows)), 0.25, color=COLOURS[number], label=start.strip("[]")
        )
    axes.set_xticks(range(len(sizes)), sizes)
    _finish(axes, "what starts the write-back (burst-buffer)", ROOM)


def _draw_shares(axes: Axes, done: Mapping[str, Swept]) -> None:
    lines = {
        "lustre-scratch: dirty data of a client": ("share-lustre", _dirty_MB),
        "burst-buffer: quota of a file on a node, times 24": ("share-burst", _quota_MB),
    }
    for number, (label, (name, along)) in enumerate(lines.items()):
        rows = done[name].rows
        places, waits = list(map(along, rows)), list(map(_wait, rows))
        axes.plot(places, waits, "o-", color=COLOURS[number], label=label)
    axes.set_xscale("log")
    ticks = [8, 32, 128, 512, 1600, 4000]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    _finish(axes, "what a file may leave to write-back", "MB; a file is 4000 MB")


def _dirty_MB(row: Row) -> float:
    """Return the maximum dirty data of a client; MB of its 2 GB of page cache."""
    return float(row["pages.dirty_percent"]) / 100 * 2000


def _quota_MB(row: Row) -> float:
    """Return the quota of a file over all nodes with flash; MB."""
    return float(row["machine.stores.flash.quota_bytes"]) * 24 / 1e6


def _draw_restarts(axes: Axes, swept: Swept) -> None:
    kinds, sizes = (axis.texts for axis in swept.sweep.axes)
    for number, kind in enumerate(kinds):
        rows = swept.rows[number * len(sizes) : (number + 1) * len(sizes)]
        places = [place + (number - 0.5) * 0.4 for place in range(len(sizes))]
        label = "prestaged" if kind == "true" else "not prestaged"
        axes.bar(places, list(map(_restart, rows)), 0.38, color=COLOURS[number], label=label)
    axes.set_xticks(range(len(sizes)), sizes)
    _finish(axes, "restart (burst-buffer)", ROOM, "restart (s)")


def _wait(row: Row) -> float:
    """Return the mean wait of a client for one checkpoint; s."""
    return float(row["write_s"]) / CHECKPOINTS


def _restart(row: Row) -> float:
    """Return the time at which the last client has read its checkpoint; s."""
    return float(row["elapsed_s"])


def _finish(axes: Axes, title: str, along: str, up: str = "wait for a checkpoint (s)") -> None:
    axes.set_title(title)
    axes.set_xlabel(along)
    axes.set_ylabel(up)
    axes.set_ylim(bottom=0, top=1.25 * axes.get_ylim()[1])
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="upper right")


# -- the page ---------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Run the sweeps, and write their output to the page and its picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=Path("experiments/checkpoint/README.md"))
    out: Path = parser.parse_args(argv).out
    with tempfile.TemporaryDirectory() as folder:
        done = {
            name: run_sweep(sweep, Path(folder) / name, versions=versions(), progress=None)
            for name, sweep in load_sweeps().items()
        }
    blocks = {name: shown(swept) for name, swept in done.items()}
    blocks["optimum"] = optimum(done)
    write_text(out, filled(out.read_text(encoding="utf-8"), blocks))
    picture = out.with_name("checkpoint.png")
    write_bytes(picture, png(draw(done)))
    print(f"wrote {out} and {picture}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
