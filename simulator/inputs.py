"""A machine and a workload, loaded with settings, and checked separately and together.

Not here: plans and runs of them (:mod:`simulator.run`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from simulator.inputfile import Source

if TYPE_CHECKING:
    from simulator.config.errors import Problem
    from simulator.config.knobs import Values
    from simulator.config.load import Kind
    from simulator.config.machine_file import Machine
    from simulator.config.sources import Document
    from simulator.config.workload_file import Workload
    from simulator.plan.plan import Plan

    File = TypeVar("File", bound=Document)

Setting = tuple[str, str]
"""A path, or a short name, and the text of a value."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """A compatible machine and workload."""

    machine: Machine
    workload: Workload
    doubts: list[Problem]
    """Warnings about valid but suspicious input."""
    settings: tuple[Setting, ...] = ()
    """Applied settings, with full paths."""
    sources: tuple[Source, Source] = ("", "")
    """Sources of the machine and the workload."""

    def plan(self, *, seed: int | None = None, run: int = 0) -> Plan:
        """Make the plan; without a seed service times do not vary."""
        from simulator.config.lowering.plan import make_plan

        return make_plan(
            self.machine, self.workload, seed=seed or 0, noisy=seed is not None, run=run
        )


def load_inputs(
    machine: Source,
    workload: Source,
    settings: Iterable[Setting] = (),
    *,
    noisy: bool = True,
) -> Inputs:
    """Load a machine and a workload; ConfigError lists faults of either, or of both.

    ``settings`` have short names that the machine and the workload have (``buffer``, ``nic.rate``),
    or full paths (``machine.parts.nic.rate``). ``noisy``: true if the run will vary service times.
    """
    from simulator.config.errors import raise_errors
    from simulator.config.fitting import fit

    settings = with_full_paths(settings, machine, workload)
    read, work = load_both(machine, workload, settings)
    doubts = raise_errors(fit(read, work, noisy=noisy))
    doubts = [*read.origin.warnings, *work.origin.warnings, *doubts]
    return Inputs(read, work, doubts, tuple(settings), (machine, workload))


def with_full_paths(
    settings: Iterable[Setting],
    machine: Source | None,
    workload: Source | None = None,
    *,
    valued: bool = True,
) -> list[Setting]:
    """Return settings with full paths for short names of a machine, a workload, or both.

    ConfigError lists the names that neither file has, and other faults of the files and the
    settings. Faults of a file alone are ignored if all names are right. ``valued``: true if
    settings have values, false for names only.
    """
    from simulator.config.errors import ConfigError
    from simulator.config.knobs import are_full, knobs_of, looked_up

    settings = list(settings)
    if are_full(settings):
        return settings
    values = settable_in(machine, workload)
    for source, known in zip((machine, workload), values, strict=True):
        if source is not None and known is None:  # It has no keys: it is refused.
            return [one for one in settings if are_full([one])]
    full, problems = looked_up(settings, knobs_of(*values))
    if problems:
        raise ConfigError([*problems, *mistakes_in(machine, workload, full if valued else ())])
    return full


def settable_in(
    machine: Source | None, workload: Source | None
) -> tuple[Values | None, Values | None]:
    """Return the settable keys of two files, valid or not; None for a file without keys."""
    from simulator.config.formats import MACHINE, WORKLOAD

    return _settable(MACHINE, machine), _settable(WORKLOAD, workload)


def _settable(kind: Kind[Any], source: Source | None) -> Values | None:
    from simulator.config.errors import ConfigError
    from simulator.config.knobs import values_in, values_of
    from simulator.config.load import read_file

    if source is None:
        return None
    try:
        return values_of(load(kind, source))
    except ConfigError:
        pass
    try:
        return values_in(kind, *read_file(kind, source))
    except ConfigError:
        return None


def mistakes_in(
    machine: Source | None, workload: Source | None, settings: Iterable[Setting] = ()
) -> list[Problem]:
    """List the faults of one or two files, with settings that have full paths."""
    from simulator.config.errors import ConfigError
    from simulator.config.formats import MACHINE, WORKLOAD

    problems: list[Problem] = []
    kinds: tuple[tuple[Kind[Any], Source | None], ...] = ((MACHINE, machine), (WORKLOAD, workload))
    for kind, source in kinds:
        try:
            if source is not None:
                load(kind, source, settings)
        except ConfigError as error:
            problems += error.problems
    return problems


def load_both(
    machine: Source, workload: Source, settings: Iterable[Setting] = ()
) -> tuple[Machine, Workload]:
    """Load a machine and a workload, with full paths of settings, without checking both together.

    ConfigError lists the faults of either.
    """
    from simulator.config.errors import ConfigError, raise_errors
    from simulator.config.formats import MACHINE, WORKLOAD

    problems: list[Problem] = []
    try:
        read = load(MACHINE, machine, settings)
    except ConfigError as error:
        problems += error.problems
    try:
        work = load(WORKLOAD, workload, settings)
    except ConfigError as error:
        problems += error.problems
    raise_errors(problems)
    return read, work


def named_in(words: Iterable[str]) -> tuple[str, str | None] | None:
    """Return the first of some words that names a machine, and the workload after it.

    None if there is no machine.
    """
    from simulator.config.formats import MACHINE, WORKLOAD
    from simulator.config.load import written_format

    machine: str | None = None
    for word in words:
        if machine is None and written_format(word, "machine") == MACHINE.format:
            machine = word
        elif machine is not None and written_format(word, "workload") == WORKLOAD.format:
            return machine, word
    return None if machine is None else (machine, None)


def load(kind: Kind[File], source: Source, settings: Iterable[Setting] = ()) -> File:
    """Read one file with settings that have full paths; ConfigError lists its faults."""
    from simulator.config.load import load_file

    return load_file(kind, source, settings)
