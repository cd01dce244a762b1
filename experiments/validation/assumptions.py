"""Strength of claims: the number of plausible machines on which each of them holds.

Machines are drawn from the ranges of a study's assumptions, and their calibrated values are fitted
again. A machine whose calibrated figures cannot be brought into their bands is implausible, and
does not count. Not modelled: distributions within ranges, and correlations.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from simulator import __version__
from simulator.extras import need
from simulator.shipped import shipped_root
from simulator.study.executors import Executor, Processes
from simulator.study.studies import DEFAULT_SEED
from simulator.study.study_file import PREDICTED, Figure, Sentence

from .assumed import Assumptions
from .kept_points import KeptPoints
from .plausible import Evaluator, Row
from .strength import Strength, divider

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.config.errors import Problem
    from simulator.run import EngineName

Point = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class DrawnMachines:
    """The machines drawn for one site, and their outcomes."""

    site: str
    drawn: int
    invalid: dict[str, int]
    """Reasons for which machines cannot be built or run, and their numbers."""
    unfitted: dict[str, int]
    """Calibrated figures that remain outside of their bands, and the numbers of machines."""
    plausible: int

    def to_json(self) -> dict[str, Any]:
        """Return the JSON record."""
        return {
            "site": self.site,
            "drawn": self.drawn,
            "invalid": sum(self.invalid.values()),
            "why_invalid": self.invalid,
            "not_fitted": self.drawn - self.plausible - sum(self.invalid.values()),
            "figures_not_fitted": self.unfitted,
            "plausible": self.plausible,
        }


@dataclass(frozen=True, slots=True)
class AssumptionSweep:
    """An assumption sweep of a study, with its results."""

    evaluator: Evaluator
    points: tuple[Point, ...]
    rows: tuple[Row, ...]
    files: Mapping[str, str]
    """Digests of the files at its begin."""
    damaged: Sequence[Problem] = ()
    """Stored points that were damaged, and run again."""

    @property
    def assumptions(self) -> Assumptions:
        """Return the varied assumptions."""
        return self.evaluator.assumptions

    def drawn(self) -> list[DrawnMachines]:
        """Count the machines of each site."""
        return [self._drawn(site) for site in self.evaluator.sites]

    def _drawn(self, site: str) -> DrawnMachines:
        ways = [row["sites"][site] for row in self.rows]
        invalid = Counter(one["invalid"] for one in ways if "invalid" in one)
        unfitted = Counter(name for one in ways for name in one.get("outside", ()))
        plausible = sum(_is_plausible(one) for one in ways)
        return DrawnMachines(site, len(ways), _most(invalid), _most(unfitted), plausible)

    def claims(self) -> list[Strength]:
        """Return the strength of each testable claim, the weakest first."""
        study = self.evaluator.file
        return self._sorted([self._strength(one) for one in study.claims if not one.untestable])

    def figures(self) -> list[Strength]:
        """Return the strength of each predicted figure: whether it is inside its band."""
        study = self.evaluator.file
        return self._sorted([self._strength(one) for one in study.figures if one.role == PREDICTED])

    def _sorted(self, found: list[Strength]) -> list[Strength]:
        return sorted(found, key=lambda one: one.share if one.of else 2.0)

    def _strength(self, one: Sentence | Figure) -> Strength:
        rows = [row for row in self.rows if one.id in row["verdicts"]]
        points = [self.points[row["point"]] for row in rows]
        held = [not row["verdicts"][one.id] for row in rows]
        broken = Counter(name for row in rows for name in row["verdicts"][one.id])
        sides = [self.assumptions.sides(point) for point in points]
        mine = self.assumptions.site_of(one.id)
        names = [each.name for each in self.assumptions.dimensions if each.site in ("", mine)]
        return Strength(
            one.id,
            one.role,
            one.text if isinstance(one, Sentence) else one.what,
            sum(held),
            len(rows),
            _most(broken),
            divider({name: [each[name] for each in sides] for name in names}, held),
            expected=not one.contradicted,
        )

    def skipped(self) -> dict[str, int]:
        """Count conditions that were untestable on plausible machines, by claim or figure."""
        return _most(
            Counter(f"{id_}: {why}" for row in self.rows for id_, why in row["skipped"].items())
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON record."""
        one = self.evaluator
        return {
            "format": "strength/1",
            "study": one.study,
            "title": one.file.title,
            "points": len(self.rows),
            "seed": one.seed,
            "runs": one.runs,
            "version": __version__,
            "files": dict(self.files),
            "varied": len(self.assumptions.dimensions),
            "left": sum(len(left.paths) for left in self.assumptions.left),
            "machines": [drawn.to_json() for drawn in self.drawn()],
            "claims": [strength.to_json() for strength in self.claims()],
            "figures": [strength.to_json() for strength in self.figures()],
            "skipped": self.skipped(),
        }


def sweep(  # noqa: PLR0913 - one for each option
    study: str,
    *,
    points: int | None = None,
    seed: int = DEFAULT_SEED,
    runs: int | None = None,
    engine: EngineName = "auto",
    jobs: int = 1,
    keep: Path,
    heard: Callable[[float], None] = lambda _share: None,
    executor: Executor | None = None,
) -> AssumptionSweep:
    """Run the assumption sweep of a study.

    ``points`` and ``runs``: those of its file by default. Completed points are stored in the file
    ``keep``, and reused by the next call with the same study, seed and runs. ``heard`` receives the
    completed share. ``executor``: executor of the points (None: ``jobs`` processes). InputError
    without a file of assumptions, without SciPy, or if ``keep`` has points of another sweep;
    KeyboardInterrupt explains how to resume.
    """
    evaluator = Evaluator(study, seed, runs, engine)
    assumptions = evaluator.assumptions
    if runs is None:
        evaluator.runs = assumptions.runs
    count = points or assumptions.points
    drawn = sobol_points(count, len(assumptions.dimensions), seed)
    every: tuple[Point, ...] = tuple(tuple(map(float, one)) for one in drawn)
    files = digests(study)
    identity = {
        "study": study,
        "seed": seed,
        "runs": evaluator.runs,
        "engine": engine,
        "files": files,
    }
    with KeptPoints(keep, identity) as kept:
        tasks = [(i, point) for i, point in enumerate(every) if i not in kept.rows]
        done = count - len(tasks)
        try:
            for row in _run_points(evaluator, tasks, executor or Processes(jobs)):
                kept.add(row)
                done += 1
                heard(done / count)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"interrupted; {done} of {count} points are kept in {keep}, where the same command"
                " goes on"
            ) from None
        rows = tuple(kept.rows[i] for i in range(count))
    return AssumptionSweep(evaluator, every, rows, files, kept.damaged)


def sobol_points(count: int, dimensions: int, seed: int) -> NDArray[np.float64]:
    """Return ``count`` points in [0, 1)^dimensions, one in each row.

    A longer sequence of the same seed begins with a shorter one. The first 2^k points are balanced:
    all halves of each dimension, and all quarters, have equal numbers. MissingExtraError without
    SciPy.
    """
    need("scipy")
    from scipy.stats.qmc import Sobol

    powers = max(0, count - 1).bit_length()
    drawn: NDArray[np.float64] = Sobol(dimensions, scramble=True, rng=seed).random_base2(powers)
    return drawn[:count]


def _run_points(
    evaluator: Evaluator, tasks: Sequence[tuple[int, Point]], executor: Executor
) -> Iterator[Row]:
    if not tasks:
        return
    evaluator.prepare()
    if not executor.remote and min(executor.processes, len(tasks)) <= 1:
        yield from map(evaluator, tasks)
        return
    for _, row in executor.map(evaluator, tasks, len(tasks)):
        yield row


def digests(study: str) -> dict[str, str]:
    """Return the digest of each file on which a sweep of a study depends, by its name.

    They are its files except ablations, first screen and lacking mechanisms, its machine, and its
    workloads; the model's code is not included. Comments and layout are ignored.
    """
    evaluator = Evaluator(study)
    experiments, configs = shipped_root("experiments"), shipped_root("configs")
    files = [
        (f"experiments/{study}/{path.name}", path)
        for path in sorted((experiments / study).glob("*.yaml"))
        if path.name not in ("ablations.yaml", "screen.yaml", "mechanisms.yaml")
    ]
    machine = configs / "machines" / f"{evaluator.file.machine}.yaml"
    files += [(f"configs/machines/{machine.name}", machine)] if machine.is_file() else []
    files += [
        (f"configs/workloads/{name}.yaml", configs / "workloads" / f"{name}.yaml")
        for name in evaluator.assumptions.workloads
    ]
    return {
        name: digest_of(yaml.safe_load(path.read_text(encoding="utf-8"))) for name, path in files
    }


def digest_of(contents: Any) -> str:
    """Return a digest of what a YAML file contains."""
    said = json.dumps(contents, default=str)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _is_plausible(way: Row) -> bool:
    return "invalid" not in way and not way["outside"]


def _most(counted: Counter[str]) -> dict[str, int]:
    """Return counts in descending order; equal ones by name."""
    return dict(sorted(counted.items(), key=lambda one: (-one[1], one[0])))
