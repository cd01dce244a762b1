"""The limit of a run as a Python object: a row for each lever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nwtsim.records import dataframe_of

if TYPE_CHECKING:
    import pandas as pd

    from nwtsim.result import Result
    from simulator.answers.limits import Limits as Found

Row = dict[str, Any]


class Limits:
    """The limit of a run: the effect of each resource on the elapsed time, each from a run.

    ``print(limits)`` writes what ``nwtsim run`` does.
    """

    def __init__(self, found: Found) -> None:
        self._found = found

    @property
    def limiting(self) -> str | None:
        """The limiting resource and aspect, like ``disk.rate``; None if no single one saves 1 %."""
        first = self._found.first
        return None if first is None else first.lever.name

    @property
    def kind(self) -> str | None:
        """Kind of the limit: ``bandwidth``, ``latency``, ``wait``, ``capacity`` or ``number``."""
        first = self._found.first
        return None if first is None else first.lever.kind

    @property
    def saves_s(self) -> float:
        """Seconds saved with the limit twice as good; 0 without a limit."""
        first = self._found.first
        return 0.0 if first is None else first.saves_ns / 1e9

    @property
    def measure(self) -> str:
        """The measured time: ``elapsed_ns``, or the mean ``response_ns`` for jobs with arrivals."""
        return self._found.measure.key

    @property
    def job(self) -> str | None:
        """The job whose time is measured; None: that of the whole run."""
        return self._found.measure.job or None

    @property
    def jobs(self) -> dict[str, Limits]:
        """The limit of each job, by name, if there are several and none was chosen."""
        return {one.measure.job: Limits(one) for one in self._found.jobs}

    @property
    def elapsed_s(self) -> float:
        """Measured seconds of the run as it is."""
        return self._found.elapsed_ns / 1e9

    @property
    def shortened(self) -> dict[str, str]:
        """Settings of the shortened runs that selected levers; empty if all ran whole."""
        found = self._found.shortened
        return {} if found is None else dict(found.settings)

    def rows(self) -> list[Row]:
        """Return a row for each lever that was run, the largest saving first.

        ``lever``, ``kind``, ``saves_s`` and ``elapsed_s`` (twice as good), ``settings`` (of that
        run), ``busy`` (of its busiest instance, or None); ``better_s`` and ``worse_s``: saved by 10
        % or one in either direction, None if not run.
        """
        whole = self._found.elapsed_ns
        return [
            {
                "lever": one.lever.name,
                "kind": one.lever.kind,
                "saves_s": one.saves_ns / 1e9,
                "elapsed_s": one.twice.elapsed_ns / 1e9,
                "better_s": None if one.better is None else (whole - one.better.elapsed_ns) / 1e9,
                "worse_s": None if one.worse is None else (whole - one.worse.elapsed_ns) / 1e9,
                "busy": one.busy,
                "settings": dict(one.twice.settings),
            }
            for one in self._found.limits
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything, as `nwtsim schema report` describes it; times in ns."""
        return self._found.to_record()

    def to_dataframe(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame; MissingExtraError without pandas."""
        return dataframe_of(self.rows())

    def __str__(self) -> str:
        from simulator.report.limits import limits_text

        return limits_text(self._found)

    def __repr__(self) -> str:
        from simulator.report.limits import sentence

        return f"<Limits: {sentence(self._found).removeprefix('What limits: ')}>"


def interference(run: Result, *, progress: bool | None = None) -> dict[str, Any]:
    """Return who slows whom: the time of each job now, alone, and without each other job; ns.

    Each is a run of its own with the same seed; the record is that of ``nwtsim run --interference
    --format json``. ``progress`` shows a bar (by default on a terminal). ValueError for a result
    without its files.

    >>> import nwtsim
    >>> found = interference(nwtsim.run("workstation", "copy-file"))
    >>> list(found["jobs"]), found["runs"]
    (['copy'], 0)
    """
    from simulator.answers.again import PreparedAgain
    from simulator.answers.interference import interference_of

    again = None if run._again is None else run._again.again()
    if not isinstance(again, PreparedAgain):
        raise ValueError("this result does not know its workload; make it with nwtsim.run")
    return interference_of(again, run._outcome.result, progress=progress).to_record()
