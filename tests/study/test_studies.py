"""The table of studies: which are offered, what `all` prints, and the ledger of the page."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.errors import InputError
from simulator.experiments.validation.ledger_page import claim_rules, repeated, study_page
from simulator.report.forms import versioned, written
from simulator.report.html.study import study_page as html_page
from simulator.report.ledger import render_all, render_ledger, tally_table
from simulator.study import side_by_side, studies
from simulator.study.conditions import conditions
from simulator.study.ledger import FigureResult, Ledger, SentenceResult
from simulator.study.studies import (
    Entry,
    experiment,
    reproduce_study,
    study_names,
    tally,
)
from simulator.study.study_file import Figure, Sentence, StudyFile
from tests.report.html.reading import read
from tests.report.html.test_told import lacking

Capture = pytest.CaptureFixture[str]


def ledger(*, simulated: float = 2.0, holds: bool | None = True, listed: str = "") -> Ledger:
    """A study of one figure in the band 1 to 3, and of two claims of which one is untestable.

    ``listed``: why its figure and its claim are contradicted.
    """
    figure = Figure("f1", "a|b", "s", 2.0, 1.0, 3.0, "predicted", "2", listed)
    below = conditions(["s < 3"])
    first = Sentence("x-c1", "2", "it is fast", "below 3 s", "", "predicted", listed, below)
    second = Sentence("x-c2", "3", "it was loved", "", untestable="nobody can be asked")
    tuned = ("the length of a call",)
    study = StudyFile("x", "A study", "Somebody (1992)", "nwt", (figure,), (first, second), tuned)
    return Ledger(
        study=study,
        figures=(FigureResult(figure, (simulated,)),),
        claims=(SentenceResult(first, holds, {"s": simulated}), SentenceResult(second, None, {})),
        assumed=(),
        calibrated=(),
        seed=1,
        engine="reference",
        fitted=2,
    )


@pytest.fixture
def one_study(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Make ``x`` the only study that is offered; gives what sets its ledger."""
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "study.yaml").write_text("name: x\n")
    monkeypatch.setattr(studies, "shipped_root", lambda _: tmp_path)
    offered = {"x": Entry(1), "y": Entry(1)}
    monkeypatch.setattr(studies, "STUDIES", offered)
    monkeypatch.setattr(side_by_side, "STUDIES", offered)

    def becomes(made: Ledger) -> None:
        code = SimpleNamespace(reproduce=lambda *_: made)
        monkeypatch.setattr(studies, "experiment", lambda _: code)

    return becomes


def test_every_study_with_a_file_has_its_functions() -> None:
    assert "nwt" in study_names()
    for name in study_names():
        assert experiment(name).name == name


@pytest.mark.usefixtures("one_study")
def test_a_study_without_its_file_is_not_offered(capsys: Capture) -> None:
    assert study_names() == ["x"]
    assert main(["reproduce", "y"]) == 2
    assert "invalid choice: 'y'" in capsys.readouterr().err
    with pytest.raises(InputError, match="no study 'y'; there are x"):
        reproduce_study("y")


@pytest.mark.parametrize(
    ("made", "code"),
    [(ledger(), 0), (ledger(simulated=3.1), 1), (ledger(holds=False), 1)],
)
def test_all_prints_a_line_and_fails_if_a_study_fails(
    made: Ledger, code: int, one_study: Any, capsys: Capture
) -> None:
    one_study(made)
    assert main(["reproduce", "all"]) == code
    *lines, last = capsys.readouterr().out.splitlines()
    (row,) = (line for line in lines if line.startswith("x "))
    assert row.split()[:5] == ["x", "1", "2", "1", "-2"]
    assert last.startswith(
        "x: FAILED, 1 of its verdicts" if code else "All verdicts are as expected"
    )
    assert main(["reproduce", "x"]) == code
    assert ("FAILED" in capsys.readouterr().out) is bool(code)
    assert main(["reproduce", "x", "--full"]) == code
    assert "Somebody (1992)" in capsys.readouterr().out


def test_all_as_json_is_the_list_of_records() -> None:
    made = [ledger(), ledger(holds=False)]
    assert json.loads(render_all(made, "json")) == [versioned(one.to_json()) for one in made]
    rows = list(csv.DictReader(io.StringIO(render_all(made, "csv"))))
    assert [(one["study"], one["holding"], one["contradicted"]) for one in rows] == [
        ("x", "1", "0"),
        ("x", "0", "1"),
    ]


def test_what_is_left_comes_first() -> None:
    text = render_ledger(ledger(), "table")
    said = (
        "1 independent printed numbers, 2 values fitted to them, 1 choices made with them in view"
    )
    assert text.index(said) < text.index("the length of a call") < text.index("f1")
    assert said in study_page(ledger())


def test_short_is_a_line_and_all_needs_no_other(one_study: Any, capsys: Capture) -> None:
    one_study(ledger())
    assert main(["reproduce", "x", "x", "--short"]) == 0
    text = capsys.readouterr().out
    assert text == "x         right as predicted: 1 of 1 numbers, 1 of 1 claims; 0 contradicted\n"
    assert main(["reproduce", "all", "x", "--short"]) == 0
    assert capsys.readouterr().out == text
    assert main(["reproduce", "all"]) == 0
    table = capsys.readouterr().out
    assert table.startswith("study")
    assert table.count("\nx ") == 1


@pytest.mark.parametrize("simulated", [2.2, 9.0])
def test_the_page_has_what_full_prints(
    simulated: float, one_study: Any, tmp_path: Path, capsys: Capture
) -> None:
    """By hand: 2.2 of 2 is 1.1 times it; 9 is outside, unexpected, and above 3."""
    one_study(ledger(simulated=simulated, holds=simulated < 3))
    page = tmp_path / "page.html"
    done = main(["reproduce", "x", "--full", "--html", str(page)])
    assert done == (simulated > 3)
    found = read(page)
    assert lacking(capsys.readouterr().out, found) == []
    assert found.tables["figures-0"].values()["a|b"]["simulated / paper"] == simulated / 2
    row = {cell.text for cell in found.tables["figures-0"].rows[1]}
    assert row >= {"2", "CONTRADICTED" if done else "predicted", "1 - 3", f"{simulated:g}"}
    assert ("FAILED: not the expected verdict: f1, x-c1" in found.answer) == done
    assert "nwtsim reproduce x" in found.text


def test_several_studies_are_on_one_page(tmp_path: Path) -> None:
    others = [replace(ledger(), study=replace(ledger().study, name=name)) for name in "yz"]
    page = tmp_path / "page.html"
    shown = html_page([*map(repeated, [ledger(), *others])], ["nwtsim", "reproduce"])
    made = written(shown, "html")
    page.write_text(made, encoding="utf-8")
    found = read(page)
    assert [row[0].text for row in found.tables["studies"].rows[1:]] == ["x", "y", "z", "together"]
    assert {"x-figures-0", "y-figures-0", "z-claims"} <= set(found.tables)
    assert found.answer.count("2 claims of the paper") == 3


@pytest.mark.parametrize("option", [["--ablate"], ["--seeds", "2"], ["--assumptions", "2"]])
def test_what_a_page_does_not_have_is_refused(option: list[str], capsys: Capture) -> None:
    assert main(["reproduce", "nwt", *option, "--html", "page.html"]) == 2
    assert "--html: the page has figures and claims" in capsys.readouterr().err


def test_the_tally_counts_verdicts() -> None:
    one = tally(ledger(simulated=9))
    assert (one.data, one.fitted, one.tuned, one.left) == (1, 2, 1, -2)
    assert (one.inside, one.numbers, one.holding, one.claims) == (0, 1, 1, 1)
    assert (one.contradicted, one.unexpected, one.untestable) == (1, 1, 1)


def test_a_listed_contradiction_passes_as_long_as_it_is_one() -> None:
    both = ledger(simulated=9, holds=False, listed="nobody | knows")
    assert both.passed
    one = tally(both)
    assert (one.inside, one.holding, one.contradicted, one.unexpected) == (0, 0, 2, 0)
    assert "x-c1  contradicted  it is fast" in render_ledger(both, "table")
    assert "**contradicted**: nobody \\| knows" in study_page(both)
    verdicts = [one["verdict"] for one in (*both.to_json()["cells"], *both.to_json()["claims"])]
    assert verdicts == ["contradicted", "contradicted", "not testable"]
    assert both.to_json()["cells"][0]["why"] == "nobody | knows"
    for resolved in (
        ledger(simulated=9, listed="it was so"),
        ledger(holds=False, listed="it was so"),
    ):
        assert not resolved.passed
        assert "LISTED AS CONTRADICTED" in render_ledger(resolved, "table")
        assert "**listed as contradicted**" in study_page(resolved)


def test_the_page_has_every_claim_and_counts_those_that_cannot_be_tested() -> None:
    text = study_page(ledger(simulated=9, holds=False))
    for words in ("| x-c1 ", "something is missing: 1.", "**contradicted, not expected**"):
        assert words in text
    assert "a\\|b" in text
    assert "  " not in "".join(line for line in text.splitlines() if line.startswith("|"))
    assert "s < 3" not in text
    assert "s < 3" in claim_rules(ledger())
    assert tally_table([tally(ledger())] * 2, "github").count("\n") == 4  # with their sum


def test_a_page_of_many_figures_has_those_that_are_outside() -> None:
    one = ledger()
    inside, outside = one.figures[0], ledger(simulated=9).figures[0]
    text = study_page(replace(one, figures=(*[inside] * 50, outside)))
    assert "Of 51 figures 50 are inside their bands" in text
    assert text.count("`f1` ") == 1


def test_an_engine_that_not_all_studies_know_is_refused_before_any_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["reproduce", "all", "--engine", "native"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "--engine native: orion and ninf run on the reference engine only" in said.err
