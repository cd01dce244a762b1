"""The grid of a sweep: every combination of the values of its axes, checked before any is run."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from simulator.config import (
    ConfigError,
    Machine,
    Problem,
    Setting,
    Workload,
    check_together,
    digest,
    resolve_setting,
)
from simulator.config.load import File
from simulator.config.variants import Variants, machine_variants, workload_variants
from simulator.errors import InputError
from simulator.simulate import EngineName
from simulator.study.axis import MOST_POINTS, Axis, read_axis
from simulator.study.point import Point

MOST_SHOWN = 20
"""Mistakes of points that are shown; more are counted."""


class GridError(InputError):
    """A grid that cannot be run: too large, contradictory, or with points that are invalid."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is to be run: a machine and a workload, with some settings varied."""

    machine: str
    workload: str
    settings: tuple[Setting, ...]
    """What holds for every point, as full paths."""
    axes: tuple[Axis, ...]
    """The first one varies slowest."""
    seed: int | None = None
    engine: EngineName = "auto"

    @property
    def size(self) -> int:
        """How many points there are."""
        return math.prod(len(axis.texts) for axis in self.axes)

    def combinations(self) -> Iterator[tuple[str, ...]]:
        """Give the values of each point, in order."""
        return itertools.product(*(axis.texts for axis in self.axes))


def make_sweep(
    machine: str,
    workload: str,
    *,
    vary: Sequence[Setting],
    settings: Sequence[Setting] = (),
    seed: int | None = None,
    engine: EngineName = "auto",
) -> Sweep:
    """Read what varies, as (short name or path, SPEC); InputError or ConfigError if wrong."""
    fixed = tuple(resolve_setting(*setting) for setting in settings)
    axes = tuple(read_axis(name, _path(name), spec) for name, spec in vary)
    sweep = Sweep(machine, workload, fixed, axes, seed, engine)
    if not axes:
        raise GridError("nothing varies; write --vary, like --vary 'buffer=600 kB,8 MB'")
    paths = [axis.path for axis in axes]
    if twice := [axis.name for axis in axes if paths.count(axis.path) > 1]:
        raise GridError(f"--vary {twice[0]}: this is varied twice; put all its values in one list")
    if both := [axis.name for axis in axes if axis.path in dict(fixed)]:
        raise GridError(f"--vary {both[0]}: this is also set for all points; leave one of them out")
    if sweep.size > MOST_POINTS:
        raise GridError(f"the grid has {sweep.size:,} points; vary less: at most {MOST_POINTS:,}")
    return sweep


def _path(name: str) -> str:
    """Give the full path of what varies."""
    try:
        return resolve_setting(name, "")[0]
    except ConfigError as error:
        named = [replace(problem, file=f"--vary {name}") for problem in error.problems]
        raise ConfigError(named) from None


def digest_of(points: Sequence[Point]) -> str:
    """Give the SHA-256 of all points, in order: of all that they will be run with."""
    text = "\n".join(point.digest for point in points)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class Grid:
    """The points of a sweep, with the machine and the workload of each."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.mistakes: dict[tuple[str, ...], tuple[Problem, dict[str, None]]] = {}
        """Each mistake as it was first met, with the points that have it (an ordered set)."""
        fixed = sweep.settings
        self.machines = machine_variants(sweep.machine, _of(fixed, "machine"))
        self.workloads = workload_variants(sweep.workload, _of(fixed, "workload"))

    def sections(self, point: Point) -> tuple[Machine, Workload]:
        """Give the machine and the workload of a point that was found good."""
        varied = point.settings[len(self.sweep.settings) :]
        machine = self.machines.load(_of(varied, "machine"))
        return machine, self.workloads.load(_of(varied, "workload"))

    def points(self) -> list[Point]:
        """Give all points; GridError lists what is wrong with them, and where."""
        points = [self._point(values) for values in self.sweep.combinations()]
        if self.mistakes:
            raise GridError("\n".join(self._told()))
        return [point for point in points if point is not None]

    def _point(self, values: tuple[str, ...]) -> Point | None:
        sweep = self.sweep
        varied = tuple(zip((axis.path for axis in sweep.axes), values, strict=True))
        mine = _of(varied, "machine"), _of(varied, "workload")
        machine = self._load(self.machines, mine[0])
        workload = self._load(self.workloads, mine[1])
        if machine is None or workload is None:
            return None
        if any(one.severity == "error" for one in check_together(machine, workload)):
            read = self.machines.explained(mine[0]), self.workloads.explained(mine[1])
            self._remember(
                [one for one in check_together(*read) if one.severity == "error"], varied
            )
            return None
        return Point(
            machine=sweep.machine,
            workload=sweep.workload,
            settings=(*sweep.settings, *varied),
            seed=sweep.seed,
            engine=sweep.engine,
            name=self._name(varied),
            digest=digest(machine, workload),
        )

    def _load(self, variants: Variants[File], varied: tuple[Setting, ...]) -> File | None:
        """Load one of the two with its share of the varied settings; None if that is a mistake."""
        try:
            return variants.load(varied)
        except ConfigError as error:
            self._remember(error.problems, varied)
            return None

    def _remember(self, problems: Iterable[Problem], varied: tuple[Setting, ...]) -> None:
        for problem in problems:
            # A setting has its value in its place; the mistake is the same without it.
            place = problem.file.partition("=")[0]
            mistake = (place, str(problem.line), problem.key, problem.message)
            self.mistakes.setdefault(mistake, (problem, {}))[1][self._name(varied)] = None

    def _name(self, varied: tuple[Setting, ...]) -> str:
        names = {axis.path: axis.name for axis in self.sweep.axes}
        return ", ".join(f"{names[path]}={value}" for path, value in varied)

    def _told(self) -> Iterator[str]:
        """Say each mistake once, with the first point that has it."""
        for problem, points in itertools.islice(self.mistakes.values(), MOST_SHOWN):
            first, *others = points
            more = f" and {len(others):,} more" if others else ""
            if problem.file.startswith("--set "):
                yield f"{problem}{f' ({len(points)} points)' if others else ''}"
            elif not first or len(points) == self.sweep.size > 1:  # Not the values' fault.
                yield str(problem)
            else:
                yield f"at the point {first}{more}: {problem}"
        if len(self.mistakes) > MOST_SHOWN:
            yield f"and {len(self.mistakes) - MOST_SHOWN:,} more mistakes"


def _of(settings: tuple[Setting, ...], head: str) -> tuple[Setting, ...]:
    return tuple(one for one in settings if one[0].partition(".")[0] == head)
