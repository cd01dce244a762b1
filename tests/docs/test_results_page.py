"""simulator/report/keys.yaml has each key of a result, and no other."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from simulator.answers.again import InputsAgain
from simulator.answers.limits import limits_of
from simulator.answers.shorter import Shortened
from simulator.cli.main import main
from simulator.inputfile import Text
from simulator.report.forms import versioned
from simulator.report.outcome import Outcome
from simulator.report.queues import queue_reports
from simulator.report.recordkeys import keys_of
from simulator.result.latency import Steady
from simulator.result.record import record_of
from simulator.result.restarts import RestartResult
from simulator.result.result import FailedCalls, Stable
from simulator.run import load_inputs, load_plan, run_plan
from tests.cli.commands import Capture, as_json
from tests.engines import arrays
from tests.engines.serving import SERVERS, STATIONS, run, workload
from tests.report.html.test_told import FILES
from tests.verification.handmade import a_plan, a_result

ROOT = Path(__file__).resolve().parents[2]
NAMED = {
    "jobs": "<job>",
    "columns": "<column>",
    "parts": "<instance>",
    "restarts": "<job>",
    "stores": "<instance>",
    "latencies": "<operation>",
    "sources": "<source>",
    "versions": "<program>",
    "services": "<instance>",
    "servers": "<server>",
    "links": "<link>",
    "beside": "<column>",
    "buffers": "<buffers>",
    "tables": "<table>",
    "tables.<table>[]": "<column>",
}


NULL = {
    "stable",
    "jobs.<job>.arrivals",
    "jobs.<job>.stable",
    "limits.shortened",
    "limits.levers[].better",
    "limits.levers[].worse",
}
"""Paths of records that may be null as a whole."""


REPEATED = {"repeated.periods", "repeated.events", "repeated.time_ns"}
"""Of runs that repeat alone."""


def nested(record: Any, more: Mapping[str, str] = MappingProxyType({})) -> Iterator[str]:
    """The paths of all numbers and texts of a record, with the names of things replaced."""
    named = {**NAMED, **more}

    def walk(value: Any, path: str, key: str) -> Iterator[str]:
        if isinstance(value, dict):
            for inner, child in value.items():
                name = named.get(key) or named.get(path, inner)
                yield from walk(
                    child, f"{path}.{name}" if path else name, inner if name == inner else ""
                )
        elif isinstance(value, list):
            for child in value:
                yield from walk(child, f"{path}[]", "")
        else:
            yield path

    yield from walk(record, "", "")


def keys_in(record: str) -> list[str]:
    """The keys of a record in simulator/report/keys.yaml, where ``{a,b}.c`` stands for two."""
    return [key for path, _ in keys_of(record) for key in spread(path)]


def spread(key: str) -> Iterator[str]:
    """The keys that a key with alternatives in braces stands for."""
    head, brace, rest = key.partition("{")
    if not brace:
        yield key
        return
    inner, _, tail = rest.partition("}")
    for one in inner.split(","):
        yield from spread(head + one + tail)


def counters() -> list[str]:
    """The counters that an engine keeps of a store, as docs/composition.md lists them."""
    text = (ROOT / "docs" / "composition.md").read_text(encoding="utf-8")
    listed = text.split("Counters of an instance:")[1].partition(".\n")[0]
    return re.findall(r"[a-z_]+", listed.replace("(blocks)", ""))


def of_services() -> Iterator[str]:
    """The paths in records of runs with message servers, and with numerical servers."""
    mesh = "{do: mesh, rows: 8, columns: 8, loops: 3}"
    trials = "{do: calls, problem: linpack, n: 9, server: big, every: 1 s, duration: 2 s"
    for machine, job in (
        (STATIONS, f"{{name: a, processes: 2, launched: true, phases: [{mesh}]}}"),
        (SERVERS, f"{{name: a, on: client, phases: [{trials}, continues: true}}]}}"),
    ):
        yield from nested(record_of(run(machine, workload(f"  - {job}"))))


def of_mpi_io() -> Iterator[str]:
    """The paths in the record of a run with MPI-IO."""
    plan = arrays.planned(arrays.machine(), arrays.array(method="server-directed"))
    yield from nested(record_of(run_plan(plan)))


def of_queues() -> Iterator[str]:
    """The paths in the record of a queue."""
    machine = "format: machine/2\nname: m\nnodes: {node: {count: 2, queue: fcfs}}\n"
    jobs = "jobs: [{name: a, phases: [{do: compute, time: 1 s}]}]\n"
    plan = load_plan(
        Text(machine, "m"),
        Text(f"format: workload/2\nname: w\n{jobs}", "w"),
    )
    (report,) = queue_reports(plan, run_plan(plan))
    record = report.record()
    yield from (f"queues.<group>.jobs.{key}[]" for key in record.pop("jobs"))
    yield from (f"queues.<group>.{key}" for key in record)


def of_limits() -> Iterator[str]:
    """The paths in what limits a run, and a shortened one."""
    inputs = load_inputs("workstation", "copy-file", [("workload.files.*.size", "2 MB")])
    plan = inputs.plan()
    result = run_plan(plan)
    less = Shortened((("workload.files.source.size", "1 MB"),), 2, "files", 0.0, plan, result)
    for short in (None, less):
        found = limits_of(InputsAgain(inputs), plan, result, shortened=short)
        yield from nested({"limits": found.to_record()})


def test_each_key_of_a_result_is_documented() -> None:
    result = a_result()
    result.responses = {"write": result.latencies["sync"]}
    result.steady = {"write": Steady(5, 2000.0, 1000.0, 10.0, None)}
    result.stable = {"write": Stable(100, 30_000)}
    result.stores["server.pages"].counts = dict.fromkeys(counters(), 0)
    result.processes[0].rounds = 1
    result.processes[0].failed = FailedCalls(1, 5, 5)
    for one in result.processes:
        one.read.failed_bytes = one.write.failed_bytes = 1
    result.needless = {0: 1}
    result.job_latencies = {"write": {"sync": result.latencies["sync"]}}
    result.restarts = [RestartResult(next(iter(result.processes)).job)]
    record = versioned(Outcome(a_plan(), result, "", {"paper": 1}).to_record())
    told = keys_in("run")
    assert len(told) == len(set(told))
    known = {*nested(record), *of_services(), *of_mpi_io(), *of_queues(), *of_limits()}
    assert set(told) - REPEATED == known - NULL


IF_DRAWN = {"knees[].surely_above", "knees[].surely_up_to", "knees[].sure"}
IF_BETWEEN = {"knees[].doublings[].interpolated"}


def test_each_key_of_knees_is_documented(tmp_path: Path) -> None:
    vary = ("--vary", "disk.rate=60 MB/s..240 MB/s x2", "--vary", "record=64 kB,128 kB")
    small = ("--set", "workload.files.*.size=1 MB", "--no-plot", "--jobs", "1", "--no-store")
    words = ("sweep", "workstation", "copy-file", *vary, *small, "--out", str(tmp_path / "s"))
    assert main([*words]) == 0
    written = json.loads((tmp_path / "s" / "sweep.json").read_text(encoding="utf-8"))
    found = {key: written[key] for key in ("knees", "same")}
    known = {*nested(found, {"knees[].others": "<value>"})}
    assert known == {*keys_in("sweep")} - IF_DRAWN - IF_BETWEEN


OF_OTHERS = {
    "figures": "<figure>",
    "errors": "<figure>",
    "choices": "<choice>",
    "pieces": "<piece>",
    "loads": "<load>",
    "bought": "<piece>",
    "out": "<piece>",
    "price_falls": "<piece>",
    "growing": "<what>",
    "replay.unknown": "<what>",
    "replay.unknown.<what>": "<count>",
}
CONFIGURATION = (
    r"^(answer|runner_up|nearest|(front|one_step_more|one_for_another)\[\]|plan\.steps\[\]\.configuration"
    r"|at_once\.configuration)\."
)
OWN = {"one_step_more[].choice"}
"""What only configurations of one list have."""
IF_ANY = (
    *("<configuration>.states", "one_for_another", "cheaper", "warnings", "contradicting"),
    "plan.steps[].out",
    *("<configuration>.probability.values_drawn", "<configuration>.ownership.without_power"),
)
"""Keys of what the small records below have none of."""
ALSO = {"size": ["size plan.yaml --jobs 1"]}
"""What has keys of its own in the same record."""
RECORDS = {
    "replications": ("run machine.yaml workload.yaml --replications 8 --jobs 1", "replications"),
    "replay": ("replay job.log --on workstation --no-limits", "replay"),
    "size": ("size need.yaml --jobs 1", ""),
    "uncertainty": ("uncertainty machine.yaml workload.yaml --replications 2", ""),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("record_name", RECORDS)
def test_each_key_of_other_records_is_documented(
    record_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, written in FILES.items():
        Path(name).write_text(written, encoding="utf-8")
    command, below = RECORDS[record_name]
    record = as_json(capsys, *shlex.split(command))
    record = {below: record[below]} if below else record
    if record_name == "uncertainty":
        record["run_to_run"] = ""  # Its keys are those of replications.
    records = [record, *(as_json(capsys, *one.split()) for one in ALSO.get(record_name, ()))]
    known = {one.removesuffix("[]") for each in records for one in nested(each, OF_OTHERS)}
    known -= {"nearest", "budget"}  # They are null in one of these.
    known = {one if one in OWN else re.sub(CONFIGURATION, "<configuration>.", one) for one in known}
    told = {one.removesuffix("[]") for one in keys_in(record_name)}
    assert {one for one in told if not one.startswith(IF_ANY)} <= known <= told
