"""What limits: the first-ranked lever is the one that helps most, and every number is a run."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path
from random import Random
from typing import Any

import pytest

import nwtsim
from simulator.answers.advise import LEAST_SHARE
from simulator.answers.again import (
    InputsAgain,
    LoweredAgain,
    NotAsked,
    ask_limits,
    machine_variants,
    work_of,
)
from simulator.answers.limits import MOST_MOVED, Limits, limits_of
from simulator.cli.main import main
from simulator.config.lowering.plan import make_plan
from simulator.config.machine_file import Machine
from simulator.inputfile import Text
from simulator.plan.plan import Plan
from simulator.run import EngineName, Inputs, load_inputs, run_plan
from simulator.units import format_time
from tests.answers.machines import chain, doublings, drawn, loaded
from tests.docs.elided import is_shown
from tests.examples import examples

pytestmark = pytest.mark.compiled

Capture = pytest.CaptureFixture[str]
LIGHT = (
    *(("nwt", "test-write"), ("nwt", "test-read"), ("nwt", "test-write-parallel")),
    *(("burst-node", "copy-file"), ("burst-buffer", "copy-file"), ("lustre-scratch", "copy-file")),
    *(("beegfs-like", "copy-file"), ("workstation", "copy-file"), ("nfs-lab", "copy-file")),
    ("beegfs-like", "mpi-array"),
)
"""Shipped machines and workloads that take milliseconds."""
COPIED = ("workload.files.*.size", "100 MB")
DRAINED = """\
format: workload/2
name: drained
files: {out: {size: 8 MiB}}
jobs:
  - name: rank
    processes: 64
    skew: 5 ms
    record: 2 MiB
    phases: [{do: write, file: out}, {do: sync, file: out}]
"""


def limits(inputs: Inputs, engine: EngineName = "auto", seed: int | None = None) -> Limits:
    plan = inputs.plan(seed=seed)
    result = run_plan(plan, engine=engine)
    return limits_of(InputsAgain(inputs, seed=seed, engine=engine), plan, result)


def first_is_best(inputs: Inputs, seed: int | None = None) -> Limits:
    """Check against runs of all levers, whether they can act or not."""
    found = limits(inputs, seed=seed)
    least = min(doublings(inputs, seed).values())
    # A saving of less than 1 % is no answer, so it may be missed.
    if found.elapsed_ns - least >= LEAST_SHARE * found.elapsed_ns:
        assert found.limits[0].twice.elapsed_ns <= least
    return found


FAR = """\
format: machine/2
name: far
nodes: {client: 1, server: 1}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s, latency: {client: 2 ms, server: 8 ms}}
  disk: {kind: queue, at: server, rate: 100 MB/s}
filesystems: {home: [{route: [nic], request: 10 kB, header: 100 B}, disk]}
"""
READ_FAR = """\
format: workload/2
name: read
files: {f: {size: 1 MB, exists: true}}
jobs: [{name: job, record: 1 MB, phases: [{do: read, file: f}]}]
"""


# -- the right one -----------------------------------------------------------------------------


def test_the_latency_of_packets_limits_though_it_keeps_no_port() -> None:
    """100 requests, 10 ms there and back: half of it is saved where no port is busy at all."""
    found = limits(load_inputs(Text(FAR, "far"), Text(READ_FAR, "read"), ()))
    (latency,) = [one for one in found.matter if one.lever.name == "nic.latency"]
    assert latency.saves_ns == 100 * 5_000_000
    assert latency.busy is not None
    assert latency.busy < 0.02


@pytest.mark.few(2)
@pytest.mark.drawn
@pytest.mark.parametrize("what", ["bandwidth", "latency", "wait", "capacity", "number"])
def test_the_slow_station_of_a_chain_is_first(what: str) -> None:
    for seed in range(examples(40)):
        machine, workload, resource, aspect = chain(seed, what)
        found = limits(load_inputs(machine, workload, noisy=False))
        assert found.first is not None
        assert found.first.lever.name == f"{resource}.{aspect}", seed
        assert found.first.lever.kind == what


@pytest.mark.slow
@pytest.mark.parametrize("what", ["bandwidth", "latency", "wait", "capacity", "number"])
def test_in_a_chain_no_other_doubling_helps_more(what: str) -> None:
    """And a lever of another station saves little: the slow one is what limits."""
    for seed in range(examples(20)):
        machine, workload, resource, aspect = chain(seed, what)
        inputs = load_inputs(machine, workload, noisy=False)
        base = run_plan(inputs.plan()).elapsed_ns
        saved = {name: base - elapsed for name, elapsed in doublings(inputs).items()}
        first = saved.pop(f"{resource}.{aspect}")
        assert first == max([first, *saved.values()]) > 0.2 * base, seed


@pytest.mark.slow
def test_on_drawn_machines_no_other_doubling_helps_more() -> None:
    kinds = set()
    for seed in range(examples(100)):
        first = first_is_best(loaded(drawn(seed))).first
        kinds.add(first.lever.kind if first is not None else "")
    assert len(kinds) >= 4  # The machines differ in what limits them.


@pytest.mark.few(3)
@pytest.mark.parametrize(("machine", "workload"), LIGHT)
def test_on_shipped_machines_no_other_doubling_helps_more(machine: str, workload: str) -> None:
    settings = [COPIED] if workload == "copy-file" else []
    first_is_best(load_inputs(machine, workload, settings, noisy=False))


def test_a_resource_with_a_small_account_is_not_missed() -> None:
    """The disks behind the cache of the NWT serve no process, and all wait for them."""
    found = limits(load_inputs("nwt", "test-write"))
    plan = load_inputs("nwt", "test-write").plan()
    spent = run_plan(plan).processes[0].spent
    assert "array" not in spent
    assert "paths" not in spent
    assert [one.lever.name for one in found.matter[:3]] == [
        "array.count",
        "array.rate",
        "paths.rate",
    ]


@pytest.mark.slow
def test_64_clients_with_flash_before_8_servers(tmp_path: Path, capsys: Capture) -> None:
    """The issue's example: the right resource in a run and in a sweep, by running all doublings."""
    job = tmp_path / "drained.yaml"
    job.write_text(DRAINED)
    drained = [("scratch.export", "sync")]  # fsync waits for stage-out
    found = first_is_best(load_inputs("burst-node", job, drained))
    assert found.first is not None
    assert found.first.lever.resource in ("ost", "oss")  # Not the flash, nor the network.
    vary = ["--vary", "oss=4,64", "--set", "workload.jobs.0.phases=[{do: write, file: out}]"]
    out = tmp_path / "swept"
    words = ["sweep", "burst-node", str(job), *vary, "--limits", "--no-plot", "--jobs", "1"]
    assert main([*words, "--out", str(out)]) == 0
    assert "What limits" in capsys.readouterr().out
    rows = json.loads((out / "points.json").read_text())
    for row in rows:
        settings = [("oss", row["oss"]), ("workload.jobs.0.phases", "[{do: write, file: out}]")]
        inputs = load_inputs("burst-node", job, [(name, str(value)) for name, value in settings])
        first = first_is_best(inputs).first
        assert first is not None
        assert (row["limit"], row["limit_saves_s"]) == (first.lever.name, first.saves_ns / 1e9)
        assert row["bottleneck"]  # The busiest resource stays a column of its own.


# -- every number is a run ------------------------------------------------------------------------


@pytest.mark.drawn
def test_savings_equal_reruns_to_the_nanosecond() -> None:
    dice = Random(1)
    for seed in range(examples(20)):
        texts = drawn(seed)
        noise = dice.choice((None, 7))
        found = limits(loaded(texts), seed=noise)
        moves = [(one.twice, one.saves_ns) for one in found.limits[:4]]
        moves += [(one.better, None) for one in found.matter[:2] if one.better is not None]
        moves += [(one.worse, None) for one in found.matter[:2] if one.worse is not None]
        for moved, saves in moves:
            inputs = load_inputs(*texts, moved.settings, noisy=noise is not None)
            again = run_plan(inputs.plan(seed=noise)).elapsed_ns
            assert moved.elapsed_ns == again, (seed, moved.settings)
            assert saves in (None, found.elapsed_ns - again)


@pytest.mark.parametrize("seed", [1, 3])
def test_both_engines_answer_alike(seed: int) -> None:
    inputs = loaded(drawn(seed))
    native = limits(inputs, "native")
    assert native.to_record() == limits(inputs, "reference").to_record()
    assert native == limits(loaded(drawn(seed)), "native")


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Return what a report prints as commands: (seconds, words)."""
    found = re.findall(r"^  (\d.*): (nwtsim .*)$", text, re.MULTILINE)
    return [(time, shlex.split(command)[1:]) for time, command in found]


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "words",
    [
        ["run", "nwt", "test-write", "--buffer", "2 MB"],
        ["run", "burst-node", "copy-file", "--seed", "3", "--nvme.overhead=40 us"],
        pytest.param(["run", "nfs-lab", "morning"], marks=pytest.mark.slow),  # shortened
        pytest.param(
            ["run", "sr8000", "sr8000-read-ut"], marks=pytest.mark.slow
        ),  # chosen by shortened runs
        ["replay", "notebooks/data/job.strace.gz", "--on", "nwt", "--think", "scale=0.5"],
        ["replay", "notebooks/data/job.strace.gz", "--on", "workstation", "--buffer", "1 MB"],
    ],
    ids=lambda words: "-".join(words[:3]).replace("/", "-"),
)
def test_printed_commands_give_the_printed_seconds(words: list[str], capsys: Capture) -> None:
    assert main(words) == 0
    printed = commands(capsys.readouterr().out)
    assert printed
    for time, command in printed:
        assert main([*command, "--no-limits", "--format", "json"]) == 0
        assert format_time(json.loads(capsys.readouterr().out)["elapsed_ns"]) == time


# -- what is said ---------------------------------------------------------------------------------


def test_the_text_says_what_limits_and_gives_no_advice_that_was_not_run(capsys: Capture) -> None:
    assert main(["run", "nwt", "test-write", "--full"]) == 0
    text = capsys.readouterr().out
    assert "What limits: waiting for array. With twice as many (count 1 -> 2) the run" in text
    assert "busiest resource: array" in text
    assert "75.4 % of the time the program waits to rewrite bytes in ssu" in text
    assert "Try " not in text
    assert main(["run", "nwt", "test-write", "--no-limits"]) == 0
    assert "What limits" not in capsys.readouterr().out


def test_the_page_shows_what_the_command_prints(capsys: Capture) -> None:
    page = (Path(__file__).parents[2] / "docs" / "limits.md").read_text("utf-8")
    shown = page.split("```console\n")[1].split("```")[0]
    assert main(["run", "nwt", "test-write", "--full"]) == 0
    assert is_shown(shown.partition("\n")[2], capsys.readouterr().out)


def test_a_job_that_computes_is_limited_by_computing(tmp_path: Path, capsys: Capture) -> None:
    job = tmp_path / "computing.yaml"
    phases = "[{do: compute, time: 100 s}, {do: read, file: a}]"
    job.write_text(
        "format: workload/2\nname: computing\nfiles: {a: {size: 1 MB, exists: true}}\n"
        f"jobs: [{{name: job, record: 1 MB, phases: {phases}}}]\n"
    )
    assert main(["run", "workstation", str(job)]) == 0
    text = capsys.readouterr().out
    assert re.search(
        r"What limits: computing, 100\.0 % of the processes' time\. Of \d+ levers? of the machine",
        text,
    )
    assert not commands(text)


def test_json_and_csv_have_it_if_it_is_wanted(capsys: Capture) -> None:
    assert main(["run", "nwt", "test-write", "--format", "json"]) == 0
    assert "limits" not in json.loads(capsys.readouterr().out)
    assert main(["run", "nwt", "test-write", "--format", "json", "--limits"]) == 0
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    asked = record["limits"]
    assert asked["elapsed_ns"] == record["elapsed_ns"]
    assert asked["limiting"] == asked["levers"][0]["lever"] == "array.count"
    first = asked["levers"][0]
    assert first["twice"]["set"] == [["machine.parts.array.count", "2"]]
    assert first["saves_ns"] == record["elapsed_ns"] - first["twice"]["elapsed_ns"]
    assert main(["run", "nwt", "test-write", "--format", "csv", "--limits"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["limit"], row["limit_kind"]) == ("array.count", "wait")
    assert float(row["limit_saves_s"]) == first["saves_ns"] / 1e9


def test_python_has_it_as_rows() -> None:
    result = nwtsim.run("nwt", "test-write", buffer="8 MB")
    found = result.limits()
    first = found.rows()[0]
    assert (found.limiting, found.saves_s) == (first["lever"], first["saves_s"])
    again = nwtsim.run("nwt", "test-write", first["settings"], buffer="8 MB")
    assert again.elapsed_s == first["elapsed_s"]
    assert "What limits" in str(found)
    machine = "format: machine/2\nname: pc\nparts: {disk: {kind: disk, rate: 1 MB/s}}\n"
    of_text = nwtsim.run(f"{machine}filesystems: {{home: [disk]}}\n", "copy-file").limits()
    assert (of_text.limiting, of_text.kind) == ("disk.rate", "bandwidth")


# -- what it costs --------------------------------------------------------------------------------


def test_a_small_run_is_asked_as_it_is_and_a_long_one_only_if_wanted() -> None:
    inputs = load_inputs("nwt", "test-write")
    plan = inputs.plan()
    result = run_plan(plan)
    found = ask_limits(InputsAgain(inputs), plan, result)
    assert isinstance(found, Limits)
    assert found.shortened is None
    # A second's worth of the native engine is five million of these.
    assert found.runs * work_of(result) < 1_500_000
    result.events = 10**9
    variants = machine_variants("nwt", ())

    def make(machine: Machine) -> Plan:
        return make_plan(machine, inputs.workload)

    long = LoweredAgain(variants, (), make)  # It has no workload file, so it stays whole.
    assert ask_limits(long, plan, result) == NotAsked(runs=len(found.limits) + 2 * MOST_MOVED)
    wanted = ask_limits(long, plan, result, wanted=True, progress=False)
    assert isinstance(wanted, Limits)
    assert wanted.limits == found.limits


def test_a_run_without_requests_has_no_lever_to_move(tmp_path: Path) -> None:
    job = tmp_path / "idle.yaml"
    job.write_text(
        "format: workload/2\nname: idle\njobs: [{name: a, phases: [{do: compute, time: 1 s}]}]\n"
    )
    found = limits(load_inputs("workstation", job))
    assert (found.limits, found.runs, found.first) == ((), 0, None)
    assert found.left_out > 0
