"""Questions of the page: their numbers are the command line's, and a wrong one has one answer."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from simulator.config.formats import MACHINE
from simulator.errors import InputError
from simulator.play import questions
from simulator.play.questions import Desk
from tests.cli.commands import Capture, as_json, elapsed

NWT = {"machine": "nwt", "workload": "test-write"}


@pytest.fixture(scope="module")
def desk() -> Desk:
    return Desk()


def ask(desk: Desk, name: str, **more: Any) -> Any:
    """Ask about writing on the NWT, or what is said otherwise; as the page does, as text."""
    asked = {"ask": name, **({} if name == "shipped" else NWT), **more}
    return json.loads(desk.answered(json.dumps(asked)))


SETTINGS: list[dict[str, str]] = [
    {},
    {"buffer": "8 MB"},
    {"buffer": "8 MB", "policy": "nwt-predicted", "array": "2"},
    {"ssu.capacity": "512 MB", "record": "256 kB", "array.rate": "72 MB/s"},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_printed_command_gives_the_same_numbers(
    desk: Desk, settings: dict[str, str], capsys: Capture
) -> None:
    found, point = ask(desk, "run", settings=settings), ask(desk, "point", settings=settings)
    program, *words = shlex.split(found["command"])
    assert program == "nwtsim"
    record = as_json(capsys, *words, "--no-limits")
    for key in ("elapsed_ns", "read_MBps", "write_MBps", "digest"):
        assert found[key] == record[key]
        assert point.get(key, record[key]) == record[key]
    (account,) = found["where"]
    times = [one["wait_ns"] + one["service_ns"] for one in account["rows"]]
    assert sum(times) == account["total_ns"] == record["elapsed_ns"]


SEEDED = {"seed": "7", "settings": {"buffer": "8 MB"}}


def test_a_seed_is_that_of_the_printed_command(desk: Desk, capsys: Capture) -> None:
    found, point = ask(desk, "run", **SEEDED), ask(desk, "point", **SEEDED)
    _, *words = shlex.split(found["command"])
    assert words[-4:] == ["--set", "buffer=8 MB", "--seed", "7"]
    record = as_json(capsys, *words, "--no-limits")
    assert record["elapsed_ns"] == found["elapsed_ns"] == point["elapsed_ns"]
    others = [{**SEEDED, "seed": one} for one in ("8", "", " 7 ")]
    times = [ask(desk, "run", **one)["elapsed_ns"] for one in others]
    assert (times[2], len({*times})) == (found["elapsed_ns"], 3)
    assert "--seed" not in ask(desk, "run", settings=SEEDED["settings"])["command"]
    lever = ask(desk, "limits", **SEEDED)["levers"][0]
    assert elapsed(capsys, shlex.split(lever["command"])) < found["elapsed_ns"]
    assert lever["command"].endswith("--seed 7")


def test_a_lever_that_is_tried_saves_what_was_said(desk: Desk, capsys: Capture) -> None:
    before = ask(desk, "run")["elapsed_ns"]
    levers = ask(desk, "limits")["levers"]
    assert len(levers) > 2
    for one in levers[:2]:
        tried = ask(desk, "run", settings=dict(one["settings"]))
        assert 1 - tried["elapsed_ns"] / before == pytest.approx(one["share"], abs=1e-12)
        assert elapsed(capsys, shlex.split(one["command"])) == tried["elapsed_ns"]


def test_the_papers_points_stand_at_stops(desk: Desk) -> None:
    about = ask(desk, "machine", workload="test-write-120MB")
    sliders = {one["name"]: one for one in about["sliders"]}
    assert [one["mean_MBps"] for one in about["published"]] == [13.9, 58.8, 15.2, 80.9]
    assert about["across"] == "buffer"
    for cell in about["published"]:
        assert cell["low_MBps"] <= cell["mean_MBps"] <= cell["high_MBps"]
        for name, value in cell["settings"].items():
            assert value in [one["text"] for one in sliders[name]["stops"]]


@pytest.mark.few(3)
@pytest.mark.parametrize("machine", MACHINE.shipped())
def test_each_machine_has_sliders_whose_stops_can_be_asked_for(desk: Desk, machine: str) -> None:
    words = {"machine": machine, "workload": ask(desk, "shipped")["first"][machine]}
    about = ask(desk, "machine", **words)
    fitting = {"ask": "fitting", "machine": machine}
    assert words["workload"] in json.loads(desk.answered(json.dumps(fitting)))["workloads"]
    own = [one for one in about["sliders"] if one["own"]]
    assert own
    assert ask(desk, "run", **words)["elapsed_ns"] > 0
    labels = [one["label"] for one in own]
    assert len({*labels}) == len(labels)
    for slider in own:
        resource = slider["name"].partition(".")[0]
        assert slider["label"][0].isupper()
        assert slider["path"].startswith("workload") or resource not in slider["label"].split(":")
        assert slider["now"] in [one["text"] for one in slider["stops"]]
        numbers = [one["number"] for one in slider["stops"]]
        assert slider["kind"] != "number" or numbers == sorted(numbers)
        stops = [{slider["name"]: one["text"]} for one in slider["stops"]]
        found = [ask(desk, "point", settings=one, **words) for one in stops]
        # Some cannot be: a store below the size of a block. The page says which.
        assert any("elapsed_ns" in one for one in found)
        assert {one.get("kind") for one in found} <= {None, "input", "cost"}


def test_all_values_that_the_issue_names_have_sliders(desk: Desk) -> None:
    first = [one["name"] for one in ask(desk, "machine", workload="test-read")["sliders"]]
    assert first[:8] == [
        *("buffer", "record", "policy", "ssu.capacity"),
        *("ssu.quota", "array", "array.rate", "input.prestage"),
    ]


REFUSED: list[tuple[Any, str, str]] = [
    ("", "question", "no JSON"),
    ("[" * 100_000, "question", "no JSON"),
    ('{"ask": NaN}', "question", "no JSON"),
    ("[1]", "question", "no JSON object"),
    ({}, "question", "'ask' is not one of shipped, fitting, machine, run, point, limits"),
    ({"ask": ["run"]}, "question", "'ask' is not one of"),
    ({"ask": "eval", **NWT}, "question", "'ask' is not one of"),
    ({"ask": "run", **NWT, "out": "/tmp/x"}, "question", "unknown key 'out'"),
    ({"ask": "run", "machine": "nwt"}, "question", "'workload' is missing"),
    ({"ask": "run", **NWT, "machine": 7}, "question", "'machine' is missing, or no short text"),
    ({"ask": "run", **NWT, "settings": []}, "question", "'settings' is no object"),
    ({"ask": "run", **NWT, "settings": {"buffer": 8}}, "question", "'buffer' is no text"),
    ({"ask": "run", **NWT, "settings": {"buffer": "8" * 999}}, "question", "is no text of 200"),
    ({"ask": "run", **NWT, "settings": {str(n): "" for n in range(99)}}, "question", "at most 60"),
    ({"ask": "run", **NWT, "seed": 7}, "question", "'seed' is no short text"),
    ({"ask": "machine", **NWT, "seed": "7"}, "question", "unknown key 'seed'"),
    ({"ask": "run", **NWT, "seed": "-1"}, "input", "seed: '-1' is not a whole number from 0"),
    ({"ask": "run", **NWT, "machine": "/etc/passwd"}, "input", "no machine '/etc/passwd'"),
    ({"ask": "run", **NWT, "machine": "../nwt"}, "input", "no machine '../nwt'; did you mean"),
    ({"ask": "run", **NWT, "workload": "configs/workloads/job.yaml"}, "input", "no workload"),
    ({"ask": "run", **NWT, "settings": {"bufer": "8 MB"}}, "input", "did you mean 'buffer'?"),
    ({"ask": "run", **NWT, "settings": {"name": "/etc/passwd"}}, "input", "cannot be set here"),
    ({"ask": "run", **NWT, "settings": {"buffer": "8"}}, "input", "has no unit; write '8 B'"),
    ({"ask": "run", **NWT, "settings": {"buffer": "-8 MB"}}, "input", "minus sign"),
    ({"ask": "run", **NWT, "settings": {"buffer": "!!python/name:os.system"}}, "input", "buffer"),
    ({"ask": "run", **NWT, "settings": {"policy": "\0\n"}}, "input", "policy"),
    ({"ask": "run", **NWT, "settings": {"ssu.capacity": "3 MB"}}, "input", "nwt.yaml:"),
    ({"ask": "run", **NWT, "settings": {"processes": "20000"}}, "cost", "20,000 processes"),
    ({"ask": "point", **NWT, "settings": {"output.size": "100 TB"}}, "cost", "about 297 s"),
    ({"ask": "limits", **NWT, "settings": {"output.size": "90 TB"}}, "cost", "too much for a page"),
]


@pytest.mark.parametrize(("asked", "kind", "told"), REFUSED, ids=lambda one: str(one)[:40])
def test_what_cannot_be_answered_has_one_error(
    desk: Desk, asked: Any, kind: str, told: str, capsys: Capture
) -> None:
    found = json.loads(desk.answered(asked if isinstance(asked, str) else json.dumps(asked)))
    assert found.keys() == {"error", "kind"}
    assert (found["kind"], told in found["error"]) == (kind, True), found
    said = capsys.readouterr()
    assert "Traceback" not in said.out + said.err


def test_a_defect_has_no_traceback_in_its_answer(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(questions, "run_record", lambda *_: 1 / 0)
    assert "defect of nwtsim" in ask(desk, "run")["error"]
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_files_of_the_user_are_those_that_were_named(tmp_path: Path, root: Path) -> None:
    own = tmp_path / "my.yaml"
    own.write_bytes((root / "configs" / "machines" / "nwt.yaml").read_bytes())
    (tmp_path / "other.yaml").write_bytes(own.read_bytes())
    desk = Desk([str(own)])
    assert ask(desk, "shipped")["machine"][0] == {"name": str(own), "title": "your file"}
    assert ask(desk, "run", machine=str(own))["elapsed_ns"] == ask(desk, "run")["elapsed_ns"]
    assert "no machine" in ask(desk, "run", machine=str(tmp_path / "other.yaml"))["error"]
    with pytest.raises(InputError, match="no machine and no workload"):
        Desk(["/etc/passwd"])
