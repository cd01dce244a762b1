"""Scores of predicted numbers: log errors, noise ceilings and sign tests by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from fnmatch import fnmatchcase
from math import log

import pytest

from experiments.validation import score_tables as tables
from experiments.validation.nulls import NullFigure, NullStudy
from experiments.validation.persistence import Neighbour
from experiments.validation.scores import (
    FORMULAS,
    NEIGHBOUR,
    SIMULATOR,
    Score,
    duel,
    errors_of,
    log_error,
    quantile,
    repetition_errors,
    repetitions_in,
    sign_test,
    spread,
    study_scores,
    within,
)
from simulator.experiments.validation.nulls import null_study
from simulator.study.studies import STUDIES
from simulator.study.study_file import load_study_file
from tests.experiments.test_nulls import model_of
from tests.study.test_studies import ledger


def score(id_: str, simulator: float, formulas: float, **others: object) -> Score:
    """A number of 1 that simulator and formulas put at other values."""
    errors = {SIMULATOR: log(simulator), FORMULAS: log(formulas)}
    return replace(Score(id_, errors), **others)


def test_twice_and_half_are_as_far_off() -> None:
    assert log_error(20, 10) == pytest.approx(log(2))
    assert log_error(5, 10) == pytest.approx(-log(2))
    assert log_error(0, 10) == log_error(10, 0) == -math.inf


def test_quantiles_of_errors_by_hand() -> None:
    """Sizes 0 to 10: half are at most 5, nine of ten at most 9; with 20 for 10 too."""
    errors = [(-1.0) ** number * number for number in range(11)]
    found = spread(errors)
    assert (found.count, found.median, found.upper) == (11, 5.0, 9.0)
    assert spread([*errors[:-1], 20.0]).upper == 9.0
    assert quantile([1.0, 2.0], 0.5) == 1.5
    assert spread([-math.inf, -math.inf]).median == math.inf
    assert math.isnan(spread([]).median)


def test_a_repetition_is_predicted_by_the_mean_of_the_others() -> None:
    """Of 9, 10 and 11 the others' means are 10.5, 10 and 9.5: two are off by more than 10 %."""
    errors = repetition_errors([9.0, 10.0, 11.0])
    assert errors == pytest.approx((log(10.5 / 9), 0.0, log(9.5 / 11)))
    assert [within(error) for error in errors] == [False, True, False]
    assert repetition_errors([10.0]) == repetition_errors([]) == ()
    assert all(map(within, repetition_errors([10.0, 10.5])))


def test_the_sign_test_is_that_of_tossed_coins() -> None:
    """Of five coins all alike: 2 of 32. Of ten 9 or more alike: 2 (1 + 10) of 1024."""
    assert sign_test(5, 0) == sign_test(0, 5) == 2 / 32
    assert sign_test(9, 1) == pytest.approx(22 / 1024)
    assert sign_test(4, 4) == 1.0


def test_who_is_nearer_is_counted_where_both_predict() -> None:
    scores = [
        score("a", 1.1, 1.2),
        score("b", 0.8, 1.1),
        score("c", 1.1, 1.1),
        score("d", 1.1, 1.1005),
        Score("e", {SIMULATOR: 0.0}),
        Score("f", {}),
    ]
    found = duel(scores)
    assert (found.nearer, found.farther, found.alike, found.of, found.p) == (1, 1, 2, 4, 1.0)
    assert errors_of(scores, SIMULATOR)[-1] == 0.0


def made(simulated: float = 4.0, formulas: float | None = 1.0) -> NullStudy:
    """A study of one number, 2 with a band of 1 to 3, whose neighbour is 3."""
    known = null_study(ledger(simulated=simulated), model_of(2.0, 2.0))
    figure = NullFigure(known.figures[0].result, False, formulas, None, Neighbour("n", 3.0, False))
    return replace(known, figures=(figure,))


def test_the_score_of_a_number() -> None:
    study = replace(ledger().study, held_out=("f1",))
    (one,) = study_scores(made(), study)
    assert one.errors == pytest.approx({SIMULATOR: log(2), FORMULAS: -log(2), NEIGHBOUR: log(1.5)})
    assert one.inside == {FORMULAS, NEIGHBOUR}
    assert (one.blind, one.repetitions) == (True, ())
    (silent,) = study_scores(made(formulas=None), ledger().study)
    assert silent.errors.keys() == {SIMULATOR, NEIGHBOUR}
    assert not silent.blind


def test_the_section_of_a_study_says_who_is_nearer_and_what_is_not_known() -> None:
    table, said = tables.score_blocks(made(simulated=3.0), ledger())
    rows = {line.split()[0]: line.split()[1:] for line in table.splitlines()[2:]}
    assert rows[SIMULATOR] == ["1", "0.405", "0.405", "1", "of", "1"]
    assert rows[FORMULAS] == ["1", "0.693", "0.693", "1", "of", "1"]
    assert "than formulas on 1 of 1 and farther on 0 (sign test: p = 1)" in said
    assert "Noise ceiling: not known" in said


def test_blind_numbers_need_a_mechanism_where_formulas_win(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of five are nearer, which is less than 60 %; of two seen numbers nothing is said."""
    listed = {"x": [("slow ends", ("b*",))]}
    monkeypatch.setattr(tables, "mechanisms", lambda study: listed.get(study, []))
    nearer = [score(f"a{i}", 1.1, 1.2, blind=True) for i in range(2)]
    farther = [score(f"b{i}", 1.2, 1.1, blind=True) for i in range(2)]
    other, seen = score("c", 1.1, 1.1, blind=True), score("d", 1.2, 1.1)
    text = tables.blind_text({"x": [*nearer, *farther, other, seen]})
    assert (
        "of 5 that both predict, the simulator is nearer than formulas on 2 (40 %; wanted: 60 %)"
        in text
    )
    assert text.splitlines()[-2:] == [
        "- x, 2 numbers (2 farther, 0 as near): slow ends",
        "- x, 1 numbers (0 farther, 1 as near): not known",
    ]
    assert "slow ends" not in tables.blind_text({"x": [*nearer * 2, *farther]})
    assert "No blind number" in tables.blind_text({"x": [seen]})


# -- the studies ----------------------------------------------------------------------------------


@pytest.mark.parametrize("study", STUDIES)
def test_a_number_is_the_mean_of_its_repetitions(study: str) -> None:
    file = load_study_file(study)
    figures = {one.id: one for one in file.figures}
    repeated = repetitions_in(file)
    assert repeated.keys() <= figures.keys()
    assert bool(repeated) == (study in ("nwt", "pagecache", "merge"))
    for id_, runs in repeated.items():
        assert len(runs) > 1
        assert sum(runs) / len(runs) == pytest.approx(figures[id_].value, rel=0.005)


@pytest.mark.parametrize("study", STUDIES)
def test_every_blind_number_has_one_mechanism_in_case_it_is_missed(study: str) -> None:
    held_out = load_study_file(study).held_out
    listed = tables.mechanisms(study)
    assert bool(listed) == bool(held_out)
    for id_ in held_out:
        assert sum(any(fnmatchcase(id_, one) for one in some) for _, some in listed) == 1
    for _, some in listed:
        assert all(any(fnmatchcase(id_, one) for id_ in held_out) for one in some)


def test_other_rows_have_the_numbers_that_are_stored() -> None:
    assert len(tables.open_scores()) == 34
    programs = tables.program_scores()
    assert len(programs) == 28
    assert all(one.blind and len(one.repetitions) > 2 for one in programs)
    assert "98 reports of MLPerf Storage are predicted blind" in tables._not_compared()
