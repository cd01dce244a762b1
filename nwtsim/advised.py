"""Advice as a Python object: changes that make a job or a traced program faster, with savings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from nwtsim.files import Machine, Workload
from nwtsim.paged import Paged
from nwtsim.records import dataframe_of
from nwtsim.rows import Row
from nwtsim.settings import Settings, Value, listener, pairs_of

if TYPE_CHECKING:
    import pandas as pd

    from nwtsim.calls import Engine
    from simulator.answers.advise import Advised as Found
    from simulator.replay.replay import ReplayOptions
    from simulator.report.page import Page
    from simulator.run import Run


class Advised(Paged, Sequence[Row]):
    """Advice, largest saving first: a row for each change.

    A row has ``pattern``, ``found`` and ``how`` (sentences), ``saves_s``, ``predicted_s``,
    ``files``, ``set`` (the settings of the run with it); docs/advise.md lists all.
    ``print(advised)`` writes what ``nwtsim advise`` does.
    """

    def __init__(self, found: Found, title: str, command: Sequence[str]) -> None:
        self._found = found
        self._title = title
        self._command = tuple(command)

    @property
    def elapsed_s(self) -> float:
        """Elapsed seconds without changes."""
        return float(self._record["predicted_s"])

    @property
    def notes(self) -> list[str]:
        """Limitations of the answer, in sentences."""
        return list(self._record["notes"])

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        rows = [Row(one) for one in self._record["advice"]]
        return rows[index]

    def __len__(self) -> int:
        return len(self._record["advice"])

    def to_dataframe(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame; MissingExtraError without pandas."""
        return dataframe_of(list(self))

    def _page(self) -> Page:
        from simulator.report.advise import advice_page

        return advice_page(self._found, self._title, self._command)

    def __repr__(self) -> str:
        from simulator.report.advise import answer

        return f"<Advised {self._title}: {answer(self._found)[0]}>"


def advise(  # noqa: PLR0913 - options of a call are keywords
    what: str | Path | Machine | Sequence[str | Path],
    workload: str | Path | Workload | None = None,
    settings: Settings | None = None,
    *,
    on: str | Path | Machine | None = None,
    job: str | None = None,
    limits: bool | None = None,
    filesystem: str | None = None,
    path: str | None = None,
    prestage: bool | None = None,
    think: float | None = None,
    seed: int | None = None,
    engine: Engine = "auto",
    progress: bool | None = False,
    **keywords: Value,
) -> Advised:
    """Find changes that make a job, or a traced program, faster; each is simulated.

    For a job: ``advise(MACHINE, WORKLOAD)``, as for :func:`nwtsim.run`; ``job``: the one whose time
    counts. For a program: ``advise(TRACE, on=MACHINE)``, as for :func:`nwtsim.replay`, with its
    ``filesystem``, ``path``, ``prestage`` and ``think``. ``limits``: consider changes of the
    machine as well (None: unless that takes long). ``progress`` shows bars on standard error (None:
    if that is a terminal). Raises what those functions do, TypeError for a mixture of both.

    >>> import nwtsim
    >>> nwtsim.advise("workstation", "copy-file")[0]["saves_s"] > 0
    True
    """
    from nwtsim.arguments import check_seed, python_words
    from nwtsim.replayed import wanted_of

    check_seed(seed)
    pairs = pairs_of(settings, keywords)
    placed = filesystem, path, prestage
    if on is None:
        if any(one is not None for one in placed) or think is not None:
            raise TypeError(f"filesystem, path, prestage and think are for a trace; {_FORMS}")
        with python_words():
            return _of_job(_asked(what, workload, pairs, seed, engine), limits, job, progress)
    if workload is not None or job is not None:
        raise TypeError(f"on= is for a trace, which has neither a workload nor job=; {_FORMS}")
    if isinstance(what, Machine):
        raise TypeError(f"with on= a trace comes first, not {what!r}; {_FORMS}")
    with python_words():
        machine = on if isinstance(on, Machine) else Machine(on)
        machine = machine.replace(pairs) if pairs else machine
        wanted = wanted_of(placed, think=think, seed=seed, engine=engine)
        return _of_trace(what, machine, wanted, limits, progress)


_FORMS = "write advise(MACHINE, WORKLOAD), or advise(TRACE, on=MACHINE)"


def _asked(
    what: Any,
    workload: str | Path | Workload | None,
    pairs: list[tuple[str, str]],
    seed: int | None,
    engine: Engine,
) -> Run:
    """Prepare the run of a job; TypeError without a machine or a workload."""
    from nwtsim.files import given
    from simulator.run import prepare_run

    if workload is None:
        raise TypeError(f"there is no workload; {_FORMS}")
    machine, work, fixed = given(what, workload)
    return prepare_run(machine, work, fixed + pairs, seed=seed, engine=engine, hears=listener())


def _of_job(asked: Run, limits: bool | None, job: str | None, progress: bool | None) -> Advised:
    """Run a job, and again with each change that would make it faster."""
    from nwtsim.again import command_of
    from simulator.report.advise import advised_of

    made = command_of(asked, "run")
    title = f"{asked.plan.workload} on {asked.plan.machine}"
    how: dict[str, Any] = {"limits": limits, "job": job, "progress": progress}
    found = advised_of(asked, asked.result(), command=made, **how)
    words = [*command_of(asked, "advise"), *(["--job", job] if job is not None else [])]
    return Advised(found, title, words if made else ())


def _of_trace(
    trace: str | Path | Sequence[str | Path],
    machine: Machine,
    wanted: ReplayOptions,
    limits: bool | None,
    progress: bool | None,
) -> Advised:
    """Replay a trace, and again with each cure."""
    from simulator.answers.again import machine_variants
    from simulator.replay.confirmed import advise_samples

    logs = [trace] if isinstance(trace, str | Path) else list(trace)
    variants = machine_variants(machine.source, machine.settings)
    how: dict[str, Any] = {"limits": limits, "progress": progress}
    done = advise_samples([Path(one) for one in logs], variants, wanted, **how)
    result = done.replay.result
    return Advised(done.advised, f"{result.workload} on {result.machine}", ())
