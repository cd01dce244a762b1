"""``nwtsim show``: a machine, drawn and listed."""

from __future__ import annotations

import argparse

from simulator.cli import options

_TEXT = """\
Draw a machine as a block diagram, then list its values with their sources: a section of the paper,
other literature, calibrated on published tables, or assumed; as many as fit a screen, with --full
each of them."""

_EXAMPLES = """\
  nwtsim show nwt
  nwtsim show nwt --full                           (each value with its source)
  nwtsim show my-machine.yaml --format json
  nwtsim show my-machine.yaml --knobs              (what 'nwtsim run' can set, and how)"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument("machine", metavar="MACHINE", help="a machine file, or a shipped name: nwt")
    options.add_format(parser, "table", "json")
    options.add_full(parser)
    parser.add_argument(
        "--knobs",
        action="store_true",
        help="list what can be set: the option of 'nwtsim run', its value now, the path for --set",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.config.formats import MACHINE
    from simulator.config.load import load_file
    from simulator.output import show
    from simulator.report.blocks import block_diagram
    from simulator.report.values import machine_json, machine_text

    if arguments.knobs:
        return _knobs(arguments)
    machine = load_file(MACHINE, arguments.machine)
    drawn = block_diagram(machine)
    as_json = arguments.format == "json"
    show(machine_json(machine) if as_json else machine_text(machine, drawn, full=arguments.full))
    return 0


def _knobs(arguments: argparse.Namespace) -> int:
    """List the short names of a machine's values that 'nwtsim run' takes."""
    import json
    from dataclasses import asdict

    from simulator.config.formats import MACHINE
    from simulator.config.knobs import run_knobs_of
    from simulator.output import show
    from simulator.report.values import knobs_text
    from simulator.run import load

    knobs = run_knobs_of(load(MACHINE, arguments.machine))
    if arguments.format == "json":
        show(json.dumps({name: asdict(one) for name, one in knobs.items()}, indent=2) + "\n")
        return 0
    show(knobs_text(knobs, full=arguments.full))
    return 0
