"""docs/filesystems/local.md: its commands print what the page shows, by its arithmetic."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.units import parse_time

pytestmark = pytest.mark.compiled("simulator.native.engine")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "filesystems" / "local.md"
TEXT = PAGE.read_text(encoding="utf-8")
MACHINE, WORKLOAD = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = re.findall(
    r"^\$ (nwtsim .*?)(?: 2>&1)? \| grep \^elapsed\n(elapsed .*\n)", TEXT, re.MULTILINE
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("local.yaml").write_text(MACHINE, encoding="utf-8")
    Path("log.yaml").write_text(WORKLOAD, encoding="utf-8")


@pytest.mark.parametrize(("command", "shown"), COMMANDS)
def test_a_command_prints_what_the_page_shows(
    capsys: pytest.CaptureFixture[str], command: str, shown: str
) -> None:
    assert main(shlex.split(command)[1:]) == 0
    assert shown in capsys.readouterr().out


def test_its_arithmetic_is_that_of_the_runs() -> None:
    buffered, synchronous, direct, both, four, fast = (
        parse_time(re.findall(r"elapsed (.*)", shown)[0]) for _, shown in COMMANDS
    )
    copy, write, commit = 512, 51_000 + 500 + 4096 / 3.3, 3_500_000
    assert synchronous == pytest.approx(100 * (copy + write + commit), rel=0.01)
    assert direct == pytest.approx(100 * write, rel=0.1)
    assert both == pytest.approx(synchronous, rel=0.01)
    assert four == pytest.approx(2 * synchronous, rel=0.02)
    assert synchronous - fast == pytest.approx(100 * (commit - 50_000), rel=0.01)
    assert buffered < direct


def test_it_says_what_limits(capsys: pytest.CaptureFixture[str]) -> None:
    (command,) = re.findall(r"`(nwtsim run local.yaml[^`]*)` names the journal", TEXT)
    assert main(shlex.split(command)[1:]) == 0
    assert "What limits: overhead of journal." in capsys.readouterr().out
