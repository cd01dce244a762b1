"""Options of commands that run many points: where they run, and where their results are kept."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simulator.cli import options
from simulator.errors import InputError
from simulator.report import terminal

if TYPE_CHECKING:
    from simulator.study.executors import Executor
    from simulator.study.results import Results


def add_many(parser: argparse.ArgumentParser) -> None:
    """Add ``--jobs``, ``--executor`` and ``--scheduler``, and ``--store`` and ``--no-store``."""
    options.add(parser, "jobs")
    add_executor(parser)
    add_store(parser)


def add_executor(parser: argparse.ArgumentParser) -> None:
    """Add ``--executor`` and ``--scheduler``."""
    parser.add_argument(
        "--executor",
        choices=["processes", "dask"],
        help="where points run: in processes of this computer, or on a Dask cluster, which without"
        " --scheduler is made of them; does not change the result (default: processes)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="the scheduler of a Dask cluster that stands already, like tcp://10.0.0.1:8786, or its"
        " file (docs/scale.md)",
    )


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add ``--store`` and ``--no-store``."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--store",
        metavar="FILE",
        type=options.file,
        help="the store of results that are not simulated again, in this study or another, by the"
        " same version of the program (default: NWTSIM_STORE, or nwtsim/results.sqlite in the"
        " user's folder for caches)",
    )
    options.flag(
        group, "--no-store", "simulate everything anew, and keep nothing for other studies"
    )


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
