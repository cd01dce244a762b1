"""One short text that is the same exactly if two inputs mean the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from simulator.config.machine import Machine
from simulator.config.precedence import filesystem_of
from simulator.config.workload import Workload

_NAMES = {"name", "title", "references"}
"""What people call a file, and what they cite, changes no result."""


def digest(machine: Machine, workload: Workload) -> str:
    """Give the SHA-256 of all values, in hexadecimal.

    The order of keys, comments, anchors, sources, notes, titles, and how a unit is spelt
    (``1 GB`` or ``1000 MB``) make no difference; nor does writing down a default.
    """
    jobs = workload.model_dump(mode="json", exclude=_NAMES)
    for name, file in workload.files.items():
        jobs["files"][name]["filesystem"] = filesystem_of(machine, file)
    values: dict[str, Any] = {
        "machine": machine.model_dump(mode="json", exclude=_NAMES),
        "workload": jobs,
    }
    text = json.dumps(values, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
