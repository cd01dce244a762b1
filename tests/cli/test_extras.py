"""Commands that need an optional package say which, and how to install it, before any work."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from simulator.extras import EXTRAS, MissingExtraError, need

BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"matplotlib", "pyarrow", "duckdb", "darshan"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
from simulator.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_every_extra_is_one_of_the_project(root: Path) -> None:
    groups = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    optional = groups["optional-dependencies"]
    for package, (names, _) in EXTRAS.items():
        wanted = [line for name in names.split(",") for line in optional[name]]
        assert any(line.startswith(package) for line in wanted)
        assert not any(line.startswith(package) for line in groups["dependencies"])


def test_what_is_there_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS, "json", ("plots", "plots"))
    need("json")
    monkeypatch.setitem(EXTRAS, "no_such_package", ("plots", "plots"))
    with pytest.raises(MissingExtraError, match=r"no_such_package, needed for plots, is not inst"):
        need("json", "no_such_package")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("trace summary LOG", "duckdb, needed for reports on traces, is not"),
        ("trace rate LOG --plot OUT.png", "matplotlib, needed for plots, is not"),
        ("trace import LOG -o OUT.parquet", "pyarrow, needed for reading traces, is not"),
        ("run nwt test-write --store OUT.parquet", "pyarrow, needed for --store, is not"),
        ("sweep nwt test-write --vary clients=1 --out OUT --parquet", "pyarrow, needed for --parq"),
        ("replay LOG --on nwt", "pyarrow, needed for reading traces, is not"),
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
    assert "install it with: pip install 'nwtsim[" in line
    assert list(tmp_path.iterdir()) == []
