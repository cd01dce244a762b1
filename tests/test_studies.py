"""The table of studies: which are offered, what `all` prints, and the ledger of the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.errors import InputError
from simulator.report.ledger_page import ledger_sections, untestable_claims
from simulator.report.studies import render_all, render_studies
from simulator.study import side_by_side, studies
from simulator.study.ledger import Figure, FigureResult, Ledger, Sentence, SentenceResult, StudyFile
from simulator.study.studies import (
    STUDIES,
    Entry,
    named,
    reproduce_study,
    study_names,
    tally,
)

Capture = pytest.CaptureFixture[str]


def ledger(*, simulated: float = 2.0, holds: bool | None = True, listed: str = "") -> Ledger:
    """A study of one figure in the band 1 to 3, and of two claims of which one is untestable.

    ``listed``: why its figure and its claim are contradicted.
    """
    figure = Figure("f1", "a|b", "s", 2.0, 1.0, 3.0, "predicted", "2", listed)
    first = Sentence("x-c1", "2", "it is fast", "below 3 s", role="predicted", contradicted=listed)
    second = Sentence("x-c2", "3", "it was loved", "", untestable="nobody can be asked")
    study = StudyFile("x", "A study", "Somebody (1992)", "nwt", (figure,), (first, second))
    return Ledger(
        study=study,
        figures=(FigureResult(figure, simulated),),
        claims=(SentenceResult(first, holds, {"s": simulated}), SentenceResult(second, None, {})),
        assumed=(),
        calibrated=(),
        seed=1,
        engine="reference",
    )


@pytest.fixture
def one_study(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Make ``x`` the only study that is offered; gives what sets its ledger."""
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "study.yaml").write_text("name: x\n")
    monkeypatch.setattr(studies, "shipped_root", lambda _: tmp_path)
    offered = {"x": Entry("tests:x", 1), "y": Entry("tests:y", 1)}
    monkeypatch.setattr(studies, "STUDIES", offered)
    monkeypatch.setattr(side_by_side, "STUDIES", offered)

    def becomes(made: Ledger) -> None:
        monkeypatch.setattr(studies, "named", lambda _: lambda **_: made)

    return becomes


def test_every_study_with_a_file_has_its_functions() -> None:
    assert "nwt" in study_names()
    for name in study_names():
        assert callable(named(STUDIES[name].reproduce))


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
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split()[:2] == ["x", "FAILED" if code else "passed"]
    assert "1 untestable" in line
    assert main(["reproduce", "x"]) == code
    assert "Somebody (1992)" in capsys.readouterr().out


def test_all_as_json_is_the_list_of_records() -> None:
    made = [ledger(), ledger(holds=False)]
    assert json.loads(render_all(made, "json")) == [one.to_json() for one in made]
    assert render_all(made, "csv").splitlines()[1:] == ["x,1,1,2,1,1,0", "x,1,1,2,0,1,0"]


def test_several_in_full_are_one_after_the_other() -> None:
    made = [ledger(), ledger(holds=False)]
    text = render_studies(made, "table")
    assert text.count("Somebody (1992)") == 2
    assert text.index("x-c1  holds") < text.index("x-c1  fails")
    assert render_studies(made, "json") == render_all(made, "json")


def test_short_is_a_line_and_all_needs_no_other(one_study: Any, capsys: Capture) -> None:
    one_study(ledger())
    assert main(["reproduce", "x", "x", "--short"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("x       passed")
    assert main(["reproduce", "all", "x"]) == 0
    assert capsys.readouterr().out.splitlines() == [line]


def test_the_tally_counts_verdicts() -> None:
    one = tally(ledger(simulated=9))
    assert (one.cells, one.inside, one.claims, one.holding, one.untestable) == (1, 0, 2, 1, 1)
    assert one.testable == 1


def test_a_listed_contradiction_passes_as_long_as_it_is_one() -> None:
    both = ledger(simulated=9, holds=False, listed="nobody | knows")
    assert both.passed
    one = tally(both)
    assert (one.inside, one.holding, one.contradicted) == (0, 0, 2)
    assert "2 contradicted, 1 untestable" in render_all([both], "table")
    assert ", 2 contradicted as listed (" in render_studies([both], "table")
    assert "**contradicted**: nobody \\| knows" in ledger_sections({"x": both})
    verdicts = [one["verdict"] for one in (*both.to_json()["cells"], *both.to_json()["claims"])]
    assert verdicts == ["contradicted", "contradicted", "untestable"]
    assert both.to_json()["cells"][0]["why"] == "nobody | knows"
    for resolved in (
        ledger(simulated=9, listed="it was so"),
        ledger(holds=False, listed="it was so"),
    ):
        assert not resolved.passed
        assert "LISTED AS CONTRADICTED BUT NOT: " in render_studies([resolved], "table")


def test_the_page_has_every_claim_and_why_one_cannot_be_tested() -> None:
    extra = untestable_claims([{"id": "n-c8", "text": "t", "untestable": "no data"}], "Others:")
    text = ledger_sections({"x": ledger(simulated=9, holds=False)}, [extra])
    for words in (
        "| x-c1 ",
        "| x-c2 ",
        "| n-c8 ",
        "untestable: nobody can be asked",
        "**fails**",
        "**outside**",
        "a\\|b",
        "0 of 1",
    ):
        assert words in text


def test_an_engine_that_not_all_studies_know_is_refused_before_any_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["reproduce", "all", "--engine", "native"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "--engine native: orion and ninf run on the reference engine only" in said.err
