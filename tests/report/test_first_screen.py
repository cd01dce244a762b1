"""The first screen of a study: short, its numbers those of the runs, and what fails is said."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from simulator.cli.main import main
from simulator.experiments.nwt.predictions import ModelPredictions, Predicted
from simulator.report import first_screen as module
from simulator.report.first_screen import BAND, LINES, WIDTH, first_screen, study_line
from simulator.study.ledger import FigureResult, Ledger, SentenceResult
from simulator.study.studies import study_names
from simulator.study.study_file import (
    Figure,
    Screen,
    Sentence,
    StudyFile,
    load_study,
    load_study_file,
)


def nwt(off: float = 1.0, *, holds: bool = True) -> Ledger:
    """The NWT study as if each cell came out as printed but for a factor."""
    study = load_study_file("nwt")
    return Ledger(
        study=study,
        figures=tuple(FigureResult(one, ((one.value or 0) * off,)) for one in study.figures),
        claims=tuple(
            SentenceResult(one, None if one.untestable else holds, {}) for one in study.claims
        ),
        assumed=(),
        calibrated=(),
        seed=1,
        engine="native",
        fitted=5,
        heart=("Why it was slow.",),
    )


@pytest.fixture
def predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cell left out comes out 1 % higher; one outside its runs; formulas reach 3."""
    cells = load_study("nwt").cells
    left_out = [Predicted(one, (one.mean * 1.01,)) for one in cells]
    left_out[1] = Predicted(cells[1], (cells[1].high * 2,))
    formulas = [Predicted(one, (one.mean,) if i < 3 else ()) for i, one in enumerate(cells)]
    models = [
        ModelPredictions(name, 5, (), tuple(some), ())
        for name, some in (("a", left_out), ("b", formulas))
    ]
    monkeypatch.setattr(module, "_predictions", lambda _: SimpleNamespace(models=models))


def rows_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if "buffer" in line and " - " in line]


@pytest.mark.usefixtures("predicted")
def test_its_tables_are_those_of_the_paper_in_a_screen() -> None:
    text = first_screen(nwt())
    lines = text.splitlines()
    assert len(lines) <= LINES - 7  # of `make tables`, with the other studies below it
    assert max(map(len, lines)) <= WIDTH
    cells = load_study("nwt").cells
    rows = rows_of(text)
    assert len(rows) == len(cells)
    shown = [name for table in nwt().study.screen.tables.values() for name in table.values()]
    for row, name in zip(rows, shown, strict=True):
        mean, low, _, high, fitted, left_out, *_ = row[31:].replace("-", " - ").split()
        cell = next(one for one in cells if one.id == name)
        assert mean == fitted
        assert (low, high) == (f"{min(cell.runs):.1f}", f"{max(cell.runs):.1f}")
        assert fitted == f"{cell.mean:.1f}"
        assert row.endswith("!") is (cell.id == cells[1].id)
        if cell.id != cells[1].id:
            assert left_out == f"{cell.mean * 1.01:.1f}"
    said = " ".join(text.split())
    assert "only (!: not within the paper's runs): off by 1.0 % in the median, formulas " in said
    assert "without a machine by 0.0 %; 10 and 3 of 12 lie in the 95 % interval of" in said


@pytest.mark.usefixtures("predicted")
def test_what_is_not_expected_is_said() -> None:
    text = first_screen(nwt(1.5))
    assert "FAILED: not the expected verdict: read-1pe-600kB" in text
    assert all(row.count("!") >= 1 for row in rows_of(text))
    assert "FAILED" in study_line(nwt(1.5))
    listed = [one.claim.id for one in nwt().claims if one.claim.contradicted]
    assert f"FAILED: not the expected verdict: {', '.join(listed)}" in first_screen(nwt())


def test_without_a_compiler_a_column_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "has_kernel", lambda: False)
    text = first_screen(nwt())
    assert "predicted**" not in text
    assert "takes minutes without a C++ compiler" in " ".join(text.split())
    assert len(rows_of(text)) == 12


def test_without_scipy_a_column_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.extras._is_there", lambda package: package != "scipy")
    text = first_screen(nwt())
    assert "predicted**" not in text
    assert max(map(len, text.splitlines())) <= WIDTH
    if module.has_kernel():
        assert "is not computed: scipy, needed for fits" in " ".join(text.split())
        assert "pip install scipy" in " ".join(text.split())


def other(figures: int, *, holds: bool = True) -> Ledger:
    """A study of so many figures, of which the last is contradicted, and a claim."""
    every = [
        Figure(f"f{i}", f"what the long title of figure {i} says", "s", 2.0, 1, 3, "predicted", "2")
        for i in range(figures)
    ]
    results = [FigureResult(one, (2.5,)) for one in every]
    results[-1] = FigureResult(replace(every[-1], contradicted="a reason"), (4.0,))
    claim = Sentence(
        "c1", "2", "all is well, says the paper", "", "", "predicted", "" if holds else "r"
    )
    study = StudyFile("x", "A study", "Somebody", "nwt", tuple(every), (claim,))
    return Ledger(
        study=study,
        figures=tuple(results),
        claims=(SentenceResult(claim, holds, {}),),
        assumed=(),
        calibrated=(),
        seed=1,
        engine="native",
    )


def test_the_band_is_said_as_it_is_computed(capsys: pytest.CaptureFixture[str]) -> None:
    """2 is printed in Ninf's slides: 10 % of it would be 1.8 to 2.2."""
    half = next(one for one in load_study_file("ninf").figures if one.id == "bandwidth-least")
    assert (half.value, half.low, half.high) == (2.0, 1.5, 2.5)
    digit = "half a unit of its last digit if that is more"
    assert digit in BAND
    assert BAND in " ".join(first_screen(other(2)).split())
    assert main(["reproduce", "--help"]) == 0
    assert f"within {digit}" in " ".join(capsys.readouterr().out.split())


def test_choices_that_were_made_with_the_numbers_in_view_are_counted() -> None:
    ledger = other(3)
    assert "; no choice was made having seen them." in " ".join(first_screen(ledger).split())
    chosen = replace(ledger, study=replace(ledger.study, tuned=("a", "b")))
    assert "; 2 choices were made having seen them." in " ".join(first_screen(chosen).split())


@pytest.mark.parametrize("figures", [1, 16, 131])
def test_any_study_has_one(figures: int) -> None:
    text = first_screen(other(figures, holds=False))
    assert len(text.splitlines()) <= LINES
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.count("figure ") == min(figures, 16)
    assert (f"and {figures - 16} more: --full" in text) is (figures > 16)
    of = rf"{figures - 1} of {figures} predicted numbers? (is|are) within the band"
    assert re.search(of, " ".join(text.split()))
    assert "Contradicted: all is well, says the paper." in text
    said = "x         right as predicted: 1 of 2 numbers, 1 of 1 claims; 1 contradicted"
    assert study_line(other(2)) == said


def test_no_next_command_names_a_file_that_is_not_here(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = replace(other(3), study=load_study_file("merge"))
    monkeypatch.chdir(root)
    assert "nwtsim show experiments/merge/machine.yaml" in "\n".join(module._next(ledger))
    monkeypatch.chdir(tmp_path)
    assert "experiments/" not in "\n".join(module._next(ledger))


def test_labels_name_figures_that_there_are() -> None:
    for name in study_names():
        study = load_study_file(name)
        ids = {one.id for one in study.figures}
        for table in study.screen.tables.values():
            assert set(table.values()) <= ids
    assert Screen().tables == {}


@pytest.mark.usefixtures("predicted")
@pytest.mark.parametrize("name", study_names())
@pytest.mark.parametrize("off", [1.0, 1.5])
def test_the_screens_of_all_studies_fit_a_terminal(name: str, off: float) -> None:
    lines = as_printed(name, off).splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH


def as_printed(name: str, off: float) -> str:
    """The screen of a study as if each figure came out as printed, but for a factor."""
    study = load_study_file(name)
    figures = [FigureResult(one, ((one.value or one.low) * off,)) for one in study.figures]
    claims = [SentenceResult(one, None if one.untestable else True, {}) for one in study.claims]
    return first_screen(replace(nwt(), study=study, figures=tuple(figures), claims=tuple(claims)))
