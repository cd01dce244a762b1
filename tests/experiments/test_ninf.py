"""The Ninf study: its file against the published numbers, its rules, and that each can fail."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from simulator.cli.main import main
from simulator.config.formats import MACHINE, load_machine
from simulator.config.sources import provenance
from simulator.experiments.ninf import runs as ninf_runs
from simulator.experiments.ninf import study as ninf
from simulator.experiments.ninf.claims import CLAIMS, CROSSOVERS
from simulator.experiments.ninf.runs import NinfRuns, RunCache
from simulator.experiments.ninf.study import FIGURES
from simulator.experiments.validation.ablation_file import load_ablations
from simulator.experiments.validation.nulls import null_study
from simulator.plan.plan import Plan
from simulator.result.numerical import NumericalResult
from simulator.shipped import shipped_root
from simulator.study.change import Change
from simulator.study.ledger import Ledger, sentence_result, stated
from simulator.study.studies import tally
from simulator.study.study_file import StudyError, StudyFile, load_study_file
from tests.experiments.reproduced import reproduced

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def study() -> StudyFile:
    return load_study_file("ninf")


@pytest.fixture(scope="module")
def runs(study: StudyFile) -> NinfRuns:
    """One run of each cell: the tests here share them."""
    return NinfRuns(study, runs=1, seed=1998)


def changed(study: StudyFile, *settings: tuple[str, str]) -> NinfRuns:
    """The study with other values in all of its runs."""
    return NinfRuns(study, runs=1, seed=1998, change=Change(settings))


# -- the study's file ---------------------------------------------------------------------------


def test_every_figure_and_every_claim_has_its_function(study: StudyFile) -> None:
    assert [one.id for one in study.figures] == list(FIGURES)
    assert [one.id for one in study.claims] == list(CLAIMS)
    assert list(CLAIMS) == [f"ninf-c{number}" for number in range(1, 16)]


def test_only_what_is_no_datum_is_dependent_or_contradicted(study: StudyFile) -> None:
    assert [one.id for one in study.figures if one.dependent] == ["load-peak"]
    assert [one.id for one in study.figures if one.contradicted] == ["load-peak"]
    assert [one.id for one in study.claims if one.contradicted or one.untestable] == []
    predicted = [one for one in study.figures if one.role == "predicted"]
    assert [one.id for one in predicted] == ["few-least"]


def test_a_figure_that_a_value_was_fitted_to_is_not_called_a_prediction(study: StudyFile) -> None:
    """``calibrated few-most`` in the machine's file names a figure, which then is calibrated."""
    details = {one.detail for one in provenance(load_machine("ninf")) if one.kind == "calibrated"}
    roles = {one.id: one.role for one in study.figures}
    assert details <= set(roles)
    assert {roles[one] for one in details} == {"calibrated"}


def test_published_numbers_are_those_of_the_paper(study: StudyFile, shared_dir: Path) -> None:
    paper = yaml.safe_load((shared_dir / "published" / "ninf.yaml").read_text("utf-8"))
    values = {one.id: one.value for one in study.figures}
    single, many = paper["single_client"], paper["multi_client"]
    ratios = many["lan_4PE_relative_to_1PE_percent"]
    assert values["cross-sparc"] == single["crossover_SPARC"]["value"]
    assert values["cross-alpha-murata"] == single["crossover_Alpha_murata"]["value"]
    assert values["cross-alpha-original"] == single["crossover_Alpha_original"]["value"]
    assert [values["few-most"], values["few-least"]] == ratios["few_clients"]
    assert [values["many-most"], values["many-least"]] == ratios["many_clients"]
    assert values["load"] == values["load-peak"] == many["load_peak"]["load_average"]
    ends = (values["bandwidth-least"], values["bandwidth-most"])
    assert ends == tuple(map(float, single["good_bandwidth"]["value"].split("-")))
    assert [one.id for one in study.claims[:12]] == [one["id"] for one in paper["claims"]]
    (trials,) = (one for one in study.claims if one.id == "ninf-c15")
    gaps = paper["derived"]["gap_distribution"]
    mean, deviation = (one.value for one in trials.conditions)
    assert mean == gaps["mean_s"]
    assert deviation == pytest.approx(gaps["variance_s2"] ** 0.5, rel=1e-3)


def test_a_figure_that_the_study_lacks(runs: NinfRuns) -> None:
    with pytest.raises((StudyError, ValueError)):
        runs.published("nothing")


# -- the runs -----------------------------------------------------------------------------------


def test_a_cell_is_run_once(study: StudyFile) -> None:
    runs = NinfRuns(study, runs=2, seed=1)
    first = runs.lan(600, 1, "1pe")
    assert runs.lan(600, 1, "1pe") is first
    assert (len(first), runs.made) == (2, 2)
    assert first[0].calls != first[1].calls


def test_a_run_is_made_once_for_all_machines_that_it_cannot_tell_apart(
    study: StudyFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    known: RunCache[NumericalResult] = RunCache(9)
    carry_out = ninf_runs._run_plan

    def carried_out(plan: Plan) -> NumericalResult:
        made.append(plan)
        return carry_out(plan)

    monkeypatch.setattr(ninf_runs, "_run_plan", carried_out)
    monkeypatch.setattr(ninf_runs, "_before", lambda: known)
    faster = ("machine.services.j90.libraries.4pe.speed", "800 Mflop/s")
    local = ("machine.services.alpha-client.libraries.murata.speed", "90 Mflop/s")
    asked = [
        [changed(study, *settings).lan(1400, 1, library) for library in ("1pe", "4pe")]
        for settings in ([], [local], [faster])
    ]
    assert len(made) == 3  # both libraries, and the 4-PE library when it is faster
    assert asked[0] == asked[1]
    assert asked[0][0] == asked[2][0]
    assert asked[0][1] != asked[2][1]


def test_the_crossover_is_where_the_call_becomes_faster(runs: NinfRuns) -> None:
    for client, library in CROSSOVERS.values():
        found = runs.crossover(client, library)
        assert runs.gain(client, library, found) > 1 >= runs.gain(client, library, found - 10)


def test_crossovers_follow_from_the_machine(study: StudyFile, runs: NinfRuns) -> None:
    """Nothing is looked up: a client twice as fast beats the server up to larger problems."""
    speed = ("machine.services.supersparc-client.libraries.murata.speed", "54 Mflop/s")
    faster = changed(study, speed).crossover("supersparc", "murata")
    assert faster > runs.crossover("supersparc", "murata") + 50


def test_a_change_of_workloads_comes_before_what_a_run_sets(study: StudyFile) -> None:
    settings = (
        ("workload.jobs.*.phases.*.n", "100"),
        ("workload.jobs.*.phases.*.every", "6 s"),
        ("workload.jobs.*.phases.*.chance", "1 %"),
    )
    runs = changed(study, *settings)
    assert runs.single("alpha", 200).bytes == NinfRuns(study, 1, 1998).single("alpha", 200).bytes
    (one,) = runs.sites(300, 4)
    assert all(call.submitted_ns % 6_000_000_000 == 0 for call in one.calls)
    assert {call.bytes for call in one.calls} == {8 * 300**2 + 20 * 300}


# -- claims -------------------------------------------------------------------------------------

QUICK = ("ninf-c1", "ninf-c2", "ninf-c3")


@pytest.mark.parametrize("claim", QUICK)
def test_a_claim_holds_and_fails_without_what_it_rests_on(
    claim: str, study: StudyFile, runs: NinfRuns
) -> None:
    """All others: tests/experiments/test_ablations.py."""
    (one,) = (each for each in study.claims if each.id == claim)
    here = sentence_result(one, runs, CLAIMS)
    assert here.holds, (here.broken, here.figures)
    for line in load_ablations("ninf").claims[claim]:
        made = NinfRuns(study, runs=1, seed=1998, change=line.change)
        assert not sentence_result(one, made, CLAIMS).holds, line.without


def test_twice_the_line_is_twice_that_of_the_machine(study: StudyFile) -> None:
    runs = changed(study, ("machine.parts.ocha-line.rate", "10 MB/s"))
    assert runs.twice_the_line() == ("machine.parts.ocha-line.rate", "2e+07 B/s")
    assert runs.twice_the_pes() == ("machine.parts.j90-pes.pes", "8")


def test_values_that_several_services_share_are_fitted_once(study: StudyFile) -> None:
    ledger = Ledger(study, (), (), (), ninf_calibrated(), 1998, "reference")
    assert len(ledger.calibrated) == 8
    assert ninf.STUDY.fitted(NinfRuns(study, 1, 1998), ledger) == 6


def ninf_calibrated() -> tuple[dict[str, str], ...]:
    return stated(load_machine("ninf"), "calibrated")


# -- the whole ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made() -> Ledger:
    return reproduced("ninf")


@pytest.mark.slow
class TestWhole:
    def test_it_has_no_more_data_than_values_and_choices(self, made: Ledger) -> None:
        assert (made.freedom.data, made.freedom.fitted, made.freedom.tuned) == (10, 6, 9)
        assert made.engine == "reference"
        assert len(made.assumed) > 50

    def test_a_closed_queue_bears_out_most_claims(self, made: Ledger) -> None:
        claims = null_study(made).claims
        assert [one.result.claim.id for one in claims if one.by_simulator_only] == ["ninf-c9"]
        assert [one.result.claim.id for one in claims if not one.decided] == [
            *("ninf-c2", "ninf-c4", "ninf-c6", "ninf-c12"),
        ]
        assert sum(one.by_both for one in claims) == 7

    def test_words_from_elsewhere_are_tested_and_not_counted(self, made: Ledger) -> None:
        other = {one.claim.id: one.holds for one in made.claims if one.claim.elsewhere}
        assert other == {"ninf-c13": True, "ninf-c14": True}
        assert (tally(made).holding, tally(made).claims) == (1, 1)
        assert (tally(made).easy, tally(made).undemanding) == (5, 5)


def test_another_engine_is_refused(capsys: Capture) -> None:
    assert main(["reproduce", "ninf", "--engine", "native"]) == 2
    said = capsys.readouterr().err
    assert said == (
        "--engine native: ninf runs on the reference engine only; leave the option out\n"
    )


def test_the_study_is_shipped_with_its_files() -> None:
    assert (shipped_root("experiments") / "ninf" / "study.yaml").is_file()
    assert "ninf" in MACHINE.shipped()


# -- the table of its README --------------------------------------------------------------------

CHEAP = tuple(one for one in FIGURES if one.startswith(("cross-", "bandwidth-")))


def documented(root: Path) -> list[tuple[str, str, int, dict[str, float]]]:
    """Rows of (setting, value, figures inside, the figures outside)."""
    text = (root / "experiments" / "ninf" / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+\.[\w.-]+)` \| `([^`]+)` \| (\d+) \|(.*)\|$", text, re.MULTILINE)
    return [
        (
            f"machine.{path}",
            value,
            int(inside),
            {k: float(v) for k, v in re.findall(r"`([\w-]+)` ([\d.]+)", told)},
        )
        for path, value, inside, told in rows
    ]


def outside(study: StudyFile, figures: Sequence[str], runs: NinfRuns) -> dict[str, float]:
    found = {one.id: FIGURES[one.id](runs) for one in study.figures if one.id in figures}
    bands = {one.id: (one.low, one.high) for one in study.figures}
    return {k: float(f"{v:.3g}") for k, v in found.items() if not bands[k][0] <= v <= bands[k][1]}


def test_the_documented_sensitivities_that_one_call_can_tell(study: StudyFile, root: Path) -> None:
    rows = documented(root)
    assert len(rows) == 7
    for path, value, inside, told in rows:
        assert inside == 10 - len(told)
        cheap = {name: figure for name, figure in told.items() if name in CHEAP}
        assert outside(study, CHEAP, changed(study, (path, value))) == cheap


@pytest.mark.slow
def test_a_documented_sensitivity_of_many_clients(study: StudyFile, root: Path) -> None:
    half = ("machine.services.j90.libraries.4pe.half", "480")
    (told,) = (told for path, value, _, told in documented(root) if (path, value) == half)
    assert outside(study, ("many-most", "many-least", "load"), changed(study, half)) == told
