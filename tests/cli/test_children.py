"""Code beside a user's data is not carried out: not by a command, nor by what it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulator import children

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("json", "pickle", "selectors", "signal", "socket", "tempfile", "threading", "yaml")
COMMAND = "import sys; from simulator.cli.main import main; sys.exit(main())"
"""What the installed program is: a script in another folder."""
THREADED = """
import threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
from simulator.study.processes import map_in_processes
print(sorted(map_in_processes(len, [(1,), (1, 2)], 2)))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with modules that leave a mark."""
    folder = tmp_path / "data"
    (folder / "simulator").mkdir(parents=True)
    for name in (*NAMES, "simulator/__init__"):
        mark = folder / f"ran-{name.partition('/')[0]}"
        (folder / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    return folder


def carried_out(folder: Path, code: str, *words: str) -> str:
    """Run a script of another folder there; returns what it printed."""
    script = folder.parent / "script.py"
    script.write_text(code, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(script), *words],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not list(folder.glob("ran-*"))
    return done.stdout


def test_the_modules_do_leave_a_mark(folder: Path) -> None:
    """So that the others can fail."""
    with pytest.raises(AssertionError):
        carried_out(folder, "import sys; sys.path.insert(0, ''); import pickle, simulator")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(
            ("reproduce", "ssken", "orion", "--short", "--runs", "1"), marks=pytest.mark.slow
        ),
        ("show", "nwt"),
        ("check", "nwt"),
    ],
)
def test_commands_do_not_look_there(folder: Path, words: tuple[str, ...]) -> None:
    carried_out(folder, COMMAND, *words)


def test_processes_that_are_no_copies_do_not_look_there(folder: Path) -> None:
    assert carried_out(folder, THREADED) == "[((1,), 1), ((1, 2), 2)]\n"


def test_a_command_of_python_does_not_look_there(folder: Path) -> None:
    code = """
import subprocess
from simulator.children import command, environment
subprocess.run(command("import pickle, threading, simulator.units"), env=environment(), check=True)
"""
    carried_out(folder, code)


def test_the_package_is_found_wherever_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", ["", str(ROOT), "/usr/lib/python3"])
    assert children.paths() == ["/usr/lib/python3", str(ROOT)]
