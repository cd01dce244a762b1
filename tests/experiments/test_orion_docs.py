"""What experiments/orion/README.md says: laws, and what Orion's values change."""

from __future__ import annotations

import re

import pytest

from simulator.experiments.orion.claims import CLAIMS
from simulator.experiments.orion.laws import fit_laws
from simulator.experiments.orion.runs import LOOPS, OrionRuns
from simulator.experiments.orion.study import FIGURES
from simulator.experiments.orion.tables import constant_break_even, loops_until
from simulator.study.change import Change
from simulator.study.study_file import load_study_file
from tests.docs.test_docs import ROOT, Row, codes, prose, rows_of

PAGE = ROOT / "experiments" / "orion" / "README.md"

SETTINGS = rows_of(PAGE, "Orion's value")


@pytest.mark.slow
def test_the_laws_are_as_documented() -> None:
    fitted = {one.law.name: one for one in fit_laws(3, 1998)}
    rows = rows_of(PAGE, "law")
    assert [codes(row["law"])[0] for row in rows] == list(fitted)
    for row in rows:
        one = fitted[codes(row["law"])[0]]
        assert row["overhead"] == one.law.about
        assert row["free value"] == f"{one.law.what}: {one.value:.3g}"
        assert (row["200,000"], row["1,960,000"]) == (f"{one.fitted:.2f}", f"{one.large:.2f}")
        assert row["breaks even at"] == f"{one.break_even:,.0f}"
        assert row["polls every 100 ms"] == f"{100 * (one.late - 1):+.0f} %"


@pytest.mark.slow
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=() if number in {0, 9} else pytest.mark.slow)
        for number, row in enumerate(SETTINGS)
    ],
    ids=lambda row: " ".join(codes(row["Orion's value"]) + codes(row["is"])),
)
def test_the_sensitivities_are_as_documented(row: Row) -> None:
    change = Change(((codes(row["Orion's value"])[0], codes(row["is"])[0]),))
    runs = OrionRuns(3, 1998, change=change)
    study = load_study_file("orion")
    values = {one.id: FIGURES[one.id](runs) for one in study.figures}
    outside = [one.id for one in study.figures if not one.low <= values[one.id] <= one.high]
    assert codes(row["outside"]) == outside
    assert row["breaks even at"] == f"{values['break-even']:,.0f}"
    assert row["200,000"] == f"{values['speedup-200000']:.2f}"
    assert row["1,960,000"] == f"{runs.speedup(1400):.2f}"
    assert row["best interval, ms"] == f"{values['best-interval']:.1f}"


def test_the_first_row_is_the_shipped_machine() -> None:
    first = SETTINGS[0]
    (path,), (value,) = codes(first["Orion's value"]), codes(first["is"])
    runs = OrionRuns(3, 1998)
    changed = runs.plan(4, 1000, ((path, value),))
    assert re.fullmatch(r"[0-9a-f]{64}", changed.digest)
    assert changed.digest == runs.plan(4, 1000).digest


@pytest.mark.slow
def test_the_figures_in_the_text_are_those_of_runs() -> None:
    text = " ".join(prose(PAGE).split())
    runs = OrionRuns(1, 1998)
    loops = [loops_until(runs.plan(n, 24, ((LOOPS, "600"),)), 0.001) for n in (1, 4)]
    assert f"24 x 24 points need {loops[0]} loops on one node and {loops[1]} on four" in text
    times = CLAIMS["orion-c2"](runs)["times_slower"]
    assert f"a paging loop takes {times:.0f} times as long" in text
    exponent = CLAIMS["orion-c7"](OrionRuns(3, 1998))["computation_exponent"]
    (said,) = re.findall(r"an exponent of computation of (\d\.\d\d)", text)
    assert float(said) == pytest.approx(exponent, abs=0.01)
    for ratio in (3.5, 3.15):
        assert f"{constant_break_even(ratio):,.0f}" in text
