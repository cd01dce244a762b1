"""64 clients with flash and 8 servers, as a new user writes them: answers in run, sweep, advise.

The first-ranked lever is compared with runs of all levers, whether they can act or not.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from simulator.answers.again import InputsAgain
from simulator.answers.limits import Limits, limits_of
from simulator.cli.main import main
from simulator.run import Inputs, load_inputs, run_plan
from simulator.units import format_time
from tests.answers.machines import doublings
from tests.answers.modern import VARIANTS, Variant
from tests.cli.commands import Capture, elapsed

pytestmark = pytest.mark.compiled

QUICK = "absorbed by flash"
"""The variant that is tried in the quick tests too."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(variant: Variant) -> tuple[str, str]:
    """Write both files of a variant, and return their names."""
    for name, text in zip(("modern.yaml", "job.yaml"), variant.texts, strict=True):
        Path(name).write_text(text)
    return "modern.yaml", "job.yaml"


def limits(inputs: Inputs) -> Limits:
    plan = inputs.plan()
    return limits_of(InputsAgain(inputs), plan, run_plan(plan))


def variants() -> list[object]:
    """Return all variants; all but one are slow."""
    return [
        pytest.param(
            one, id=one.name.replace(" ", "-"), marks=[pytest.mark.slow] * (one.name != QUICK)
        )
        for one in VARIANTS
    ]


@pytest.mark.parametrize("variant", variants())
@pytest.mark.usefixtures("here")
def test_the_first_lever_is_the_best_of_all(variant: Variant) -> None:
    inputs = load_inputs(*written(variant), noisy=False)
    found = limits(inputs)
    assert found.first is not None
    assert found.first.lever.resource in variant.resources
    assert found.first.twice.elapsed_ns <= min(doublings(inputs).values())


@pytest.mark.slow
@pytest.mark.parametrize("variant", variants())
@pytest.mark.usefixtures("here")
def test_no_printed_command_is_refused(variant: Variant, capsys: Capture) -> None:
    """Neither those of a run nor those of all advice; each gives the seconds beside it."""
    files = written(variant)
    assert main(["run", *files]) == 0
    printed = re.findall(r"^  (.+): (nwtsim run .*)$", capsys.readouterr().out, re.MULTILINE)
    assert printed
    for time, command in printed:
        assert format_time(elapsed(capsys, shlex.split(command))) == time
    assert main(["advise", *files, "--format", "json"]) == 0
    for one in json.loads(capsys.readouterr().out)["advice"]:
        assert elapsed(capsys, one["command"]) == one["predicted_ns"]


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_a_sweep_says_at_each_point_what_helps_most() -> None:
    """From few servers, which limit, to many, behind which the network or the clients do."""
    files = written(next(one for one in VARIANTS if one.name == "slow network"))
    words = ["sweep", *files, "--vary", "server=1,8,64", "--vary", "nic.rate=1.25 GB/s,12.5 GB/s"]
    assert main([*words, "--limits", "--no-plot", "--jobs", "1", "--out", "swept"]) == 0
    limiting = set()
    for row in json.loads(Path("swept/points.json").read_text()):
        settings = [("server", str(row["server"])), ("nic.rate", row["nic.rate"])]
        inputs = load_inputs(*files, settings, noisy=False)
        now = run_plan(inputs.plan()).elapsed_ns
        best = now - min(doublings(inputs).values())
        assert row["limit_saves_s"] == best / 1e9
        limiting.add(row["limit"])
    assert len(limiting) >= 2
