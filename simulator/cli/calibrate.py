"""``nwtsim calibrate``: values of a machine, fitted to measurements.

Fit values of a machine to measurements by least squares on the simulator. FIT is a file (fit/1)
that names the machine, the measurements with their workloads and settings, and the values to fit.
Print the estimate, uncertainty and correlation of each value, what the measurements do not
determine, and the prediction of each measurement from all the others. An interrupt prints the best
values so far.

Examples:
  nwtsim new fit --for my-machine.yaml               (writes my-fit.yaml)
  nwtsim calibrate my-fit.yaml -o fitted.yaml
  nwtsim calibrate my-fit.yaml --format csv
  nwtsim calibrate nwt --jobs 4 --format json        (a published study)
  nwtsim calibrate my-fit.yaml --scheduler tcp://10.0.0.1:8786
"""

from __future__ import annotations

import argparse
import sys

from simulator.cli import many, options
from simulator.report import terminal

OPTIONS = {
    "fit FIT": "a fit file, or a shipped name, like nwt",
    "-o --out FILE file": "write the machine with the fitted values, which have this fit as their"
    " source",
    "--force": "overwrite the file if it is there",
    "jobs executor store format:table:json:csv full progress": "",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.output import placing_if, show
    from simulator.report.calibration import calibration_page, fitted_machine
    from simulator.report.progress import Fitting
    from simulator.study.calibrate import calibrate

    out = arguments.out
    options.check_made(out, force=arguments.force)
    with (
        placing_if(out) as part,
        many.results_of(arguments) as results,
        many.executor_or_threads(arguments) as executor,
        Fitting(sys.stderr, wanted=arguments.progress) as line,
    ):
        calibration = calibrate(
            arguments.fit,
            jobs=arguments.jobs,
            heard=line.heard,
            executor=executor,
            results=results,
            said=terminal.say,
        )
        if part is not None:
            show(fitted_machine(calibration), part)
    below = f"{out}: {calibration.machine} with the fitted values" if out is not None else ""
    with options.reporting(arguments) as report:
        report(calibration_page(calibration), below=below)
    return 0
