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
    from simulator.study.study import NAMES

    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument("study", metavar="STUDY", choices=NAMES, help="a shipped study: nwt")
    options.add_jobs(parser)
    options.add_format(parser, "table", "json")


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.output import show
    from simulator.study.calibrate import calibrate, render

    calibration = calibrate(arguments.study, jobs=arguments.jobs, progress=sys.stderr.isatty())
    show(render(calibration, arguments.format))
    return 0
