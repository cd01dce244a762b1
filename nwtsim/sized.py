"""An answered requirement as a Python object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nwtsim.paged import Paged
from nwtsim.records import dataframe_of
from nwtsim.rows import Named, Row

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from nwtsim.arguments import ExecutorName
    from simulator.report.page import Page
    from simulator.sizing.planned import Planned
    from simulator.sizing.sized import Sized as Found

_MOST_REPLICATIONS = 1000
_MOST_TRIALS = 1_000_000


class Option(Row):
    """A configuration, with typed cells; its other cells are those of ``--format json``."""

    @property
    def choices(self) -> Named[str]:
        """What each choice is; UnknownNameError for another."""
        return Named(self["choices"])

    @property
    def pieces(self) -> Named[int]:
        """How many are needed of each thing in the catalogue; UnknownNameError for another."""
        return Named(self["pieces"])

    @property
    def price(self) -> float:
        """The price, in the currency of the requirement."""
        return self.number("price")

    @property
    def targets(self) -> list[Row]:
        """A row for each target in each state: ``figure``, ``limit``, ``judged``, ``margin``."""
        return [Row(one) for one in self["targets"]]

    @property
    def probability(self) -> float | None:
        """That all targets are met; None where it is not known."""
        found = self["probability"]
        return None if found is None else float(found["estimate"])


class Sized(Paged):
    """The recommended configuration. ``print(sized)`` writes the screen of ``nwtsim size``.

    It is true if a configuration within the budget meets the requirement.
    """

    def __init__(self, found: Found | Planned, command: tuple[str, ...] = ()) -> None:
        """``command``: the words of the equivalent command; empty if there are none."""
        self._found = found
        self._command = command

    def __bool__(self) -> bool:
        return self.met

    @property
    def met(self) -> bool:
        """True if a configuration within the budget meets the requirement."""
        return self._found.winner is not None

    @property
    def answer(self) -> Option | None:
        """The cheapest that meets it: ``choices``, ``price``, ``targets``; None if none does."""
        return self._option("answer")

    @property
    def runner_up(self) -> Option | None:
        """The next one that meets it; None if there is none."""
        return self._option("runner_up")

    @property
    def nearest(self) -> Option | None:
        """If none meets it, the configuration that misses it by the least; otherwise None."""
        return self._option("nearest")

    @property
    def alternatives(self) -> dict[str, Row]:
        """What was found of each alternative, with its ``answer``; empty if there are none.

        Of a plan the ``total`` of that of each alone; None if it does not carry all loads.
        """
        return dict(self._record["alternatives"])

    @property
    def sampled(self) -> Row | None:
        """The sample of very many combinations that was examined; None if all were."""
        return self._copied("sampled")

    @property
    def plan(self) -> Row | None:
        """The purchases of each year (``steps``) and their ``total``; None without a plan."""
        return self._copied("plan")

    @property
    def front(self) -> list[Option]:
        """The price-performance front of the configurations that were run, by price."""
        return [Option(one) for one in self._record["front"]]

    @property
    def commands(self) -> list[str]:
        """Commands that repeat the runs of the answer."""
        return list(self._record["commands"])

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row for each configuration examined, or for each year of a plan.

        MissingExtraError without pandas.
        """
        head, *rows = self._page().rows()
        return dataframe_of(rows, columns=[*head])

    def _page(self) -> Page:
        from simulator.report.size import size_page

        return size_page(self._found, self._command)

    def _option(self, key: str) -> Option | None:
        found = self._record.get(key)
        return None if found is None else Option(found)

    def _copied(self, key: str) -> Row | None:
        found = self._record.get(key)
        return None if found is None else Row(found)

    def __str__(self) -> str:
        return self._written("table", full=False)

    def __repr__(self) -> str:
        answer = self.answer
        said = f"{answer['choices']}, {answer['price']:g}" if answer else "nothing meets it"
        return f"<Sized {self._record['requirement']}: {said}>"


def size(  # noqa: PLR0913 - one for each option
    requirement: str | Path,
    *,
    seed: int | None = None,
    noise: bool = True,
    replications: int | None = None,
    everything: bool = False,
    trials: int | None = None,
    search_seed: int | None = None,
    jobs: int | None = None,
    executor: ExecutorName | None = None,
    scheduler: str | None = None,
    progress: bool | None = False,
) -> Sized:
    """Find the cheapest configuration that meets a requirement.

    ``requirement``: a file (requirement/1), the name of a shipped one, or its YAML text. Targets
    must hold in each of ``replications`` runs (5) if anything is random, the first with the
    ``seed`` (1); without ``noise`` service times do not vary. With ``everything``, all
    configurations are run that no bound discards. Of more than 200,000 combinations, ``trials``
    (1,000) are examined, which follow from the ``search_seed`` (1), and the answer is the best of
    them; that needs Optuna, the extra ``search``. ``jobs``: processes at one time, at most.
    ``executor`` and ``scheduler`` are as for :func:`nwtsim.sweep`; ``progress`` shows a line on
    standard error (None: if that is a terminal). Raises ConfigError with all faults, before the
    runs.

    >>> import nwtsim
    >>> answer = nwtsim.size("nwt-1997", noise=False, jobs=1).answer
    >>> answer.choices["volumes"], answer["meets"]
    ('72 MB/s', True)
    """
    import sys

    from nwtsim.arguments import check_jobs, check_seed, check_whole, executor_of, python_words
    from nwtsim.files import source_of
    from simulator.errors import InputError
    from simulator.report.progress import SizingLine
    from simulator.report.size import command_of
    from simulator.sizing.search import size as found_for

    check_seed(seed)
    check_jobs(jobs)
    if not noise and (seed is not None or replications is not None):
        raise InputError("noise=False leaves out what seed and replications are about; omit them")
    if replications is not None:
        check_whole("replications", replications, 2, _MOST_REPLICATIONS, also="")
    if trials is not None:
        check_whole("trials", trials, 1, _MOST_TRIALS)
    check_seed(search_seed, "search_seed")
    with (
        python_words(),
        executor_of(executor, scheduler, jobs) as runs,
        SizingLine(sys.stderr, runs.processes, wanted=progress) as line,
    ):
        found = found_for(
            source_of(requirement, "requirement"),
            seed=seed,
            noise=noise,
            replications=replications,
            everything=everything,
            trials=trials,
            search_seed=search_seed,
            executor=runs,
            heard=line.heard,
        )
    words: tuple[str, ...] = ()
    if "\n" not in str(requirement):
        words = tuple(command_of(found, requirement, trials, search_seed))
    return Sized(found, words)
