"""Published numbers of a run, to be drawn beside the simulated ones."""

from __future__ import annotations

from functools import cache
from typing import Any

from simulator.shipped import shipped_root
from simulator.study.studies import study_names
from simulator.study.study_file import load_study_file


@cache
def published(machine: str, workload: str) -> list[dict[str, Any]]:
    """Return the cells of tables that were measured with a shipped machine and workload."""
    folder = shipped_root("experiments")
    with_cells = [
        name
        for name in study_names()
        if "\ncells:" in (folder / name / "study.yaml").read_text("utf-8")
    ]
    studies = (load_study_file(name) for name in with_cells)
    return [
        {
            "table": cell.table,
            "settings": dict(cell.settings),
            "work": cell.work,
            "mean_MBps": cell.mean,
            "low_MBps": cell.low,
            "high_MBps": cell.high,
            "runs": len(cell.runs),
            "paper": study.paper,
        }
        for study in studies
        if study.machine == machine
        for cell in study.cells
        if cell.workload == workload
    ]
