"""``nwtsim schema``: what a file may hold, for editors that check while one writes."""

from __future__ import annotations

import argparse

from simulator.cli.shared import Table

TEXT = """\
Print the JSON Schema (draft 2020-12) of machine, workload, fit or requirement files.
An editor that uses the schema completes keys and marks mistakes while you write. Rules that involve
several values are checked by `nwtsim check` only."""

EXAMPLES = """\
  nwtsim schema machine > machine.schema.json
  and as the first line of a machine file:
  # yaml-language-server: $schema=machine.schema.json"""


def table() -> Table:
    """Return the options."""
    from simulator.config.schema import schema_names

    names = schema_names()
    about = f"which kind of file: {', '.join(names)}"
    return {"kind KIND": (about, {"choices": names})}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    import json

    from simulator.config.schema import json_schema
    from simulator.output import show

    show(json.dumps(json_schema(arguments.kind), indent=2) + "\n")
    return 0
