"""Executors, stores and replications, as the options of commands that make many runs name them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simulator.errors import InputError
from simulator.report import terminal

if TYPE_CHECKING:
    from simulator.study.executors import Executor
    from simulator.study.replications import Replications
    from simulator.study.results import Results


@contextmanager
def results_of(arguments: argparse.Namespace) -> Iterator[Results | None]:
    """Open the store that the options name, or the default one."""
    from simulator.study.results import open_results

    results = None if arguments.no_store else open_results(arguments.store, terminal.say)
    try:
        yield results
    finally:
        if results is not None:
            results.close()


@contextmanager
def executor_of(arguments: argparse.Namespace) -> Iterator[Executor]:
    """Make the executor that the options name; InputError if they contradict each other."""
    from simulator.study.executors import executor

    if arguments.executor == "processes" and arguments.scheduler is not None:
        raise InputError("--scheduler: goes with --executor dask, which may be left out")
    how = arguments.executor, arguments.scheduler
    with executor(*how, jobs=arguments.jobs, said=terminal.say) as made:
        yield made


@contextmanager
def executor_or_threads(arguments: argparse.Namespace) -> Iterator[Executor | None]:
    """Make the executor that the options name; None if they name none."""
    if arguments.executor is None and arguments.scheduler is None:
        yield None
        return
    with executor_of(arguments) as made:
        yield made


def replications_of(arguments: argparse.Namespace) -> Replications | None:
    """Return the replications that are wanted; None: one run. InputError says what is wrong."""
    asked = arguments.replications, arguments.confidence, arguments.precision
    if asked[0] is None:
        for name, value in zip(("confidence", "precision"), asked[1:], strict=True):
            if value is not None:
                raise InputError(f"--{name} is about --replications; add it, or omit --{name}")
        return None
    from simulator.study.replications import wanted

    return wanted(*asked)


def words_of_replications(replications: Replications | None) -> list[str]:
    """Return the options of some replications, as a command has them."""
    return [] if replications is None else replications.options()
