"""RIKEN's Filebench script: its steps, those of the real program, and the frozen prediction."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from experiments.filebench.__main__ import FROZEN, PACE, _run, compare, main
from experiments.filebench.model import calls, simulate
from experiments.filebench.steps import FOLDER, Step, Thread, path_of, script, threads

FLOWOPS = {
    "createfile": "create",
    "writewholefile": "write",
    "closefile": "close",
    "openfile": "open",
    "appendfilerand": "append",
    "readwholefile": "read",
    "deletefile": "unlink",
    "statfile": "stat",
}


def left(one: Thread) -> dict[int, int]:
    """Follow the steps on a dictionary; return what is there at the end, with its size."""
    there = dict(one.before)
    for step in one.steps:
        if step.do == "create":
            assert step.file not in there
            there[step.file] = 0
        assert step.file in there
        if step.do in ("write", "append"):
            assert step.offset == there[step.file]
            there[step.file] += step.size
        elif step.do == "read":
            assert step.size == there[step.file]
        elif step.do == "unlink":
            del there[step.file]
    return there


def test_a_cycle_has_the_steps_of_the_printed_script_in_order() -> None:
    text = (FOLDER / "riken.f").read_text("utf-8")
    printed = [FLOWOPS[name] for name in re.findall(r"flowop (\w+)", text)]
    assert len(printed) == 11
    (one,) = threads(1, cycles=2)
    assert [step.do for step in one.steps] == printed * 2
    assert (script()["nfiles"], script()["iosize"]) == (10_000, 1 << 20)


def test_steps_are_possible_one_after_the_other() -> None:
    several = threads(3, cycles=200)
    for one in several:
        assert len(left(one)) == len(one.before)
    files = [{step.file for step in one.steps} | set(one.before) for one in several]
    assert not files[0] & files[1] | files[0] & files[2] | files[1] & files[2]
    sizes = [size for one in several for size in one.before.values()]
    assert sum(sizes) / len(sizes) == pytest.approx(script()["meanfilesize"], rel=0.1)
    assert len(sizes) == pytest.approx(0.8 * 3000, rel=0.05)


def test_calls_of_a_step_by_hand() -> None:
    mib = 1 << 20
    assert calls(Step("write", 1, mib + 5), mib, many=False) == [
        ("write", 0, mib),
        ("write", mib, 5),
    ]
    assert calls(Step("append", 1, 7, 100), mib, many=False) == [
        ("seek", 100, 0),
        ("write", 100, 7),
    ]
    assert calls(Step("read", 1, 9), mib, many=False) == [
        ("seek", 0, 0),
        ("read", 0, 9),
        ("read", 9, 0),
    ]
    assert calls(Step("stat", 1), mib, many=True) == [("stat", 0, 1)]
    assert calls(Step("open", 1), mib, many=False) == [("open", 0, 0)]


@pytest.mark.compiled
def test_the_machine_still_predicts_what_was_frozen() -> None:
    assert FROZEN.intact()
    found = simulate(FOLDER / "host.yaml", 1)
    frozen = {row["what"]: row["value"] for row in FROZEN.rows("predictions.csv")}
    assert {what: f"{time / 1e3:.4g}" for what, time in found.medians_ns.items()} == {
        what: value for what, value in frozen.items() if what not in PACE
    }


@pytest.mark.compiled
def test_ten_threads_take_longer_than_one_and_work_ten_times_as_much() -> None:
    one, ten = (simulate(FOLDER / "host.yaml", count, cycles=20) for count in (1, 10))
    assert one.elapsed_ns < ten.elapsed_ns < 10 * one.elapsed_ns
    assert ten.processor_ns == pytest.approx(10 * one.processor_ns, rel=0.15)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_real_program_makes_these_steps(tmp_path: Path) -> None:
    program = tmp_path / "steps"
    words = ["cc", "-Wall", "-Wextra", "-Werror", "-O2", "-pthread", "-o", str(program)]
    subprocess.run([*words, str(FOLDER / "steps.c")], check=True)
    lists = threads(2, cycles=5)
    found = _run(program, tmp_path / "set", lists)
    assert sorted(found.medians_ns) == sorted(FLOWOPS.values())
    assert found.elapsed_ns > 0
    wanted = {path_of(file): size for one in lists for file, size in left(one).items()}
    files = (tmp_path / "set").glob("*/*")
    assert {f"{at.parent.name}/{at.name}": at.stat().st_size for at in files} == wanted
    bad = tmp_path / "bad"
    bad.write_text("begin - 0\nopen absent 0\n", "ascii")
    ran = subprocess.run([program, tmp_path, bad], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr == "steps: open absent: No such file or directory\n"


def test_predictions_are_judged_one_by_one() -> None:
    results = FROZEN.rows("predictions.csv")
    assert "10 numbers: median error 0 %, geometric mean 0 %" in compare(results)
    half = [{**row, "value": str(float(row["value"]) / 2)} for row in results]
    assert compare(half).count("+100 %") == 10
    assert "median error 100 %" in compare(half)
    assert {FROZEN.key(row) for row in FROZEN.rows("measured.csv")} == set(FROZEN.predicted())


def test_what_is_no_question_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "nowhere"]) == 2
    assert "[write | compare FILE.csv | run DIR]" in capsys.readouterr().err
