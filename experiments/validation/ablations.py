"""Ablations: changes of claims' verdicts by removed mechanisms, and by changed facts.

They are listed in ``experiments/<study>/ablations.yaml``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.report.forms import json_text
from simulator.report.lined import ruled
from simulator.study.change import NOTHING, Change
from simulator.study.ledger import figure_result, sentence_result
from simulator.study.studies import DEFAULT_SEED, experiment
from simulator.study.study_file import BY_CONSTRUCTION, Sentence, StudyFile, load_study_file
from simulator.study.work import Tell, tell_nobody

from .ablation_file import Ablation, Fact, load_ablations

if TYPE_CHECKING:
    from simulator.run import EngineName
    from simulator.study.experiment import Experiment


@dataclass(frozen=True, slots=True)
class AblationResult:
    """An ablation and its effect."""

    claim: str
    ablation: Ablation
    here: str
    """Verdict of the unchanged study."""
    without: str
    """Verdict with the change."""
    broken: tuple[str, ...]
    """Conditions that hold in only one of the unchanged study and the changed one."""

    @property
    def ok(self) -> bool:
        """True if the verdict changed, or the expected condition broke."""
        breaks = self.ablation.breaks
        return breaks in self.broken if breaks else self.here != self.without


@dataclass(frozen=True, slots=True)
class FactResult:
    """A fact and the verdicts that its other value changed."""

    fact: Fact
    moved: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """True if all expected verdicts changed; without any, if none changed."""
        return set(self.fact.moves) <= set(self.moved) if self.fact.moves else not self.moved


@dataclass(frozen=True, slots=True)
class AblationResults:
    """All ablations of a study, with their results."""

    study: StudyFile
    turned: tuple[AblationResult, ...]
    moved: tuple[FactResult, ...]
    bare: tuple[str, ...] = field(default=())
    """Testable claims, not by construction, without an ablation."""

    @property
    def passed(self) -> bool:
        """True if all results are as expected, and no claim lacks an ablation."""
        every: Iterable[AblationResult | FactResult] = (*self.turned, *self.moved)
        return not self.bare and all(one.ok for one in every)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON record."""
        return {
            "study": self.study.name,
            "ablations": [
                {
                    "claim": one.claim,
                    "without": one.ablation.without,
                    "settings": dict(one.ablation.change.settings),
                    "verdict": one.here,
                    "verdict_without": one.without,
                    "conditions": list(one.broken),
                    **({"should_break": one.ablation.breaks} if one.ablation.breaks else {}),
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


def ablate(
    name: str,
    *,
    claims: Collection[str] | None = None,
    facts: bool = True,
    runs: int | None = None,
    seed: int = DEFAULT_SEED,
    engine: EngineName = "auto",
    tell: Tell = tell_nobody,
) -> AblationResults:
    """Run the ablations of a study's claims (None: all), and try other values of facts.

    Only the required runs are made. ``tell`` receives the completed share of lines.
    """
    file, study = load_ablations(name), load_study_file(name)
    made = _CachedRuns(experiment(name), study, runs, seed, engine)
    lines: list[tuple[str, Ablation | Fact]] = [
        *(one for one in file.ablations if claims is None or one[0] in claims),
        *(("", one) for one in file.facts if facts),
    ]
    done: dict[int, AblationResult | FactResult] = {}
    for at in _by_change([one.change for _, one in lines]):
        claim, one = lines[at]
        done[at] = (
            _ablation_result(made, claim, one)
            if isinstance(one, Ablation)
            else FactResult(one, tuple(_moves(made, one)))
        )
        tell(len(done) / len(lines))
    results = [done[at] for at in range(len(lines))]
    turned = tuple(one for one in results if isinstance(one, AblationResult))
    moved = tuple(one for one in results if isinstance(one, FactResult))
    bare = tuple(
        one.id
        for one in study.claims
        if _free(one) and not file.claims.get(one.id) and not one.contradicted
    )
    return AblationResults(study, turned, moved, bare)


def _free(claim: Sentence) -> bool:
    """Return whether a claim is tested and could fail."""
    return not claim.untestable and claim.role != BY_CONSTRUCTION


def _by_change(changes: Sequence[Change]) -> list[int]:
    """Return the order in which lines with the same change, and thus the same runs, are adjacent.

    >>> one, other = Change(filesystem="a"), Change(filesystem="b")
    >>> _by_change([one, other, one])
    [0, 2, 1]
    """
    first: dict[Change, int] = {}
    for at, change in enumerate(changes):
        first.setdefault(change, at)
    return sorted(range(len(changes)), key=lambda at: first[changes[at]])


class _CachedRuns:
    """Runs of a study, unchanged and with changes; those of the last changes are cached."""

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
        """Return the verdict of a figure or claim, and the broken conditions."""
        runs = self.runs(change)
        for figure in self.study.figures:
            if figure.id == id_:
                return figure_result(figure, runs, self.code.figures).verdict, ()
        (claim,) = (one for one in self.study.claims if one.id == id_)
        made = sentence_result(claim, runs, self.code.claims)
        return made.verdict, made.broken


def _ablation_result(made: _CachedRuns, claim: str, one: Ablation) -> AblationResult:
    here, broken_here = made.verdict(claim, NOTHING)
    try:
        there, broken_there = made.verdict(claim, one.change)
    except ConfigError as error:
        what = f"{claim}, without {one.without}"
        raise InputError(f"{made.study.name}/ablations.yaml: {what}: {error}") from error
    return AblationResult(claim, one, here, there, _differing(broken_here, broken_there))


def _differing(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(one for one in (*first, *second) if (one in first) != (one in second))


def _moves(made: _CachedRuns, fact: Fact) -> Iterable[str]:
    """Return the figures and claims whose verdicts another value of a fact changes."""
    study = made.study
    every = [one.id for one in study.figures]
    every += [one.id for one in study.claims if not one.untestable]
    for id_ in fact.moves or every:
        if made.verdict(id_, NOTHING)[0] != made.verdict(id_, fact.change)[0]:
            yield id_


# -- as a table, JSON or Markdown ------------------------------------------------------------------

CLAIMS = ("claim", "without", "verdict", "verdict without", "conditions that turn", "")
FACTS = ("fact", "section", "another value", "verdicts that it moves", "")


def render_ablations(all_made: Sequence[AblationResults], form: str) -> str:
    """Return the ablations of studies as ``table`` or ``json`` text."""
    if form == "json":
        made = [one.to_json() for one in all_made]
        return json_text(made[0] if len(made) == 1 else made)
    return "\n\n".join(_text(one) for one in all_made) + "\n"


def _text(made: AblationResults) -> str:
    def table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
        return ruled(head, rows)

    return "\n\n".join([made.study.title, *_blocks(made, table), summary(made)])


def _blocks(
    made: AblationResults, table: Callable[[Sequence[Sequence[str]], Sequence[str]], str]
) -> list[str]:
    claims = [
        [
            one.claim,
            one.ablation.without,
            one.here,
            one.without,
            "; ".join(one.broken),
            "" if one.ok else "NOT TURNED",
        ]
        for one in made.turned
    ]
    facts = [
        [
            one.fact.fact,
            one.fact.ref,
            "; ".join(f"{path} {value}" for path, value in one.fact.change.settings),
            ", ".join(one.moved) or f"none: {one.fact.why}",
            "" if one.ok else "NOT AS EXPECTED",
        ]
        for one in made.moved
    ]
    rows = ((claims, CLAIMS), (facts, FACTS))
    return [table(found, head) for found, head in rows if found or head == CLAIMS]


def summary(made: AblationResults) -> str:
    """State the number of ablations that change their claims, and the claims without any."""
    turning = [one for one in made.turned if not one.ablation.breaks]
    turned = sum(one.ok for one in turning)
    claims = len({one.claim for one in turning})
    text = f"{turned} of {len(turning)} ablations of {claims} claims turn the verdict."
    if more := [one for one in made.turned if one.ablation.breaks]:
        text += (
            f" {sum(one.ok for one in more)} of {len(more)} more break a further condition of a"
            " claim that is contradicted as it is."
        )
    if made.moved:
        still = sum(not one.moved for one in made.moved)
        text += f" Of {len(made.moved)} facts {still} move no verdict."
    if made.bare:
        text += f" WITHOUT AN ABLATION: {', '.join(made.bare)}."
    return text
