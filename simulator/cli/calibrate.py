"""``nwtsim calibrate``: values of a machine, fitted to measurements."""

from __future__ import annotations

import argparse
import sys
import time

from simulator.cli import options

_TEXT = """\
Fit values of a machine to measurements by least squares on the simulator. FIT is a file (fit/1)
that names the machine, the measurements with their workloads and settings, and the values to fit.
Print the estimate, uncertainty and correlation of each value, what the measurements do not
determine, and the prediction of each measurement from all the others. An interrupt prints the best
values so far."""

_EXAMPLES = """\
  nwtsim new fit --for my-machine.yaml               (writes my-fit.yaml)
  nwtsim calibrate my-fit.yaml -o fitted.yaml
  nwtsim calibrate my-fit.yaml --format csv
  nwtsim calibrate nwt --jobs 4 --format json        (a published study)"""

_EVERY_S = 0.2


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument("fit", metavar="FIT", help="a fit file, or a shipped name, like nwt")
    parser.add_argument(
        "-o",
        "--out",
        metavar="FILE",
        type=options.file,
        help="write the machine with the fitted values, which have this fit as their source",
    )
    parser.add_argument("--force", action="store_true", help="overwrite the file if it is there")
    options.add_jobs(parser)
    options.add_format(parser, "table", "json", "csv")
    options.add_progress(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.errors import InputError
    from simulator.output import placing_if, show
    from simulator.report.calibration import render_calibration
    from simulator.report.fitted_machine import fitted_machine
    from simulator.study.calibrate import calibrate

    out = arguments.out
    if out is not None and out.exists() and not arguments.force:
        raise InputError(f"{out}: is there already; write another -o FILE, or --force")
    with placing_if(out) as part, _Line(arguments.progress) as line:
        calibration = calibrate(arguments.fit, jobs=arguments.jobs, heard=line.heard)
        if part is not None:
            show(fitted_machine(calibration), part)
    show(render_calibration(calibration, arguments.format))
    if out is not None and arguments.format == "table":
        show(f"\n{out}: {calibration.machine} with the fitted values\n")
    return 0


class _Line:
    """One line on standard error: what is being done, and how good the fit is."""

    def __init__(self, wanted: bool | None) -> None:
        self._wanted = sys.stderr.isatty() if wanted is None else wanted
        self._drawn = time.monotonic()
        self._width = 0

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            self._draw("")
            print(end="\r", file=sys.stderr, flush=True)

    def heard(self, what: str, runs: int, rms: float) -> None:
        """Show how many runs were made, a few times a second."""
        if self._wanted and time.monotonic() - self._drawn >= _EVERY_S:
            self._drawn = time.monotonic()
            error = "" if rms != rms else f", error {rms * 100:.3g} %"  # noqa: PLR0124 - no number yet
            self._draw(f"{what}: {runs:,} runs{error}")

    def _draw(self, text: str) -> None:
        print(f"\r{text:<{self._width}}", end="", file=sys.stderr, flush=True)
        self._width = max(self._width, len(text))
