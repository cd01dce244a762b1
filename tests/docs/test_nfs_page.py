"""docs/filesystems/nfs.md: its commands print what it says, and its times are those by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.run import run_plan
from tests.docs.extending import ROOT

PAGE = ROOT / "docs" / "filesystems" / "nfs.md"
TEXT = PAGE.read_text(encoding="utf-8")
MACHINE = (PAGE.with_suffix("") / "nfs.yaml").read_text(encoding="utf-8")
JOB = """\
format: workload/2
name: one
files: {f: {size: 1 MB, exists: true}}
jobs:
  - {name: job, phases: [{do: PHASE, file: f, count: COUNT}]}
"""


REQUEST = 2 * (50_000 + 1_024) + 20_000
"""Two messages of 128 B at 125 MB/s, and the server; ns."""
ASKED = 2_000 + REQUEST
"""The call, and a request."""
OPENED = ASKED + REQUEST
"""The call, a lookup and the open itself."""


@pytest.mark.parametrize(
    ("phase", "first", "more"),
    [
        ("stat", ASKED, 2_000),
        ("lookup", ASKED, 2_000),
        ("open", OPENED, OPENED),
        ("setattr", ASKED + 3_500_000, ASKED + 3_500_000),
        ("create", OPENED + 40_000 + 3_500_000, OPENED + 40_000 + 3_500_000),
    ],
)
def test_operations_take_what_they_take_by_hand(
    phase: str, first: int, more: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine, job = tmp_path / "nfs.yaml", tmp_path / "job.yaml"
    machine.write_text(MACHINE)
    job.write_text(JOB.replace("PHASE", phase).replace("COUNT", "3"))
    assert main(["run", str(machine), str(job), "--format", "json", "--no-limits"]) == 0
    assert json.loads(capsys.readouterr().out)["elapsed_ns"] == first + 2 * more


def times(phases: str) -> dict[str, int]:
    """Return the mean time of each kind of operation in phases of one process; ns."""
    text = "files: {f: {size: 1 MB, exists: true}}\n"
    text += f"jobs: [{{name: j, record: 1 MB, phases: [{phases}]}}]\n"
    workload = parse_workload(f"format: workload/2\nname: w\n{text}")
    result = run_plan(make_plan(parse_machine(MACHINE), workload), debug=True)
    return {name: round(one.mean_ns) for name, one in result.latencies.items()}


def test_what_it_says_of_opens_listings_and_locks() -> None:
    page = " ".join(TEXT.split())
    assert "Each `open` asks the server (no delegations), a `readdir` brings no attributes" in page
    assert "a lock asks nothing of the server." in page
    assert times("{do: open, file: f, count: 2}")["open"] == OPENED
    assert times("{do: readdir, file: f}, {do: stat, file: f}")["stat"] == ASKED
    assert times("{do: lock, name: l}, {do: unlock, name: l}")["lock"] == 0


def test_a_write_that_truncates_waits_for_the_journal_once_more() -> None:
    assert "also where an open does it (`O_TRUNC`, `truncate: true`)." in " ".join(TEXT.split())
    plain = times("{do: write, file: f}")
    emptied = times("{do: write, file: f, truncate: true}")
    assert "setattr" not in plain
    assert (emptied["setattr"], emptied["open"]) == (ASKED + 3_500_000, OPENED)
    assert emptied["close"] == plain["close"]
