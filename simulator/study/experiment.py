"""A study as code: how its runs are made, and the functions of its figures and claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from simulator.study.change import NOTHING, Change
from simulator.study.ledger import Ledger, Runs, decided
from simulator.study.study_file import load_study_file
from simulator.study.work import Tell, Work, tell_nobody

if TYPE_CHECKING:
    from simulator.run import EngineName

AnyRuns = TypeVar("AnyRuns", bound=Runs)


def _no_blocks(_runs: Any, _ledger: Ledger) -> tuple[str, ...]:
    return ()


def _calibrated(runs: Runs, ledger: Ledger) -> int:
    del runs
    return len(ledger.calibrated)


@dataclass(frozen=True, slots=True)
class Experiment(Generic[AnyRuns]):
    """A study as code: its runs, its figures and its claims."""

    name: str
    start: Callable[[int | None, int, EngineName, Work, Change], AnyRuns]
    """``(runs, seed, engine, work, change)`` -> the runs, of which none is simulated yet."""
    size: Callable[[int | None], float]
    """Units of work of the whole study with so many repetitions (None: its own number)."""
    figures: Mapping[str, Callable[[AnyRuns], Any]]
    """By the id of each figure: its simulated value, or one for each run."""
    claims: Mapping[str, Callable[[AnyRuns], Mapping[str, float]]]
    """By the id of each testable claim: the figures over which its conditions are."""
    heart: Callable[[AnyRuns, Ledger], tuple[str, ...]] = _no_blocks
    """Paragraphs of what it is about, for its first screen."""
    blocks: Callable[[AnyRuns, Ledger], tuple[str, ...]] = _no_blocks
    """Tables and sentences that it adds for people."""
    fitted: Callable[[AnyRuns, Ledger], int] = _calibrated
    """Number of values of the machine that were fitted to printed numbers."""
    complete: Callable[[AnyRuns, Ledger], Ledger] = lambda _runs, ledger: ledger
    """The last word of the study on its ledger."""

    def begin(
        self,
        runs: int | None,
        seed: int,
        engine: EngineName,
        change: Change = NOTHING,
        tell: Tell = tell_nobody,
    ) -> AnyRuns:
        """Return the runs with a change of all of them."""
        return self.start(runs, seed, engine, Work(self.size(runs), tell), change)

    def reproduce(
        self, runs: int | None, seed: int, engine: EngineName, tell: Tell = tell_nobody
    ) -> Ledger:
        """Carry out the study; ``tell`` is told the share of the work that is done."""
        made = self.begin(runs, seed, engine, tell=tell)
        ledger = decided(load_study_file(self.name), made, self.figures, self.claims, seed=seed)
        ledger = self.complete(made, ledger)
        ledger = replace(ledger, fitted=self.fitted(made, ledger))
        return replace(ledger, heart=self.heart(made, ledger), blocks=self.blocks(made, ledger))
