"""A machine as a reader wants it: its diagram, then every value with where it comes from."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING

from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.sources import Document, Stated


_NAMED = ("nodes", "parts", "stores", "buffer_caches", "filesystems", "services", "sites")
"""Sections whose values have names without that of the section; ``policy`` is that of jobs."""


def machine_text(machine: Document, drawn: str) -> str:
    """Show a machine's diagram and list its values, for people."""
    from simulator.config.sources import provenance

    listed = provenance(machine)
    title = f": {machine.title}" if machine.title else ""
    blocks = [f"{machine.name}{title}", drawn, _table(listed), summary(listed)]
    if machine.references:
        references = [f"  {key}: {text}" for key, text in machine.references.items()]
        blocks.append("\n".join(["references", *references]))
    return "\n\n".join(blocks) + "\n"


def machine_json(machine: Document) -> str:
    """Return a machine's values and their sources for programs."""
    from simulator.config.sources import provenance

    record = {
        "machine": machine.name,
        "title": machine.title,
        "values": [_record(one) for one in provenance(machine)],
        "references": machine.references,
    }
    return json.dumps(record, indent=2) + "\n"


def summary(listed: list[Stated]) -> str:
    """Count values by where they come from.

    >>> from simulator.config.sources import Stated
    >>> summary([Stated("pe.small", "162", "paper", "2.1", "")])
    '1 value: 1 from the paper'
    """
    phrases = {
        "paper": "from the paper",
        "literature": "from literature",
        "unstated": "unsourced",
    }
    kinds: list[str] = [one.kind for one in listed]
    counts = {kind: kinds.count(kind) for kind in (*phrases, *kinds)}
    told = [f"{count} {phrases.get(kind, kind)}" for kind, count in counts.items() if count]
    return f"{counted(len(listed), 'value')}: {', '.join(told)}"


def _table(listed: list[Stated]) -> str:
    """List the values, each section under a line of its own."""
    from tabulate import tabulate

    rows = []
    for section, values in groupby(listed, key=lambda one: one.path.partition(".")[0]):
        rows.append([section, "", "", ""])
        for one in values:
            key = one.path.partition(".")[2] if section in _NAMED else one.path
            rows.append([f"  {key}", one.value, f"{one.kind} {one.detail}".rstrip(), one.note])
    with_blanks = {"disable_numparse": True, "preserve_whitespace": True}
    head = ["value", "", "source", "note"]
    return tabulate(rows, headers=head, tablefmt="simple", **with_blanks)  # type: ignore[arg-type]


def _record(one: Stated) -> dict[str, str]:
    return {
        "path": one.path,
        "value": one.value,
        "source": one.kind,
        "detail": one.detail,
        "note": one.note,
    }
