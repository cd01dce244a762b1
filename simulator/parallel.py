"""One run of parallel input and output, from files, names or sections."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Problem, raise_errors
from simulator.config.ioplan import make_io_plan
from simulator.config.load import load_file
from simulator.config.parallel import ARRAY, PARALLEL, ArrayIo, ParallelIo, check_array

if TYPE_CHECKING:
    from simulator.engine.ioplan import IoPlan
    from simulator.engine.ioresult import IoResult
    from simulator.run import EngineName

Setting = tuple[str, str]


def load_inputs(
    machine: str | Path | ParallelIo,
    workload: str | Path | ArrayIo,
    settings: Iterable[Setting] = (),
) -> tuple[ParallelIo, ArrayIo]:
    """Read both; ConfigError lists the mistakes of both, then what does not fit together."""
    settings = list(settings)
    problems: list[Problem] = []
    try:
        nodes = (
            machine if isinstance(machine, ParallelIo) else load_file(PARALLEL, machine, settings)
        )
    except ConfigError as error:
        problems += error.problems
    try:
        work = workload if isinstance(workload, ArrayIo) else load_file(ARRAY, workload, settings)
    except ConfigError as error:
        problems += error.problems
    raise_errors(problems)
    raise_errors(check_array(nodes, work))
    return nodes, work


def load_io_plan(
    machine: str | Path | ParallelIo = "sr8000",
    workload: str | Path | ArrayIo = "sr8000-read-fv",
    *,
    settings: Iterable[Setting] = (),
    seed: int = 0,
) -> IoPlan:
    """Make a plan; ``settings`` are (path, value) pairs as of ``--set``, for files or names.

    Raises :class:`simulator.config.ConfigError` with every mistake of the files.
    """
    return make_io_plan(*load_inputs(machine, workload, settings), seed=seed)


def run_io_plan(plan: IoPlan, *, engine: EngineName = "auto", debug: bool = False) -> IoResult:
    """Carry out a plan; both engines give the same to the nanosecond, ``auto`` takes the native."""
    if engine == "reference":
        from simulator.engine.parallel_io import run_reference_io

        return run_reference_io(plan, debug=debug)
    from simulator.engine.native.iorun import run_native_io

    return run_native_io(plan, debug=debug)


def run_parallel(
    machine: str | Path | ParallelIo = "sr8000",
    workload: str | Path | ArrayIo = "sr8000-read-fv",
    *,
    settings: Iterable[Setting] = (),
    seed: int = 0,
    engine: EngineName = "auto",
    debug: bool = False,
) -> IoResult:
    """Have processes read or write an array.

    >>> small = [("workload.array.size", "8 MiB")]
    >>> result = run_parallel("sr8000", "sr8000-write-col", settings=small)
    >>> result.bytes, result.calls
    (8388608, 8)
    """
    plan = load_io_plan(machine, workload, settings=settings, seed=seed)
    return run_io_plan(plan, engine=engine, debug=debug)
