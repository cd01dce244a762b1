"""Arguments of the functions of nwtsim, checked first; errors without options of the command."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nwtsim.settings import Value
    from simulator.study.replications import Replications

_MOST_JOBS = 1024
_OPTIONS = (
    (re.compile(r"--set (?=[^\s,])"), "setting "),
    (re.compile(r"--vary (?=[^\s,'])"), "vary "),
    (re.compile(r"--(seed|engine|jobs|limits|replications|confidence|precision)\b"), r"\1="),
)


def check_seed(seed: object) -> None:
    """TypeError for what is neither a whole number nor None; ValueError for one out of range."""
    from simulator.run import MOST_SEED

    if seed is not None:
        _check_whole("seed", seed, 0, MOST_SEED)


def check_jobs(jobs: object) -> None:
    """TypeError for what is neither a whole number nor None; ValueError for one out of range."""
    if jobs is not None:
        _check_whole("jobs", jobs, 1, _MOST_JOBS)


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    wanted = f"a whole number from {least} to {most}, or None"
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
    """Return the replications that are wanted; None: one run. InputError says what is wrong."""
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


def check_vary(vary: Mapping[str, str | Sequence[Value]]) -> None:
    """Check names and values that vary; those of seeds too."""
    like = "like {'disk.rate': ['40 MB/s', '80 MB/s']}"
    if not isinstance(vary, Mapping):
        raise TypeError(f"vary must be a dict of names and values, {like}, not {vary!r}")
    if not vary:
        raise ValueError(f"vary is empty; write names and their values, {like}")
    for name, values in vary.items():
        if isinstance(values, str):
            continue
        if not hasattr(values, "__iter__") or isinstance(values, Mapping):
            raise TypeError(f"vary: {name} must have a list of values or a text, not {values!r}")
        if not len(values):
            raise ValueError(f"vary: {name} has no values; write one or more, {like}")
        for value in values if name == "seed" else ():
            _check_whole("vary: seed", value, 0, 2**63 - 1)


@contextmanager
def python_words() -> Iterator[None]:
    """Let errors speak of settings, not of the options of the command that has them."""
    from simulator.config.errors import ConfigError
    from simulator.errors import InputError

    try:
        yield
    except ConfigError as error:
        error.problems = [replace(one, file=worded(one.file)) for one in error.problems]
        raise
    except InputError as error:
        error.args = tuple(worded(str(one)) for one in error.args)
        raise


def worded(text: str) -> str:
    """Return a message without options.

    >>> worded("--set disk.rate=40"), worded("--vary seed: --seed is given too")
    ('setting disk.rate=40', 'vary seed: seed= is given too')
    """
    for option, words in _OPTIONS:
        text = option.sub(words, text)
    return text
