"""``nwtsim advise MACHINE WORKLOAD``: what would make a job faster."""

from __future__ import annotations

import argparse

from simulator.errors import InputError


def advise_job(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    raise InputError(
        f"advise {arguments.inputs[0]} {arguments.inputs[1]}: name a trace and --on MACHINE"
    )
