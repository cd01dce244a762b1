"""Phases that go on through a file each time that a process comes to them, on both engines.

A naive reader beside them counts bytes one record after the other.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config import ConfigError
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.result.result import Result
from tests.engines.test_rounds import CACHED, REREAD, offsets, process_of, run

DISK = """
parts:
  disk: {kind: queue, rate: 200 MB/s}
stores:
  pages: {capacity: 1 GB, block: 1 MB, extent: 10 MB}
filesystems:
  fs: [pages, [disk]]
"""
JOBS = """
files: {{f: {{size: {size}, exists: true, shared: true}}}}
jobs:
  - {{name: a, record: 4 kB, {more}, phases: [{phase}]}}
"""


def naive(first: int, end: int, step: int, calls: int) -> list[int]:
    """Return where so many calls begin: at the beginning again behind the end."""
    found: list[int] = []
    place = first
    for _ in range(calls):
        found.append(place)
        place = place + step if place + step < end else first
    return found


def test_a_loop_reads_all_of_a_file_once() -> None:
    """200 times 10 MB of 2 GB, all from the disk: 200 x 50 ms, and as long computing."""
    phase = (
        "{do: loop, times: 200, phases: [{do: read, file: f, size: 10 MB, record: 10 MB,"
        " order: onward}, {do: compute, time: 30 ms}]}"
    )
    result = run(DISK, REREAD.format(size="2 GB", more="", phase=phase))
    assert result.elapsed_ns == 200 * (50 + 30) * 10**6
    assert offsets(result) == naive(0, 2 * 10**9, 10**7, 200)
    assert process_of(result, "reader").read.bytes == 2 * 10**9


@pytest.mark.parametrize("ways", ["repeat", "loop", "loops", "arrivals"])
@pytest.mark.parametrize("do", ["read", "write"])
def test_it_goes_on_in_whatever_round(ways: str, do: str) -> None:
    """12 kB each time of 40 kB: three records, then the next three, from the beginning again."""
    phase = f"{{do: {do}, file: f, order: onward, size: 12 kB}}"
    more = ""
    if ways == "repeat":
        more = "repeat: 6"
    elif ways == "loop":
        phase = f"{{do: loop, times: 6, phases: [{phase}]}}"
    elif ways == "loops":
        phase = f"{{do: loop, times: 2, phases: [{{do: loop, times: 3, phases: [{phase}]}}]}}"
    else:
        more = "arrivals: {every: 1 ms, distribution: fixed, count: 6, out: 1}"
    result = run(CACHED, REREAD.format(size="40 kB", more=more, phase=phase))
    assert offsets(result, kind=1 if do == "read" else 2) == naive(0, 40_000, 4000, 18)


def test_the_last_record_before_the_end_is_shorter() -> None:
    phase = "{do: read, file: f, order: onward, size: 8 kB}"
    result = run(CACHED, REREAD.format(size="10 kB", more="repeat: 3", phase=phase))
    assert offsets(result) == [0, 4000, 8000, 0, 4000, 8000]
    assert process_of(result, "reader").read.bytes == 2 * 10_000


@pytest.mark.parametrize(
    ("offset", "parts"),
    [
        ("offset: 8 kB", [(8000, 40_000, 4000)] * 2),
        ("offset: rank", [(0, 20_000, 4000), (20_000, 40_000, 4000)]),
        ("offset: interleaved", [(0, 40_000, 8000), (4000, 40_000, 8000)]),
    ],
)
def test_each_process_goes_on_in_its_own_part(
    offset: str, parts: list[tuple[int, int, int]]
) -> None:
    phase = f"{{do: read, file: f, {offset}, order: onward, size: 8 kB}}"
    result = run(CACHED, JOBS.format(size="40 kB", more="processes: 2, repeat: 5", phase=phase))
    for number, part in enumerate(parts):
        assert offsets(result, number) == naive(*part, 10)


def test_a_process_without_a_part_reads_nothing() -> None:
    phase = "{do: read, file: f, offset: interleaved, order: onward, size: 4 kB}"
    result = run(CACHED, JOBS.format(size="8 kB", more="processes: 2, repeat: 2", phase=phase))
    assert [len(offsets(result, number)) for number in (0, 1)] == [2, 2]
    with pytest.raises(ConfigError, match="makes 12 kB for 3 processes; the file has 8 kB"):
        run(CACHED, JOBS.format(size="8 kB", more="processes: 3", phase=phase))


def test_two_processes_that_serve_arrivals_go_on_each_by_itself() -> None:
    phase = "{do: read, file: f, order: onward, size: 8 kB}"
    more = "arrivals: {every: 1 ms, distribution: fixed, count: 9, out: 2}"
    result = run(CACHED, REREAD.format(size="80 kB", more=more, phase=phase))
    made = [offsets(result, number) for number in (0, 1)]
    assert made == [naive(0, 80_000, 4000, len(one)) for one in made]
    assert sum(map(len, made)) == 18


MISTAKES = {
    "order: onward": "order: goes on behind the part of the last time; write its 'size' too",
    "order: onward, size: 10 kB": "size: 10 kB are no whole records of 4 kB; write 8 kB",
    "order: onward, size: 8 kB, record: {draw: uniform, from: 1 kB, to: 3 kB}": (
        "order: onward needs records of one size; write 'record: 64 kB'"
    ),
    "order: onward, size: 8 kB, policy: gfortran": "order: gfortran transfers whole files",
    "truncate: true": "truncate: is for writing: nothing would be left to read",
    "order: onward, size: 8 kB, draw: once": "draw: has no effect without 'order: random'",
}


@pytest.mark.parametrize("keys", MISTAKES)
def test_a_mistake_is_told_at_its_key(keys: str) -> None:
    phase = f"{{do: read, file: f, {keys}}}"
    with pytest.raises(ConfigError) as told:
        run(CACHED, JOBS.format(size="40 kB", more="repeat: 2", phase=phase))
    (problem,) = told.value.problems
    assert f"{problem.key}: {problem.message}".startswith(f"jobs.0.phases.0.{MISTAKES[keys]}")


def doubts(phases: str, more: str = "repeat: 1") -> list[str]:
    """Return what is said of a job that can be simulated, but for lockstep."""
    machine = parse_machine(f"format: machine/2\nname: m\n{CACHED}")
    jobs = JOBS.format(size="2 GB", more=f"policy: posix, {more}", phase=phases)
    found = fit(machine, parse_workload(f"format: workload/2\nname: w\n{jobs}"))
    return [f"{one.key}: {one.message}" for one in found if one.key.endswith("size")]


PART = "{do: read, file: f, size: 10 MB}"


@pytest.mark.parametrize(
    ("phases", "more", "about"),
    [
        (f"{{do: loop, times: 200, phases: [{PART}]}}", "repeat: 1", "(200 times) reads the first"),
        (PART.replace("read", "write"), "repeat: 3", "each round (3 times) writes the first 10 MB"),
        (PART, "arrivals: {every: 1 s, count: 9}", "each round reads the first 10 MB of f again;"),
    ],
)
def test_a_round_that_moves_the_same_bytes_again_is_doubted(
    phases: str, more: str, about: str
) -> None:
    (said,) = doubts(phases, more)
    assert about in said
    assert "write 'order: onward' to go on through the file, or 'offset: 0 B' if" in said


@pytest.mark.parametrize(
    "phase",
    [
        PART,
        "{do: loop, times: 9, phases: [{do: read, file: f, size: 10 MB, order: onward}]}".replace(
            "10 MB", "8 kB"
        ),
        "{do: loop, times: 9, phases: [{do: read, file: f, size: 10 MB, offset: 0 B}]}",
        "{do: loop, times: 9, phases: [{do: read, file: f, size: 10 MB, order: random}]}",
        "{do: loop, times: 9, phases: [{do: read, file: f}]}",
    ],
)
def test_what_is_meant_is_not_doubted(phase: str) -> None:
    assert doubts(phase) == []


def test_a_reader_that_goes_on_does_not_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """20 times 100 kB of 2 MB, through a store of 400 kB, is the file once; 40 times, twice."""
    machine, workload = tmp_path / "m.yaml", tmp_path / "w.yaml"
    machine.write_text(f"format: machine/2\nname: m\n{CACHED}", encoding="utf-8")
    for rounds, again in ((20, False), (40, True)):
        phase = "{do: read, file: f, size: 100 kB, order: onward}"
        jobs = REREAD.format(size="2 MB", more=f"repeat: {rounds}", phase=phase)
        workload.write_text(f"format: workload/2\nname: w\n{jobs}", encoding="utf-8")
        assert main(["advise", str(machine), str(workload), "--format", "json"]) == 0
        assert ("f (2 MB) is read 2 times" in capsys.readouterr().out) is again


def closes(result: Result) -> list[int]:
    """Return the sizes of closes: 1 written, 2 emptied and written."""
    assert result.calls is not None
    return [
        size for kind, size in zip(result.calls.kind, result.calls.size, strict=True) if kind == 4
    ]


def test_a_write_that_truncates_asks_for_it_and_replaces_the_file() -> None:
    machine = CACHED.replace("[pages, [disk]]", "{tiers: [pages, [disk]], metadata: [{work: mds}]}")
    machine = machine.replace("parts:", "parts:\n  mds: {kind: queue, overhead: 1 ms}")
    plain = REREAD.format(size="8 kB", more="", phase="{do: write, file: f, offset: 0 B}")
    emptied = REREAD.format(size="8 kB", more="", phase="{do: write, file: f, truncate: true}")
    one, two = run(machine, plain), run(machine, emptied)
    assert (closes(one), closes(two)) == ([1], [2])
    assert two.elapsed_ns == one.elapsed_ns + 10**6
