"""The Ninf study: its file against the published numbers, its rules, and that each can fail."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from simulator.cli.main import main
from simulator.config.formats import MACHINE, load_machine
from simulator.config.sources import provenance
from simulator.report.ledger import render_ledger
from simulator.shipped import shipped_root
from simulator.study import ninf, side_by_side
from simulator.study.ledger import Ledger, StudyFile, load_study_file
from simulator.study.ninf import FIGURES
from simulator.study.ninf_claims import CLAIMS, CROSSOVERS
from simulator.study.ninf_runs import NinfRuns
from simulator.study.study import StudyError
from simulator.study.work import ALMOST

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def study() -> StudyFile:
    return load_study_file("ninf")


@pytest.fixture(scope="module")
def runs(study: StudyFile) -> NinfRuns:
    """One run of each cell: the tests here share them."""
    return NinfRuns(study, runs=1, seed=1998)


class Changed(NinfRuns):
    """The study on servers with other values."""

    def __init__(self, study: StudyFile, *settings: tuple[str, str]) -> None:
        super().__init__(study, runs=1, seed=1998, settings=settings)


# -- the study's file ---------------------------------------------------------------------------


def test_every_figure_and_every_claim_has_its_function(study: StudyFile) -> None:
    assert [one.id for one in study.figures] == list(FIGURES)
    assert [one.id for one in study.claims] == list(CLAIMS)
    assert list(CLAIMS) == [f"ninf-c{number}" for number in range(1, 13)]


def test_every_figure_is_in_its_band_on_paper_and_has_a_role(study: StudyFile) -> None:
    for one in study.figures:
        assert one.value is not None
        assert one.low <= one.value <= one.high
        assert one.role in ("calibrated", "predicted")
    assert all(one.rule and one.ref and one.role for one in study.claims)
    roles = {one.role for one in study.figures}
    assert roles == {"calibrated", "predicted"}


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
    assert values["load"] == many["load_peak"]["load_average"]
    assert values["gap-mean"] == paper["derived"]["gap_distribution"]["mean_s"]
    assert values["gap-variance"] == paper["derived"]["gap_distribution"]["variance_s2"]
    assert [one.id for one in study.claims] == [one["id"] for one in paper["claims"]]


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


def test_the_crossover_is_where_the_call_becomes_faster(runs: NinfRuns) -> None:
    for client, library in CROSSOVERS.values():
        found = runs.crossover(client, library)
        assert runs.gain(client, library, found) > 1 >= runs.gain(client, library, found - 10)


def test_crossovers_follow_from_the_machine(study: StudyFile, runs: NinfRuns) -> None:
    """Nothing is looked up: a client twice as fast beats the server up to larger problems."""
    speed = ("machine.services.supersparc-client.libraries.murata.speed", "54 Mflop/s")
    faster = Changed(study, speed).crossover("supersparc", "murata")
    assert faster > runs.crossover("supersparc", "murata") + 50


# -- claims -------------------------------------------------------------------------------------

QUICK = ("ninf-c1", "ninf-c2", "ninf-c3", "ninf-c8", "ninf-c9", "ninf-c10")


@pytest.mark.parametrize("claim", QUICK)
def test_claims_of_few_runs(claim: str, runs: NinfRuns) -> None:
    holds, figures = CLAIMS[claim](runs)
    assert holds, figures
    assert figures


WRONG = [
    ("ninf-c1", [("machine.services.supersparc-client.libraries.murata.speed", "60 Mflop/s")]),
    ("ninf-c2", [("machine.services.supersparc-client.conversion", "3 MB/s")]),
    ("ninf-c3", [("machine.services.alpha.conversion", "1 MB/s")]),
    (
        "ninf-c8",
        [("machine.parts.ocha-line.rate", "5 MB/s"), ("machine.parts.etl-line.rate", "5 MB/s")],
    ),
    (
        "ninf-c9",
        [("machine.parts.ocha-line.rate", "5 MB/s"), ("machine.parts.etl-line.rate", "5 MB/s")],
    ),
    ("ninf-c10", [("machine.parts.etl-line.rate", "0.19 MB/s")]),
]


@pytest.mark.parametrize(("claim", "settings"), WRONG)
def test_a_claim_fails_on_a_machine_that_is_otherwise(
    claim: str, settings: list[tuple[str, str]], study: StudyFile
) -> None:
    holds, figures = CLAIMS[claim](Changed(study, *settings))
    assert not holds, figures


LINKS = [
    f"{site}-{link}"
    for site in ("etl", "ocha", "utokyo", "titech", "rwcp")
    for link in ("lan", "line")
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "settings"),
    [
        # A J90 of 16 PEs is never loaded; one that converts at once makes 4 PEs always better.
        ("ninf-c4", [("machine.parts.j90-pes.pes", "16")]),
        ("ninf-c5", [("machine.services.j90.conversion", "100 MB/s")]),
        ("ninf-c7", [("machine.services.j90.libraries.4pe.speed", "300 Mflop/s")]),
        ("ninf-c11", [("machine.parts.ocha-line.rate", "50 B/s")]),
        # Lines that nobody notices, and servers for EP that are all alike, leave load to decide.
        ("ninf-c12", [(f"machine.parts.{link}.rate", "100 MB/s") for link in LINKS]),
    ],
)
def test_longer_claims_fail_too(
    claim: str, settings: list[tuple[str, str]], study: StudyFile
) -> None:
    holds, figures = CLAIMS[claim](Changed(study, *settings))
    assert not holds, figures


def test_favour_for_short_work_is_what_keeps_waiting_equal(study: StudyFile) -> None:
    """Claim c6 rests on an assumption, and says so: without it the claim fails."""
    runs = Changed(study, ("machine.services.j90.favoured", "false"))
    waits = [
        sum(one.step_s(step) for step in ("response", "waiting"))
        for library in ("1pe", "4pe")
        for one in runs.lan(1400, 16, library)
    ]
    assert waits[1] > 1.1 * waits[0]


# -- the whole ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def told() -> list[float]:
    """The shares of the work that the study told while ``made`` was made."""
    return []


@pytest.fixture(scope="module")
def made(told: list[float]) -> Ledger:
    return ninf.STUDY.reproduce(None, 1998, "auto", told.append)


@pytest.mark.slow
class TestWhole:
    def test_all_figures_are_inside_and_all_claims_hold(self, made: Ledger) -> None:
        assert [one.figure.id for one in made.figures if not one.inside] == []
        assert [one.claim.id for one in made.claims if not one.holds] == []
        assert all(one.figures for one in made.claims)
        assert made.engine == "reference"
        assert len(made.assumed) > 50

    def test_the_command_prints_it(
        self, made: Ledger, capsys: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(side_by_side, "named", lambda _: lambda *_, **__: made)
        assert main(["reproduce", "ninf", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out) == made.to_json()

    @pytest.mark.usefixtures("made")
    def test_the_work_is_as_much_as_was_counted_once(self, told: list[float]) -> None:
        assert told == sorted(told)
        assert told[-1] > 0.95
        assert told.count(ALMOST) < 0.05 * len(told)

    def test_table_and_csv(self, made: Ledger) -> None:
        text = render_ledger(made, "table")
        for words in ("LAN: Mflop/s", "EP, n = 24", "metaserver", "trials went on", "Engine: ref"):
            assert words in text
        assert len(render_ledger(made, "csv").splitlines()) == 1 + len(FIGURES)


def test_another_engine_is_refused(capsys: Capture) -> None:
    assert main(["reproduce", "ninf", "--engine", "native"]) == 2
    said = capsys.readouterr().err
    assert said == (
        "--engine native: ninf runs on the reference engine only; leave the option out\n"
    )


def test_the_study_is_shipped_with_its_files() -> None:
    assert (shipped_root("experiments") / "ninf" / "study.yaml").is_file()
    assert "ninf" in MACHINE.shipped()


# -- the table of docs/model.md -----------------------------------------------------------------

CHEAP = ("cross-sparc", "cross-alpha-murata", "cross-alpha-original", "bandwidth-most")


def documented(root: Path) -> list[tuple[str, str, int, dict[str, float]]]:
    """Rows of (setting, value, figures inside, the figures outside)."""
    text = (root / "docs" / "model.md").read_text("utf-8").partition("## Numerical servers")[2]
    text = text.partition("\n## ")[0]
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
    assert len(rows) == 12
    for path, value, inside, told in rows:
        assert inside == len(FIGURES) - len(told)
        cheap = {name: figure for name, figure in told.items() if name in CHEAP}
        assert outside(study, CHEAP, Changed(study, (path, value))) == cheap


@pytest.mark.slow
def test_a_documented_sensitivity_of_many_clients(study: StudyFile, root: Path) -> None:
    (told,) = (told for path, value, _, told in documented(root) if value == "90 %")
    gang = ("machine.parts.j90-pes.gang", "90 %")
    runs = NinfRuns(study, runs=3, seed=1998, settings=(gang,))
    assert outside(study, ("few-most", "many-least", "load"), runs) == told
