"""Commands that need an optional package say which, and how to install it, before any work."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.extras import EXTRAS, MissingExtraError, need, outdated

BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"matplotlib", "pyarrow", "duckdb", "darshan", "scipy"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
from simulator.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_every_extra_is_one_of_the_project(root: Path) -> None:
    groups = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    optional = groups["optional-dependencies"]
    for package, (name, _) in EXTRAS.items():
        wanted = optional[name] if name else groups["dependencies"]
        assert any(line.startswith(package) for line in wanted)
        assert any(line.startswith(package) for line in groups["dependencies"]) is not bool(name)


def test_what_is_there_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS, "json", ("plots", "plots"))
    need("json")
    monkeypatch.setitem(EXTRAS, "no_such_package", ("plots", "plots"))
    with pytest.raises(MissingExtraError, match=r"no_such_package, needed for plots, is not inst"):
        need("json", "no_such_package")


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("trace summary LOG", "duckdb, needed for reports on traces, is not"),
        ("trace rate LOG --plot OUT.png", "matplotlib, needed for plots, is not"),
        ("trace import LOG -o OUT.parquet", "pyarrow, needed for reading traces, is not"),
        ("run nwt test-write --store OUT.parquet", "pyarrow, needed for --store, is not"),
        ("sweep nwt test-write --vary clients=1 --out OUT --parquet", "pyarrow, needed for --parq"),
        ("replay LOG --on nwt", "pyarrow, needed for reading traces, is not"),
        ("calibrate nwt", "scipy, needed for fits and sweeps of assumptions, is not"),
    ],
)
def test_a_command_says_what_it_needs(words: str, said: str, root: Path, tmp_path: Path) -> None:
    log = str(root / "notebooks" / "data" / "job.strace.gz")
    given = words.replace("LOG", log).replace("OUT", str(tmp_path / "out")).split()
    ran = subprocess.run(
        [sys.executable, "-c", BLOCKED, *given], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    (line,) = ran.stderr.splitlines()
    assert line.startswith(said)
    assert f"install it with: pip install {line.partition(',')[0]}" in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.few(1)
@pytest.mark.parametrize("words", ["trace summary", "advise --on nwt", "replay --on nwt"])
def test_a_log_that_is_not_there_is_said_before_what_is_not_installed(words: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", BLOCKED, *words.split(), "no-such.log"],
        capture_output=True,
        text=True,
        check=False,
    )
    said = "no-such.log: No such file or directory; name a log that can be read\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", said)


def test_a_program_is_recorded_without_any_of_them(tmp_path: Path) -> None:
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    log = tmp_path / "job.log"
    ran = subprocess.run(
        [sys.executable, "-c", BLOCKED, "trace", "record", "--yes", "-o", log, "--", "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in ran.stderr
    assert (ran.returncode == 0) is log.exists()


def test_a_compiled_module_older_than_its_source_is_no_defect(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(*_: object, **__: object) -> int:
        raise KeyError("operation.path")  # As a table without a column.

    (tmp_path / "simulator" / "native").mkdir(parents=True)
    made = ("setup.py", "simulator/native/kernel.abi3.so", "simulator/native/tier.hpp")
    for number, name in enumerate(made):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (number, number))
    monkeypatch.setattr("simulator.cli.main._run", ended)
    monkeypatch.setattr("simulator.cli.main.outdated", lambda: outdated(tmp_path))
    assert main(["list"]) == 3
    said = "kernel.abi3.so is older than simulator/native/tier.hpp; run: make setup"
    printed = capsys.readouterr().err
    assert said in printed
    assert "Traceback" not in printed
    os.utime(tmp_path / made[1], (3, 3))
    assert not outdated(tmp_path)
    assert main(["list"]) == 3
    assert "this is a defect of nwtsim" in capsys.readouterr().err
    os.utime(tmp_path / made[2], (4, 4))
    (tmp_path / "setup.py").unlink()
    assert not outdated(tmp_path)
