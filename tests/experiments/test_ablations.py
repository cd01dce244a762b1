"""Ablations of all studies: every verdict has something that turns it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.cli.main import main
from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.experiments.validation import ablation_file, ablations
from simulator.experiments.validation.ablation_file import Fact, load_ablations
from simulator.experiments.validation.ablations import (
    AblationResults,
    FactResult,
    ablate,
    render_ablations,
)
from simulator.study.change import Change
from simulator.study.conditions import Condition, broken
from simulator.study.studies import STUDIES, experiment
from simulator.study.study_file import BY_CONSTRUCTION, ROLES, load_study_file
from tests.experiments.reproduced import reproduced

Capture = pytest.CaptureFixture[str]
NAMES = list(STUDIES)
HEAVY = ("merge", "ninf", "sr8000")
"""Whose facts take a minute each, and whose claims are turned by runs of many seconds."""
RUNS = {"nwt": 3, "orion": 3}
"""Repetitions, where the study's own number takes minutes."""


def heavy(name: str) -> list[pytest.MarkDecorator]:
    """Return the mark of what `make test-long` does."""
    return [pytest.mark.long] if name in HEAVY else []


# -- the files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_has_its_figures_a_role_and_an_ablation(name: str) -> None:
    study, file = load_study_file(name), load_ablations(name)
    testable = [one for one in study.claims if not one.untestable]
    assert sorted(one.id for one in testable) == sorted(experiment(name).claims)
    assert {one.id for one in study.figures} == set(experiment(name).figures)
    for one in testable:
        assert one.role in ROLES, one.id
        assert one.rule, one.id
        assert one.conditions, one.id
    for one in study.figures:
        assert one.role in ROLES, one.id
    wanted = {one.id for one in testable if one.role != BY_CONSTRUCTION and not one.contradicted}
    assert wanted <= {claim for claim, lines in file.claims.items() if lines}
    ids = [one.id for one in (*study.figures, *study.claims)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", NAMES)
def test_no_figure_has_a_band_of_its_own(name: str) -> None:
    for one in load_study_file(name).figures:
        if one.runs:
            assert (one.low, one.high) == (min(one.runs), max(one.runs))
        elif one.value is not None:
            room = max(0.1 * abs(one.value), 0.5 if one.value == int(one.value) else 0.05)
            assert one.high - one.low <= 2 * room * (1 + 1e-9), one.id
    raw = yaml.safe_load((Path("experiments") / name / "study.yaml").read_text())
    assert raw.get("band", 0.1) == 0.1
    assert not [one["id"] for one in raw.get("figures", ()) if "band" in one]


# -- what makes verdicts fail -------------------------------------------------------------------


@cache
def matrix(name: str) -> AblationResults:
    """All ablations and facts of a study: what does not change is simulated once for all."""
    return ablate(name, runs=RUNS.get(name))


each = pytest.mark.parametrize("name", [pytest.param(one, marks=heavy(one)) for one in NAMES])


@pytest.mark.slow
@pytest.mark.compiled
@each
def test_every_fact_moves_what_it_should(name: str) -> None:
    moved = matrix(name).moved
    assert [(one.fact.fact, one.moved) for one in moved if not one.ok] == []


@pytest.mark.slow
@pytest.mark.compiled
@each
def test_what_is_removed_turns_its_claim(name: str) -> None:
    turned = matrix(name).turned
    assert {one.claim for one in turned} == {*load_ablations(name).claims}
    assert [(one.claim, one.ablation.without) for one in turned if not one.ok] == []


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
def test_every_condition_alone_can_break_its_claim(name: str) -> None:
    for one in reproduced(name).claims:
        if not one.holds:
            continue
        assert broken(one.claim.conditions, one.figures) == []
        for each in one.claim.conditions:
            assert each.text in broken(one.claim.conditions, beyond(each, one.figures)), (
                one.claim.id
            )


def beyond(one: Condition, figures: Mapping[str, float]) -> dict[str, float]:
    """Figures of which one, that a condition is about, lies just on the wrong side."""
    name, bound = one.named(figures)[0], one.bound(figures)
    step = max(1e-9, 1e-6 * abs(bound))
    if one.operator == "within":
        wrong = bound + one.percent / 100 * abs(bound) + step
    else:
        wrong = bound - step if one.operator in (">", ">=") else bound + step
    return {**figures, name: wrong}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
def test_the_study_comes_out_as_its_file_expects(name: str) -> None:
    ledger = reproduced(name)
    assert [one.figure.id for one in ledger.figures if not one.expected] == []
    assert [(one.claim.id, one.broken) for one in ledger.claims if not one.expected] == []
    assert ledger.passed


# -- the command --------------------------------------------------------------------------------

STUDY = """
name: x
title: Two claims about nothing
paper: nobody
machine: nwt
figures:
  - {id: f, what: a number, unit: s, printed: "2", role: predicted, ref: 1}
claims:
  - {id: a, ref: 1, text: it is fast, rule: below 3, role: predicted, holds: [s < 3]}
  - {id: b, ref: 1, text: it is slow, rule: above 1, role: predicted, holds: [s > 1]}
  - {id: c, ref: 1, text: it is there, rule: not zero, role: by construction, holds: [s > 0]}
  - {id: d, ref: 1, text: both, rule: both, role: predicted, contradicted: either,
     holds: [s < 1, s > 1]}
"""
HEAD = "format: ablations/1\nname: x\n"
LINES = f"""{HEAD}
claims:
  a: [{{without: speed, set: {{machine.s: 4}}}}]
  b: [{{without: slowness, set: {{machine.s: 0.5}}}}]
  d: [{{without: slowness, breaks: s > 1, set: {{machine.s: 0.5}}}}]
facts:
  - {{fact: two seconds, ref: 1, set: {{machine.s: 5}}, moves: [f, a]}}
  - {{fact: the colour, ref: 1, set: {{machine.t: 5}}, moves: [], why: nothing looks at it}}
"""


class Nothing:
    """Runs that give what the change says."""

    engine_used = "none"

    def __init__(self, change: Change) -> None:
        self.s = float(dict(change.settings).get("machine.s", 2))


@pytest.fixture
def begun() -> list[str]:
    """The runs that were begun, in their order."""
    return []


@pytest.fixture
def study(begun: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A study of which a test writes the ablations."""
    from simulator.study import experiment as code
    from simulator.study import study_file
    from simulator.study.experiment import Experiment

    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "study.yaml").write_text(STUDY)
    for module in (ablation_file, study_file):
        monkeypatch.setattr(module, "shipped_root", lambda _: tmp_path)
    assert code.load_study_file is study_file.load_study_file
    claim = {one: lambda runs: {"s": runs.s} for one in "abcd"}

    def start(*given: Any) -> Nothing:
        made = Nothing(given[-1])
        begun.append(str(made.s))
        return made

    x: Experiment[Any] = Experiment("x", start, lambda _: 1, {"f": lambda runs: runs.s}, claim)
    monkeypatch.setattr(ablations, "experiment", lambda _: x)
    return (tmp_path / "x" / "ablations.yaml").write_text


def test_ablations_turn_verdicts_and_facts_move_them(study: Any) -> None:
    study(LINES)
    told: list[float] = []
    matrix = ablate("x", tell=told.append)
    assert matrix.passed
    assert told == [0.2, 0.4, 0.6, 0.8, 1]
    assert [(one.here, one.without, one.broken) for one in matrix.turned] == [
        ("undemanding", "contradicted", ("s < 3",)),
        ("undemanding", "contradicted", ("s > 1",)),
        ("contradicted", "contradicted", ("s < 1", "s > 1")),
    ]
    assert [one.moved for one in matrix.moved] == [("f", "a"), ()]
    text = render_ablations([matrix], "table")
    assert (
        "2 of 2 ablations of 2 claims turn the verdict. 1 of 1 more break a further condition of a "
        "claim that is contradicted as it is. Of 2 facts 1 move no verdict." in text
    )
    assert "none: nothing looks at it" in text
    assert json.loads(render_ablations([matrix], "json"))["without_ablation"] == []
    assert "s < 3" in text


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("machine.s: 4", "machine.s: 2.5", "NOT TURNED"),
        ("moves: [f, a]", "moves: [f, b]", "NOT AS EXPECTED"),
        ("machine.t: 5", "machine.s: 5", "NOT AS EXPECTED"),
        ("b: [{without: slowness, set: {machine.s: 0.5}}]", "", "WITHOUT AN ABLATION: b."),
    ],
)
def test_a_line_that_does_nothing_fails(study: Any, before: str, after: str, said: str) -> None:
    assert before in LINES
    study(LINES.replace(before, after))
    matrix = ablate("x")
    assert not matrix.passed
    assert said in render_ablations([matrix], "table")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "claims: {z: []}",
            "x/ablations.yaml:3:10: claims.z: the study does not test z; there are",
        ),
        (
            "claims: {a: [{whitout: all}]}",
            "claims.a.0.whitout: unknown key; did you mean 'without'?",
        ),
        (
            "claims: {a: [{without: all}]}",
            "x/ablations.yaml:3:14: claims.a.0: changes nothing; write",
        ),
        (
            "claims: {a: [{without: all, breaks: s < 3, set: {s: 1}}]}",
            "claims.a.0.breaks: is for claims that are contradicted; leave it out",
        ),
        (
            "claims: {d: [{without: all, breaks: s < 2, set: {s: 1}}]}",
            "claims.d.0.breaks: 's < 2' is no condition of d; did you mean 's < 1'?",
        ),
        (
            "claims: {}\nfacts: [{fact: y, ref: 1, set: {s: 1}, moves: [f, q]}]",
            "x/ablations.yaml:4:51: facts.0.moves.1: the study does not test q",
        ),
    ],
)
def test_a_mistake_in_the_file_is_one_line_of_error(study: Any, text: str, said: str) -> None:
    study(f"{HEAD}{text}\n")
    with pytest.raises(ConfigError) as told:
        load_ablations("x")
    assert len(str(told.value).splitlines()) == 1
    assert said in str(told.value)


def test_the_file_says_whose_it_is(study: Any) -> None:
    study("format: ablations/1\nname: y\nclaims: {}\n")
    with pytest.raises(ConfigError, match=r"x/ablations.yaml:2:7: name: is not the study; write x"):
        load_ablations("x")


def test_lines_with_the_same_change_share_their_runs(study: Any, begun: list[str]) -> None:
    study(LINES.replace("machine.s: 5", "machine.s: 4"))
    matrix = ablate("x")
    assert begun == ["2.0", "4.0", "0.5", "2.0"]
    assert [one.claim for one in matrix.turned] == ["a", "b", "d"]
    assert [one.fact.fact for one in matrix.moved] == ["two seconds", "the colour"]


def test_a_study_without_ablations_is_told(study: Any) -> None:
    del study
    with pytest.raises(InputError, match="the study 'x' has no ablations"):
        ablate("x")


def test_what_a_fact_moves_may_be_more_than_is_named() -> None:
    fact = Fact(fact="f", ref="1", moves=("a",))
    assert FactResult(fact, ("a", "b")).ok
    assert not FactResult(fact, ("b",)).ok


def test_the_command_prints_the_matrix(capsys: Capture) -> None:
    assert main(["reproduce", "nwt", "--ablate", "--format", "csv"]) == 2
    assert "--ablate --format csv: there are table and json" in capsys.readouterr().err


def test_a_change_reads_settings_as_a_file_has_them(study: Any) -> None:
    study(
        HEAD + "claims: {a: [{without: all, set: {machine.a: false, machine.b: 3}, filesystem: x,"
        " jobs: {j: k}}]}\n"
    )
    one = load_ablations("x").claims["a"][0].change
    assert one.settings == (("machine.a", "false"), ("machine.b", "3"))
    assert (one.job("j"), one.job("i")) == ("k", "i")
    assert hash(one) == hash(Change(one.settings, "x", {"j": "k"}))
