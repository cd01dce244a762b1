"""The opening of the page of validation: its table, and a line for each further kind of proof."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from experiments.validation import in_a_minute as page
from experiments.validation.in_a_minute import _at_least, in_a_minute
from simulator.experiments.validation.nulls import null_study
from simulator.study.studies import STUDIES, study_names
from simulator.study.study_file import Share
from tests.experiments.test_nulls import model_of
from tests.study.test_studies import ledger


def opened(**others: Any) -> list[str]:
    """The lines of the opening, with what each proof came to."""
    models = [
        SimpleNamespace(name="simulator", values=5, summary="off by 2 %", median_error=0.02),
        SimpleNamespace(
            name="without a machine", values=6, summary="off by 3 %", median_error=0.03
        ),
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
        "oracles": [SimpleNamespace(ok=True, native=1), SimpleNamespace(ok=False, native=None)],
    }
    return in_a_minute(**{**given, **others}).splitlines()


def test_it_is_a_table_and_a_line_for_each_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = [
        {"id": "a", "role": "predicted", "share": 1.0, "of": 10, "expected": True},
        {"id": "b", "role": "predicted", "share": 0.4, "expected": True},
        {"id": "c", "role": "predicted", "share": 0.0, "expected": False},
        {"id": "d", "role": "calibrated", "share": None, "expected": True},
        {"id": "e", "role": "by construction", "share": 1.0, "of": 10, "expected": True},
        {"id": "f", "role": "calibrated", "share": 1.0, "of": 10, "expected": True},
        {"id": "ours", "role": "predicted", "share": 1.0, "of": 2, "expected": True},
        {
            "id": "ours-2",
            "role": "predicted",
            "share": 0.5,
            "passed": 1,
            "of": 2,
            "expected": True,
        },
    ]
    figures = [{"id": f"f{i}", "passed": i, "of": 2} for i in (0, 1, 1, 2, 2, 2)]
    figures.append({"id": "f", "passed": 0, "of": 0})
    stored = {"x": {"claims": claims, "figures": figures}, "y": None}
    monkeypatch.setattr(page, "stored_record", stored.__getitem__)
    monkeypatch.setattr(page, "mutants_summary", lambda: "Errors: 3 of 4.")
    monkeypatch.setattr(page, "reality_summary", lambda: "Real programs: 2.")
    monkeypatch.setattr(page, "stale_files", lambda _: ["study.yaml"])
    monkeypatch.setattr(page, "stored_demanding", {"x": {"study": "x"}, "y": None}.__getitem__)
    monkeypatch.setattr(page, "stale_inputs", lambda _: ["claims"])
    study = ledger().study
    first, *others = study.claims
    study = replace(study, claims=(replace(first, borne_out=Share(1, 40)), *others))
    ours = replace(study.claims[0], id="ours", elsewhere="read off the measured times")
    claims_of_ours = (*study.claims, ours, replace(ours, id="ours-2"))
    own = replace(ledger(), study=replace(study, claims=claims_of_ours))
    lines = opened(studies={"x": own, "y": ledger()})
    assert lines[0].split("|")[1].strip() == "median (9 of 10) of the log error"
    lines = lines[lines.index(next(one for one in lines if one.startswith("**Predicted"))) :]
    assert lines[0] == (
        "**Predicted beyond formulas:** 1 of 1 predicted number is within the band; formulas "
        "manage 1 (1 constants, fitted to the same numbers as the simulator's 2 values, in the "
        "best forms that we found, having seen all numbers), the neighbours in the paper 0. Only "
        "the simulator is within it on none, only formulas on none. Of 1 predicted claim the "
        "simulator is right on 1; only the simulator on 1 (x-c1), only formulas on none. Formulas "
        "say nothing of 0, of which 0 are confirmed: no proof against formulas, which with more "
        "constants might do as well."
    )
    assert [line.split("|")[1].strip() for line in lines[4:7]] == ["x", "x", "together"]
    assert [one.strip() for one in lines[6].split("|")][2:6] == ["2", "4", "2", "-"]
    assert lines[8] == (
        "- Random machines, with all rates and times off by some factor within a decade: fewer "
        "than half of them bear out 2 of 2 claims to which nothing was fitted. These are "
        "*predicted*; the others are *undemanding*, and counted apart (the page of a study has "
        "each share). Files changed since they were drawn for x."
    )
    assert lines[9:15] == [
        "- NWT, seeds with which the means of all 2 cells are in the range of the paper's runs: 7 "
        "of 9 (free draws).",
        "- Ablations: 1 of 2 changes of 1 claims, of whatever role, turn the verdict; of 2 facts "
        "that the papers print 1 move none. That is a test of the rules, and no evidence for the "
        "model: the changes were chosen to turn them.",
        "- Assumptions: 2 of 4 claims that are confirmed, without those by construction, hold on "
        "every plausible machine that was drawn (10: with 95 % confidence at least 69 % of all "
        "plausible machines); on fewer than half: b. Of 2 predicted ones 1 do. Of 2 not in the "
        "papers' words 1 do; the others hold on fewer: ours-2 on 1 of 2. Of 6 predicted "
        "numbers 3 are inside on every plausible machine, 1 on none. No other machines were drawn "
        "for y. Files changed since they were drawn for x.",
        "- Theory: 1 of 2 figures of queueing theory and other exact results agree; 1 of them are "
        "computed by both engines, those of services by one, which alone supports them.",
        "- Real programs: 2.",
        "- Errors: 3 of 4.",
    ]


def test_numbers_that_were_held_out_have_a_line() -> None:
    """By hand: f1 is 2; 9 is simulated, and the formula says 2."""
    one = ledger(simulated=9.0)
    held = replace(one, study=replace(one.study, held_out=("f1",)))
    lines = opened(studies={"x": held}, nulls={"x": null_study(held, model_of(2.0, 4.0))})
    (said,) = (line for line in lines if line.startswith("- Held out: "))
    assert "Held out: 1 numbers were read after" in said
    assert "(x, 1 numbers, 0 inside by the simulator, 1 by formulas)" in said
    after = replace(model_of(2.0, 4.0), chosen_after=True)
    later = opened(studies={"x": held}, nulls={"x": null_study(held, after)})
    assert any("1 by formulas, whose form was chosen after)" in line for line in later)
    assert not any(line.startswith("- Held out") for line in opened())


def test_the_fewest_machines_on_which_claims_hold_are_said() -> None:
    assert "(3 to 20: with 95 % confidence at least 29 % to 83 % of" in _at_least([20, 3])
    assert _at_least([]) == ""


def test_what_was_not_run_has_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "stored_record", lambda _: None)
    monkeypatch.setattr(page, "mutants_summary", lambda: "")
    monkeypatch.setattr(page, "reality_summary", lambda: "")
    assert len(opened()) == 2 + 6 + 6 + 2 + 9


def test_the_first_page_is_short_and_opens_with_what_formulas_cannot_do(root: Path) -> None:
    """Of each study it has four lines."""
    lines = (root / "docs" / "validation.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 62 + 4 * len(STUDIES)
    assert lines[6].startswith("| median (9 of 10) of the log error | numbers | blind |")
    bold = [one for one in lines if one.startswith("**")]
    assert [one.split(":")[0] for one in bold[:2]] == [
        *("**Blind numbers", "**Predicted beyond formulas"),
    ]


def rows_of(page: str, bar: str) -> dict[str, list[str]]:
    """The rows of the table of all studies, by study, without bars and blanks."""
    page = page[page.index(f"{bar}study".replace("\\", "")) :] if bar else page
    names = "|".join([*study_names(), "together"])
    found = re.findall(rf"^{bar}({names}) (.*)$", page, re.MULTILINE)
    return {name: re.findall(r"-?\d+ of \d+|-?\d+", rest) for name, rest in reversed(found)}


def test_the_tables_of_both_pages_count_what_the_files_of_the_studies_list(root: Path) -> None:
    """By the files alone, without the code that reads them and without a run."""
    first = rows_of((root / "docs" / "validation.md").read_text("utf-8"), r"\| ")
    in_short = rows_of((root / "docs" / "start.md").read_text("utf-8"), "")
    assert in_short.keys() == {"pagecache", "nwt", "together"}  # It leaves some out.
    assert in_short == {name: [*first[name][:-3], *first[name][-2:]] for name in in_short}
    for name in study_names():
        raw = yaml.safe_load((root / "experiments" / name / "study.yaml").read_text("utf-8"))
        roles = [one["role"] for one in (*raw.get("cells", ()), *raw.get("figures", ()))]
        data = sum(role not in ("by construction", "dependent") for role in roles)
        claims = [one for one in raw["claims"] if "elsewhere" not in one]
        listed = [one for one in (*raw.get("figures", ()), *raw["claims"]) if "contradicted" in one]
        shares = json.loads((root / "experiments" / name / "demanding.json").read_text("utf-8"))[
            "claims"
        ]
        few = {one["id"] for one in shares if 2 * one["held"] < one["of"]}
        tried = [one["id"] in few for one in claims if one.get("role") == "predicted"]
        row = first[name]
        assert row[0] == str(data)
        assert row[2] == str(len(raw.get("freedom", {}).get("tuned", ())))
        assert row[3] == str(data - int(row[1]) - int(row[2]))
        assert row[4].split()[-1] == str(roles.count("predicted"))
        assert row[5].split()[-1] == str(tried.count(True))
        assert row[6].split()[-1] == str(tried.count(False))
        assert row[7] == str(len(listed))
        assert row[8] == str(sum("untestable" in one for one in raw["claims"]))
