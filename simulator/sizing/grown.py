"""Settings of a load that its growth changes: sizes of files, rates of arrivals, and other numbers.

Not modelled: growth of what a load's own settings say of its files; it is taken as it stands there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from simulator.answers.shorter import step_of
from simulator.config.errors import Path, dotted
from simulator.config.growth import factor
from simulator.config.sources import leaves
from simulator.units import format_size, shown

if TYPE_CHECKING:
    from simulator.config.growth import Growing
    from simulator.config.machine_file import Machine
    from simulator.config.quantities import Leaf
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload

EVERY = "every"
"""The key of the time between two arrivals, or submissions."""


class Grown:
    """The growth of a load on its machine, after some years."""

    def __init__(
        self, growing: Growing, years: float, machine: Machine, workload: Workload
    ) -> None:
        """``machine`` and ``workload`` have the load's settings."""
        self.growing = growing
        self.years = years
        self.workload = workload
        self.faults: list[tuple[Path, str]] = []
        """What does not grow: its place in the growth, and why."""
        self.places: dict[str, Path] = {}
        """Places in the growth of the settings that it changes, by their full paths."""
        sections = {"machine": machine, "workload": workload}
        self._leaves = {
            f"{head}.{dotted(path)}": (leaf, value)
            for head, section in sections.items()
            for path, leaf, value, _ in leaves(section)
        }
        self._stated = {
            f"{head}.{path}" for head, section in sections.items() for path in section.sources
        }

    def settings(self, own: Mapping[str, str], named: Mapping[str, Sequence[str]]) -> list[Setting]:
        """Return the settings.

        ``own``: those of the load; ``named``: the full paths of what grows, by its names.
        """
        found: list[Setting] = []
        made: list[tuple[Path, Iterator[Setting]]] = [
            (("files",), self._files(own)),
            (("arrivals",), self._arrivals()),
        ]
        for name, growth in self.growing.set.items():
            by = factor(growth, self.years)
            made += [(("set", name), self._numbers(name, path, by)) for path in named[name]]
        for place, settings in made:
            for path, value in settings:
                self.places[path] = place
                found.append((path, value))
        return found if self.years else []

    def _files(self, own: Mapping[str, str]) -> Iterator[Setting]:
        """Yield the sizes of files, whole records of those that have such."""
        by = factor(self.growing.files, self.years)
        for name, file in self.workload.files.items() if by > 1 else ():
            path = f"workload.files.{name}.size"
            if path not in own:
                records = step_of(self.workload, name)
                step = records if file.size % records == 0 else 1
                yield path, format_size(math.ceil(file.size * by / step) * step)

    def _arrivals(self) -> Iterator[Setting]:
        """Yield the times between arrivals, and between submissions."""
        if not self.growing.arrivals:
            return
        by, there = factor(self.growing.arrivals, self.years), False
        for path, (leaf, value) in self._leaves.items():
            if path.endswith((f".arrivals.{EVERY}", f".submit.{EVERY}")):
                there = True
                yield path, leaf.show(max(1, math.floor(value / by)))
        if not there:
            about = f"no job of {self.workload.name} has arrivals with an '{EVERY}'; leave it out"
            self.faults.append((("arrivals",), about))

    def _numbers(self, name: str, pattern: str, by: Fraction) -> Iterator[Setting]:
        """Yield what a name stands for, as it has grown."""
        wanted = re.compile(re.escape(pattern).replace(r"\*", r"[^.]+"))
        there = [path for path in self._leaves if wanted.fullmatch(path)]
        there = [path for path in there if path == pattern or path in self._stated]
        if not there:
            about = "has no value of its own that could grow; write one under 'set' of the load"
            self.faults.append((("set", name), about))
        for path in there:
            leaf, value = self._leaves[path]
            if path.endswith(f".{EVERY}"):
                about = "is the time between two, which shrinks; write 'arrivals: ' instead"
            elif not _is_amount(leaf, value):
                about = f"is {shown(leaf.show(value))}, which is no amount that grows; leave it out"
            else:
                whole = isinstance(value, int)
                grown = math.ceil(value * by) if whole else value * float(by)
                yield path, leaf.show(grown)
                continue
            self.faults.append((("set", name), about))
            return


def _is_amount(leaf: Leaf, value: Any) -> bool:
    """Return whether a value is a number that can be any larger: no share, no flag, not nothing."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and value > 0 and not leaf.show(value).endswith("%")
