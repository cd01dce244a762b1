"""What a case is: a machine and a workload of ``old/``, with settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

OLD = Path(__file__).resolve().parent / "old"
"""Machines and workloads in the formats of version 1: those that the program came with when the
results were frozen, and some that are made for the cases (``golden-...``)."""

Setting = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One run; its name is unique within its study."""

    study: str
    """``nwt``, ``sr8000``, ``orion`` or ``ninf``: whose simulator carries it out."""
    name: str
    machine: str
    workload: str
    settings: tuple[Setting, ...] = ()
    """As of ``--set``: short names, or paths of the old formats."""
    seed: int | None = None
    """None: the default seed, and no noise."""
    run: int = 0
    runs: int = 0
    """How many runs belong together; only the NWT's simulator knows them."""
    spans: bool = False
    """Whether the services of the timeline are kept too."""
    slow: bool = False
    """Whether it takes more than some tenths of a second on the reference engine."""

    @property
    def machine_file(self) -> Path:
        """The machine before its settings."""
        return OLD / "machines" / f"{self.machine}.yaml"

    @property
    def workload_file(self) -> Path:
        """The workload before its settings."""
        return OLD / "workloads" / f"{self.workload}.yaml"
