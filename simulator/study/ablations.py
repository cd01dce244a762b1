"""Ablations: what must turn a claim's verdict, and what moves when a fact of the paper is another.

``experiments/<study>/ablations.yaml`` names, for each testable claim that does not hold by
construction, changes of all its runs that must turn its verdict; and for facts that the paper
prints, another value with the verdicts that it moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.shipped import shipped_root
from simulator.study.change import NOTHING, Change, change_of
from simulator.study.ledger import (
    BY_CONSTRUCTION,
    StudyFile,
    figure_result,
    load_study_file,
    sentence_result,
)
from simulator.study.own_files import read_own
from simulator.study.studies import DEFAULT_SEED, experiment
from simulator.study.work import Tell, tell_nobody

if TYPE_CHECKING:
    from simulator.run import EngineName
    from simulator.study.experiment import Experiment


@dataclass(frozen=True, slots=True)
class Ablation:
    """A change of all runs of a claim, which must turn its verdict."""

    claim: str
    without: str
    """What is removed, in words."""
    change: Change


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that the paper prints, with another value of it."""

    fact: str
    ref: str
    change: Change
    moves: tuple[str, ...]
    """Figures and claims whose verdicts it moves; if none, all are tried and none may move."""
    why: str


@dataclass(frozen=True, slots=True)
class AblationFile:
    """The ablations and facts of a study."""

    ablations: tuple[Ablation, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Turned:
    """An ablation and what it did."""

    ablation: Ablation
    here: str
    """Verdict of the study as it is."""
    without: str
    """Verdict with the change."""
    broken: tuple[str, ...]
    """The conditions that hold here and not with the change, or the other way round."""

    @property
    def ok(self) -> bool:
        """Whether the verdict turned."""
        return self.here != self.without


@dataclass(frozen=True, slots=True)
class Moved:
    """A fact and the verdicts that another value of it moved."""

    fact: Fact
    moved: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether all moved that should; if none should, whether none did."""
        return set(self.fact.moves) <= set(self.moved) if self.fact.moves else not self.moved


@dataclass(frozen=True, slots=True)
class Matrix:
    """All ablations of a study, carried out."""

    study: StudyFile
    turned: tuple[Turned, ...]
    moved: tuple[Moved, ...]
    bare: tuple[str, ...] = field(default=())
    """Testable claims, not by construction, that no ablation is written for."""

    @property
    def passed(self) -> bool:
        """Whether each ablation turns its claim, each fact moves what it should, and none lacks."""
        turned, moved = all(one.ok for one in self.turned), all(one.ok for one in self.moved)
        return not self.bare and turned and moved

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "study": self.study.name,
            "ablations": [
                {
                    "claim": one.ablation.claim,
                    "without": one.ablation.without,
                    "settings": dict(one.ablation.change.settings),
                    "verdict": one.here,
                    "verdict_without": one.without,
                    "conditions": list(one.broken),
                    "turned": one.ok,
                }
                for one in self.turned
            ],
            "facts": [
                {
                    "fact": one.fact.fact,
                    "ref": one.fact.ref,
                    "settings": dict(one.fact.change.settings),
                    "should_move": list(one.fact.moves),
                    "moved": list(one.moved),
                    "why": one.fact.why,
                    "as_expected": one.ok,
                }
                for one in self.moved
            ],
            "without_ablation": list(self.bare),
        }


def load_ablations(name: str) -> AblationFile:
    """Read the ablations of a shipped study; InputError names what is wrong in the file."""
    path = shipped_root("experiments") / name / "ablations.yaml"
    if not path.is_file():
        raise InputError(f"the study {name!r} has no ablations ({path.name})")
    raw = read_own(path.read_text(encoding="utf-8"))
    study = load_study_file(name)
    testable = {one.id for one in study.claims if not one.untestable}
    known = testable | {one.id for one in study.figures}
    ablations = [
        Ablation(claim, one["without"], change_of(one))
        for claim, lines in raw.get("claims", {}).items()
        for one in lines
    ]
    facts = [
        Fact(one["fact"], str(one["ref"]), change_of(one), tuple(one["moves"]), one.get("why", ""))
        for one in raw.get("facts", ())
    ]
    named = {one.claim for one in ablations} - testable
    named |= {moved for one in facts for moved in one.moves} - known
    if named:
        raise InputError(
            f"{name}/ablations.yaml: the study does not test {', '.join(sorted(named))}"
        )
    return AblationFile(tuple(ablations), tuple(facts))


def ablate(
    name: str,
    *,
    runs: int | None = None,
    seed: int = DEFAULT_SEED,
    engine: EngineName = "auto",
    tell: Tell = tell_nobody,
) -> Matrix:
    """Carry out all ablations of a study; ``tell`` is told the share of them that is done."""
    file, study, code = load_ablations(name), load_study_file(name), experiment(name)
    made = _Made(code, study, runs, seed, engine)
    count = len(file.ablations) + len(file.facts)
    turned, moved = [], []
    for one in file.ablations:
        turned.append(_turned(made, one))
        tell(len(turned) / count)
    for fact in file.facts:
        moved.append(Moved(fact, tuple(_moves(made, fact))))
        tell((len(turned) + len(moved)) / count)
    covered = {one.claim for one in file.ablations}
    bare = [
        one.id
        for one in study.claims
        if not one.untestable and one.role != BY_CONSTRUCTION and one.id not in covered
    ]
    bare = [one for one in bare if not _contradicted(study, one)]
    return Matrix(study, tuple(turned), tuple(moved), tuple(bare))


def ablate_claim(
    name: str,
    claim: str,
    *,
    runs: int | None = None,
    seed: int = DEFAULT_SEED,
    engine: EngineName = "auto",
) -> tuple[Turned, ...]:
    """Carry out the ablations of one claim of a study, with no other runs than it needs."""
    file, study, code = load_ablations(name), load_study_file(name), experiment(name)
    made = _Made(code, study, runs, seed, engine)
    return tuple(_turned(made, one) for one in file.ablations if one.claim == claim)


def move_facts(
    name: str,
    *,
    runs: int | None = None,
    seed: int = DEFAULT_SEED,
    engine: EngineName = "auto",
) -> tuple[Moved, ...]:
    """Try other values of the facts that the paper of a study prints."""
    file, study, code = load_ablations(name), load_study_file(name), experiment(name)
    made = _Made(code, study, runs, seed, engine)
    return tuple(Moved(one, tuple(_moves(made, one))) for one in file.facts)


def _contradicted(study: StudyFile, claim: str) -> bool:
    return any(one.contradicted for one in study.claims if one.id == claim)


class _Made:
    """Runs of a study, as it is and with changes; those of the last changes are kept."""

    def __init__(
        self,
        code: Experiment[Any],
        study: StudyFile,
        runs: int | None,
        seed: int,
        engine: EngineName,
    ) -> None:
        self.code, self.study = code, study
        self._options = (runs, seed, engine)
        self._here: Any = self._begin(NOTHING)
        self._last: tuple[Change, Any] = (NOTHING, self._here)

    def _begin(self, change: Change) -> Any:
        return self.code.begin(*self._options, change)

    def runs(self, change: Change) -> Any:
        """Return the runs with a change."""
        if change == NOTHING:
            return self._here
        if self._last[0] != change:
            self._last = (change, self._begin(change))
        return self._last[1]

    def verdict(self, id_: str, change: Change) -> tuple[str, tuple[str, ...]]:
        """Return the verdict of a figure or claim, and the conditions that are broken."""
        runs = self.runs(change)
        for figure in self.study.figures:
            if figure.id == id_:
                return figure_result(figure, runs, self.code.figures).verdict, ()
        (claim,) = (one for one in self.study.claims if one.id == id_)
        made = sentence_result(claim, runs, self.code.claims)
        return made.verdict, made.broken


def _turned(made: _Made, one: Ablation) -> Turned:
    here, broken_here = made.verdict(one.claim, NOTHING)
    try:
        there, broken_there = made.verdict(one.claim, one.change)
    except ConfigError as error:
        what = f"{one.claim}, without {one.without}"
        raise InputError(f"{made.study.name}/ablations.yaml: {what}: {error}") from error
    return Turned(one, here, there, _differing(broken_here, broken_there))


def _differing(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(one for one in (*first, *second) if (one in first) != (one in second))


def _moves(made: _Made, fact: Fact) -> Iterable[str]:
    """Return the figures and claims whose verdicts another value of a fact moves."""
    study = made.study
    every = [one.id for one in study.figures]
    every += [one.id for one in study.claims if not one.untestable]
    for id_ in fact.moves or every:
        if made.verdict(id_, NOTHING)[0] != made.verdict(id_, fact.change)[0]:
            yield id_
