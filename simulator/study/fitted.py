"""A machine whose values are fitted: seconds per MB of the cells of a study.

What is fitted is written as text, as ``--set`` takes it: it is read by the rules of the files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.settings import Setting
from simulator.config.variants import Variants
from simulator.study.rules import resolved_for
from simulator.study.study import Cell

WAYS = ("read", "write")
Stopped = Callable[[], bool] | None


class Fitted:
    """A machine, and the cells of a study on it."""

    def __init__(
        self,
        machine: str,
        cells: Sequence[Cell],
        paths: Sequence[tuple[str, ...]],
        units: Sequence[str],
        stopped: Stopped = None,
    ) -> None:
        """``paths``: keys of the machine file, for each parameter; ``units`` as studies have."""
        self.cells = cells
        self.paths = paths
        self.units = units
        self.stopped = stopped
        self._variants: Variants[Any] = Variants(MACHINE, machine, ())
        self.machine = self._variants.load(())
        self.workloads = []
        for cell in cells:
            full = resolved_for(machine, cell.workload, cell.settings, (None, None))
            self.workloads.append(Variants(WORKLOAD, cell.workload, full).load(()))

    def seconds_per_MB(self, values: Sequence[float], indices: Sequence[int]) -> list[float]:
        """Run some cells with these values of the parameters."""
        from simulator.config.lowering.plan import make_plan
        from simulator.run import run_plan

        settings = [
            self._setting(path, _text(value, unit))
            for path, unit, value in zip(self.paths, self.units, values, strict=True)
        ]
        machine = self._variants.load(settings)
        times = []
        for i in indices:
            plan = make_plan(machine, self.workloads[i], known_digest="fit")
            result = run_plan(plan, stopped=self.stopped)
            times.append(1e6 / result.rate(self.cells[i].work))
        return times

    def _setting(self, path: tuple[str, ...], text: str) -> Setting:
        """Return the setting of a value; a rate of one direction leaves that of the other."""
        *before, last = path
        if last in WAYS and before:
            rates = _inside(self.machine, before)
            other = next(way for way in WAYS if way != last)
            text = f"{{{last}: {text}, {other}: {_text(getattr(rates, other), 'MB/s')}}}"
            path = tuple(before)
        return ".".join(("machine", *path)), text

    def step(self, parameter: int) -> int:
        """Return the block of a store for its quota, else 1."""
        path = self.paths[parameter]
        if path[0] == "stores" and path[-1] == "quota":
            return int(self.machine.stores[path[1]].block)
        return 1

    def current(self, parameter: int) -> float:
        """Return the value of a parameter in the machine file."""
        value = _inside(self.machine, self.paths[parameter])
        return float(getattr(value, WAYS[0], value))


def _inside(section: Any, path: Sequence[str]) -> Any:
    """Return what is at a path of a section."""
    for key in path:
        section = section[key] if isinstance(section, dict) else getattr(section, key)
    return section


def _text(value: float, unit: str) -> str:
    """Return a value as a file would have it.

    >>> _text(2e6, "ms"), _text(91.8e6, "MB/s"), _text(256e6, "MB")
    ('2000000 ns', '91800000.0 B/s', '256000000 B')
    """
    if unit == "MB/s":
        return f"{float(value)!r} B/s"
    return f"{round(float(value))} {'ns' if unit == 'ms' else 'B'}"
