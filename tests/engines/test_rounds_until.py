"""Rounds until others end, and calls that alignment cuts: what a process does again."""

from __future__ import annotations

import pytest

from simulator.config.errors import ConfigError
from simulator.plan.errors import SimulationError
from simulator.report.outcome import Outcome
from simulator.report.report import written
from simulator.run import run_plan
from tests.engines.test_rounds import JOBS, PLAIN, READ, planned, process_of, run
from tests.reference import runs
from tests.reference.runs import FREE

# -- until others end ---------------------------------------------------------------------------

BESIDE = """
files: {{f: {{size: 1 MB, exists: true}}, g: {{size: 1 MB}}}}
jobs:
  - {{name: main, phases: [{{do: compute, time: {time}}}]}}
  - {{name: noise, {more} policy: posix, record: 100 kB, until: others end, phases: [{phases}]}}
"""


@pytest.mark.parametrize(("time", "rounds"), [("1 s", 11), ("1050 ms", 11), ("99 ms", 1)])
def test_a_job_goes_on_until_others_have_ended(time: str, rounds: int) -> None:
    """Rounds of 100 ms; after the tenth, at 1 s, the other job has the lower number: it has ended.

    With a lower number of its own it would not have seen that yet. Its call is not cut off.
    """
    result = run(PLAIN, BESIDE.format(time=time, more="", phases=READ))
    noise = process_of(result, "noise")
    rounds -= time == "1 s"
    assert noise.rounds == rounds
    assert noise.ended_ns == rounds * 100_000_000
    assert noise.read.bytes == rounds * 100_000
    assert noise.read.rate == pytest.approx(1e6)  # over its own time
    assert process_of(result, "main").rounds == 0


def test_its_processes_go_on_each_by_itself_unless_they_meet() -> None:
    """The disk serves rank 0 until 100, 300 and 500 ms, and rank 1 until 200 and 400 ms.

    At 300 ms rank 0 begins a third round, at 400 ms rank 1 sees that the other job has ended; if
    they meet in each round, it has to follow.
    """
    free = run(PLAIN, BESIDE.format(time="350 ms", more="processes: 2,", phases=READ))
    assert [one.rounds for one in free.processes] == [0, 3, 2]
    for meeting in ("{do: exchange, pattern: ring, size: 1 B}", "{do: barrier}"):
        phases = f"{meeting}, {READ}"
        met = run(PLAIN, BESIDE.format(time="350 ms", more="processes: 2,", phases=phases))
        assert met.processes[1].rounds == met.processes[2].rounds >= 2


def test_phases_that_take_no_time_would_never_end() -> None:
    with pytest.raises(SimulationError, match="noise waits for time to pass: its phases take none"):
        run(PLAIN, BESIDE.format(time="1 s", more="", phases="{do: compute, time: 0 s}"))


UNTIL_MISTAKES = [
    ("name: main,", "name: main, until: others end,", "jobs.0.until: no job is without it"),
    ("name: noise,", "name: noise, repeat: 2,", "jobs.1.repeat: has no effect beside 'until: oth"),
    (
        "name: noise,",
        "name: noise, arrivals: {every: 1 s, count: 3},",
        "jobs.1.arrivals: has no effect beside 'until: others end'; leave one of them out",
    ),
    (
        "until: others end",
        "until: the end",
        "jobs.1.until: 'the end' is unknown; did you mean 'others end'?",
    ),
    (
        READ,
        "{do: mpi-read, file: s, block: 1 MB}",
        "jobs.1.phases.0: what its library does is counted before the run, and so needs a number",
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), UNTIL_MISTAKES)
def test_a_job_that_cannot_go_on_until_others_end_is_told(old: str, new: str, message: str) -> None:
    machine = PLAIN.replace("parts:", f"parts:\n  cpu: {FREE}", 1)
    jobs = BESIDE.format(time="1 s", more="", phases=READ)
    jobs = jobs.replace("files: {", "files: {s: {size: 1 MB, exists: true, shared: true}, ")
    assert old in jobs
    with pytest.raises(ConfigError) as told:
        runs.planned(machine, jobs.replace(old, new))
    (problem,) = told.value.problems
    assert f"{problem.key}: {problem.message}".startswith(message)


# -- calls that alignment cuts in two -----------------------------------------------------------

CUT = """
parts:
  disk: {kind: queue, rate: 1 MB/s, overhead: 1 ms}
filesystems:
  fs: [{request: 100 kB}, [disk]]
"""


@pytest.mark.parametrize(
    ("offset", "record", "aligned", "needless"),
    [
        ("0 B", "100 kB", "true", 0),
        ("4 kB", "100 kB", "true", 5),  # each call straddles one multiple of 100 kB
        ("4 kB", "100 kB", "false", 0),
        ("4 kB", "50 kB", "true", 5),  # of ten calls those at 54, 154, ... kB
        ("0 B", "30 kB", "true", 3),  # those at 90, 180 (to 210), 390 kB; 270 to 300 kB fits
        ("4 kB", "200 kB", "true", 0),  # longer than a request: cut anyway
    ],
)
def test_calls_that_are_cut_though_they_would_fit(
    offset: str, record: str, aligned: str, needless: int
) -> None:
    size = "480 kB" if record == "30 kB" else "400 kB" if record == "200 kB" else "500 kB"
    phase = f"{{do: write, file: g, offset: {offset}, size: {size}, record: {record}}}"
    machine = CUT.replace("100 kB}", f"100 kB, aligned: {aligned}}}")
    result = run(machine, JOBS.format(more="policy: posix,", phases=phase))
    assert sum(result.needless.values()) == needless


def test_what_a_store_asks_for_is_not_counted_but_direct_calls_are() -> None:
    """Blocks of 40 kB straddle multiples of 100 kB; only a direct call is the program's own."""
    machine = """
parts:
  disk: {kind: queue, rate: 1 MB/s}
stores:
  pages: {at: client, capacity: 4 MB, block: 40 kB}
nodes: {client: 1}
filesystems:
  fs: [pages, {request: 100 kB}, [disk]]
"""
    for direct, needless in (("false", 0), ("true", 2)):
        phase = f"{{do: read, file: f, size: 400 kB, record: 40 kB, offset: 0 B, direct: {direct}}}"
        result = run(machine, JOBS.format(more="policy: posix,", phases=phase))
        assert sum(result.needless.values()) == needless  # at 80 and 280 kB


def test_a_report_says_it_with_the_remedy() -> None:
    phase = "{do: write, file: g, offset: 4 kB, size: 500 kB}"
    plan = planned(CUT, JOBS.format(more="policy: posix,", phases=phase))
    outcome = Outcome(plan, run_plan(plan))
    assert outcome.to_record()["needless_cuts"] == [
        {"path": "fs", "request_bytes": 100_000, "calls": 5}
    ]
    said = " ".join(written("table", outcome).split())
    assert (
        "5 calls of at most 100 kB were cut in two, since requests of fs begin at multiples of 100"
        " kB: align the calls, or write 'aligned: false' in the request."
    ) in said
    aligned = planned(CUT, JOBS.format(more="policy: posix,", phases=phase.replace("4 kB", "0 B")))
    assert "needless_cuts" not in Outcome(aligned, run_plan(aligned)).to_record()


# -- records that are no Fortran records --------------------------------------------------------


@pytest.mark.parametrize(("policy", "records"), [("posix", 0), ("gfortran", 10), ("nwt", 10)])
def test_only_fortran_pays_for_its_records(policy: str, records: int) -> None:
    """Ten records of 1 kB; each READ or WRITE statement costs 1 ms, calls and the disk nothing."""
    machine = PLAIN.replace("1 MB/s}", "1000 TB/s}", 1)
    jobs = JOBS.format(more=f"policy: {policy},", phases="{do: write, file: g, size: 10 kB}")
    jobs = jobs.replace("record: 100 kB", "record: 1 kB")
    result = run(machine, jobs, **{"machine.parts.cpu.record_overhead": "1 ms"})
    assert result.elapsed_ns // 1_000_000 == records
