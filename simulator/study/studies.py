"""The published studies: how each is run and shown, and what all of them come to together.

A study has its file ``experiments/<name>/study.yaml`` and a function that repeats it; the
function is imported when the study is run. A study without its file is not offered.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from simulator.errors import InputError
from simulator.shipped import shipped_root
from simulator.study.work import Tell, tell_nobody

if TYPE_CHECKING:
    from simulator.run import EngineName

DEFAULT_SEED = 1998
"""The year of the NWT paper's measurements."""


class Reproduced(Protocol):
    """A study beside its simulation."""

    @property
    def passed(self) -> bool:
        """Whether every figure is inside and no claim fails."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The record for programs."""
        ...


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a study's function is, and how long it takes."""

    reproduce: str
    """``module:function``, which is ``(runs, seed, engine, tell) -> Reproduced``."""
    once_s: float
    """CPU time of what is run once, as measured."""
    each_s: float = 0.0
    """CPU time of what is run again and again, for each repetition."""
    runs: int = 0
    """Its own number of repetitions; 0: draws nothing, so each is run once."""
    slower: float = 1.0
    """How many times as long it takes where nothing is compiled."""
    native: bool = True
    """The native engine knows its system."""

    def takes_s(self, runs: int | None, compiled: bool) -> float:
        """Return the CPU time with ``runs`` repetitions (None: its own number)."""
        time = self.once_s + self.each_s * (runs or self.runs)
        return time if compiled else time * self.slower


STUDIES = {
    "nwt": Entry("simulator.study.reproduce:reproduce_nwt", 0.5, 0.25, 9, 20),
    "sr8000": Entry("simulator.study.sr8000:reproduce_sr8000", 5.0, slower=10),
    "orion": Entry("simulator.study.orion:reproduce_orion", 4.6, 0.5, 10, native=False),
    "ninf": Entry("simulator.study.ninf:reproduce_ninf", 4.3, 5.2, 3, native=False),
    "ssken": Entry("simulator.study.ssken:reproduce_ssken", 1.7, slower=30),
}


def study_names() -> list[str]:
    """The studies that are here, in the order of the table."""
    folder = shipped_root("experiments")
    return [name for name in STUDIES if (folder / name / "study.yaml").is_file()]


def reproduce_study(
    name: str,
    *,
    runs: int | None = None,
    seed: int = DEFAULT_SEED,
    engine: EngineName = "auto",
    tell: Tell = tell_nobody,
) -> Reproduced:
    """Repeat one study; ``runs`` is how often each figure is simulated (None: its own number).

    ``tell`` is told the share of the work that is done, again and again.
    """
    if name not in study_names():
        raise InputError(f"no study {name!r}; there are {', '.join(study_names())}")
    check_engine([name], engine)
    function = named(STUDIES[name].reproduce)
    made: Reproduced = function(runs=runs, seed=seed, engine=engine, tell=tell)
    tell(1.0)
    return made


def check_engine(names: Sequence[str], engine: EngineName) -> None:
    """Refuse the native engine for studies that it does not know, before anything runs."""
    others = [name for name in names if not STUDIES[name].native]
    if engine == "native" and others:
        runs = "runs" if len(others) == 1 else "run"
        about = f"{' and '.join(others)} {runs} on the reference engine only; leave the option out"
        raise InputError(f"--engine native: {about}")


def named(path: str) -> Any:
    """Import what ``module:name`` stands for."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


# -- all of them together -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tally:
    """What a study comes to."""

    study: str
    cells: int
    inside: int
    claims: int
    holding: int
    untestable: int
    contradicted: int = 0
    """Figures and claims that are listed as such."""

    @property
    def testable(self) -> int:
        """Claims that runs can decide."""
        return self.claims - self.untestable


def tally(made: Reproduced) -> Tally:
    """Count the verdicts of a study."""
    record = made.to_json()
    cells = [one["verdict"] for one in record["cells"]]
    claims = [one["verdict"] for one in record["claims"]]
    claims += ["untestable"] * len(record.get("untestable", ()))
    return Tally(
        study=record["study"],
        cells=len(cells),
        inside=cells.count("inside"),
        claims=len(claims),
        holding=claims.count("holds"),
        untestable=claims.count("untestable"),
        contradicted=(cells + claims).count("contradicted"),
    )
