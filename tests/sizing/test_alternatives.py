"""Several machines in one requirement: the page, what programs get, and the mistakes."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path

import pytest

import nwtsim
from simulator.cli.main import main
from simulator.config.errors import ConfigError
from simulator.inputfile import Text
from simulator.report.progress import SizingLine
from simulator.sizing import search
from simulator.sizing.alternatives import every_loads, runner_up
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes
from tests.sizing.pages import written_size
from tests.sizing.texts import mistake_in

EITHER = """\
format: requirement/1
name: either
currency: USD
workloads:
  copy: {workload: copy-file, set: {source.size: 8 MB, copy.size: 8 MB}}
targets:
  - {workload: copy, elapsed: 1 s}
  - {workload: copy, elapsed: 2 s, states: slow}
  - {capacity: 3 TB}
states: {slow: {set: {disk.rate: 20 MB/s}}}
catalogue:
  disk: {price: 100, power: 8 W, size: 1 TB}
  drive: {price: 180, size: 1 TB}
  box: {price: 1000, takes: {disk: 6, drive: 6}, serves: {memory: 9}}
alternatives:
  disks:
    machine: workstation
    choices:
      boxes: {values: [1, 2], buys: {box: 1}}
      disks: {values: 1..4 +1, per: boxes, buys: {disk: 2}, redundancy: mirror}
  drives:
    machine: workstation
    set: {disk.seek: 3 ms}
    states: {slow: {set: {disk.rate: 30 MB/s}}}
    choices:
      boxes: {values: [1], buys: {box: 1}}
      drives: {values: 1..6 +1, buys: {drive: 1}}
"""


def sized(text: str, *, jobs: int = 1) -> Sized:
    return search.size(Text(text, "either.yaml"), executor=Processes(jobs))


@pytest.fixture(scope="module")
def found() -> Sized:
    return sized(EITHER)


def test_the_cheapest_of_all_and_the_best_of_each(found: Sized) -> None:
    """Three drives of 180 cost less than six disks of 100; a fourth drive comes before these."""
    assert found.winner is not None
    assert (found.alternative, found.winner.levels, found.winner.price) == (
        *("drives", ("1", "3")),
        1540,
    )
    second = runner_up(found)
    assert second is not None
    assert (second[0].alternative, second[1].price) == ("disks", 1600)
    told = " ".join(written_size(found, full=True).split())
    assert "Buy drives: boxes 1, drives 3: 1,540 USD, 3.00 TB usable." in told
    assert (
        "Runner-up: disks: boxes 1, disks 3: 1,600 USD, 48 W, 3.00 TB usable; dearer by 60" in told
    )
    assert (
        "Best of disks: boxes 1, disks 3: 1,600 USD, 48 W, 3.00 TB usable; dearer by 60 U" in told
    )
    assert "drives: 6 combinations, of which 6 can be built" in told
    assert "disks: 8 combinations, of which 6 can be built" in told


def test_programs_get_all_of_them(found: Sized) -> None:
    record = json.loads(written_size(found, "json"))
    assert record["answer"]["alternative"] == record["alternative"] == "drives"
    assert record["runner_up"]["alternative"] == "disks"
    assert [*record["alternatives"]] == ["disks", "drives"]
    assert record["alternatives"]["disks"]["answer"]["price"] == 1600
    rows = [*csv.DictReader(io.StringIO(written_size(found, "csv")))]
    prices = {(one["alternative"], one["boxes"], one["disks"], one["drives"]) for one in rows}
    assert {("disks", "1", "3", ""), ("drives", "1", "", "3")} <= prices
    assert "Best of disks" in written_size(found, "html")


def test_printed_commands_give_the_printed_figures(
    found: Sized, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of both alternatives, in both states: each has its own seek and its own slow state."""
    record = json.loads(written_size(found, "json"))
    full = written_size(found, full=True)
    times = set()
    for one in record["alternatives"].values():
        figures = [
            each["value"] for each in one["answer"]["targets"] if each["figure"] == "elapsed"
        ]
        assert len(one["commands"]) == len(figures) == 2
        for command, figure in zip(one["commands"], figures, strict=True):
            assert command in full
            assert main([*shlex.split(command)[1:], "--format", "json"]) == 0
            assert json.loads(capsys.readouterr().out)["elapsed_ns"] == figure
            times.add(figure)
    assert len(times) == 4


def test_processes_do_not_show(found: Sized) -> None:
    two = sized(EITHER, jobs=2)
    for form in ("table", "json", "csv"):
        assert written_size(found, form) == written_size(two, form)


def test_an_interrupted_search_tells_the_best_of_all() -> None:
    """Disks are searched first, and are cheaper than four drives."""
    found = sized(EITHER.replace("1..6 +1", "[4, 5]"))
    with SizingLine(io.StringIO(), 1, wanted=False) as line:
        for one in found.alternatives.values():
            line.heard(one)
        said = line.interrupted("stopped", kept=False)
    assert "best so far: 1,600 USD, disks: boxes 1, disks 3" in said


def test_one_that_meets_nothing_is_told_with_what_it_misses() -> None:
    told = " ".join(written_size(sized(EITHER.replace("1..6 +1", "[1, 2]"))).split())
    assert "Buy disks: boxes 1, disks 3: 1,600 USD" in told
    assert (
        "drives: Nothing that can be bought meets this. Nearest: boxes 1, drives 2: 1,360" in told
    )
    assert "misses by 33 % (usable capacity)" in told
    nothing = sized(EITHER.replace("3 TB", "30 TB"))
    assert nothing.winner is None
    assert nothing.alternative == "disks"
    assert "drives: Nothing that can be bought meets this." in " ".join(
        written_size(nothing).split()
    )


def test_from_python_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = nwtsim.size(EITHER, jobs=1)
    assert answer.answer is not None
    assert answer.answer["alternative"] == "drives"
    assert answer.alternatives["disks"]["answer"]["price"] == 1600
    assert {*answer.to_dataframe()["alternative"]} == {"disks", "drives"}
    file = tmp_path / "either.yaml"
    file.write_text(EITHER.replace("disk.seek: 3 ms", "disk.sek: 3 ms"))
    assert main(["check", str(file)]) == 2
    assert "23:21: alternatives.drives.set.disk.sek: workstation has no" in capsys.readouterr().err


WRONG = {
    (
        "    machine: workstation\n    set",
        "    set",
    ): "alternatives.drives.machine: is missing; wri",
    ("name: either", "name: either\nmachine: nwt"): "3:10: machine: is that of one machine, and th",
    ("{drive: 1}", "{drve: 1}"): "alternatives.drives.choices.drives.buys.drve: there is no thing",
    ("    states: {slow", "    states: {normal"): "alternatives.drives.states.normal: is the name",
    ("states: slow}", "states: slw}"): "8:44: targets.1.states: there is no state 'slw'",
    (
        "\nstates: {slow: {set: {disk.rate: 20 MB/s}}}",
        "",
    ): "no state 'slow'; there are normal (of disks)",
    (
        "{memory: 9}",
        "{memry: 9}",
    ): "catalogue.box.serves.memry: the machine has no 'memry', nor has",
    (
        "  drives:\n    machine: workstation",
        "  drives:\n    machine: worksttion",
    ): "no machine of that name",
    ("alternatives:", "alternatives: {}\nchoices:"): "alternatives: is empty; write one or more",
    ("states: {slow: {set: {disk.rate: 20 MB/s}}}\n", "states: {slow: {less: {disks: 1}}}\n"): (
        "10:31: states.slow.less.disks: disks can be 1, so that 1 less leaves nothing"
    ),
}


@pytest.mark.parametrize(("change", "told"), WRONG.items(), ids=map(str, range(len(WRONG))))
def test_each_mistake_is_told_where_it_is(change: tuple[str, str], told: str) -> None:
    assert told in str(mistake_in(EITHER, change, lambda text: every_loads(Text(text, "r.yaml"))))


def test_without_machine_and_alternatives() -> None:
    head = EITHER.partition("alternatives:")[0]
    with pytest.raises(ConfigError) as caught:
        every_loads(Text(head, "r.yaml"))
    assert [one.key for one in caught.value.problems] == ["machine", "choices"]
    assert "is missing; write it like 'machine: nfs-lab', or 'alternatives' with it" in str(
        caught.value
    )
