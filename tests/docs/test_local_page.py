"""docs/filesystems/local.md: its commands print what the page shows, by its arithmetic."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.result.result import Result
from simulator.run import run_plan
from simulator.units import parse_time

pytestmark = pytest.mark.compiled

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


SLEEP = "{do: compute, time: 60 s}"
WRITE, SYNC = "{do: write, file: log}", "{do: sync, file: log}"
COMMIT = 3_500_000


def ran(phases: str, files: str = "log: {size: 400 KiB, exists: true}") -> Result:
    """Carry out phases on the page's machine."""
    text = f"files: {{{files}}}\njobs: [{{name: j, record: 4 KiB, phases: [{phases}]}}]\n"
    workload = parse_workload(f"format: workload/2\nname: w\n{text}")
    return run_plan(make_plan(parse_machine(MACHINE), workload), debug=True)


def commits(result: Result) -> int:
    return sum(one.requests for name, one in result.parts.items() if "journal" in name)


def longest_sync(*given: str) -> int:
    return ran(*given).latencies["sync"].max_ns


def test_nothing_is_committed_without_a_sync() -> None:
    said("Nothing is committed without a sync, however long a run is.")
    assert commits(ran(f"{WRITE}, {SLEEP}")) == 0
    assert commits(ran(f"{WRITE}, {SYNC}, {SLEEP}")) == 1


def test_a_sync_waits_for_no_other_file_and_for_no_others_to_join() -> None:
    said("A sync of one file waits for no data of another one,")
    said("its commit begins at once if none is under way (`max_batch_time`).")
    files = "log: {size: 400 KiB, exists: true}, other: {size: 400 MB, exists: true}"
    alone = longest_sync(f"{WRITE}, {SYNC}")
    assert longest_sync(f"{{do: write, file: other}}, {WRITE}, {SYNC}", files) == alone
    assert ran(f"{WRITE}, {SYNC}, {SYNC}").latencies["sync"].min_ns == COMMIT + 2000


def test_a_longer_file_commits_no_more() -> None:
    said("A write that makes a file longer commits no more than one that does not.")
    old, new = (
        ran(f"{WRITE}, {SYNC}", f"log: {{size: 400 KiB{key}}}") for key in (", exists: true", "")
    )
    assert commits(old) == commits(new) == 1
    assert old.latencies["sync"].max_ns == new.latencies["sync"].max_ns


def test_direct_calls_need_not_be_aligned() -> None:
    said("Direct calls need not be aligned.")
    result = ran("{do: read, file: log, record: 1001 B, size: 1001 B, offset: 7 B, direct: true}")
    assert result.latencies["read"].count == 1


def said(sentence: str) -> None:
    """See that the page says so."""
    assert sentence in " ".join(TEXT.split()), f"{PAGE.name} does not say any more: {sentence}"


def test_what_replaces_a_file_is_written_back_at_its_close() -> None:
    """The store is far below its watermark, and nothing syncs."""
    said("| close after an open with O_TRUNC and writes; rename to a name that is there |")
    for keys, blocks in (("", 0), (", truncate: true", 100)):
        result = ran(f"{{do: write, file: log{keys}}}, {{do: compute, time: 1 s}}")
        (pages,) = result.stores.values()
        assert pages.counts.get("written_back", 0) == blocks
        assert result.latencies["close"].max_ns < 10_000
