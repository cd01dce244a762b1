"""Demanding claims: machines of any rates and times, and how many of them bear a claim out."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from statistics import fmean
from types import SimpleNamespace

import pytest

from experiments.validation import demanding as module
from experiments.validation import plausible
from experiments.validation.assumed import read_assumptions
from experiments.validation.demanding import (
    RandomMachines,
    demanding,
    is_scaled,
    render_demanding,
    stale_inputs,
    stored_demanding,
)
from experiments.validation.ledger_page import claim_rules, study_page
from experiments.validation.plausible import Evaluator, machine_of
from experiments.validation.ranged import template
from simulator.cli.main import main
from simulator.config.errors import ConfigError, Problem
from simulator.config.sources import provenance
from simulator.study import study_file
from simulator.study.change import Change
from simulator.study.conditions import conditions
from simulator.study.executors import Processes
from simulator.study.studies import STUDIES, tally
from simulator.study.study_file import (
    BY_CONSTRUCTION,
    CALIBRATED,
    LEAST_MACHINES,
    PREDICTED,
    UNDEMANDING,
    Sentence,
    Share,
    StudyFile,
    load_study_file,
)
from tests.study.test_studies import ledger

Capture = pytest.CaptureFixture[str]
LEAST, MOST = 10**-0.5, 10**0.5


def factors(number: int) -> dict[str, float]:
    """Return by how much each value of the NWT is off on a machine."""
    before = {one.path: one.value for one in provenance(machine_of(Evaluator("nwt").file))}
    settings = RandomMachines(Evaluator("nwt")).settings("", number)
    found = {}
    for path, text in settings:
        old, new = template(before[path.removeprefix("machine.")]), template(text)
        ratios = [b / a for a, b in zip(old.numbers, new.numbers, strict=True) if a]
        assert max(ratios) / min(ratios) == pytest.approx(1, rel=1e-3)  # Reads and writes alike.
        found[path] = ratios[0]
    return found


def test_all_rates_and_times_are_off_within_a_decade_each_by_its_own() -> None:
    one, again, other = factors(0), factors(0), factors(1)
    assert one == again
    assert one.keys() == other.keys()
    assert {"machine.parts.lan.rate", "machine.parts.disk.seek"} <= one.keys()
    assert not [path for path in one if re.search(r"capacity|count|block|quota|noise", path)]
    assert all(LEAST * 0.999 <= factor <= MOST * 1.001 for factor in one.values())
    assert len({round(factor, 3) for factor in one.values()}) > 0.9 * len(one)
    many = [math.log10(factor) for number in range(20) for factor in factors(number).values()]
    assert fmean(many) == pytest.approx(0, abs=0.05)
    assert min(many) < -0.45
    assert max(many) > 0.45


def test_what_is_no_rate_and_no_time_stays() -> None:
    assert not any(map(is_scaled, ("", "8 MB", "162", "10 %", "first", "[4, 8]", "1 MB")))
    assert all(
        map(is_scaled, ("10 us", "1.25 MB/s", "100 Gbit/s", "{read: 1 GiB/s, write: 2 B/s}"))
    )


# -- a small study --------------------------------------------------------------------------------

TOY = """
format: assumptions/1
points: 16
runs: 2
"""
SHIPPED_GAIN, TOO_MUCH = 5.0, 12.0


@dataclass
class ToyRuns:
    """A machine of one rate, which cannot be built if it is too much."""

    change: Change

    def gain(self) -> float:
        (found,) = template(dict(self.change.settings)["machine.gain"]).numbers
        if found > TOO_MUCH:
            raise ConfigError([Problem("toy", 0, 0, "gain", "is too much")])
        return found


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four claims of a gain, and one that is fitted to it."""
    texts = {"always": "gain > 0", "never": "gain < 0", "more": f"gain > {SHIPPED_GAIN}"}
    texts |= {"odd": "ratio > 0", "fitted": "gain > 0"}
    claims = tuple(
        Sentence(id_, "", id_, role=CALIBRATED if id_ == "fitted" else UNDEMANDING, conditions=held)
        for id_, held in ((id_, conditions([text])) for id_, text in texts.items())
    )
    file = StudyFile("toy", "A toy", "", "toy", (), claims)
    gains = dict.fromkeys(texts, lambda runs: {"gain": runs.gain()})
    ratio = {"odd": lambda runs: {"ratio": runs.gain() / 0}}
    code = SimpleNamespace(
        begin=lambda _runs, _seed, _engine, change: ToyRuns(change), claims=gains | ratio
    )
    monkeypatch.setattr(plausible, "load_assumptions", lambda _name: read_assumptions(TOY, "toy"))
    monkeypatch.setattr(plausible, "load_study_file", lambda _name: file)
    monkeypatch.setattr(plausible, "experiment", lambda _name: code)
    monkeypatch.setattr(module, "machine_of", lambda _file, _site: None)
    stated = [
        SimpleNamespace(path=path, value=value, kind="assumed")
        for path, value in (("gain", f"{SHIPPED_GAIN} MB/s"), ("size", "3 MB"))
    ]
    monkeypatch.setattr(module, "provenance", lambda _machine: stated)
    monkeypatch.setattr(module, "inputs", lambda _name: {"toy.yaml": "1"})


@pytest.mark.usefixtures("toy")
def test_what_always_holds_demands_nothing_and_what_never_holds_is_demanding() -> None:
    record = demanding("toy", machines=100)
    assert (record["seed"], record["runs"], record["inputs"]) == (1998, 2, {"toy.yaml": "1"})
    shares = {one["id"]: module.share_of(one) for one in record["claims"]}
    assert {id_ for id_, one in shares.items() if one.demanding} >= {"never", "odd"}
    assert shares.keys() == {"always", "never", "more", "odd"}
    assert str(shares["always"]) == "100 of 100"
    assert not shares["always"].demanding
    assert str(shares["never"]) == str(shares["odd"]) == "0 of 100"
    # By hand: of a decade, in logarithms, 0.5 lies above 5 and 0.12 above 12, which is not built.
    assert shares["more"].held == pytest.approx(100 * 0.38 / 0.88, abs=15)
    assert record["drawn"] == pytest.approx(100 / 0.88, abs=10)
    assert demanding("toy", machines=100) == record
    assert demanding("toy", machines=100, seed=1)["claims"] != record["claims"]


@pytest.mark.usefixtures("toy")
def test_on_fewer_than_forty_machines_nothing_is_demanding() -> None:
    few, enough = (demanding("toy", machines=number)["claims"] for number in (39, 40))
    assert {one["id"]: module.share_of(one).demanding for one in few}["never"] is False
    assert {one["id"]: module.share_of(one).demanding for one in enough}["never"] is True


def test_a_claim_is_predicted_by_its_record_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same file of Orion, without a record and with shares around a half."""
    roles = dict[str, str]()
    for text, shares in (("none", {}), ("few", {"orion-c2": Share(19, 40)})):
        monkeypatch.setattr(study_file, "_shares", lambda _name, given=shares: given)
        claims = {one.id: one for one in load_study_file("orion").claims}
        roles[text] = claims["orion-c2"].role
        assert claims["orion-c1"].role == UNDEMANDING
        assert claims["orion-c5"].role == BY_CONSTRUCTION
    assert roles == {"none": UNDEMANDING, "few": PREDICTED}
    assert not Share(20, 40).demanding


@pytest.mark.slow
def test_machines_are_the_same_whoever_runs_them() -> None:
    record = demanding("orion", machines=6, executor=Processes(2))
    assert record == demanding("orion", machines=6)
    for one in record["claims"]:
        assert one["interval_95"][0] <= one["held"] / one["of"] <= one["interval_95"][1]
    table = render_demanding([record], "table")
    assert f"0 of {len(record['claims'])} are demanding" in table  # Six are too few.
    assert json.loads(render_demanding([record], "json")) == record


# -- the records ----------------------------------------------------------------------------------


@pytest.mark.parametrize("study", STUDIES)
def test_a_record_is_of_todays_study_on_machines_enough(study: str) -> None:
    """`make demanding ARGS=STUDY` makes it anew."""
    record = stored_demanding(study)
    assert record is not None
    assert stale_inputs(record) == []
    assert record["machines"] >= LEAST_MACHINES
    stored = {one["id"]: module.share_of(one) for one in record["claims"]}
    claims = {one.id: one for one in load_study_file(study).claims if one.id in stored}
    assert claims.keys() == stored.keys()
    assert all(one.of == record["machines"] for one in stored.values())
    for id_, share in stored.items():
        assert claims[id_].borne_out == share
        assert claims[id_].role == (PREDICTED if 2 * share.held < share.of else UNDEMANDING)


def test_a_record_is_stale_where_a_condition_or_a_machine_changes() -> None:
    record = stored_demanding("orion")
    assert record is not None
    others = {**record["inputs"], "claims": "0", "gone.yaml": "1"}
    assert stale_inputs({**record, "inputs": others}) == ["claims", "gone.yaml"]


def test_what_is_printed_of_a_claim_has_its_share_and_whose_threshold_it_is() -> None:
    one = ledger()
    first, *others = one.claims
    claim = replace(first.claim, borne_out=Share(3, 40), ours="below 3 s")
    made = replace(one, claims=(replace(first, claim=claim), *others))
    said = "x-c1: predicted; 3 of 40 random machines bear it out; the threshold is ours: below 3 s"
    assert said in claim_rules(made)
    assert "| 2. **The threshold is ours**: below 3 s | it is fast | predicted | 3 of 40 |" in (
        study_page(made)
    )
    assert made.to_json()["claims"][0]["random_machines"] == {"held": 3, "of": 40}
    easy = replace(made, claims=(replace(first, claim=replace(claim, role=UNDEMANDING)),))
    assert (tally(easy).holding, tally(easy).claims) == (0, 0)
    assert (tally(easy).easy, tally(easy).undemanding) == (1, 1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--demanding", "3", "--ablate"], "--demanding: takes no --ablate; omit one"),
        (["--demanding", "3", "--assumptions"], "--assumptions: takes no --demanding; omit one"),
        (["--demanding", "0"], "--demanding"),
        (["--executor", "processes"], "go with --assumptions or --demanding"),
    ],
)
def test_what_does_not_go_together_is_refused(words: list[str], told: str, capsys: Capture) -> None:
    assert main(["reproduce", "orion", *words]) == 2
    assert told in " ".join(capsys.readouterr().err.split())
