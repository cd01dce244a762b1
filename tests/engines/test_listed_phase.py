"""Listed calls as one phase of a job: the same calls as in a job of their own, in both engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.config.errors import ConfigError
from simulator.inputfile import Text
from simulator.plan.plan import Plan
from simulator.result.result import Result
from simulator.run import load_inputs, run_plan
from tests.reference.runs import both

MACHINE = """\
format: machine/2
name: lab
nodes: {node: 4, server: 1}
parts:
  nic: {kind: network, at: [node, server], rate: 100 MB/s}
  disk: {kind: queue, at: server, rate: 100 MB/s, overhead: 1 ms}
filesystems:
  home: [{route: [nic], request: 1 MB}, disk]
"""
MS = 1_000_000
HEAD = "client,do,file,offset,size,gap_ns\n"
FORKS = f"""\
{HEAD}a,start,,,,5000000
a,open,input,,,
a,read,input,0,1000000,1000000
a,fork,b,,,
b,write,output,0,500000,2000000
a,wait,b,,,
a,close,input,,,
"""
ALONE = "jobs: [{name: job, calls: CALLS}]"
AMONG = """\
jobs:
  - name: job
    processes: 2
    KEYS
    phases: [{do: compute, time: 1 s}, {do: listed, calls: CALLS}, {do: barrier}]
"""


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    path = tmp_path / "calls.csv"
    path.write_text(FORKS, "utf-8")
    return path


def planned(jobs: str, calls: Path, machine: str = MACHINE) -> Plan:
    text = f"format: workload/2\nname: job\n{jobs.replace('CALLS', str(calls))}\n"
    return load_inputs(Text(machine, "machine"), Text(text, "job")).plan()


def among(calls: Path, keys: str = "start: 0 s") -> Plan:
    return planned(AMONG.replace("KEYS", keys), calls)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_they_take_as_long_as_in_a_job_of_their_own(calls: Path, engine: str) -> None:
    alone: Result = run_plan(planned(ALONE, calls), engine=engine, debug=True)  # type: ignore[arg-type]
    result = run_plan(among(calls), engine=engine, debug=True)  # type: ignore[arg-type]
    assert result.elapsed_ns == alone.elapsed_ns + 10**9
    assert alone.elapsed_ns / 1e6 == pytest.approx(5 + 1 + 21 + 2 + 11, rel=0.001)
    for name in ("read", "write"):
        assert result.latencies[name].count == alone.latencies[name].count == 1


def test_more_processes_take_clients_in_turn(calls: Path) -> None:
    calls.write_text(
        f"{HEAD}a,start,,,,0\na,read,f,0,100,\nb,start,,,,0\nb,read,f,0,300,\n", "utf-8"
    )
    result = run_plan(among(calls, "repeat: 3"), debug=True)
    assert [one.read.bytes for one in result.processes] == [300, 900]
    jobs = AMONG.replace("processes: 2", "processes: 4").replace("KEYS", "start: 0 s")
    result = run_plan(planned(jobs, calls), debug=True)
    assert [one.read.bytes for one in result.processes] == [100, 300, 100, 300]


def test_each_phase_has_marks_of_its_own(calls: Path) -> None:
    twice = AMONG.replace("KEYS", "start: 0 s").replace(
        "{do: barrier}", "{do: barrier}, {do: listed, calls: CALLS}"
    )
    once, result = run_plan(among(calls)), run_plan(planned(twice, calls), debug=True)
    assert result.elapsed_ns == 2 * once.elapsed_ns - 10**9


def test_its_calls_are_part_of_the_digest(calls: Path) -> None:
    before = among(calls).digest
    calls.write_text(FORKS.replace("500000", "400000"), "utf-8")
    assert among(calls).digest != before


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("processes: 3", "has 2 clients, and the job 3 processes; write 'processes: 2', or a mult"),
        ("repeat: 2", "wait for each other, which they can do only once; leave out 'repeat'"),
    ],
)
def test_what_it_cannot_do_is_told(calls: Path, keys: str, said: str) -> None:
    jobs = AMONG.replace("    processes: 2\n", "") if keys.startswith("processes") else AMONG
    with pytest.raises(ConfigError, match=r"jobs\.0\.phases\.1\.calls") as told:
        planned(jobs.replace("KEYS", keys), calls)
    assert said in str(told.value)


def test_a_list_that_is_not_there_and_a_file_system_that_is_not(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"phases.1.calls.file: .*write the name of the CSV file"):
        among(tmp_path / "none.csv")
    jobs = AMONG.replace("KEYS", "start: 0 s").replace("CALLS", "{file: CALLS, filesystem: hom}")
    with pytest.raises(ConfigError, match=r"phases.1.calls.filesystem: 'hom' is not a file system"):
        planned(jobs, tmp_path / "none.csv")


# -- time that needs no processor -----------------------------------------------------------------

CROWDED = MACHINE.replace("node: 4", "node: {count: 1, cores: 1}")
IDLE = f"""\
{HEAD}a,start,,,,0
a,VERB,,,30000000,10000000
a,write,output,0,1000000,
b,start,,,,LATER
b,VERB,,,30000000,10000000
b,write,output,0,1000000,
"""


MESSAGES = 4_000
"""What a network adds to the first of them: its packets are sent one behind the other."""


def of_two(tmp_path: Path, verb: str, later: int, jobs: str) -> Result:
    path = tmp_path / f"{verb}.csv"
    path.write_text(IDLE.replace("VERB", verb).replace("LATER", str(later)), "utf-8")
    return both(planned(jobs, path, CROWDED))


def test_who_is_idle_needs_no_core(tmp_path: Path) -> None:
    """Both compute 10 ms on one core until 20, and are idle until 50; then both write."""
    result = of_two(tmp_path, "idle", 0, ALONE)
    assert {one.idle_ns for one in result.processes} == {30 * MS}
    assert {one.compute_ns for one in result.processes} == {10 * MS}
    assert result.elapsed_ns == (20 + 30 + 10 + 11 + 11) * MS + MESSAGES


def test_who_starts_later_needs_no_core_until_then(tmp_path: Path) -> None:
    """The first computes until 10 and writes until 31; the second from 10, and waits for it."""
    jobs = "jobs: [{name: job, processes: 2, phases: [{do: listed, calls: CALLS}]}]"
    result = of_two(tmp_path, "pause", 10 * MS, jobs)
    assert [one.ended_ns for one in result.processes] == [31 * MS + MESSAGES, 42 * MS + MESSAGES]
    assert [one.idle_ns for one in result.processes] == [0, 10 * MS]
