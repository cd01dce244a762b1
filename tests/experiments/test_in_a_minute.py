"""The opening of the page of validation: its table, and a line for each further kind of proof."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from experiments.validation import in_a_minute as page
from experiments.validation.in_a_minute import _at_least, in_a_minute
from simulator.experiments.nwt.predictions import _null
from simulator.experiments.validation.nulls import null_study
from simulator.study.study import load_study
from tests.experiments.test_nulls import model_of
from tests.study.test_studies import ledger


def cells(*inside: bool) -> tuple[Any, ...]:
    return tuple(SimpleNamespace(inside=one) for one in inside)


def opened(**others: Any) -> list[str]:
    """The lines of the opening, with what each proof came to."""
    models = [
        SimpleNamespace(name="simulator", values=5, left_out=cells(True, True, False)),
        SimpleNamespace(name="without a machine", values=6, left_out=cells(True, False, False)),
    ]
    given: dict[str, Any] = {
        "studies": {"x": ledger(), "y": ledger()},
        "nulls": {"x": null_study(ledger(), model_of(2.0, 4.0))},
        "matrices": [
            SimpleNamespace(
                turned=[
                    SimpleNamespace(ok=True, claim="a", ablation=SimpleNamespace(breaks="")),
                    SimpleNamespace(ok=False, claim="a", ablation=SimpleNamespace(breaks="")),
                    SimpleNamespace(ok=True, claim="c", ablation=SimpleNamespace(breaks="s < 1")),
                ],
                moved=[SimpleNamespace(moved=()), SimpleNamespace(moved=("f",))],
            )
        ],
        "predictions": SimpleNamespace(models=models),
        "seeds": SimpleNamespace(
            count=9, cells=(1, 2), counts=[SimpleNamespace(all_inside=7, manner="free")]
        ),
        "oracles": [SimpleNamespace(ok=True), SimpleNamespace(ok=False)],
    }
    return in_a_minute(**{**given, **others}).splitlines()


def test_it_is_a_table_and_a_line_for_each_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = [
        {"id": "a", "share": 1.0, "of": 10, "expected": True},
        {"id": "b", "share": 0.4, "expected": True},
        {"id": "c", "share": 0.0, "expected": False},
        {"id": "d", "share": None, "expected": True},
    ]
    stored = {"x": {"claims": claims}, "y": None}
    monkeypatch.setattr(page, "stored_record", stored.__getitem__)
    monkeypatch.setattr(page, "mutants_summary", lambda: "Errors: 3 of 4.")
    monkeypatch.setattr(page, "reality_summary", lambda: "Real programs: 2.")
    lines = opened()
    assert [line.split("|")[1].strip() for line in lines[2:5]] == ["x", "x", "together"]
    assert [one.strip() for one in lines[4].split("|")][2:6] == ["2", "4", "2", ""]
    assert lines[6].startswith("- Would formulas do? Formulas without a machine (1 constants; ")
    assert lines[7:14] == [
        "- NWT, each cell left out of the fit in turn: 2 of 3 are predicted by 5 fitted values of "
        "the simulator, 1 of 3 are predicted by 6 fitted values of formulas without a machine.",
        "- NWT, seeds with which all 2 cells are inside: 7 of 9 (free draws).",
        "- Ablations: 1 of 2 changes of 1 claims turn the verdict; of 2 facts that the papers "
        "print 1 move none.",
        "- Assumptions: 1 of 3 claims hold on every plausible machine that was drawn (10: with "
        "95 % confidence at least 69 % of all plausible machines); on fewer than half: b.",
        "- Theory: 1 of 2 figures of queueing theory and other exact results agree, in both "
        "engines.",
        "- Real programs: 2.",
        "- Errors: 3 of 4.",
    ]


def test_the_fewest_machines_on_which_claims_hold_are_said() -> None:
    assert "(3 to 20: with 95 % confidence at least 29 % to 83 % of" in _at_least([20, 3])
    assert _at_least([]) == ""


def test_what_was_not_run_has_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "stored_record", lambda _: None)
    monkeypatch.setattr(page, "mutants_summary", lambda: "")
    monkeypatch.setattr(page, "reality_summary", lambda: "")
    assert len(opened()) == 6 + 5 + 4


def test_the_model_without_a_machine_has_its_words() -> None:
    assert _null(load_study("nwt")).name in page.MODELS
