"""docs/production.md: its files, its schedule by hand, and what is refused.

And the files and screens of *In production* in experiments/nwt/README.md.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.run import load_plan, run_plan
from tests.docs.elided import is_shown
from tests.docs.extending import ROOT, ran

PAGE = (ROOT / "docs" / "production.md").read_text(encoding="utf-8")
BOTH = PAGE + (ROOT / "experiments" / "nwt" / "README.md").read_text(encoding="utf-8")
FILES = re.findall(r"`([\w-]+\.yaml)`:\n\n```yaml\n(.*?)```", BOTH, re.DOTALL)
SCREENS = [
    screen.split("\n", 1) for screen in re.findall(r"```console\n\$ (.*?)```", BOTH, re.DOTALL)
]
HOUR = 3600 * 10**9


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files of the page."""
    for name, text in FILES:
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("command", "shown"), SCREENS)
def test_a_command_prints_what_the_page_shows(command: str, shown: str, folder: Path) -> None:
    assert is_shown(shown, ran(command, folder))


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    ("backfill", "starts"), [("easy", [0, 2, 1 / 3, 3]), ("none", [0, 2, 3, 3])]
)
def test_its_schedule_by_hand(
    folder: Path, engine: str, backfill: str, starts: list[float]
) -> None:
    settings = [("machine.nodes.node.queue.backfill", backfill)]
    plan = load_plan(folder / "four-nodes.yaml", folder / "four-jobs.yaml", settings=settings)
    (made,) = run_plan(plan, engine=engine).queues  # type: ignore[arg-type]
    assert [one / HOUR for one in made.start] == pytest.approx(starts)


def test_its_nights_and_weekends_are_read(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(off:.*?)```", PAGE, re.DOTALL)
    lines = text.replace("\n", "\n      ")
    (tmp_path / "m.yaml").write_text(
        f"format: machine/2\nname: m\nnodes:\n  node:\n    count: 166\n    queue:\n      {lines}",
        encoding="utf-8",
    )
    (tmp_path / "w.yaml").write_text(
        "format: workload/2\nname: w\njobs: [{name: a, phases: [{do: compute, time: 1 s}]}]",
        encoding="utf-8",
    )
    (queue,) = load_plan(tmp_path / "m.yaml", tmp_path / "w.yaml").queues
    assert [(pool.first, pool.count) for pool in queue.pools] == [(0, 140), (140, 26)]
    assert queue.pools[0].off[:2] == ((20 * HOUR, 32 * HOUR), (44 * HOUR, 56 * HOUR))
    begin, end = queue.pools[1].off[0]
    assert begin == 0
    assert 300 <= end / (24 * HOUR) < 302  # Then a weekend begins, and a night.
