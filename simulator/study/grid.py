"""The grid of a sweep: every combination of the values of its axes, made one at a time.

A grid is never held as a whole: a point is made from its number when it is run. Before any point
runs, mistakes are looked for in all points of a grid of up to ``MOST_CHECKED``. Of a larger grid
so many points are checked too: every value once (half of the points; of more values, values spread
evenly), and combinations spread evenly over the grid. The rest is checked when it is run.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from simulator.config.axis import Axis, read_axis
from simulator.config.errors import ConfigError, Problem, raise_errors
from simulator.config.load import File
from simulator.config.machine_file import Machine
from simulator.config.settings import Setting
from simulator.config.variants import Variants
from simulator.config.workload_file import Workload, no_phase, phases_of
from simulator.errors import InputError
from simulator.inputfile import Source, Text
from simulator.prepared import Prepared, digest_of_both, divided
from simulator.run import EngineName, read_seed, with_full_paths
from simulator.study.figures import Row, figures_of
from simulator.study.lattice import Lattice
from simulator.study.point import Point
from simulator.study.replications import DEFAULT_SEED, Replications
from simulator.unused import UnusedSettings

MOST_POINTS = 10_000_000
"""Points of the largest grid."""
MOST_CHECKED = 4_000
"""Points that are checked before any is run: some tenths of a second."""
MOST_SHOWN = 20
"""Mistakes of points that are shown; more are counted."""

SEED = "seed"
"""The name, and the path, of an axis of seeds."""
Files = tuple[Text | None, Text | None]
"""The texts of the machine's and the workload's file; None for one that is still to be read."""
_GOLDEN = (math.sqrt(5) - 1) / 2


class GridError(InputError):
    """A grid that cannot be run: too large, contradictory, or with points that are invalid."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A machine and a workload, with some settings varied."""

    machine: str
    workload: str
    settings: tuple[Setting, ...]
    """The settings of every point, as full paths."""
    axes: tuple[Axis, ...]
    """The first one varies slowest."""
    seed: int | None = None
    engine: EngineName = "auto"
    limits: bool = False
    """True if each point says what limits it, which takes some thirty runs more."""
    replications: Replications | None = None
    """Runs of each point, with other seeds; None: one."""
    phases: tuple[str, ...] = ()
    """Phases whose times are columns too, as ``application.0``."""

    @property
    def size(self) -> int:
        """The number of points."""
        return self.lattice.size

    @property
    def lattice(self) -> Lattice:
        """The combinations of the values of its axes."""
        return Lattice([len(axis.texts) for axis in self.axes])

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of the figures of each point."""
        return figures_of(self.limits, self.replications is not None, self.phases)

    def places(self, number: int) -> tuple[int, ...]:
        """Return which value of each axis the point of this number (from 0) has."""
        return self.lattice.places(number)

    def number(self, places: Iterable[int]) -> int:
        """Return the number of the point that has these values of the axes."""
        return self.lattice.number(places)

    def varied(self, number: int) -> tuple[Setting, ...]:
        """Return the settings that make a point: the path and the value of each axis."""
        places = zip(self.axes, self.places(number), strict=True)
        return tuple((axis.path, axis.texts[place]) for axis, place in places)

    def seed_of(self, varied: Iterable[Setting]) -> int | None:
        """Return the seed of a point: its own, or that of all; None: service times do not vary.

        ``varied`` are the settings that make it.
        """
        own = dict(varied).get(SEED)
        return self.seed if own is None else int(own)

    def values(self, number: int) -> Row:
        """Return the values of a point as columns: as given, and as numbers of quantities."""
        row: Row = {}
        for axis, place in zip(self.axes, self.places(number), strict=True):
            text = axis.texts[place]
            row[axis.name] = text if axis.column or axis.numbers is None else axis.numbers[place]
            if axis.column and axis.numbers is not None:
                row[axis.column] = axis.numbers[place]
        return row

    def name(self, varied: Iterable[Setting]) -> str:
        """Name a point, or what is common to some, by its values."""
        names = {axis.path: axis.name for axis in self.axes}
        return ", ".join(f"{names[path]}={value}" for path, value in varied)


def make_sweep(  # noqa: PLR0913 - one for each option
    machine: str,
    workload: str,
    *,
    vary: Sequence[Setting],
    settings: Sequence[Setting] = (),
    seed: int | None = None,
    engine: EngineName = "auto",
    files: Files = (None, None),
    limits: bool = False,
    replications: Replications | None = None,
    phases: Sequence[str] = (),
) -> Sweep:
    """Read what varies, as (short name or path, SPEC); InputError or ConfigError if wrong.

    ``files``: the texts of the machine's and the workload's file, if they have been read already.
    Replications without a seed begin with ``DEFAULT_SEED``. ``phases``: those whose times are
    wanted, as ``application.0``.
    """
    sources = files[0] or machine, files[1] or workload
    fixed, paths_of = _resolved(sources, settings, [name for name, _ in vary])
    axes = tuple(
        read_axis(name, path, spec) for (name, spec), path in zip(vary, paths_of, strict=True)
    )
    _check_seeds(axes, seed)
    if replications is not None:
        if any(axis.path == SEED for axis in axes):
            raise GridError("--vary seed: --replications vary it too; leave one of them out")
        seed = DEFAULT_SEED if seed is None else seed
    asked = tuple(dict.fromkeys(phases))
    sweep = Sweep(machine, workload, fixed, axes, seed, engine, limits, replications, asked)
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


def _check_seeds(axes: Iterable[Axis], seed: int | None) -> None:
    """GridError if a varied seed is none, or if there is one for all points too."""
    for axis in axes:
        if axis.path != SEED:
            continue
        if seed is not None:
            raise GridError("--vary seed: --seed is given too; leave one of them out")
        for text in axis.texts:
            try:
                read_seed(text)
            except ValueError as error:
                raise GridError(f"--vary seed: {error}") from error


def _resolved(
    sources: tuple[Source, Source], settings: Sequence[Setting], names: Sequence[str]
) -> tuple[tuple[Setting, ...], list[str]]:
    """Return the settings of all points, and what varies, with full paths."""
    problems: list[Problem] = []
    fixed: list[Setting] = []
    varied: list[Setting] = []
    try:
        fixed = with_full_paths(settings, *sources)
    except ConfigError as error:
        problems += error.problems
    try:
        named = [(name, "") for name in names if name != SEED]
        full = iter(with_full_paths(named, *sources, valued=False))
        # Of files that cannot be read there are no paths; what is wrong with them is told later.
        varied = [(SEED, "") if name == SEED else next(full, (name, "")) for name in names]
    except ConfigError as error:
        own = {f"--set {name}=": f"--vary {name}" for name in names}
        problems += [replace(one, file=own.get(one.file, one.file)) for one in error.problems]
    raise_errors(problems)
    return tuple(fixed), [path for path, _ in varied]


class Grid:
    """The points of a sweep, with the machine and the workload of each."""

    def __init__(self, sweep: Sweep, files: Files = (None, None)) -> None:
        """``files``: the machine's and the workload's, if they have been read already."""
        self.sweep = sweep
        self.mistakes: dict[tuple[str, ...], tuple[Problem, dict[str, None]]] = {}
        """Each mistake as it was first met, with the points that have it (an ordered set)."""
        named = {path: f"--set {path}={value}" for path, value in sweep.settings}
        self.unused = UnusedSettings(
            {**named, **{one.path: f"--vary {one.name}" for one in sweep.axes}}
        )
        """The settings that no point run here has used."""
        sources = files[0] or sweep.machine, files[1] or sweep.workload
        self._prepared = Prepared(*sources, sweep.settings)

    def __reduce__(self) -> tuple[object, ...]:
        return Grid, (self.sweep, self.files)

    @property
    def machines(self) -> Variants[Machine]:
        """The machine with the settings of all points."""
        return self._prepared.machines

    @property
    def files(self) -> tuple[Text, Text]:
        """The files' texts, from which another process makes the same points."""
        return self._prepared.machines.text, self._prepared.workloads.text

    def check(self) -> None:
        """Look for mistakes before any point is run; GridError lists them, and where."""
        self.mistakes.clear()
        checked = list(self._checked())
        for number in checked:
            self._sections(self.sweep.varied(number))
        if self.mistakes:
            raise GridError("\n".join(self._told(len(checked))))
        if self.sweep.phases:
            self._check_phases()

    def _check_phases(self) -> None:
        """GridError for a phase that no job has, at the first point as at the others."""
        known = phases_of(self.point(0).workload)
        for phase in self.sweep.phases:
            if phase not in known:
                about = f"--phase {phase}: no phase has this name"
                raise GridError(f"{about}; {no_phase(phase, known)}")

    def point(self, number: int) -> Point:
        """Make the point of this number, from 0; GridError lists what is wrong with it."""
        self.mistakes.clear()
        sweep, varied = self.sweep, self.sweep.varied(number)
        sections = self._sections(varied)
        if sections is None:
            raise GridError("\n".join(self._told(0)))
        digest = digest_of_both(*sections)
        return Point(
            number,
            sweep.name(varied),
            *sections,
            digest,
            self._prepared.plans,
            seed=sweep.seed_of(varied),
            engine=sweep.engine,
            unused=self.unused,
            replications=sweep.replications,
            varied=varied,
            phases=sweep.phases,
        )

    def points(self) -> Iterator[Point]:
        """Make one point after the other."""
        return map(self.point, range(self.sweep.size))

    def _checked(self) -> Iterable[int]:
        """List the numbers of the points to check before any is run."""
        size = self.sweep.size
        if size <= MOST_CHECKED:
            return range(size)
        numbers = dict.fromkeys(self._single_values())
        # Steps of about the golden ratio, and coprime to the size: even along every axis.
        step = next(one for one in itertools.count(int(size * _GOLDEN)) if math.gcd(one, size) == 1)
        spread = (i * step % size for i in itertools.count())
        numbers |= dict.fromkeys(itertools.islice(spread, MOST_CHECKED - len(numbers)))
        return numbers

    def _single_values(self) -> Iterator[int]:
        """List the points that have each value once, beside the first values of other axes."""
        lengths = [len(axis.texts) for axis in self.sweep.axes]
        stride = -(-2 * sum(lengths) // MOST_CHECKED)
        for index, length in enumerate(lengths):
            for place in range(0, length, stride):
                yield self.sweep.number(place * (i == index) for i in range(len(lengths)))

    def _sections(self, varied: tuple[Setting, ...]) -> tuple[Machine, Workload] | None:
        """Load a machine and a workload that fit together; None if that is a mistake."""
        of_machine, of_workload = divided(varied)
        machine = self._load(self._prepared.machines, of_machine)
        workload = self._load(self._prepared.workloads, of_workload)
        if machine is None or workload is None:
            return None
        if self._prepared.plans.misfits(machine, workload):
            self._remember(self._prepared.misfits(varied), varied)
            return None
        return machine, workload

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
            points = self.mistakes.setdefault(mistake, (problem, {}))[1]
            points[self.sweep.name(varied)] = None

    def _told(self, checked: int) -> Iterator[str]:
        """Yield each mistake once, with the first point that has it."""
        for problem, points in itertools.islice(self.mistakes.values(), MOST_SHOWN):
            first, *others = points
            more = f" and {len(others):,} more" if others else ""
            if problem.file.startswith("--set "):
                yield f"{problem}{f' ({len(points)} points)' if others else ''}"
            elif not first or len(points) == checked > 1:  # Not the values' fault.
                yield str(problem)
            else:
                yield f"at the point {first}{more}: {problem}"
        if len(self.mistakes) > MOST_SHOWN:
            yield f"and {len(self.mistakes) - MOST_SHOWN:,} more mistakes"


# -- one part of a sweep, for a job of a job array: the K-th of N parts ----------------------------

MOST_PARTS = 100_000


class ShardError(InputError):
    """A ``--shard`` that cannot be read."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The K-th of N parts: every N-th point, so that neighbours of like cost are spread evenly."""

    number: int
    """K, from 1 to N."""
    of: int
    """N."""

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def part(self, size: int) -> range:
        """Return the numbers of the points, of a sweep of so many; none if it has fewer than K.

        >>> list(Shard(2, 3).part(8))
        [1, 4, 7]
        """
        return range(self.number - 1, size, self.of)


def read_shard(text: str) -> Shard:
    """Read ``K/N``; ShardError if it is no part.

    >>> read_shard("3/16")
    Shard(number=3, of=16)
    """
    match = re.fullmatch(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", text)
    if match is None:
        raise ShardError(f"{text!r} is no part of a sweep; write K/N, like 3/16")
    number, of = map(int, match.groups())
    if not 1 <= of <= MOST_PARTS:
        raise ShardError(f"{text!r} has {of} parts; write a number from 1 to {MOST_PARTS:,}")
    if not 1 <= number <= of:
        about = " (in Slurm: --array=1-" + f"{of})" if number == 0 else ""
        raise ShardError(f"{text!r} is no part of a sweep; write 1/{of} to {of}/{of}{about}")
    return Shard(number, of)
