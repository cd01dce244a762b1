"""One run of numerical servers from files, names or sections: what commands and notebooks call."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.config.callplan import make_call_plan
from simulator.config.calls import CALLS, SERVER, Calls, check_calls
from simulator.config.errors import ConfigError, Problem, raise_errors
from simulator.config.load import load_file
from simulator.config.server import Servers
from simulator.engine.servers import serve

if TYPE_CHECKING:
    from simulator.engine.callplan import CallPlan
    from simulator.engine.callresult import CallsResult

Setting = tuple[str, str]
DEFAULT_SEED = 1998


def load_servers(name_or_path: str | Path, settings: Iterable[Setting] = ()) -> Servers:
    """Read servers from a file, or by the name of those that come with the program."""
    return load_file(SERVER, name_or_path, settings)


def load_calls(name_or_path: str | Path, settings: Iterable[Setting] = ()) -> Calls:
    """Read calls from a file, or by the name of those that come with the program."""
    return load_file(CALLS, name_or_path, settings)


def load_inputs(
    machine: str | Path | Servers, calls: str | Path | Calls, settings: Iterable[Setting] = ()
) -> tuple[Servers, Calls]:
    """Read both; ConfigError lists the mistakes of both, then what does not fit together."""
    settings = list(settings)
    problems: list[Problem] = []
    try:
        servers = machine if isinstance(machine, Servers) else load_servers(machine, settings)
    except ConfigError as error:
        problems += error.problems
    try:
        asked = calls if isinstance(calls, Calls) else load_calls(calls, settings)
    except ConfigError as error:
        problems += error.problems
    raise_errors(problems)
    raise_errors(check_calls(servers, asked))
    return servers, asked


def load_call_plan(
    machine: str | Path | Servers = "ninf",
    calls: str | Path | Calls = "ninf-lan",
    *,
    settings: Iterable[Setting] = (),
    seed: int = DEFAULT_SEED,
    run: int = 0,
) -> CallPlan:
    """Make a plan; ``settings`` are (path, value) pairs as of ``--set``, for files or names.

    Raises :class:`simulator.config.ConfigError` with every mistake of the files.
    """
    return make_call_plan(*load_inputs(machine, calls, settings), seed=seed, run=run)


def run_server(
    machine: str | Path | Servers = "ninf",
    calls: str | Path | Calls = "ninf-lan",
    *,
    settings: Iterable[Setting] = (),
    seed: int = DEFAULT_SEED,
    run: int = 0,
    debug: bool = False,
) -> CallsResult:
    """Have clients call servers; the same seed gives the same calls.

    >>> result = run_server("ninf", "ninf-single")
    >>> [round(call.elapsed_ns / 1e9, 2) for call in result.calls]
    [4.93]
    """
    return serve(load_call_plan(machine, calls, settings=settings, seed=seed, run=run), debug=debug)
