"""The long comparison of engines: it finds a planted difference, and says where."""

from __future__ import annotations

import itertools
import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import simulator.native.run as native
from simulator.plan.plan import Plan
from simulator.reference.actor import Clock
from tests import fuzz_engines
from tests.draws.plans.draw import any_plan_of
from tests.engines import records
from tests.engines.child import Child
from tests.engines.compare import complaint_of
from tests.fuzz_engines import Outcome, compare

Capture = pytest.CaptureFixture[str]
MANY = 4


class Here:
    """An engine in this process, where a test can change it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked = ""

    def ask(self, plan: str) -> None:
        self.asked = plan

    def answer(self) -> str:
        return records.record(self.name, records.plan_named(self.asked))


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> int:
    """Make the native engine wrong by 1 ns for many processes; gives the first seed of such."""
    right = records.run_native

    def wrong(plan: Plan, **options: bool) -> Any:
        result = right(plan, **options)
        result.end_ns += len(plan.processes) >= MANY
        return result

    monkeypatch.setattr(records, "run_native", wrong)
    monkeypatch.setattr(fuzz_engines, "start", lambda *_: [Here("reference"), Here("native")])
    seeds = itertools.count(10)
    return next(seed for seed in seeds if len(records.plan_named(str(seed)).processes) >= MANY)


def test_a_planted_difference_is_found(planted: int, capsys: Capture) -> None:
    assert fuzz_engines.main(["--plans", "50", "--seed", "10"]) == 1
    out = capsys.readouterr().out
    right = json.loads(records.record("reference", records.plan_named(str(planted))))["end_ns"]
    assert f"\n{planted - 10} plans agree (" in out
    assert f"\nseed {planted}:\nreference and native differ:\n" in out
    assert f"\n  end_ns: {right}, {right + 1}\n" in out
    again = shlex.split(out.partition("\nagain: ")[2])
    assert again[:3] == [sys.executable, "-m", "tests.fuzz_engines"]
    assert fuzz_engines.main(again[3:]) == 1
    assert f"seed {planted}:\nreference and native differ" in capsys.readouterr().out


def test_an_engine_that_breaks_is_a_failure_though_all_do() -> None:
    broken = {"broken": "IdentityError: a byte is missing"}
    answers = {"reference": broken, "native": broken}
    assert complaint_of(answers).splitlines() == [
        "reference is broken: IdentityError: a byte is missing",
        "native is broken: IdentityError: a byte is missing",
    ]


def test_clients_that_are_blocked_alike_agree_and_are_counted() -> None:
    class Blocked(Here):
        def answer(self) -> str:
            return json.dumps({"blocked": "clients wait for ever: job0"})

    outcome = Outcome()
    compare([Blocked("reference"), Blocked("native")], range(3), outcome)
    assert (outcome.agreed, outcome.blocked, outcome.failed) == (3, 3, None)


def test_what_has_no_end_is_given_up_by_both_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "count", Clock.count)  # so that it is put back
    monkeypatch.setattr(native, "advance", native.advance)
    records.stop_the_endless(50)
    outcome = Outcome()
    compare([Here("reference"), Here("native")], range(20), outcome)
    assert outcome.agreed == 20
    assert 0 < outcome.endless < 20


@pytest.mark.slow
def test_both_engines_count_the_same_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one event less than a plan has, both engines say that it is endless."""
    count, advance = Clock.count, native.advance
    shared = [
        seed for seed in range(60) if any(p.kind == "shared" for p in any_plan_of(seed).parts)
    ]
    for seed in shared[:8]:
        events = native.run_native(any_plan_of(seed)).events
        for most, endless in ((events, 0), (events - 1, 1)):
            monkeypatch.setattr(Clock, "count", count)
            monkeypatch.setattr(native, "advance", advance)
            records.stop_the_endless(most)
            outcome = Outcome()
            compare([Here("reference"), Here("native")], [seed], outcome)
            assert (outcome.agreed, outcome.endless) == (1, endless), (seed, outcome.complaint)
        monkeypatch.setattr(native, "advance", advance)


# -- with processes -----------------------------------------------------------------------------


def start(root: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.fuzz_engines", *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=root, stdout=pipe, stderr=pipe, encoding="utf-8")


def test_the_engines_agree(root: Path) -> None:
    process = start(root, "--plans", "3", "--seed", "2")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert "Comparing reference, native: seeds from 2 to 4\n" in out
    assert "\n3 plans agree (" in out
    assert out.endswith("\nto go on: make fuzz-engines SEED=5\n")


@pytest.mark.slow
def test_ctrl_c_says_where_to_go_on(root: Path) -> None:
    with start(root, "--plans", "0") as process:
        assert process.stdout is not None
        line = ""
        while "seeds from 0 on" not in line:
            line = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate()
    assert (process.returncode, err) == (130, "")
    assert out.endswith(f"to go on: make fuzz-engines SEED={out.split()[0]}\n")


def test_an_engine_that_hangs_is_ended() -> None:
    child = Child("reference")
    child.patience_s = 0.1
    assert json.loads(child.answer()) == {  # it was asked for nothing
        "broken": "it was killed, perhaps because there was no answer for 0.1 s"
    }
    child.ask("1")
    assert "broken" in child.answer()
    child.close()


def test_an_engine_that_ends_says_how(capfd: Capture) -> None:
    child = Child("reference")
    child.ask("no-such-cell")
    assert json.loads(child.answer()) == {"broken": "it ended with code 1"}
    child.close()
    assert "ValueError" in capfd.readouterr().err


@pytest.mark.parametrize("words", [["--plans", "-1"], ["--seed", "x"], ["--plan", "1"]])
def test_bad_input(words: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit, match="2"):
        fuzz_engines.main(words)
    assert "usage: python -m tests.fuzz_engines" in capsys.readouterr().err
