"""Numbers of machine files, read without the simulator: what bounds are computed from.

Nothing here is imported from it, so that a mistake in how it reads or lowers a file cannot move a
bound as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

UNITS = {
    **{f"{prefix}B": 1000.0**power for power, prefix in enumerate(("", "k", "M", "G", "T"))},
    **{f"{prefix}iB": 1024.0**power for power, prefix in enumerate("KMGT", start=1)},
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "%": 0.01,
}


def number(text: str | float) -> float:
    """Return bytes, bytes per second, seconds, or a count.

    >>> number("1.5 GB/s"), number("2 MiB"), number("1 ms"), number("25 %"), number(3)
    (1500000000.0, 2097152.0, 0.001, 0.25, 3.0)
    """
    if not isinstance(text, str):
        return float(text)
    value, _, unit = text.partition(" ")
    return float(value) * (UNITS[unit.removesuffix("/s")] if unit else 1.0)


class Files:
    """A machine and its jobs, as YAML."""

    def __init__(self, machine: Path, jobs: Path) -> None:
        self.machine: dict[str, Any] = yaml.safe_load(machine.read_text(encoding="utf-8"))
        self.jobs: dict[str, Any] = yaml.safe_load(jobs.read_text(encoding="utf-8"))

    def of(self, part: str, key: str, way: str = "", usual: float = 0.0) -> float:
        """Return a value of a part, in one direction if it has two."""
        value = self.machine["parts"][part].get(key, usual)
        if isinstance(value, dict) and way:
            value = value[way]
        return number(value)

    def members(self, part: str, group: str = "") -> float:
        """Return how many of a part there are, with all servers, devices and ports; of a group."""
        entry = self.machine["parts"][part]
        at = group or entry.get("at")
        nodes = self.machine.get("nodes", {}).get(at, 1) if at else 1
        nodes = nodes.get("count", 1) if isinstance(nodes, dict) else nodes
        ports = entry.get("ports", 1)
        ports = ports.get(group, 1) if isinstance(ports, dict) else ports
        return float(nodes * entry.get("count", 1) * entry.get("servers", 1) * ports)

    def capacity(self, part: str, way: str = "", group: str = "") -> float:
        """Return the bytes per second of all members of a part together."""
        return self.members(part, group) * self.of(part, "rate", way)

    @property
    def processes(self) -> float:
        """All processes of all jobs."""
        return float(sum(job.get("processes", 1) for job in self.jobs["jobs"]))

    @property
    def bytes(self) -> float:
        """The bytes that all phases of all processes move."""
        return sum(
            job.get("processes", 1) * self._size(job, phase)
            for job in self.jobs["jobs"]
            for phase in job["phases"]
            if phase["do"] in ("read", "write")
        )

    def _size(self, job: dict[str, Any], phase: dict[str, Any]) -> float:
        file = self.jobs["files"][phase["file"]]
        whole = number(phase.get("size", file["size"]))
        shares = file.get("shared") and "size" not in phase and "offset" in phase
        return whole / job.get("processes", 1) if shares else whole

    @property
    def calls(self) -> float:
        """The reads and writes of all processes."""
        return sum(
            job.get("processes", 1) * self._size(job, phase) / number(job["record"])
            for job in self.jobs["jobs"]
            for phase in job["phases"]
            if phase["do"] in ("read", "write")
        )
