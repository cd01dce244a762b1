"""``nwtsim list``: what comes with nwtsim.

List the machines, workloads and studies that come with nwtsim, each with one line. With --for, list
only the workloads that fit a machine, yours or one that comes with it. A machine's line says how
many of its values were measured or published, fitted, and assumed.

Examples:
  nwtsim list
  nwtsim list machines --format json
  nwtsim list workloads --for nfs-lab
"""

from __future__ import annotations

import argparse

from simulator.cli.shared import Table


def table() -> Table:
    """Return the options."""
    from simulator.report.shipped import KINDS

    return {
        "kind WHAT ?": (f"only {', '.join(KINDS)}", {"choices": KINDS}),
        "--for MACHINE": ("list the workloads that fit this machine", {"dest": "machine"}),
        "format:table:json": "",
    }


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.errors import InputError
    from simulator.output import show
    from simulator.report.shipped import KINDS, fitting, listed, shipped_json, shipped_text

    if arguments.machine is not None:
        if arguments.kind not in (None, "workloads"):
            raise InputError(f"--for: lists workloads, not {arguments.kind}")
        found = {"workloads": fitting(arguments.machine)}
    else:
        found = {kind: listed(kind) for kind in ([arguments.kind] if arguments.kind else KINDS)}
    show(shipped_json(found) if arguments.format == "json" else shipped_text(found))
    return 0
