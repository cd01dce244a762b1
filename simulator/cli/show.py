"""``nwtsim show``: a machine, drawn and listed."""

from __future__ import annotations

import argparse

from simulator.cli import options

_TEXT = """\
Draw a machine as a block diagram, then list each value with its source: a section of the paper,
other literature, calibrated on published tables, or assumed."""

_EXAMPLES = """\
  nwtsim show nwt
  nwtsim show my-machine.yaml --format json"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument("machine", metavar="MACHINE", help="a machine file, or a shipped name: nwt")
    options.add_format(parser, "table", "json")


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.config import load_machine
    from simulator.config.document import Document
    from simulator.config.load import load_file
    from simulator.config.systems import kinds_of, system_of
    from simulator.output import show
    from simulator.report.diagram import diagram
    from simulator.report.system import draw_machine
    from simulator.report.values import machine_json, machine_text

    machine: Document
    if system := system_of(arguments.machine):
        machine = load_file(kinds_of(system)[0], arguments.machine)
        drawn = draw_machine(system, machine)
    else:
        machine = nwt = load_machine(arguments.machine)
        drawn = diagram(nwt)
    show(machine_json(machine) if arguments.format == "json" else machine_text(machine, drawn))
    return 0
