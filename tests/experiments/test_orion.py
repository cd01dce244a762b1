"""The Orion study: its verdicts, and that they could have been others."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.experiments.orion import runs as orion_runs
from simulator.experiments.orion.claims import CLAIMS, sent_bytes
from simulator.experiments.orion.laws import LAWS, NO_CACHE, TARGET, LawResult, fit_laws
from simulator.experiments.orion.runs import (
    INTERVALS_MS,
    SIDES,
    OrionRuns,
    Settings,
    interval,
    server,
)
from simulator.experiments.orion.study import FIGURES
from simulator.experiments.orion.tables import constant_break_even, poll_table
from simulator.experiments.validation.nulls import null_study
from simulator.report.ledger import render_ledger
from simulator.study.change import Change
from simulator.study.ledger import Ledger
from simulator.study.study_file import load_study_file
from tests.experiments.reproduced import reproduced

STUDY = load_study_file("orion")
PUBLISHED = [f"orion-c{number}" for number in range(1, 9)]
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def runs() -> OrionRuns:
    """Few runs of each setting, each made once for all tests."""
    return OrionRuns(3, 1998)


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return reproduced("orion")


# -- the study ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_verdict_is_the_one_that_its_role_or_the_file_foresees(ledger: Ledger) -> None:
    assert ledger.passed
    assert {one.verdict for one in ledger.figures} == {"calibrated"}
    verdicts = {one.claim.id: one.verdict for one in ledger.claims}
    assert [one for one, verdict in verdicts.items() if verdict == "contradicted"] == [
        "orion-c1",
        "orion-c7",
    ]
    assert (verdicts["orion-c2"], verdicts["orion-c6-late"]) == ("undemanding", "undemanding")


@pytest.mark.slow
def test_two_sentences_are_borne_out_without_a_cache_and_without_a_machine(ledger: Ledger) -> None:
    claims = null_study(ledger).claims
    assert [one.result.claim.id for one in claims if one.by_formulas_only] == [
        *("orion-c1", "orion-c7"),
    ]
    assert [one.result.claim.id for one in claims if one.by_simulator_only] == [
        *("orion-c3", "orion-c4"),
    ]
    assert [one.result.claim.id for one in claims if not one.decided] == [
        *("orion-c2", "orion-c6", "orion-c6-late"),
    ]


@pytest.mark.slow
def test_nothing_is_left_of_the_data(ledger: Ledger) -> None:
    """Four numbers, six values and the choices: the figures of this study prove nothing."""
    freedom = ledger.freedom
    assert (freedom.data, freedom.fitted, freedom.left) == (4, 6, -2 - freedom.tuned)
    assert freedom.tuned == len(STUDY.tuned) >= 3


@pytest.mark.slow
def test_the_reasons_of_the_contradictions_are_as_simulated(ledger: Ledger) -> None:
    by_id = {one.claim.id: one for one in ledger.claims}
    first, split = by_id["orion-c1"], by_id["orion-c7"]
    for points in (10000, 40000):
        share = f"{first.figures[f'of_that_at_1960000_at_{points}']:.2f}"
        assert share in first.claim.contradicted
    assert f"{round(constant_break_even(3.15), -3):,.0f}, not at" in first.claim.contradicted
    even = CLAIMS["orion-c7"](OtherMachine(NO_CACHE))["computation_exponent"]
    said = re.findall(r"is (\d\.\d\d)", split.claim.contradicted)
    assert [float(one) for one in said] == pytest.approx(
        [split.figures["computation_exponent"], even], abs=0.01
    )


@pytest.mark.slow
def test_the_footnote_is_exact_and_needs_blocks_of_2_by_2(ledger: Ledger) -> None:
    (footnote,) = (one for one in ledger.claims if one.claim.id == "orion-c9")
    assert footnote.holds
    assert footnote.figures == {
        "bytes_held_least": 2_000_000,
        "bytes_held_most": 2_000_000,
        "bytes_sent_least": 8000,
        "bytes_sent_most": 8000,
    }
    longer = ("workload.jobs.*.phases.*.columns", "4000"), ("workload.jobs.*.phases.*.rows", "250")
    runs = OrionRuns(1, 1998)
    both = zip(*(sent_bytes(runs, loops, longer) for loops in (2, 1)), strict=True)
    strips = [two - one for two, one in both]
    assert strips == [2000, 4000, 4000, 2000]  # The inner ones of 4 strips have two neighbours.


def test_a_cache_as_large_as_the_meshes_makes_the_smaller_ones_faster() -> None:
    larger = OtherMachine((("machine.parts.processor.cache.size", "4 MiB"),))
    shares = [
        CLAIMS["orion-c1-large"](one)["of_that_at_1960000_at_199809"]
        for one in (OrionRuns(1, 1), larger)
    ]
    assert shares[0] > 0.9
    assert shares[1] < 0.6


@pytest.mark.slow
def test_every_published_claim_has_a_verdict_and_every_figure_a_role(ledger: Ledger) -> None:
    ids = [one.claim.id for one in ledger.claims]
    assert [one for one in ids if one in PUBLISHED] == PUBLISHED
    assert set(ids) - set(PUBLISHED) == {"orion-c1-large", "orion-c6-late", "orion-c9"}
    assert set(CLAIMS) == {one.id for one in STUDY.claims}
    assert set(FIGURES) == {one.id for one in STUDY.figures}
    assert all(one.low < (one.value or 0) < one.high for one in STUDY.figures)


def test_the_published_numbers_are_those_of_the_project_s_list(shared_dir: Path) -> None:
    """The claims' sections and the figures, where that list is at hand."""
    text = (shared_dir / "published" / "orion.yaml").read_text(encoding="utf-8")
    paper = yaml.safe_load(text)["paper"] | yaml.safe_load(text)
    refs = {one.id: one.ref for one in STUDY.claims}
    assert [one["id"] for one in paper["claims"]] == PUBLISHED
    assert all(str(one["ref"]) in refs[one["id"]] for one in paper["claims"])
    values = {one.id: one.value for one in STUDY.figures}
    quantities = paper["quantities"]
    assert values["paging-1-node"] == quantities["paging_onset_1_node"]["value"]
    assert values["break-even"] == quantities["slowdown_threshold"]["value"]
    assert values["best-interval"] == quantities["poll_optimum"]["value"]
    assert values["speedup-200000"] == quantities["speedup_4_nodes"]["value"]


@pytest.mark.slow
def test_the_table_shows_curves_laws_and_the_solver(ledger: Ledger) -> None:
    text = render_ledger(ledger, "table")
    for wanted in ("Time of a loop in ms", "the interval between polls", "Laws of overhead"):
        assert wanted in text
    assert "a best polling interval: all, with cache." in text
    solver = text.partition("really computed")[2].splitlines()
    rows = [
        line.split() for line in solver if line.startswith(("blocks", "edges-first", "colours"))
    ]
    assert [row[1] for row in rows] == ["0", "0", "0"]


# -- verdicts that could have been others -------------------------------------------------------


class OtherMachine(OrionRuns):
    """The study on a machine of which some values are others."""

    def __init__(self, others: Settings) -> None:
        super().__init__(2, 1998, change=Change(others))


def test_figures_leave_their_bands_on_another_machine() -> None:
    bands = {one.id: one for one in STUDY.figures}
    slow = OtherMachine(server(send="30 ms", deliver="30 ms"))
    assert FIGURES["speedup-200000"](slow) < bands["speedup-200000"].low
    assert FIGURES["break-even"](slow) > bands["break-even"].high
    small = OtherMachine((("machine.parts.processor.resident", "12 MB"),))
    assert FIGURES["paging-1-node"](small) < bands["paging-1-node"].low
    dear = OtherMachine(server(poll="0.9 ms"))
    assert FIGURES["best-interval"](dear) > bands["best-interval"].high


# -- laws ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted(runs: OrionRuns) -> dict[str, LawResult]:
    return {one.law.name: one for one in fit_laws(runs.runs, runs.seed)}


@pytest.mark.slow
def test_every_law_is_fitted_to_the_same_figure(fitted: dict[str, LawResult]) -> None:
    assert list(fitted) == [one.name for one in LAWS]
    assert {name: one.fitted for name, one in fitted.items()} == pytest.approx(
        dict.fromkeys(fitted, TARGET), abs=0.08
    )


@pytest.mark.slow
def test_no_law_of_equal_points_reaches_both_thresholds_and_the_u(
    fitted: dict[str, LawResult],
) -> None:
    for name in ("constant", "edges", "detection", "share", "all, no cache"):
        assert fitted[name].break_even < 25_000, name
    assert fitted["overlap"].break_even >= 40_000
    assert fitted["overlap"].late < 1.02
    assert fitted["all, with cache"].break_even >= 40_000
    assert fitted["all, with cache"].late > 1.05


@pytest.mark.slow
def test_the_constant_law_breaks_even_where_arithmetic_says(fitted: dict[str, LawResult]) -> None:
    law = fitted["constant"]
    assert law.break_even == pytest.approx(constant_break_even(law.fitted), rel=0.25)
    assert round(constant_break_even(3.5)) == 9524


# -- runs ---------------------------------------------------------------------------------------


def test_a_setting_is_simulated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    run_plan = orion_runs.run_plan

    def counting(plan: Any, **options: Any) -> Any:
        made.append(plan)
        return run_plan(plan, **options)

    monkeypatch.setattr(orion_runs, "run_plan", counting)
    few = OrionRuns(2, 1)
    few.loop_ms(4, 100)
    few.speedup(100)
    few.parts_ms(4, 100)
    assert len(made) == 2 + 1


def test_paging_begins_where_a_mesh_and_its_ring_leave_memory(runs: OrionRuns) -> None:
    side = round(runs.paging_begins(1) ** 0.5)
    frames = 16_000_000 // 4096
    pages = [-(-((one + 2) ** 2 * 8) // 4096) for one in (side - 1, side)]
    assert pages[0] <= frames < pages[1]


def test_the_best_interval_is_that_of_the_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    """A + B / tau + C tau has its minimum at sqrt(B / C)."""
    tau = np.array(INTERVALS_MS)
    few = OrionRuns(1, 1)
    curves: list[Callable[[Any], list[float]]] = [
        lambda _: list(500 + 60 / tau + 0.5 * tau),
        lambda _: list(500 - 60 / tau + 0.5 * tau),
    ]
    found = []
    for curve in curves:
        monkeypatch.setattr(OrionRuns, "intervals_ms", lambda _, side, c=curve: c(side))
        found.append(few.best_interval_ms())
    assert found[0] == pytest.approx(120**0.5)
    assert np.isnan(found[1])


def test_the_u_has_its_sides_and_its_valley(runs: OrionRuns) -> None:
    times = dict(zip(INTERVALS_MS, runs.intervals_ms(), strict=True))
    valley = min(times[ms] for ms in (5.0, 7.0, 10.0, 14.0, 20.0))
    assert times[1.0] > 1.05 * valley
    assert times[100.0] > 1.05 * valley
    assert valley == min(times.values())
    assert poll_table(runs).count("\n") == 2 + 1 + len(INTERVALS_MS)


def test_more_nodes_are_faster_on_large_meshes_and_slower_on_small_ones(runs: OrionRuns) -> None:
    large, small = ([runs.loop_ms(n, side) for n in (1, 2, 4)] for side in (SIDES[-1], SIDES[0]))
    assert large == sorted(large, reverse=True)
    assert small == sorted(small)


def test_more_nodes_than_the_paper_had_work_too() -> None:
    few = OrionRuns(1, 3)
    more = (("machine.nodes.node.count", "16"),)
    times = [few.loop_ms(n, 1000, more) for n in (1, 3, 5, 8, 16)]
    assert times[0] > times[1] > times[2] > times[3]
    assert few.loop_ms(4, 1000, (*more, *interval(10))) < times[1]
