"""``nwtsim uncertainty``: how sure the figures of a run are, and what to measure first.

Say how sure the figures of a run are, from three sources that are kept apart: from run to run, by
replications; from the values of the files that are assumed or calibrated, by machines drawn from
their ranges; and of the model, by the errors that validation measured of such figures. Then rank
the values by how much less sure a figure is for want of each: measure the first one first.

A value has a range in its file, beside its source: 'range: 20 %', 'range: [1 ms, 5 ms]', or what
'nwtsim calibrate' writes. Assumed rates and times without one get a factor of 2 each way,
calibrated ones 10 %, and the report says so. Needs SciPy.

Examples:
  nwtsim uncertainty nwt test-read
  nwtsim uncertainty nwt test-read --figure read_MBps --points 256 --out sure
  nwtsim uncertainty my-machine.yaml my-job.yaml --format json
  nwtsim uncertainty nfs-lab morning --replications auto --confidence '90 %'
  nwtsim uncertainty nwt test-read --html sure.html

With --out, DIR gets uncertainty.json, values.csv, machines.csv (all that were drawn), tornado.png
and tornado.svg; after an interruption the same command goes on there.
"""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli import many, options
from simulator.cli.knob_options import add_own_settings
from simulator.report import terminal
from simulator.stopping import on_interrupt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.study.replications import Replications
    from simulator.study.uncertainty import Uncertainty

REPLICATIONS = 16
"""Runs as the files are, if the user says nothing."""


configure_for = add_own_settings
OPTIONS = {
    "inputs settings": "",
    "--figure NAME =elapsed_s": "the figure that values are ranked for: elapsed_s (default),"
    " read_MBps, write_MBps, stable_MBps, job_mean_ms, ...: a column of a sweep",
    "--points N =64": "draw 2 N machines, and N more for each value that moves a figure; a power of"
    " two (default: 64)",
    "--value-seed N seed=1": "of the machines that are drawn (default: 1)",
    "engine seed replications jobs html progress format:table:json:csv full": "",
    "--out DIR file": "folder for the results, and a plot",
    "--force": "replace the results of another study in DIR",
    "--no-plot": (
        "do not write tornado.png and tornado.svg, which need matplotlib",
        {"dest": "plot", "action": "store_false"},
    ),
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.extras import need
    from simulator.report.uncertainty import uncertainty_page
    from simulator.report.versions import versions
    from simulator.study.grid import Sweep
    from simulator.study.replications import DEFAULT_SEED
    from simulator.study.uncertainty import read_figure, read_points, uncertainty_of

    figure = read_figure(arguments.figure)
    points, replications = read_points(arguments.points), _replications(arguments)
    need("scipy")
    if arguments.seed is None:
        arguments.seed = DEFAULT_SEED
    heard = terminal.Messages().listener
    asked = options.run_of(arguments, arguments.machine, arguments.workload, heard)
    settings = asked.inputs.settings
    base = Sweep(arguments.machine, arguments.workload, settings, (), asked.seed, arguments.engine)
    with _folder(arguments.out) as folder, options.reporting(arguments) as report:
        found = uncertainty_of(
            asked,
            base,
            folder,
            points=points,
            replications=replications,
            versions=versions(),
            **options.values(arguments, "value_seed force jobs progress"),
            said=terminal.say,
        )
        found.check(figure)
        if arguments.out is not None:
            _write(found, figure, folder, plot=arguments.plot)
        report(uncertainty_page(found, figure, _command(arguments)))
    return 0


def _command(arguments: argparse.Namespace) -> list[str]:
    """Return the words that give the same answer."""
    words = ["nwtsim", "uncertainty", str(arguments.machine), str(arguments.workload)]
    words += options.words_of(arguments)
    from simulator.report.uncertainty import words_of_study

    words += words_of_study(arguments.figure, arguments.points, arguments.value_seed)
    return [*words, *many.words_of_replications(_replications(arguments))]


def _replications(arguments: argparse.Namespace) -> Replications:
    if arguments.replications is None:
        arguments.replications = str(REPLICATIONS)
    wanted = many.replications_of(arguments)
    assert wanted is not None
    return wanted


@contextlib.contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """Hold the folder of the results, or one that is thrown away."""
    if out is None:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            try:
                yield Path(folder)
            except KeyboardInterrupt as stop:  # What a sweep says of its folder ends with it.
                why = str(stop).partition(";")[0] or "interrupted"
                stop.args = (
                    f"{why}; nothing is kept without --out DIR: with it the same command"
                    " goes on from the machines that were run",
                )
                raise
        return
    from simulator.study.folder import writing_to

    with writing_to(out), on_interrupt(lambda: f"the same command goes on from what {out} has"):
        yield out


def _write(found: Uncertainty, figure: str, folder: Path, *, plot: bool) -> None:
    from simulator.csvtext import csv_of
    from simulator.extras import missing
    from simulator.output import write_bytes, write_text
    from simulator.report.forms import written
    from simulator.report.uncertainty import draw_tornado, machine_rows, uncertainty_page

    page = uncertainty_page(found, figure)
    write_text(folder / "uncertainty.json", written(page, "json"))
    write_text(folder / "values.csv", written(page, "csv"))
    write_text(folder / "machines.csv", csv_of(machine_rows(found)))
    if not plot or not found.ranked(figure):
        return
    try:
        from simulator.report.plots import png, svg
    except ModuleNotFoundError:
        terminal.say(f"no plot was drawn: {missing('matplotlib')}; then repeat the command")
        return
    drawn = draw_tornado(found, figure)
    write_bytes(folder / "tornado.png", png(drawn))
    write_bytes(folder / "tornado.svg", svg(drawn))
