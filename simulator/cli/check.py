"""``nwtsim check``: files by themselves, without running anything.

Read machine, workload, fit and requirement files and list all their mistakes, one per line:
file:line:column: key: what was read; what to write instead. For a valid file, print how many
values it has and where they come from.

Examples:
  nwtsim check my-machine.yaml my-workload.yaml
"""

from __future__ import annotations

import argparse
import sys

OPTIONS = {"files FILE +": "a machine, workload, fit or requirement file"}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.config import ConfigError
    from simulator.report.values import check_file

    code = 0
    for name in arguments.files:
        try:
            print(check_file(name), flush=True)  # Before what others have to say.
        except ConfigError as error:
            print(error, file=sys.stderr)
            code = 2
    return code
