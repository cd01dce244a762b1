"""What a process does again: loops, rounds until others end, and places that are drawn each time.

Machines and jobs are text, and run on both engines with all identities checked.
"""

from __future__ import annotations

import pytest

from simulator.config.errors import ConfigError
from simulator.mixing import mix
from simulator.plan.codes import ASK_READ, LOOP, OPEN
from simulator.plan.noise import stream_key
from simulator.plan.plan import Plan
from simulator.result.result import ProcessResult, Result
from simulator.run import run_plan
from tests.engines.arrays import MACHINE_TEXT
from tests.reference import runs
from tests.reference.runs import FREE, both
from tests.twins.caches import NaiveLru


def planned(machine: str, jobs: str, **settings: str) -> Plan:
    """Lower a machine and its jobs, which have nothing wrong; the processor takes no time."""
    machine = machine.replace("parts:", f"parts:\n  cpu: {FREE}", 1)
    return runs.planned(machine, jobs, seed=3, **settings)


def run(machine: str, jobs: str, **settings: str) -> Result:
    """Carry out a machine and its jobs on both engines."""
    return both(planned(machine, jobs, **settings))


def offsets(result: Result, process: int = 0, kind: int = 1) -> list[int]:
    """Where a process reads (or writes: kind 2), call after call."""
    assert result.calls is not None
    log, first = result.calls, result.calls.first[process]
    rows = range(first, first + log.count[process])
    return [log.offset[row] for row in rows if log.kind[row] & 31 == kind]


def process_of(result: Result, name: str) -> ProcessResult:
    return next(one for one in result.processes if one.name == name)


# -- places that are drawn ----------------------------------------------------------------------

READ = "{do: read, file: f, size: 100 kB, offset: 0 B}"
CACHED = """
parts:
  disk: {kind: queue, overhead: 100 us}
stores:
  pages: {capacity: 400 kB, block: 4 kB, policy: lru}
filesystems:
  fs: [pages, [disk]]
"""
REREAD = """
files: {{f: {{size: {size}, exists: true}}}}
jobs:
  - name: reader
    record: 4 kB
    policy: posix
    {more}
    phases: [{phase}]
"""


def drawn(calls: int, places: int, rounds: int, name: str = "reader/0") -> list[list[int]]:
    """The rule of docs/composition.md: call i of round r draws number r * calls + i."""
    key = stream_key(3, 0, f"{name}/places")
    return [[mix(key, r * calls + i) % places for i in range(calls)] for r in range(rounds)]


@pytest.mark.slow
@pytest.mark.parametrize("ways", ["repeat", "loop", "arrivals"])
def test_a_random_reader_hits_as_often_as_the_cache_is_large(ways: str) -> None:
    """Uniform references under LRU: the hit ratio is C / N (King 1971), here 100 / 2000 blocks."""
    phase = "{do: read, file: f, order: random, size: 1 MB}"
    more = ""
    if ways == "repeat":
        more = "repeat: 20"
    elif ways == "loop":
        phase = f"{{do: loop, times: 4, phases: [{{do: loop, times: 5, phases: [{phase}]}}]}}"
    else:
        more = "arrivals: {every: 1 ms, distribution: fixed, count: 20, out: 1}"
    result = run(CACHED, REREAD.format(size="8 MB", more=more, phase=phase))
    made = offsets(result)
    name = "reader/0.0.0" if ways == "loop" else "reader/0"
    assert made == [4000 * place for one in drawn(250, 2000, 20, name) for place in one]
    (pages,) = result.stores.values()
    looks = len(made)
    assert looks == 250 * 20
    twin = NaiveLru(100)
    assert pages.counts["hits"] == sum(twin.touch(one // 4000) for one in made)
    # 100 blocks are missed before the cache is full; then hits are binomial with p = 1 / 20.
    sigma = (looks * 0.05 * 0.95) ** 0.5
    assert abs(pages.counts["hits"] - 0.05 * (looks - 100)) < 4 * sigma + 5


def test_drawn_once_they_are_the_same_in_each_round() -> None:
    """As it was before: 250 places of 2000 that a cache of 400 blocks keeps."""
    phase = "{do: read, file: f, order: random, size: 1 MB, draw: once}"
    jobs = REREAD.format(size="8 MB", more="repeat: 20", phase=phase)
    result = run(CACHED, jobs, **{"machine.stores.pages.capacity": "1600 kB"})
    (places,) = drawn(250, 2000, 1)
    assert offsets(result) == [4000 * place for place in places] * 20
    (pages,) = result.stores.values()
    assert pages.counts["misses"] == len(set(places))


def test_the_first_round_is_what_a_single_one_is() -> None:
    phase = "{do: read, file: f, order: random, size: 1 MB}"
    one = run(CACHED, REREAD.format(size="8 MB", more="", phase=phase))
    two = run(CACHED, REREAD.format(size="8 MB", more="repeat: 2", phase=phase))
    assert offsets(two)[:250] == offsets(one)
    assert offsets(two)[250:] != offsets(one)
    assert one.calls is not None
    assert two.calls is not None
    assert two.calls.end[:252] == one.calls.end[:252]


def test_a_shorter_last_record_is_drawn_with_its_size() -> None:
    """10 kB in records of 4 kB: the third has 2 kB, in whatever round it is drawn."""
    phase = "{do: read, file: f, order: random}"
    result = run(CACHED, REREAD.format(size="10 kB", more="repeat: 9", phase=phase))
    made = [place for one in drawn(3, 3, 9) for place in one]
    assert offsets(result) == [4000 * place for place in made]
    sizes = sum(2000 if place == 2 else 4000 for place in made)
    assert process_of(result, "reader").read.bytes == sizes


def test_processes_that_serve_arrivals_draw_each_by_itself() -> None:
    """Each goes on with its own count of rounds, whichever jobs it gets."""
    phase = "{do: read, file: f, order: random, size: 400 kB}"
    more = "arrivals: {every: 1 ms, distribution: fixed, count: 9, out: 2}"
    result = run(CACHED, REREAD.format(size="8 MB", more=more, phase=phase))
    for number in (0, 1):
        made = offsets(result, number)
        own = drawn(100, 2000, len(made) // 100, f"reader.{number}/0")
        assert made == [4000 * place for one in own for place in one]
    assert len(offsets(result, 0)) + len(offsets(result, 1)) == 900


def test_writes_are_drawn_too() -> None:
    phase = "{do: write, file: f, order: random, size: 40 kB}"
    result = run(CACHED, REREAD.format(size="8 MB", more="repeat: 5", phase=phase))
    made = [4000 * place for one in drawn(10, 2000, 5) for place in one]
    assert offsets(result, kind=2) == made


IO_NODES = MACHINE_TEXT.partition("name: small\n")[2]
LAID_OUT = """
files:
  f: {{size: {size}, exists: true, shared: true, layout: [{{stripe: 100 B, order: [3, 1]}}]}}
jobs:
  - {{name: a, record: {record}, policy: posix, repeat: 4, phases: [{phase}]}}
"""


def asked(result: Result) -> list[list[tuple[int, int]]]:
    """The (first, count) of asked requests, a list for each time that the file is opened."""
    assert result.calls is not None
    rounds: list[list[tuple[int, int]]] = []
    for kind, first, count in zip(
        result.calls.kind, result.calls.offset, result.calls.size, strict=True
    ):
        if kind == OPEN:
            rounds.append([])
        elif kind == ASK_READ:
            rounds[-1].append((first, count))
    return rounds


@pytest.mark.parametrize("record", ["80 B", "1000 B"])
@pytest.mark.parametrize("size", ["", ", size: 4000 B"])
def test_requests_to_io_nodes_are_drawn_each_round(record: str, size: str) -> None:
    """A record is a request or more: with a transfer buffer of 400 B one of 1000 B has three."""
    phase = f"{{do: read, file: f{size}, order: random}}"
    jobs = LAID_OUT.format(size="8 kB", record=record, phase=phase)
    plan = runs.planned(IO_NODES, jobs, seed=3)
    each, length = (1, 80) if record == "80 B" else (3, 1000)
    calls, places = (4000 if size else 8000) // length, 8000 // length
    (reads,) = plan.processes[0].phases
    assert reads.draw is not None
    assert (reads.draw.count, reads.draw.places, reads.draw.each) == (calls, places, each)
    base, table = reads.draw.base, plan.operations
    rows = [(table.offset[row], table.size[row]) for row in range(base, base + places * each)]
    result = both(plan)
    wanted = [
        [rows[place * each + part] for place in places_of_round for part in range(each)]
        for places_of_round in drawn(calls, places, 4, "a/0")
    ]
    assert asked(result) == wanted
    assert result.processes[0].read.bytes == 4 * calls * length
    assert plan.asked is not None
    assert plan.asked.work.calls == 4 * calls


def test_drawn_once_requests_to_io_nodes_stay() -> None:
    phase = "{do: read, file: f, order: random, draw: once}"
    jobs = LAID_OUT.format(size="8 kB", record="80 B", phase=phase)
    plan = runs.planned(IO_NODES, jobs, seed=3)
    rounds = asked(run_plan(plan, record=True))
    assert rounds == [rounds[0]] * 4
    jobs = LAID_OUT.format(size="8010 B", record="80 B", phase=phase.replace(", draw: once", ""))
    about = "jobs.0.phases.0: draws records of several sizes in a file with a layout"
    with pytest.raises(ConfigError, match=about):
        runs.planned(IO_NODES, jobs)


# -- loops --------------------------------------------------------------------------------------

PLAIN = """
nodes: {client: 4}
parts:
  disk: {kind: queue, rate: 1 MB/s}
  net: {kind: network, at: client, rate: 10 MB/s}
filesystems:
  fs: [[disk]]
"""
JOBS = """
files: {{f: {{size: 1 MB, exists: true}}, g: {{size: 1 MB}}}}
jobs:
  - {{name: a, record: 100 kB, {more} phases: [{phases}]}}
"""


def test_nested_loops_take_as_long_as_their_phases_as_often() -> None:
    """3 * (1 ms + 4 * (100 kB / 1 MB/s + 2 ms)) + 5 ms = 1232 ms."""
    inner = "{do: loop, times: 4, phases: [{do: read, file: f, size: 100 kB, offset: 0 B},"
    inner += " {do: compute, time: 2 ms}]}"
    outer = f"{{do: loop, times: 3, phases: [{{do: compute, time: 1 ms}}, {inner}]}}"
    phases = f"{outer}, {{do: compute, time: 5 ms}}"
    result = run(PLAIN, JOBS.format(more="policy: posix,", phases=phases))
    assert result.elapsed_ns == 1_232_000_000
    assert process_of(result, "a").compute_ns == 32_000_000
    assert process_of(result, "a").read.bytes == 1_200_000


@pytest.mark.parametrize(
    "body",
    [
        "{do: write, file: g}, {do: read, file: g}",
        "{do: write, file: g, policy: gfortran}, {do: sync, file: g}",
        "{do: barrier}, {do: compute, time: 1 ms}, {do: stat, file: f, count: 2}",
        "{do: message, to: next, size: 1 kB}, {do: exchange, pattern: all, size: 3 kB}",
        "{do: lock, name: l}, {do: read, file: f, offset: 0 B}, {do: unlock, name: l}",
        "{do: barrier}, {do: loop, times: 2, phases: [{do: message, to: 0, size: 1 kB}]}",
    ],
)
def test_a_loop_is_its_phases_written_as_often(body: str) -> None:
    """Also ``repeat`` of the job, where the loop is all that there is."""
    more = "processes: 3, policy: posix,"
    loop = f"{{do: loop, times: 5, phases: [{body}]}}"
    looped = run(PLAIN, JOBS.format(more=more, phases=loop))
    written = run(PLAIN, JOBS.format(more=more, phases=", ".join([body] * 5)))
    repeated = run(PLAIN, JOBS.format(more=f"{more} repeat: 5,", phases=body))
    for other in (written, repeated):
        assert looped.elapsed_ns == other.elapsed_ns
        assert looped.processes == other.processes
        assert looped.parts == other.parts
        assert looped.latencies == other.latencies


def test_a_million_rounds_have_few_rows() -> None:
    """Memory does not grow with ``times``; only the native engine is asked to go through them."""
    times = 1_000_000
    loop = f"{{do: loop, times: {times}, phases: [{{do: compute, time: 1 us}}]}}"
    plan = planned(PLAIN, JOBS.format(more="", phases=loop))
    assert len(plan.processes[0].phases) == 2
    result = run_plan(plan, debug=True)
    assert result.elapsed_ns == times * 1000


MISTAKES = [
    ("{do: loop, phases: [{do: barrier}]}", "phases.0.times: is missing; write it like 'times: 4'"),
    ("{do: loop, times: 2, phases: []}", "phases.0.phases: is empty; write one or more"),
    (
        "{do: loop, times: 2, phases: [{do: loop, times: 2, phases: [{do: read, file: x}]}]}",
        "phases.0.phases.0.phases.0.file: 'x' is not in files; there are f, g",
    ),
    (
        "{do: loop, times: 2, phases: [{do: lock, name: l}]}",
        "phases.0: 'l' is held at the end of this loop, but not at its begin; lock and unlock it",
    ),
    (
        "{do: lock, name: l}, {do: loop, times: 2, phases: [{do: unlock, name: l}]},"
        " {do: unlock, name: l}",
        "phases.1: 'l' is held at its begin; lock and unlock it in the loop, or both outside",
    ),
    (
        "{do: read, file: f, size: 100 kB, offset: 0 B, draw: once}",
        "phases.0.draw: has no effect without 'order: random'; leave it out, or write that too",
    ),
    (
        "{do: loop, times: 2, phases: [{do: read, file: g, offset: 0 B}]}, {do: write, file: g}",
        "phases.0.phases.0.file: 'g' neither exists nor is written before",
    ),
]


@pytest.mark.parametrize(("phases", "message"), MISTAKES)
def test_a_mistake_in_a_loop_is_told_once_with_its_place(phases: str, message: str) -> None:
    machine = PLAIN.replace("parts:", f"parts:\n  cpu: {FREE}", 1)
    jobs = JOBS.format(more="policy: posix,", phases=phases)
    with pytest.raises(ConfigError) as told:
        runs.planned(machine, jobs)
    (problem,) = told.value.problems
    assert f"{problem.key}: {problem.message}".startswith(f"jobs.0.{message}")


def test_settings_reach_into_loops() -> None:
    loop = f"{{do: loop, times: 2, phases: [{{do: loop, times: 3, phases: [{READ}]}}]}}"
    at = "workload.jobs.0.phases.0"
    settings = {f"{at}.times": "5", f"{at}.phases.0.phases.0.size": "50 kB"}
    plan = planned(PLAIN, JOBS.format(more="policy: posix,", phases=loop), **settings)
    inner, outer = (one for one in plan.processes[0].phases if one.kind == LOOP)
    assert (inner.first, inner.loops, outer.first, outer.loops) == (0, 3, 0, 5)
    assert plan.operations.size[1] == 50_000
