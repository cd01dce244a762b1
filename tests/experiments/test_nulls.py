"""Formulas without a machine beside the simulator: fits by hand, and verdicts both ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

import pytest

from simulator.experiments.validation.null_model import Constant, Datum, NullModel, fit
from simulator.experiments.validation.null_tables import (
    null_blocks,
    null_section,
)
from simulator.experiments.validation.nulls import (
    NullStudy,
    has_formulas,
    null_claim,
    null_model,
    null_study,
)
from simulator.study.conditions import conditions
from simulator.study.ledger import FigureResult, Ledger, SentenceResult
from simulator.study.studies import STUDIES
from simulator.study.study_file import BY_CONSTRUCTION, CALIBRATED, Sentence, load_study_file
from tests.study.test_studies import ledger


def line(*points: float) -> list[Datum]:
    """Data at 0, 1, 2 ..., each with a band of 1, and the formula of a straight line."""
    return [
        Datum(str(x), y, y - 0.5, y + 0.5, lambda values, x=x: values[0] + values[1] * x)
        for x, y in enumerate(points)
    ]


LINE = (Constant("a", 1.0), Constant("b", 1.0))


# -- the fit ------------------------------------------------------------------------------------


def test_a_line_is_fitted_and_each_point_predicted_by_the_others() -> None:
    """By hand: through 2, 5, 8 and 12 least squares give 1.8 + 3.3 x; without 12 it is 2 + 3 x."""
    made = fit(LINE, line(2, 5, 8, 12))
    assert made.values == pytest.approx({"a": 1.8, "b": 3.3}, rel=1e-5)
    assert made.fitted["3"] == pytest.approx(11.7, rel=1e-5)
    assert made.predicted["3"] == pytest.approx(11.0, rel=1e-5)


def test_with_one_datum_more_than_constants_none_is_left_out() -> None:
    assert fit(LINE, line(2, 5, 8)).predicted == {}
    assert len(fit(LINE, line(2, 5, 8, 11)).predicted) == 4


def test_deviations_are_measured_in_bands() -> None:
    """By hand: bands of 0.8 and 2.4 weigh 2 and 6 as 9 to 1, so that their mean is 2.4."""
    data = [Datum(str(y), y, 0.8 * y, 1.2 * y, lambda values: values[0]) for y in (2.0, 6.0)]
    assert fit((Constant("c", 1.0),), data).values["c"] == pytest.approx(2.4, rel=1e-6)


def test_what_the_data_do_not_tell_has_no_value_and_no_prediction() -> None:
    """A product determines what depends on it alone, and neither factor."""
    product = Datum("ab", 6.0, 5.0, 7.0, lambda values: values[0] * values[1])
    square = Datum("(ab)^2", 36.0, 30.0, 40.0, lambda values: (values[0] * values[1]) ** 2)
    other = Datum("a", 2.0, 1.0, 3.0, lambda values: values[0])
    made = fit(LINE, [product], [square, other])
    assert made.values == {}
    assert made.predicted["(ab)^2"] == pytest.approx(36.0)
    assert made.predicted["a"] is None


# -- verdicts -----------------------------------------------------------------------------------


def claim(*texts: str, **figures: float) -> SentenceResult:
    """A claim that simulated runs with these figures bear out."""
    made = Sentence("x-c1", "1", "", "", role="predicted", conditions=conditions(texts))
    return SentenceResult(made, True, figures)


BOTH = claim("fast > 2", "slow_* < 1", fast=3, slow_1=0.5, slow_2=0.6)


@pytest.mark.parametrize(
    ("figures", "verdict"),
    [
        ({"fast": 2.1, "slow_1": 0.9, "slow_2": 0.9}, "holds"),
        ({"fast": 1.9, "slow_1": 0.9, "slow_2": 0.9}, "contradicts"),
        ({"fast": 2.1}, "in part"),
        ({"fast": 2.1, "slow_1": 0.9}, "in part"),  # Of all that are slow one is not known.
        ({"slow_2": 1.1}, "contradicts"),  # One that is not slow is enough.
        ({}, "says nothing"),
    ],
)
def test_a_claim_is_decided_by_the_figures_that_there_are(
    figures: Mapping[str, float], verdict: str
) -> None:
    assert null_claim(BOTH, figures).verdict == verdict


def test_a_comparison_of_two_figures_takes_both() -> None:
    one = claim("a < b", a=1, b=2)
    assert null_claim(one, {"a": 1}).silent == ("a < b",)
    assert null_claim(one, {"a": 3, "b": 2}).broken == ("a < b",)


def test_a_formula_for_a_figure_that_runs_do_not_give_is_an_error() -> None:
    with pytest.raises(ValueError, match="x-c1: formulas for swift, which it has not"):
        null_claim(BOTH, {"swift": 3})


def model_of(figure: float, claimed: float, *, about: str = "one number") -> NullModel[float]:
    """Formulas of the made-up study, of which the constant is in none."""
    return NullModel(
        study="x",
        about=about,
        given="",
        constants=(Constant("c", 1.0),),
        kind=lambda value: value,
        figures={"f1": lambda _: figure},
        claims={"x-c1": lambda _: {"s": claimed}},
    )


def test_right_answers_are_inside_and_wrong_ones_outside() -> None:
    """The band is 1 to 3, and ``s`` must be below 3."""
    right, wrong = (null_study(ledger(), model_of(one, one)) for one in (2.9, 3.1))
    for made, good in ((right, True), (wrong, False)):
        (figure,) = made.figures
        assert figure.inside(figure.rate) is good
        assert made.claims[0].by_both is good
        assert made.claims[0].by_simulator_only is not good
    assert "1 of 1 by the simulator, 1 by formulas, which thus do as well" in said(right)
    assert "by formulas): predicted 1 of 1 (1 / 0)." in said(wrong)
    assert "1 of 1 by the simulator, 0 by formulas." in said(wrong)
    assert "Confirmed by the simulator only: x-c1; by formulas only: none." in said(wrong)


def test_where_formulas_are_silent_they_lose_nothing() -> None:
    """A claim without a formula counts for neither."""
    made = null_study(ledger(), replace(model_of(2.0, 2.0), claims={}))
    assert "by formulas): predicted 0 of 1 (0 / 0)." in said(made)
    assert "by the simulator only: none; by formulas only: none." in said(made)


def test_the_conditions_of_claims_stand_below_their_table() -> None:
    """They may be long: a column of them would take the whole screen."""
    made = null_study(ledger(), replace(model_of(2.0, 2.0), claims={}))
    (claims,) = (one for one in null_blocks(made) if one.startswith("claim "))
    table, about = claims.split("\n\n")
    assert max(map(len, table.splitlines())) < 80
    assert about.startswith("x-c1: formulas say nothing of ")


def test_words_from_elsewhere_are_no_claims_of_the_paper() -> None:
    made = ledger()
    other = replace(made.claims[0].claim, elsewhere="a talk")
    given = replace(made, claims=(replace(made.claims[0], claim=other),))
    assert null_study(given, model_of(2.0, 2.0)).claims == ()


def said(made: NullStudy) -> str:
    return " ".join("\n".join(null_blocks(made)).split())


def test_what_only_formulas_bear_out_is_said() -> None:
    made = null_study(ledger(simulated=9.0, holds=False), model_of(2.0, 2.0))
    assert "0 of 1 by the simulator, 1 by formulas, which thus do better" in said(made)
    assert "by formulas only: x-c1." in said(made)


def test_a_page_has_a_title_and_no_conditions() -> None:
    made = null_study(ledger(), model_of(2.0, 4.0))
    text = "\n\n".join(null_section(made))
    assert text.startswith("## Formulas without a machine\n\n")
    assert "s < 3" not in text
    assert "s < 3" in said(made)
    assert "None can be left out of the fit: there are 0 data for 1 constants." in text


def test_what_holds_by_construction_is_left_out() -> None:
    made = ledger()
    first = replace(made.claims[0].claim, role=BY_CONSTRUCTION)
    figure = replace(made.figures[0].figure, role=BY_CONSTRUCTION)
    given = replace(
        made,
        figures=(FigureResult(figure, (2.0,)),),
        claims=(replace(made.claims[0], claim=first),),
    )
    nothing = null_study(given, model_of(2.0, 2.0))
    assert (nothing.figures, nothing.claims) == ((), ())


def test_formulas_are_fitted_to_what_the_machine_was_fitted_to() -> None:
    made = ledger()
    calibrated = replace(made.figures[0].figure, role=CALIBRATED)
    given = replace(made, figures=(FigureResult(calibrated, (2.0,)),))
    model = replace(model_of(0, 0), figures={"f1": lambda value: value})
    (figure,) = null_study(given, model).figures
    assert (figure.took_part, figure.rate) == (True, pytest.approx(2.0))
    summed = replace(given, study=replace(given.study, sums={"twice": ("f1", "f1")}))
    (figure,) = null_study(summed, model).figures
    assert (figure.took_part, null_study(summed, model).data) == (False, 1)
    assert figure.rate == pytest.approx(2.0)


def test_each_number_is_left_out_in_turn() -> None:
    """By hand: without one of 2, 2 and 2.8 the mean of the others is 2.4, 2.4 and 2."""
    calibrated = replace(ledger().figures[0].figure, role=CALIBRATED)
    others = [
        replace(calibrated, id=str(i), value=value) for i, value in enumerate((2.0, 2.0, 2.8))
    ]
    figures = {one.id: lambda value: value for one in others}
    given = replace(ledger(), figures=tuple(FigureResult(one, (9.0,)) for one in others))
    text = said(null_study(given, replace(model_of(2.0, 2.0), figures=figures)))
    assert "fitted: 0 of 3 by the simulator, 3 by formulas" in text
    assert "Each left out of the formulas' fit in turn: median error 20.0 %" in text


# -- the studies --------------------------------------------------------------------------------


def printed(study: str) -> Ledger:
    """A study of which the simulator would have every number as printed; without its claims."""
    made = load_study_file(study)
    results = (
        FigureResult(one, ((one.low + one.high) / 2 if one.value is None else one.value,))
        for one in made.figures
    )
    return replace(ledger(), study=made, figures=tuple(results), claims=())


def test_every_study_has_formulas() -> None:
    assert all(map(has_formulas, STUDIES))


@pytest.mark.parametrize(
    ("study", "constants", "fitted", "predicted"),
    [
        ("sr8000", 3, (3, 3), (0, 0)),
        ("orion", 3, (3, 4), (0, 0)),
        ("ninf", 7, (9, 9), (1, 1)),
        ("ssken", 29, (46, 52), (27, 57)),
    ],
)
def test_what_formulas_have_inside(
    study: str, constants: int, fitted: tuple[int, int], predicted: tuple[int, int]
) -> None:
    made = null_study(printed(study))
    assert len(made.model.constants) == len(made.fit.values) == constants
    for figures, count in ((made.fitted, fitted), (made.predicted, predicted)):
        assert (sum(one.inside(one.rate) for one in figures), len(figures)) == count


@pytest.mark.parametrize("study", STUDIES)
def test_formulas_give_figures_that_conditions_name(study: str) -> None:
    """A name that is in no condition of its claim would decide nothing."""
    model = null_model(study)
    values = model.kind(*(one.start for one in model.constants))
    claims = {one.id: one for one in load_study_file(study).claims}
    for id_, formulas in model.claims.items():
        named = claims[id_].conditions
        assert claims[id_].role not in {BY_CONSTRUCTION, ""}
        for name in formulas(values):
            assert any(fnmatchcase(name, one.figure) or name == one.value for one in named), name
