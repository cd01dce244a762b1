"""Changes of a machine beyond twice as much: thresholds, pairs, settings before hardware."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.answers.advise import Advice
from simulator.answers.again import InputsAgain
from simulator.answers.limits import limits_of
from simulator.answers.upgrades import Upgrades
from simulator.cli.main import main
from simulator.inputfile import Text
from simulator.run import load_inputs, run_plan
from tests.cli.commands import Capture, elapsed

pytestmark = pytest.mark.compiled

READ = """\
format: workload/2
name: read
files: {a: {size: 8 MiB, exists: true}}
jobs: [{name: job, record: 64 KiB, phases: [{do: read, file: a}]}]
"""
TWO = """\
format: machine/2
name: two
parts:
  one: {kind: queue, at: node, rate: 100 MB/s}
  other: {kind: queue, at: node, rate: 100 MB/s}
filesystems: {home: [[one, other]]}
"""
"""Both serve a request at the same time: the slower one counts."""


def advised(machine: str, workload: str, *, wanted: bool | None = None) -> list[Advice]:
    inputs = load_inputs(Text(machine, "m"), Text(workload, "w"), noisy=False)
    plan = inputs.plan()
    base = run_plan(plan)
    again = InputsAgain(inputs)
    limits = limits_of(again, plan, base)
    found, notes = Upgrades(again, limits, base, lambda _: ()).advice(wanted=wanted)
    assert notes == []
    for one in found:  # Each is a run.
        result = again.run(one.cure.change.settings)
        assert result is not None
        assert result.elapsed_ns == one.elapsed_ns == base.elapsed_ns - one.saves_ns
    return found


def test_two_resources_that_limit_alike_are_moved_together() -> None:
    found = advised(TWO, READ)
    assert all(" and " in one.finding.resource for one in found)
    (one,) = [one for one in found if one.finding.resource == "one.rate and other.rate"]
    assert one.saves_ns == pytest.approx(one.elapsed_ns, rel=0.05)
    assert "Neither alone saves 1 %" in one.finding.found
    assert len(one.cure.change.settings) == 2


def test_where_one_limits_no_pair_is_tried() -> None:
    other = "other: {kind: queue, at: node, rate: "
    found = advised(TWO.replace(f"{other}100", f"{other}300"), READ)
    assert "one.rate" in [one.finding.resource for one in found]
    assert not [one for one in found if " and " in one.finding.resource]
    assert {one.cure.level for one in found} == {"hardware"}


def threshold(limit: int) -> str:
    """A machine whose window has to be so large for the latency of a network to be hidden."""
    return f"""\
format: machine/2
name: window
nodes: {{client: 1, server: 1}}
parts:
  nic: {{kind: network, at: [client, server], rate: 10 GB/s, latency: 1 ms}}
  disk: {{kind: queue, at: server, rate: 1 GB/s}}
filesystems: {{home: [{{route: [nic], request: 64 KiB, window: {limit}}}, disk]}}
"""


WHOLE = READ.replace("record: 64 KiB", "record: 8 MiB")


def test_a_setting_is_moved_on_as_long_as_that_saves_more() -> None:
    (one,) = [
        one for one in advised(threshold(2), WHOLE) if one.finding.resource.endswith("window")
    ]
    (path, value) = one.cure.change.settings[0]
    assert path.endswith("tiers.0.window")
    assert one.cure.level == "setting"
    assert int(value) in (8, 32)
    assert "times as many" in one.cure.how
    assert f"window 2 -> {value}" in one.cure.how


def test_what_is_not_tried_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.answers.upgrades.SHORT", 0)
    inputs = load_inputs(Text(threshold(2), "m"), Text(WHOLE, "w"), noisy=False)
    plan = inputs.plan()
    base = run_plan(plan)
    again = InputsAgain(inputs)
    upgrades = Upgrades(again, limits_of(again, plan, base), base, lambda _: ())
    _, (note,) = upgrades.advice(wanted=None)
    assert "were not tried, since that takes up to" in note
    assert upgrades.advice(wanted=True)[1] == []


def test_the_printed_commands_of_farther_moves_run(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for machine in (threshold(2), TWO):
        Path("m.yaml").write_text(machine)
        Path("w.yaml").write_text(WHOLE)
        assert main(["advise", "m.yaml", "w.yaml", "--format", "json"]) == 0
        record = json.loads(capsys.readouterr().out)
        mine = [one for one in record["advice"] if one["pattern"] == "machine"]
        assert mine
        for one in mine:
            assert elapsed(capsys, one["command"]) == one["predicted_ns"]


def test_a_higher_dirty_limit_is_a_setting_whose_saving_a_later_sync_pays() -> None:
    """2 MiB may be dirty; with 32 MiB the program ends long before its data are on the disk."""
    machine = """\
format: machine/2
name: dirty
parts:
  disk: {kind: queue, at: node, rate: 10 MB/s}
stores:
  pages: {at: node, capacity: 64 MiB, block: 1 MiB, dirty: 2 MiB}
filesystems: {home: [pages, disk]}
"""
    write = (
        READ.replace("exists: true", "").replace("8 MiB", "32 MiB").replace("do: read", "do: write")
    )
    (one,) = [one for one in advised(machine, write) if one.finding.resource == "pages.dirty"]
    assert one.cure.change.settings == (("machine.stores.pages.dirty", "32 MiB"),)
    assert one.cure.level == "setting"
    assert one.left.behind_ns + one.left.dirty * 100 > 0.9 * one.saves_ns  # 100 ns for a byte.
    assert one.cure.how.startswith("16 times the dirty limit of pages")
