"""The mutation run: its list is in order, and it tells killed mutants from survivors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from experiments.validation.in_a_minute import mutants_summary
from tests.mutants import __main__ as command
from tests.mutants.__main__ import (
    KILLED,
    RESULTS,
    SURVIVED,
    WRONG,
    Campaign,
    Outcome,
    save,
    summary,
)
from tests.mutants.listed import Mutant, MutantError, faults, load
from tests.mutants.running import BROKEN, FAILED, HUNG, PASSED, Copy, verdict

Capture = pytest.CaptureFixture[str]
FEW = 30
"""Mutants that there are at least of the model."""

# -- the list -----------------------------------------------------------------------------------


def test_each_text_to_be_changed_is_in_its_file_exactly_once() -> None:
    assert len(load()) >= FEW


def test_mutants_are_spread_over_the_model() -> None:
    files = {one.file for one in load()}
    for room in ("reference", "native", "plan", "runtime", "config/lowering"):
        assert sum(file.startswith(f"simulator/{room}/") for file in files) >= 3, room


def test_what_is_wrong_with_a_list_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = 1\n")
    good = mutant("good", "x = 1", "x = 2")
    bad = [
        mutant("twice", "= 1", "= 2"),
        mutant("absent", "z", "w"),
        mutant("same", "x = 1", "x = 1"),
        Mutant("untested", "a.py", "x = 1", "x = 2", "", ()),
        Mutant("lost", "b.py", "x", "y", "", ("a.py",)),
        good,
    ]
    assert faults([good, *bad], tmp_path) == [
        "good: this id is given twice",
        "twice: a.py: '= 1' is there 2 times; give text found once",
        "absent: a.py: 'z' is not there; give text found once",
        "same: nothing is changed",
        "untested: no tests; name those that should notice it",
        "lost: there is no b.py",
    ]
    with pytest.raises(MutantError, match="'z' is not there"):
        mutant("absent", "z", "w").mutate("x")
    path = tmp_path / "list.yaml"
    path.write_text("- {id: a, file: b}")
    with pytest.raises(MutantError, match="a: write breaks, file, id, new, old, tests"):
        load(path)


def test_the_last_run_killed_each_that_is_listed() -> None:
    noticed = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert [one.id for one in load() if not noticed.get(one.id)] == []


def mutant(name: str, old: str, new: str) -> Mutant:
    return Mutant(name, "a.py", old, new, "it is wrong", ("a.py",))


# -- verdicts -----------------------------------------------------------------------------------

LINES = """\
tests/a.py::test_x[1-a b] PASSED                                     [  7%]
tests/a.py::test_y SKIPPED (why)                                     [  9%]
"""


@pytest.mark.parametrize(
    ("code", "output", "hung", "outcome", "test"),
    [
        (0, LINES, False, PASSED, ""),
        (1, LINES + "tests/a.py::test_z FAILED [ 10%]\n", False, FAILED, "tests/a.py::test_z"),
        (1, LINES + "tests/a.py::test_z ERROR [ 10%]\n", False, FAILED, "tests/a.py::test_z"),
        (1, LINES, False, BROKEN, ""),
        (2, "ERROR tests/a.py - SyntaxError", False, BROKEN, ""),
        (4, "no such file", False, BROKEN, ""),
        (5, "no tests ran", False, BROKEN, ""),
        (-signal.SIGKILL, LINES + "tests/a.py::test_z \n", True, HUNG, "tests/a.py::test_z"),
        (-signal.SIGXCPU, LINES + "tests/a.py::test_z ", False, HUNG, "tests/a.py::test_z"),
        (-signal.SIGSEGV, LINES + "tests/a.py::test_z ", False, FAILED, "SIGSEGV"),
    ],
)
def test_what_pytest_says_of_a_mutant(
    code: int, output: str, hung: bool, outcome: str, test: str
) -> None:
    found = verdict(code, output, hung=hung)
    assert (found.outcome, found.test) == (outcome, test)


def test_survivors_are_named() -> None:
    one, other = mutant("one", "x", "y"), mutant("other", "x", "z")
    outcomes = [Outcome(one, SURVIVED), Outcome(other, KILLED, "a::b")]
    assert summary(outcomes) == "2 mutants, 1 killed\nsurvived: one (a.py): it is wrong"


def test_the_page_counts_errors_and_names_what_is_left(tmp_path: Path) -> None:
    assert mutants_summary(tmp_path / "none.json") == ""
    path = tmp_path / "results.json"
    mutants = [mutant(name, "x", "y") for name in ("a", "b", "c", "d")]
    outcomes = [Outcome(one, KILLED, "t::t") for one in mutants]
    save(outcomes, mutants, path)
    assert mutants_summary(path).endswith("tests detected 4 of 4.")
    save([Outcome(mutants[3], SURVIVED)], mutants, path)  # The others as they were.
    assert mutants_summary(path).endswith("tests detected 3 of 4, and not d.")
    save(outcomes[:1], mutants[:2], path)  # What is listed no more is forgotten.
    assert mutants_summary(path).endswith("tests detected 2 of 2.")


# -- a run --------------------------------------------------------------------------------------

CODE = "def double(x):\n    return 2 * x\n\n\ndef half(x):\n    return x / 2\n"
TESTS = """\
import time
from code_here import double, half

def test_double():
    assert double(2) == 4

def test_half():
    assert half(3) == 1.5
    while half(2) == 5: pass

def test_always_wrong():
    assert half(3) != half(3)
"""


def in_code(name: str, old: str, new: str, test: str) -> Mutant:
    return Mutant(name, "code_here.py", old, new, "", (f"tests/test_code.py{test}",))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one module."""
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "code_here.py").write_text(CODE)
    (root / "tests" / "test_code.py").write_text(TESTS)
    profile = "from hypothesis import settings\nsettings.register_profile('quarter')\n"
    (root / "conftest.py").write_text(profile)
    (root / "pytest.ini").write_text("[pytest]\npythonpath = .\nmarkers = slow\n")
    return root


@pytest.mark.slow
def test_killed_hung_survived_and_wrong(project: Path, tmp_path: Path) -> None:
    mutants = [
        in_code("killed", "2 * x", "3 * x", "::test_double"),
        in_code("hung", "x / 2", "5 if x == 2 else x / 2", "::test_half"),
        in_code("survivor", "2 * x", "x + x", "::test_double"),
        in_code("broken", "2 * x", "2 *", "::test_double"),
        in_code("of-no-worth", "2 * x", "x * 2", "::test_always_wrong"),
    ]
    heard: list[str] = []
    campaign = Campaign(tmp_path / "copies", 2, 6, project)
    outcomes = campaign.run(mutants, lambda one: heard.append(one.mutant.id))
    assert sorted(heard) == sorted(one.id for one in mutants)
    assert [(one.result, one.by, one.hung) for one in outcomes[:3]] == [
        (KILLED, "tests/test_code.py::test_double", False),
        (KILLED, "tests/test_code.py::test_half", True),
        (SURVIVED, "", False),
    ]
    assert outcomes[3].result == WRONG
    assert outcomes[3].by.startswith("its tests do not run: ")
    wrong = "tests/test_code.py::test_always_wrong"
    assert (outcomes[4].result, outcomes[4].by) == (WRONG, f"{wrong} fails without it")
    assert (project / "code_here.py").read_text() == CODE


def test_a_copy_has_a_mutant_and_then_not(project: Path, tmp_path: Path) -> None:
    copy = Copy(project, tmp_path / "copy")
    path = copy.folder / "code_here.py"
    before = path.stat().st_mtime_ns
    for number in (3, 4):
        with copy.having(in_code("one", "2 * x", f"{number} * x", "")):
            assert f"{number} * x" in path.read_text()
            assert abs(path.stat().st_mtime_ns - before) > 1e9
    assert (path.read_text(), path.stat().st_mtime_ns) == (CODE, before)


SETUP = """\
import os
from pathlib import Path
source, made = Path("simulator/code.hpp"), Path("simulator/code.abi3.so")
made.unlink()
if "syntax" in source.read_text():
    print("code.hpp:1: error: not C++")
else:
    made.write_text(source.read_text() + os.environ["NWTSIM_OPT"])
"""
IN_CPP = """\
from pathlib import Path

def test_double():
    assert "2 * x" in Path("simulator/code.abi3.so").read_text()
"""


@pytest.fixture
def in_cpp(project: Path) -> Path:
    """With a module in C++, and a compiler that copies its source."""
    (project / "simulator").mkdir()
    (project / "simulator" / "code.hpp").write_text("return 2 * x;")
    (project / "simulator" / "code.abi3.so").write_text("return 2 * x;")
    (project / "setup.py").write_text(SETUP)
    (project / "tests" / "test_cpp.py").write_text(IN_CPP)
    return project


def cpp(name: str, new: str) -> Mutant:
    return Mutant(name, "simulator/code.hpp", "2 * x", new, "", ("tests/test_cpp.py",))


def test_a_mutant_in_cpp_is_compiled_and_then_not(in_cpp: Path, tmp_path: Path) -> None:
    copy = Copy(in_cpp, tmp_path / "copy")
    made = copy.folder / "simulator" / "code.abi3.so"
    with copy.having(cpp("killed", "3 * x")) as error:
        assert (error, made.read_text()) == ("", "return 3 * x;0")
    assert made.read_text() == "return 2 * x;"
    assert made.stat().st_mtime >= (copy.folder / "simulator" / "code.hpp").stat().st_mtime
    with copy.having(cpp("broken", "syntax")) as error:
        assert error == "code.hpp:1: error: not C++"
        assert not made.exists()
    assert made.read_text() == "return 2 * x;"


@pytest.mark.slow
def test_what_does_not_compile_is_wrong_and_not_killed(in_cpp: Path, tmp_path: Path) -> None:
    mutants = [cpp("killed", "3 * x"), cpp("survivor", "2 * x + 0"), cpp("broken", "syntax")]
    campaign = Campaign(tmp_path / "copies", 1, 6, in_cpp)
    outcomes = campaign.run(mutants, lambda _: None)
    assert [one.result for one in outcomes] == [KILLED, SURVIVED, WRONG]
    assert outcomes[2].by == "it does not compile: code.hpp:1: error: not C++"


# -- the command --------------------------------------------------------------------------------


def test_the_command_lists_mutants(capsys: Capture) -> None:
    assert command.main(["--list", "--only", "seek-*"]) == 0
    said = capsys.readouterr().out
    wanted = ["seek-forgotten", "simulator/kinds/parts/disk/reference.py"]
    assert said.splitlines()[0].split() == wanted


def test_a_name_of_no_mutant_is_told(capsys: Capture) -> None:
    assert command.main(["--only", "seek-*", "nothing"]) == 2
    assert "error: --only: there is no mutant nothing; see --list" in capsys.readouterr().err


def test_a_survivor_is_exit_code_1(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def run(_: Campaign, mutants: Sequence[Mutant], tell: object) -> list[Outcome]:
        del tell
        return [Outcome(one, SURVIVED) for one in mutants]

    monkeypatch.setattr(Campaign, "run", run)
    monkeypatch.setattr(command, "save", lambda *_: None)
    assert command.main(["--only", "seek-forgotten"]) == 1
    assert (
        "survived: seek-forgotten (simulator/kinds/parts/disk/reference.py)"
        in capsys.readouterr().out
    )


@pytest.mark.slow
def test_an_interrupt_removes_the_copies(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.mutants", "--only", "seek-forgotten"]
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        while not list(tmp_path.glob("nwtsim-mutants-*/copy1/tests")):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said = process.communicate()[0].decode()
    assert process.returncode == command.INTERRUPTED, said
    assert list(tmp_path.iterdir()) == []
