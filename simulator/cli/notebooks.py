"""``nwtsim notebooks``: copies of the teaching notebooks, to run and to change.

Copy the teaching notebooks and the logs they read into a folder, which is created if necessary. A
file that you have changed there is overwritten only with --force. To open the notebooks, install
JupyterLab with pip install 'nwtsim[notebook]'.

Examples:
  nwtsim notebooks my-notebooks
  jupyter lab my-notebooks
"""

from __future__ import annotations

import argparse

OPTIONS = {
    "folder DIR file": "folder for the copies",
    "--force": "overwrite files that differ",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.output import show
    from simulator.shipped import copy_shipped

    copied, kept = copy_shipped("notebooks", arguments.folder, force=arguments.force)
    lines = [str(path) for path in copied]
    if kept:
        lines.append(f"{len(kept)} files were there already, unchanged")
    show("\n".join([*lines, "", f"Open them with: jupyter lab {arguments.folder}", ""]))
    return 0
