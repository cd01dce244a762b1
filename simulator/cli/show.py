"""``nwtsim show``: a machine, drawn and listed.

Draw a machine as a block diagram, then list its values with their sources: a section of the paper,
other literature, calibrated on published tables, or assumed; as many as fit a screen, with --full
each of them.

Examples:
  nwtsim show nwt
  nwtsim show nwt --full                           (each value with its source)
  nwtsim show my-machine.yaml --format json
  nwtsim show my-machine.yaml --knobs              (what 'nwtsim run' can set, and how)
"""

from __future__ import annotations

import argparse

from simulator.cli import options

OPTIONS = {
    "machine MACHINE": "a machine file, or a shipped name: nwt",
    "format:table:json full": "",
    "--knobs": "list what can be set: the option of 'nwtsim run', its value now, the path for"
    " --set",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.config.formats import MACHINE
    from simulator.config.load import load_file
    from simulator.report.blocks import block_diagram
    from simulator.report.values import machine_page

    if arguments.knobs:
        return _knobs(arguments)
    machine = load_file(MACHINE, arguments.machine)
    with options.reporting(arguments) as report:
        report(machine_page(machine, block_diagram(machine)))
    return 0


def _knobs(arguments: argparse.Namespace) -> int:
    """List the short names of a machine's values that 'nwtsim run' takes."""
    from dataclasses import asdict

    from simulator.config.formats import MACHINE
    from simulator.config.knobs import run_knobs_of
    from simulator.output import show
    from simulator.report.forms import json_of, written
    from simulator.report.values import knobs_page
    from simulator.run import load

    knobs = run_knobs_of(load(MACHINE, arguments.machine))
    if arguments.format == "json":  # All its keys are knobs: there is no place for a version.
        show(json_of({name: asdict(one) for name, one in knobs.items()}, indent=2) + "\n")
    else:
        show(written(knobs_page(knobs), "table", full=arguments.full))
    return 0
