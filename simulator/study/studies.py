"""The published studies: how each is run and shown, and what all of them come to together.

A study has its file ``experiments/<name>/study.yaml`` and a function that repeats it; the
function is imported when the study is run. A study without its file is not offered.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from simulator.errors import InputError
from simulator.shipped import shipped_root

if TYPE_CHECKING:
    from simulator.simulate import EngineName

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
    """Where a study's functions are, as ``module:function``."""

    reproduce: str
    """``(runs, seed, engine, progress) -> Reproduced``."""
    render: str = "simulator.study.ledger:render_ledger"
    """``(Reproduced, "table" | "json" | "csv") -> text``."""
    native: bool = True
    """The native engine knows its system."""


STUDIES = {
    "nwt": Entry("simulator.study.reproduce:reproduce_nwt", "simulator.study.reproduce:render"),
    "sr8000": Entry("simulator.study.sr8000:reproduce_sr8000"),
    "orion": Entry("simulator.study.orion:reproduce_orion", native=False),
    "ninf": Entry("simulator.study.ninf:reproduce_ninf", native=False),
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
    progress: bool = False,
) -> Reproduced:
    """Repeat one study; ``runs`` is how often each figure is simulated (None: its own number)."""
    if name not in study_names():
        raise InputError(f"no study {name!r}; there are {', '.join(study_names())}")
    check_engine([name], engine)
    function = named(STUDIES[name].reproduce)
    made: Reproduced = function(runs=runs, seed=seed, engine=engine, progress=progress)
    return made


def check_engine(names: Sequence[str], engine: EngineName) -> None:
    """Refuse the native engine for studies that it does not know, before anything runs."""
    others = [name for name in names if not STUDIES[name].native]
    if engine == "native" and others:
        runs = "runs" if len(others) == 1 else "run"
        about = f"{' and '.join(others)} {runs} on the reference engine only; leave the option out"
        raise InputError(f"--engine native: {about}")


def render_study(name: str, made: Reproduced, form: str) -> str:
    """A study as ``table``, ``json`` or ``csv`` text."""
    text: str = named(STUDIES[name].render)(made, form)
    return text


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
    )


def render_all(all_made: Sequence[Reproduced], form: str) -> str:
    """All studies: a line for each, their records as a list, or their counts as CSV."""
    if form == "json":
        records = [made.to_json() for made in all_made]
        return json.dumps(records, indent=2, ensure_ascii=False) + "\n"
    tallies = [tally(made) for made in all_made]
    if form == "csv":
        return _csv(tallies)
    return "".join(_line(made, one) for made, one in zip(all_made, tallies, strict=True))


def _line(made: Reproduced, one: Tally) -> str:
    verdict = "passed" if made.passed else "FAILED"
    return (
        f"{one.study:<8}{verdict}  {one.inside:>2} of {one.cells:>2} cells inside, "
        f"{one.holding:>2} of {one.testable:>2} testable claims hold, "
        f"{one.untestable} untestable\n"
    )


def _csv(tallies: Sequence[Tally]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["study", "cells", "inside", "claims", "holding", "untestable"])
    for one in tallies:
        counts = [one.cells, one.inside, one.claims, one.holding, one.untestable]
        writer.writerow([one.study, *counts])
    return text.getvalue()
