"""The Python interface: what users of notebooks type."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import nwtsim
from nwtsim.settings import Settings, pairs_of, text_of
from simulator.extras import MissingExtraError

MACHINE = """
format: machine/2
name: small
nodes: {client: 2}
parts:
  lan: {kind: queue, rate: 10 MB/s}
  disk: {kind: disk, rate: 100 MB/s}
filesystems:
  home: [[lan], [disk]]
"""
WORKLOAD = """
format: workload/2
name: some
files:
  out: {size: 1 MB}
jobs:
  - name: write
    processes: 2
    record: 100 kB
    phases: [{do: compute, time: 10 ms}, {do: write, file: out}]
"""
MOST_CPU_SECONDS = 0.1

pytestmark = pytest.mark.filterwarnings("ignore:.*identical processes move in lockstep")
"""Of the workload here, whose times are as easy to work out by hand."""


@pytest.fixture(scope="module")
def result() -> nwtsim.Result:
    return nwtsim.run(MACHINE, WORKLOAD, debug=True)


# -- what is told -------------------------------------------------------------------------------


def test_what_a_command_tells_of_a_run_is_a_warning_at_the_line_that_made_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("simulator.cost.MOST_S", 1e-9)
    with pytest.warns(UserWarning, match=".") as told:
        nwtsim.run(MACHINE, WORKLOAD)
    doubt, cost = told
    assert (doubt.category, cost.category) == (nwtsim.SettingWarning, nwtsim.CostWarning)
    assert "identical processes move in lockstep" in str(doubt.message)
    assert re.fullmatch(r"this run takes about \d+ s: .*; write .*", str(cost.message))
    assert {doubt.filename, cost.filename} == {__file__}
    with pytest.warns(nwtsim.CostWarning, match="2 runs, 1 at a time, take about") as swept:
        nwtsim.sweep(MACHINE, WORKLOAD, {"disk.rate": ["1 MB/s", "2 MB/s"]}, jobs=1)
    assert {one.filename for one in swept} == {__file__}


def test_a_warning_in_code_without_a_name_is_a_warning() -> None:
    with pytest.warns(nwtsim.SettingWarning, match="lockstep"):
        exec("nwtsim.run('nwt', 'nwt-neighbours')", {"nwtsim": nwtsim})


# -- runs ---------------------------------------------------------------------------------------


def test_a_run_gives_the_numbers(result: nwtsim.Result) -> None:
    assert (result.machine, result.workload) == ("small", "some")
    assert result.write_MBps == pytest.approx(2e6 / 1e6 / (result.elapsed_s - 0.01), rel=1e-6)
    assert result.read_MBps == 0
    assert result.elapsed_s <= result.end_s
    assert result.busiest == "lan"
    record = result.to_dict()
    assert record == json.loads(result.to_json())
    assert record["elapsed_ns"] == round(result.elapsed_s * 1e9)


def test_it_looks_like_a_few_lines(result: nwtsim.Result) -> None:
    lines = repr(result).splitlines()
    assert len(lines) <= 7
    assert lines[0].startswith("<Result: some on small (")
    assert any(re.search(r"wrote 2 MB in .*: [0-9.]+ MB/s", line) for line in lines)
    assert str(result).startswith("some on small; processes are not limited by processors")
    html = result._repr_html_()
    assert html.count("<tr>") == len(result.to_dict()["jobs"]["write"]["where"]["columns"]) + 2
    assert "<b>Result: some on small" in html


def test_names_in_html_are_escaped() -> None:
    text = MACHINE.replace("name: small", "name: a&b")
    with pytest.raises(nwtsim.ConfigError):
        nwtsim.run(text, WORKLOAD)
    named = nwtsim.run(MACHINE, WORKLOAD.replace("name: write", "name: 'a <b> c'"))
    assert "<b> c" not in named._repr_html_()


@pytest.mark.parametrize(
    "settings",
    [
        {"lan.rate": "20 MB/s", "workload.jobs.0.processes": 1},
        [("machine.parts.lan.rate", "20 MB/s"), ("clients", 1)],
    ],
)
def test_settings_are_a_dict_or_pairs(settings: Settings) -> None:
    # One client alone: 10 calls over a LAN that is twice as fast, then to the disk.
    found = nwtsim.run(MACHINE, WORKLOAD, settings)
    assert found.to_dict()["jobs"]["write"]["processes"] == 1
    by_keyword = nwtsim.run(MACHINE, WORKLOAD, {"lan.rate": "20 MB/s"}, processes=1)
    assert by_keyword.to_dict()["elapsed_ns"] == found.to_dict()["elapsed_ns"]
    assert by_keyword.to_dict()["digest"] == found.to_dict()["digest"]


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    values = {"a": numpy.int64(8), "b": numpy.float64(0.5), "c": 8, "d": 0.5}
    assert [text for _, text in pairs_of(values, {})] == ["8", "0.5", "8", "0.5"]


def test_the_last_setting_wins() -> None:
    assert pairs_of({"buffer": "1 MB"}, {"buffer": "8 MB"})[-1] == ("buffer", "8 MB")
    with pytest.raises(TypeError, match="is no setting; write a number, or a text with a unit"):
        text_of(object())  # type: ignore[arg-type]


def test_mistakes_are_told_as_by_the_commands() -> None:
    with pytest.raises(nwtsim.ConfigError, match="small has no 'buffers'; did you mean 'buffer'"):
        nwtsim.run(MACHINE, WORKLOAD, buffers="8 MB")
    with pytest.raises(nwtsim.ConfigError, match=r"<machine>:\d+:\d+: parts.lan.rate"):
        nwtsim.run(MACHINE.replace("10 MB/s", "fast"), WORKLOAD)
    with pytest.raises(nwtsim.InputError, match="no engine 'quick'"):
        nwtsim.run(MACHINE, WORKLOAD, engine="quick")  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="has no attribute 'walk'"):
        nwtsim.walk  # type: ignore[attr-defined]  # noqa: B018


def test_both_engines_give_the_same() -> None:
    records = [
        nwtsim.run(MACHINE, WORKLOAD, engine=engine, debug=True).to_dict()
        for engine in ("native", "reference")
    ]
    for record in records:
        del record["engine"]
    assert records[0] == records[1]


def test_tables_are_data_frames(result: nwtsim.Result) -> None:
    pytest.importorskip("pandas")
    processes = result.to_dataframe()
    assert list(processes["name"]) == ["write.0", "write.1"]
    assert processes["write_bytes"].sum() == 2_000_000
    where = result.to_dataframe("where")
    spent = where.groupby("process")[["wait_ns", "service_ns"]].sum().sum(axis=1)
    assert list(spent) == list(processes["elapsed_ns"])
    assert list(result.to_dataframe("jobs")["job"]) == ["write"]
    assert set(result.to_dataframe("parts")["part"]) >= {"lan", "disk"}
    assert result.to_dataframe("latencies").set_index("operation").loc["write", "count"] == 20
    assert len(result.to_dataframe("stores")) == 0
    with pytest.raises(ValueError, match="no table 'rows'; there are jobs, processes"):
        result.to_dataframe("rows")  # type: ignore[arg-type]


def test_without_pandas_the_message_says_what_to_install(
    result: nwtsim.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.extras._is_there", lambda _: False)
    monkeypatch.delitem(sys.modules, "simulator.report.plots", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'nwtsim\[frames\]'"):
        result.to_dataframe()
    with pytest.raises(MissingExtraError, match="pip install matplotlib"):
        result.plot()


def test_where_the_time_went_can_be_drawn(result: nwtsim.Result) -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = result.plot(figure.add_subplot())
    widths = [bar.get_width() for bar in axes.patches]
    assert sum(widths) == pytest.approx(100)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "lan (waiting)" in labels
    assert "computing" in labels


def test_the_timeline_can_be_written(tmp_path: Path, result: nwtsim.Result) -> None:
    path = tmp_path / "trace.json"
    nwtsim.run(MACHINE, WORKLOAD, timeline=True).timeline(path)
    assert len(json.loads(path.read_text(encoding="utf-8"))["traceEvents"]) > 40
    with pytest.raises(ValueError, match="run it with timeline=True"):
        result.timeline(path)


def test_curves_can_be_kept(result: nwtsim.Result) -> None:
    sampled = nwtsim.run(MACHINE, WORKLOAD, curves=True)
    for one in sampled.curves.values():
        assert len(one.begins_s()) == len(one.used_bytes()) == len(one.dirty_bytes())
    calls = sampled.call_curve
    assert len(calls.begins_s()) == len(calls.read) == len(calls.written)
    assert sum(calls.read) + sum(calls.written) > 0
    for name in ("curves", "call_curve"):
        with pytest.raises(ValueError, match="run it with curves=True"):
            getattr(result, name)


# -- machines and workloads ---------------------------------------------------------------------


def test_a_machine_has_the_attributes_of_its_file() -> None:
    machine = nwtsim.load_machine(MACHINE)
    assert machine.name == "small"
    assert machine.parts["lan"].rate.read == machine.parts["lan"].rate.write == 10e6
    assert machine.nodes["client"].count == 2
    assert {"name", "parts", "replace", "knobs"} <= set(dir(machine))
    assert repr(machine).startswith("<Machine small\n nodes: client\n parts: cpu, lan, disk\n")
    assert machine.knobs()["lan.rate"] == "10 MB/s"
    paths = [one["path"] for one in machine.values()]
    assert "parts.disk.rate" in paths
    with pytest.raises(AttributeError):
        machine.wheels  # noqa: B018


def test_a_changed_copy_leaves_the_machine_alone() -> None:
    machine = nwtsim.load_machine(MACHINE)
    faster = machine.replace({"lan.rate": "20 MB/s"}, client=4).replace(disks=2)
    assert (faster.nodes["client"].count, faster.parts["disk"].count) == (4, 2)
    assert (machine.nodes["client"].count, machine.parts["disk"].count) == (2, 1)
    assert faster.settings[0] == ("machine.parts.lan.rate", "20 MB/s")
    slow, fast = (nwtsim.run(one, WORKLOAD) for one in (machine, faster))
    assert fast.elapsed_s < slow.elapsed_s
    with pytest.raises(nwtsim.ConfigError, match="small has no 'wheels'"):
        machine.replace(wheels=4)


def told(call: Callable[[], object]) -> list[str]:
    """What a call refuses, one message a line."""
    with pytest.raises(nwtsim.ConfigError) as caught:
        call()
    return str(caught.value).splitlines()


def test_unknown_names_and_wrong_values_are_reported_together() -> None:
    """As on the command line: of a new file, of a copy, and of a file that is itself wrong."""
    machine = nwtsim.load_machine("workstation")
    wrong = {"wheels": 4, "ssd.rate": "fast", "machine.parts.disk.seek": "far"}
    new = told(lambda: nwtsim.load_machine("workstation", wrong))
    assert [line.partition("=")[0].removeprefix("setting ") for line in new] == [
        "machine.parts.disk.seek",
        "machine.parts.ssd.rate",
        "wheels",
    ]
    assert told(lambda: machine.replace(wrong)) == new
    workload = nwtsim.load_workload("copy-file")
    wrong = {"bufer": 1, "record": "much"}
    both = told(lambda: workload.replace(wrong))
    assert both == told(lambda: nwtsim.load_workload("copy-file", wrong))
    assert len(both) == 2
    broken = MACHINE.replace("10 MB/s", "fast")
    lines = told(lambda: nwtsim.load_machine(broken, wheels=4))
    assert len(lines) == 2
    assert ["wheels" in line for line in lines] == ["'fast'" not in line for line in lines]


def test_a_workload_can_be_changed_too() -> None:
    work = nwtsim.load_workload(WORKLOAD, {"out.size": "2 MB"}, processes=1)
    assert work.jobs[0].processes == 1
    assert repr(work) == "<Workload some\n job write: 1 process>"
    assert nwtsim.run(MACHINE, work).to_dict()["jobs"]["write"]["write"]["bytes"] == 2_000_000


def test_files_and_shipped_names_are_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(MACHINE, encoding="utf-8")
    assert nwtsim.load_machine(path).name == "small"
    assert nwtsim.load_machine("nfs-lab").name == "nfs-lab"
    assert nwtsim.load_machine("nfs-lab", client=4).nodes["client"].count == 4


# -- the module ---------------------------------------------------------------------------------


def test_the_import_is_fast_and_waits_for_no_library() -> None:
    script = (
        "import sys, time; before = time.process_time(); import nwtsim;"
        "print(time.process_time() - before);"
        "print(*({'numpy', 'yaml', 'simpy', 'tabulate'} & set(sys.modules)))"
    )
    seconds = []
    for _ in range(3):  # The least of three: other programs may be running.
        command = [sys.executable, "-c", script]
        ran = subprocess.run(command, check=True, capture_output=True, text=True)
        time, _, libraries = ran.stdout.partition("\n")
        seconds.append(float(time))
        assert libraries.strip() == ""
    assert min(seconds) < MOST_CPU_SECONDS


def test_no_run_waits_for_numpy() -> None:
    script = (
        "import sys, nwtsim; print(nwtsim.run('workstation', 'copy-file').elapsed_s > 0);"
        "print('numpy' in sys.modules)"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", script]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert ran.stdout.split() == ["True", "False"]


def test_errors_are_those_of_the_commands() -> None:
    from simulator.config.errors import ConfigError
    from simulator.errors import InputError
    from simulator.plan.errors import SimulationError

    assert nwtsim.ConfigError is ConfigError
    assert nwtsim.InputError is InputError
    assert nwtsim.SimulationError is SimulationError
