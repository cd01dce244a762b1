"""``nwtsim calibrate``: the calibrated values of a machine, fitted anew."""

from __future__ import annotations

import argparse
import sys

from simulator.cli import options

_TEXT = """\
Fit the calibrated values of a machine to a published study by least squares. Print the estimate,
uncertainty and correlation of each value, and the prediction of each published number from all the
others."""

_EXAMPLES = """\
  nwtsim calibrate nwt
  nwtsim calibrate nwt --jobs 4 --format json"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from simulator.study.study import calibrated_names

    names = calibrated_names()
    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument(
        "study", metavar="STUDY", choices=names, help=f"a shipped study: {', '.join(names)}"
    )
    options.add_jobs(parser)
    options.add_format(parser, "table", "json")


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.extras import need
    from simulator.output import show

    need("scipy")
    from simulator.report.calibration import render_calibration
    from simulator.report.progress import Progress
    from simulator.study.calibrate import calibrate, takes_s

    name, jobs = arguments.study, arguments.jobs
    with Progress(sys.stderr, {name: takes_s(jobs)}, 1) as progress:
        calibration = calibrate(name, jobs=jobs, tell=lambda share: progress.heard(name, share))
    show(render_calibration(calibration, arguments.format))
    return 0
