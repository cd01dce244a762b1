"""The published studies: how each is run and shown, and what all of them come to together.

A study is a folder: ``experiments/<name>/study.yaml`` and, beside it, the code that repeats it,
which is imported when the study is run. A study without its file is not offered.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from simulator.errors import InputError, did_you_mean
from simulator.shipped import shipped_root
from simulator.study.work import Tell, tell_nobody

if TYPE_CHECKING:
    from simulator.run import EngineName
    from simulator.study.experiment import Experiment
    from simulator.study.ledger import Ledger

DEFAULT_SEED = 1998
"""The year of the NWT paper's measurements."""


@dataclass(frozen=True, slots=True)
class Entry:
    """CPU times of a study, and the engines that run it."""

    once_s: float
    """CPU time of what is run once, as measured."""
    each_s: float = 0.0
    """CPU time of what is run again and again, for each repetition."""
    runs: int = 0
    """Its own number of repetitions; 0: draws nothing, so each is run once."""
    slower: float = 1.0
    """Factor of its time where nothing is compiled."""
    native: bool = True
    """The native engine knows its system."""

    def takes_s(self, runs: int | None, compiled: bool) -> float:
        """Return the CPU time with ``runs`` repetitions (None: its own number)."""
        time = self.once_s + self.each_s * (runs or self.runs)
        return time if compiled else time * self.slower


STUDIES = {
    "pagecache": Entry(2.0, slower=30),
    "nwt": Entry(2.2, 0.27, 9, 20),
    "sr8000": Entry(5.0, slower=10),
    "orion": Entry(3.2, 0.25, 10, native=False),
    "ninf": Entry(1.4, 5.3, 1, native=False),
    "ssken": Entry(1.7, slower=30),
    "merge": Entry(6.2, slower=30),
}


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Of files that are ours and long: libyaml's, if it is there."""


def read_own(text: str) -> Any:
    """Return what a text of a shipped file says; yaml.YAMLError if it is no YAML."""
    return yaml.load(text, Loader=_LOADER)


def study_names() -> list[str]:
    """The studies that are here, in the order of the table."""
    folder = shipped_root("experiments")
    return [name for name in STUDIES if (folder / name / "study.yaml").is_file()]


def check_study(name: str) -> None:
    """Raise InputError if no study has this name."""
    if name not in study_names():
        raise InputError(f"no study {name!r}; {did_you_mean(name, study_names())}")


def reproduce_study(
    name: str,
    *,
    runs: int | None = None,
    seed: int = DEFAULT_SEED,
    engine: EngineName = "auto",
    tell: Tell = tell_nobody,
) -> Ledger:
    """Repeat one study; ``runs`` is how often each figure is simulated (None: its own number).

    ``tell`` is told the share of the work that is done, again and again.
    """
    check_study(name)
    check_engine([name], engine)
    made = experiment(name).reproduce(runs, seed, engine, tell)
    tell(1.0)
    return made


def check_engine(names: Sequence[str], engine: EngineName) -> None:
    """Refuse the native engine for studies that it does not know, before anything runs."""
    others = [name for name in names if not STUDIES[name].native]
    if engine == "native" and others:
        runs = "runs" if len(others) == 1 else "run"
        about = f"{' and '.join(others)} {runs} on the reference engine only; leave the option out"
        raise InputError(f"--engine native: {about}")


def experiment(name: str) -> Experiment[Any]:
    """Import the code of a study, whose module ``study`` has it as ``STUDY``."""
    made: Experiment[Any] = importlib.import_module(f"simulator.experiments.{name}.study").STUDY
    return made


# -- all of them together -----------------------------------------------------------------------

_PREDICTED, _UNDEMANDING = "predicted", "undemanding"


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of a study's verdicts."""

    study: str
    data: int
    """Printed numbers that are independent."""
    fitted: int
    tuned: int
    inside: int
    """Predicted numbers that are inside their bands ..."""
    numbers: int
    """... of so many."""
    holding: int
    """Predicted claims of the paper that hold ..."""
    claims: int
    """... of so many."""
    easy: int
    """Undemanding claims of the paper that hold ..."""
    undemanding: int
    """... of so many."""
    contradicted: int
    """Figures and claims that runs do not bear out."""
    unexpected: int
    """Of them, and of those listed as such, the ones that the study does not expect."""
    untestable: int

    @property
    def left(self) -> int:
        """Data less fitted values and tuned choices."""
        return self.data - self.fitted - self.tuned


def tally(made: Ledger) -> Tally:
    """Count the verdicts of a study."""
    freedom = made.freedom
    numbers = [one for one in made.figures if one.figure.role == _PREDICTED]
    of_paper = [one for one in made.claims if not one.claim.elsewhere]
    claims = [one for one in of_paper if one.claim.role == _PREDICTED]
    easy = [one for one in of_paper if one.claim.role == _UNDEMANDING]
    verdicts = [one.verdict for some in (made.figures, made.claims) for one in some]
    expected = [one.expected for some in (made.figures, made.claims) for one in some]
    return Tally(
        study=made.study.name,
        data=freedom.data,
        fitted=freedom.fitted,
        tuned=freedom.tuned,
        inside=sum(one.verdict == _PREDICTED for one in numbers),
        numbers=len(numbers),
        holding=sum(one.verdict == _PREDICTED for one in claims),
        claims=len(claims),
        easy=sum(one.verdict == _UNDEMANDING for one in easy),
        undemanding=len(easy),
        contradicted=verdicts.count("contradicted"),
        unexpected=expected.count(False),
        untestable=verdicts.count("not testable"),
    )
