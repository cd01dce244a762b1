"""Checks of the arguments of nwtsim's functions, with errors in terms of arguments, not options."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from nwtsim.settings import Values
    from simulator.study.executors import Executor
    from simulator.study.grid import Shard
    from simulator.study.replications import Replications

ExecutorName = Literal["processes", "dask"]
_MOST_JOBS = 1024
_NAMES = (
    *("seed", "engine", "jobs", "job", "limits", "replications", "confidence", "precision"),
    *("filesystem", "path", "prestage", "think", "buffer", "cwd", "lenient", "shard"),
    *("executor", "scheduler", "trials", "search-seed"),
    *("figure", "points", "value-seed"),
    *("size", "time", "processes", "shared-folder"),
)
"""Options that are arguments of the same name."""
_NAMED = rf"--(?P<name>{'|'.join(sorted(_NAMES, key=len, reverse=True))})\b"
_OPTIONS = (  # Texts: they are compiled when there is an error, not at import.
    (rf"the option {_NAMED} \((?P=name)= in Python\)", r"\g<name>="),
    (r"'--vary (?P<name>\w+)=(?P<spec>[^']*)'", r"vary={'\g<name>': '\g<spec>'}"),
    (r"--set (?=[^\s,])", "setting "),
    (r"--vary (?=[^\s,'])", "vary "),
    (r"--phase (?=[^\s,])", "phase "),
    (r"write --vary, like --vary '.*'", "write some in vary={...}"),
    (rf"{_NAMED} (?P<value>'[^']*')", r"\g<name>=\g<value>"),
    (rf"{_NAMED} (?P<value>auto|[^\s:;,]+(?=:))", r"\g<name>='\g<value>'"),
    (_NAMED, r"\g<name>="),
    (r"shared-folder=", "shared_folder=True"),
    (r"(search|value)-seed=", r"\1_seed="),
    (r"--all\b", "everything=True"),
    (r"omit the option", "omit it"),
    (r"the same command goes on", "the same call goes on"),
)
_COMMAND = r"('nwtsim [^']*'|\(nwtsim [^)]*\))"
"""A command that a message recommends, whose options stay."""


def check_seed(seed: object, name: str = "seed") -> None:
    """Raise TypeError for other than a whole number or None; ValueError out of range."""
    from simulator.run import MOST_SEED

    if seed is not None:
        check_whole(name, seed, 0, MOST_SEED)


def check_jobs(jobs: object) -> None:
    """Raise TypeError for other than a whole number or None; ValueError out of range."""
    if jobs is not None:
        check_whole("jobs", jobs, 1, _MOST_JOBS)


def check_whole(name: str, value: Any, least: int, most: int, also: str = ", or None") -> None:
    """Raise TypeError for other than a whole number; ValueError out of range."""
    wanted = f"a whole number from {least} to {most}{also}"
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name} must be {wanted}, not {value!r}")
    if not least <= number <= most:
        raise ValueError(f"{name} must be {wanted}, not {number}")


def replications_of(
    replications: int | str | None, confidence: float | str | None, precision: float | str | None
) -> Replications | None:
    """Return the requested replications; None: one run. InputError states faults."""
    if replications is None:
        for name, value in (("confidence", confidence), ("precision", precision)):
            if value is not None:
                raise TypeError(f"{name} is about replications; give those too")
        return None
    from simulator.study.replications import wanted

    if isinstance(replications, bool) or not isinstance(replications, int | str):
        raise TypeError(f"replications must be a whole number or 'auto', not {replications!r}")
    with python_words():
        return wanted(str(replications), _percent(confidence), _percent(precision))


def _percent(share: float | str | None) -> str | None:
    """Return a share as a text: 0.95 is ``95 %``."""
    return share if share is None or isinstance(share, str) else f"{100 * float(share):.12g} %"


def shard_of(shard: Any) -> Shard | None:
    """Return the requested part of a sweep; TypeError or ValueError for other values."""
    if shard is None:
        return None
    from simulator.study.grid import ShardError, read_shard

    like = "shard must be a part K of N, like (1, 8)"
    if not isinstance(shard, tuple | list) or len(shard) != 2:
        raise TypeError(f"{like}, not {shard!r}")
    try:
        number, of = (operator.index(one) for one in shard)
        return read_shard(f"{number}/{of}")
    except TypeError:
        raise TypeError(f"{like}, not {shard!r}") from None
    except ShardError:
        raise ValueError(f"{like}, with K from 1 to N, not {shard!r}") from None


@contextmanager
def executor_of(
    executor: ExecutorName | None, scheduler: Any, jobs: int | None
) -> Iterator[Executor]:
    """Make the executor of points; TypeError or ValueError for other values."""
    from simulator.study.executors import executor as made_of

    if executor not in (None, "processes", "dask"):
        raise ValueError(f"executor must be 'processes', 'dask' or None, not {executor!r}")
    if scheduler is not None and (executor == "processes" or not isinstance(scheduler, str)):
        about = "scheduler is the address of a Dask cluster, and goes with executor='dask'"
        raise TypeError(f"{about}, not with {executor or scheduler!r}")
    with made_of(executor, scheduler, jobs=jobs) as made:
        yield made


_LIKE = "like {'disk.rate': ['40 MB/s', '80 MB/s']} or {'disk.rate': ([40, 80], 'MB/s')}"


def check_vary(vary: Mapping[str, Values]) -> None:
    """Check names and values that vary, seeds included."""
    from nwtsim.settings import with_unit

    if not isinstance(vary, Mapping):
        raise TypeError(f"vary must be a dict of names and values, {_LIKE}, not {vary!r}")
    if not vary:
        raise ValueError(f"vary is empty; write names and their values, {_LIKE}")
    for name, values in vary.items():
        if isinstance(values, str):
            continue
        pair = with_unit(values)
        listed: Any = values if pair is None else pair[0]
        if isinstance(listed, Mapping) or not hasattr(listed, "__len__"):
            about = "must have a list or array of values, numbers with a unit, or a text"
            raise TypeError(f"vary: {name} {about}, {_LIKE}, not {values!r}")
        if getattr(listed, "ndim", 1) != 1:
            raise ValueError(f"vary: {name} has {listed.ndim} dimensions; write an array of one")
        if not len(listed):
            raise ValueError(f"vary: {name} has no values; write one or more, {_LIKE}")
        if pair is not None:
            _check_numbers(name, *pair)
        for value in listed if name == "seed" else ():
            check_whole("vary: seed", value, 0, 2**63 - 1)


def _check_numbers(name: str, numbers: Any, unit: Any) -> None:
    """Check numbers that have a unit; TypeError or ValueError in one sentence."""
    from simulator.units import PERCENT, RATE, SIZE, TIME

    if not isinstance(unit, str):
        raise TypeError(f"vary: {name} has the unit {unit!r}; write a text, like 'MB/s'")
    if not any(unit in one.scales for one in (SIZE, TIME, RATE, PERCENT)):
        raise ValueError(
            f"vary: {name} has the unit {unit!r}, which is none; write one like 'MB/s'"
        )
    for one in numbers:
        number = one.item() if hasattr(one, "item") else one
        if isinstance(number, bool) or not isinstance(number, int | float):
            about = "numbers have their unit after them once, texts each their own"
            raise TypeError(f"vary: {name} has {one!r} and the unit {unit!r}: {about}")
        if not 0 <= number < float("inf"):
            raise ValueError(f"vary: {name} has {number!r}; write finite numbers from 0 on")


@contextmanager
def python_words() -> Iterator[None]:
    """Express errors by arguments, not by options of the command."""
    from simulator.config.errors import ConfigError
    from simulator.errors import InputError

    try:
        yield
    except ConfigError as error:
        error.problems = [
            replace(one, file=worded(one.file), message=worded(one.message))
            for one in error.problems
        ]
        error.args = (error.problems,)
        raise
    except (InputError, KeyboardInterrupt) as error:
        error.args = tuple(worded(str(one)) for one in error.args)
        raise


def worded(text: str) -> str:
    """Return a message with arguments instead of options, except in recommended commands.

    >>> worded("--set disk.rate=40"), worded("--vary seed: --seed is given too")
    ('setting disk.rate=40', 'vary seed: seed= is given too')
    >>> worded("--filesystem tape: there is none"), worded("write --replications auto")
    ("filesystem='tape': there is none", "write replications='auto'")
    """
    return "".join(
        part if re.fullmatch(_COMMAND, part) else _without_options(part)
        for part in re.split(_COMMAND, text)
    )


def _without_options(text: str) -> str:
    for option, words in _OPTIONS:
        text = re.sub(option, words, text)
    return text
