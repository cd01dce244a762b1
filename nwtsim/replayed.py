"""The result of a replay: that of its run, with the observed times of the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nwtsim.records import dataframe_of
from nwtsim.result import Result

if TYPE_CHECKING:
    from fractions import Fraction

    import pandas as pd

    from nwtsim.again import ReplayAgain
    from simulator.replay.replay import Replay as Replayed
    from simulator.replay.replay import ReplayOptions
    from simulator.report.outcome import Outcome
    from simulator.run import EngineName


class Replay(Result):
    """The outcome of a replay on a machine; a :class:`Result` with the observed times."""

    def __init__(self, outcome: Outcome, done: Replayed, again: ReplayAgain | None = None) -> None:
        super().__init__(outcome, (), again)
        self._done = done

    @property
    def observed_s(self) -> float:
        """Observed seconds: without a tracer if nwtsim recorded the log, otherwise of the log."""
        return self._done.observed_ns / 1e9

    def calls(self) -> list[dict[str, Any]]:
        """Return a row for each kind of call: count, bytes, seconds observed and predicted.

        Seconds are None where the log has no durations, or the machine no cost.
        """
        return [_row("call", one) for one in self._done.calls]

    def files(self) -> list[dict[str, Any]]:
        """Return a row for each file: count, bytes, seconds observed and predicted."""
        return [_row("file", one) for one in self._done.files]

    def compared(self) -> pd.DataFrame:
        """Return the calls as a pandas DataFrame; MissingExtraError without pandas."""
        return dataframe_of(self.calls())

    def to_html(self) -> str:
        """Return the page written by ``nwtsim replay --html``, as a text: it needs no network."""
        from dataclasses import replace

        from simulator.report.forms import written
        from simulator.report.replay import replay_page

        if self._again is None:
            raise ValueError("this result does not know its machine; make it with nwtsim.replay")
        outcome = replace(self._outcome, machine=self._again.again().machine)
        return written(replay_page(self._done, outcome, None), "html")

    def _lines(self) -> list[str]:
        first, *rest = super()._lines()
        return [first.replace("Result:", "Replay:"), f"observed {self.observed_s:.4g} s", *rest]


def _row(what: str, one: Any) -> dict[str, Any]:
    return {
        what: one.name,
        "count": one.calls,
        "bytes": one.bytes,
        "observed_s": None if one.observed_ns is None else one.observed_ns / 1e9,
        "predicted_s": None if one.predicted_ns is None else one.predicted_ns / 1e9,
    }


def wanted_of(
    placed: tuple[str | None, str | None, bool | None],
    *,
    think: float | None,
    seed: int | None,
    engine: EngineName,
) -> ReplayOptions:
    """Return the options of a replay; ``placed``: file system, path, prestaging."""
    from nwtsim.settings import warn_of_cost
    from simulator.replay.replay import ReplayOptions

    return ReplayOptions.of(
        *placed,
        think=None if think is None else _fraction(think),
        seed=seed,
        engine=engine,
        said=warn_of_cost,
    )


def _fraction(think: float) -> Fraction:
    """Return the factor of the computing time between calls; TypeError or ValueError."""
    from fractions import Fraction

    if isinstance(think, bool | str) or not hasattr(think, "__float__"):
        raise TypeError(f"think must be a number, not {think!r}")
    if not 0 <= think < float("inf"):
        raise ValueError(f"think must be a number from 0 on, not {think!r}")
    return Fraction(think).limit_denominator(10**9)
