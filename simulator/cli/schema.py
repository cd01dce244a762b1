"""``nwtsim schema``: what a file may hold, for editors; and the keys of what commands return.

Print the JSON Schema (draft 2020-12) of machine, workload, fit or requirement files.
An editor that uses the schema completes keys and marks mistakes while you write. Rules that involve
several values are checked by `nwtsim check` only.
Of `report`: each key of what commands return with --format json, and what it means (YAML).

Examples:
  nwtsim schema machine > machine.schema.json
  and as the first line of a machine file:
  # yaml-language-server: $schema=machine.schema.json
  nwtsim schema report
"""

from __future__ import annotations

import argparse

from simulator.cli.shared import Table

REPORT = ("report", "report/1")
"""What commands return, and its format."""


def table() -> Table:
    """Return the options."""
    from simulator.config.schema import schema_names

    names = [*schema_names(), *REPORT]
    about = f"which kind of file: {', '.join(names)}"
    return {"kind KIND": (about, {"choices": names})}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    import json

    from simulator.config.schema import json_schema
    from simulator.output import show
    from simulator.report.recordkeys import KEYS

    if arguments.kind in REPORT:
        show(KEYS.read_text(encoding="utf-8"))
        return 0
    show(json.dumps(json_schema(arguments.kind), indent=2) + "\n")
    return 0
