"""docs/failures.md: its files, its table by hand, and what its commands print."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from simulator.result.record import record_of
from simulator.run import load_plan, run_plan
from tests.docs.elided import is_shown
from tests.docs.extending import ROOT, ran, unknown_lines, with_files

SOURCE = ROOT / "docs" / "failures.md"
PAGE = SOURCE.read_text(encoding="utf-8")
SCREENS = [
    screen.split("\n", 1) for screen in re.findall(r"```console\n\$ (.*?)```", PAGE, re.DOTALL)
]
TIMEOUT = "filesystems:\n  home: {tiers: [disk], timeout: 2 s}\n"
NEVER = ("workload.events.0.at", "10 h")
"""When the run has ended long ago."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files of the page."""
    return with_files(tmp_path, SOURCE)


@pytest.mark.few(2)
@pytest.mark.parametrize(("command", "shown"), SCREENS)
def test_a_command_prints_what_the_page_shows(command: str, shown: str, folder: Path) -> None:
    assert is_shown(shown, ran(command, folder))


def on_both(workload: str, settings: list[tuple[str, str]]) -> tuple[dict[str, Any], int]:
    """Run a job of the laboratory on both engines, which give the same; its record, and time."""
    plan = load_plan("raid-lab", workload, settings=settings)
    native, reference = (run_plan(plan, engine=one) for one in ("native", "reference"))
    one, other = map(record_of, (native, reference))
    for record in (one, other):
        del record["engine"]
    assert one == other
    return one, native.elapsed_ns


@pytest.mark.slow
def test_the_laboratory_that_comes_along_is_the_same_on_both_engines() -> None:
    """A small checkpoint, during which the disk fails; and what a rebuild costs."""
    sizes = [(f"workload.files.{name}.size", "32 MB") for name in ("checkpoint", "fields")]
    early = [*sizes, ("workload.events.0.at", "5.2 s"), ("workload.events.0.repair", "200 ms")]
    one, elapsed_ns = on_both("checkpoint-failure", early)
    (array,) = one["arrays"].values()
    assert array["failures"] == 1
    assert array["rebuilt_bytes"] > 0
    assert array["losses"] == 0
    whole = load_plan("raid-lab", "checkpoint-failure", settings=[*sizes, NEVER])
    assert run_plan(whole).elapsed_ns < elapsed_ns


def test_the_job_that_comes_along_goes_on_from_its_checkpoints() -> None:
    """On both engines; without failures nothing is lost, and it ends earlier."""
    settings = [("workload.files.state.size", "64 MiB"), ("workload.jobs.0.repeat", "12")]
    settings.append(("workload.jobs.0.restart.mtbf", "20 h"))
    one, elapsed_ns = on_both("checkpoint-restarts", settings)
    assert one["restarts"]["rank"]["failures"] > 0
    never = ("workload.jobs.0.restart.mtbf", "200000 h")
    whole = run_plan(load_plan("raid-lab", "checkpoint-restarts", settings=[*settings, never]))
    assert whole.elapsed_ns < elapsed_ns


def test_what_the_page_says_of_all_disks() -> None:
    plan = load_plan("raid-lab", "checkpoint-failure", settings=[NEVER])
    (told,) = re.findall(r"it takes ([0-9.]+) s: the rebuild", PAGE)
    assert f"{run_plan(plan).elapsed_ns / 1e9:.3g}" == told


def test_the_page_has_files_and_screens() -> None:
    assert len(SCREENS) > 4
    shipped = (ROOT / "configs" / "workloads" / "checkpoint-restarts.yaml").read_text("utf-8")
    unknown = [one for one in unknown_lines(SOURCE) if one not in shipped]
    assert [one for one in unknown if "mtbf: 1000000 h" not in one] == [TIMEOUT]
