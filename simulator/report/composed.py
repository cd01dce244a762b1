"""A finished run with its machine, for the commands."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.report.outcome import Outcome
from simulator.run import Inputs
from simulator.shipped import shipped_root

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.sources import FromFile
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

_ORDER = (
    *("paper", "literature", "measured", "calibrated", "assumed"),
    *("unstated", "set by the user", "default"),
)
"""Sources as reports list them."""


def outcome_of(inputs: Inputs, plan: Plan, result: Result) -> Outcome:
    """Return a finished run with the title of its machine and the sources of all values."""
    sources = sources_of(inputs.machine, inputs.workload)
    return Outcome(plan, result, inputs.machine.title, sources, _shown(inputs.machine))


def _shown(machine: Machine) -> str:
    """Return what names a machine to a command: a file, or the name of a shipped one."""
    file = Path(machine.origin.file)
    shipped = file.parent == shipped_root("configs") / "machines"
    return machine.name if shipped or not file.suffix else str(file)


def sources_of(*files: FromFile) -> dict[str, int]:
    """Count the values of some files by where they come from."""
    from simulator.config.sources import provenance

    kinds: Counter[str] = Counter(one.kind for file in files for one in provenance(file))
    return {kind: kinds[kind] for kind in _ORDER if kinds[kind]}
