"""Several studies at a time, each in a process; the one with the most work begins first.

The results are those of one study after the other. An error, or an interrupt, ends all
processes at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from simulator.native import has_kernel
from simulator.study.processes import map_in_processes, tell
from simulator.study.studies import DEFAULT_SEED, STUDIES

if TYPE_CHECKING:
    from simulator.run import EngineName

Made = TypeVar("Made")
StudyProgress: TypeAlias = Callable[[str, float], None]
"""Callback for progress: the name of a study, and the share of its work that is done."""

MOST = 2
"""Studies at a time, where nobody says otherwise: more would only wait for the heaviest."""


def workers() -> int:
    """Return how many studies run at a time, where nobody says otherwise."""
    return min(MOST, os.cpu_count() or 1)


def seconds(names: Sequence[str], runs: int | None = None) -> dict[str, float]:
    """Return the CPU time that each study takes, as measured once; the heaviest first."""
    takes = {name: STUDIES[name].takes_s(runs, has_kernel()) for name in names}
    return dict(sorted(takes.items(), key=lambda one: -one[1]))


def side_by_side(
    task: Callable[..., Made],
    names: Sequence[str],
    *,
    runs: int | None = None,
    seed: int = DEFAULT_SEED,
    engine: EngineName = "auto",
    jobs: int = 1,
    heard: StudyProgress = lambda _name, _share: None,
    made: dict[str, Made] | None = None,
) -> list[Made]:
    """Carry out a task for studies, ``jobs`` at a time; return what it makes of each, in order.

    ``task`` is a function of a module, of a study's name and its options.
    ``made`` gets what is made as soon as it is, for when the rest is interrupted.
    """
    made = {} if made is None else made
    options = {"runs": runs, "seed": seed, "engine": engine}
    order = list(seconds(names, runs))

    def begun() -> Iterator[str]:
        for name in order:
            heard(name, 0.0)
            yield name

    if min(jobs, len(order)) > 1:
        work = partial(_carried_out, task=task, options=options)
        answers = map_in_processes(work, begun(), min(jobs, len(order)), ahead=1, heard=heard)
        with closing(answers):
            for name, answer in answers:
                made[name] = answer
                heard(name, 1.0)
    else:
        for name in begun():
            made[name] = task(name, tell=lambda share, of=name: heard(of, share), **options)
            heard(name, 1.0)
    return [made[name] for name in names]


def _carried_out(name: str, task: Callable[..., Made], options: dict[str, Any]) -> Made:
    """Carry out a task for a study, in a process of its own."""
    return task(name, tell=tell, **options)
