"""In which state calls on names were, by what a trace shows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from simulator.cli.main import main
from simulator.plan.codes import (
    CLOSE,
    CREATE,
    LOOKUP,
    OPEN,
    READ,
    RENAME,
    SETATTR,
    STAT,
    UNLINK,
)
from simulator.replay.states import FAR, Pair, States, mark

STATES: States = {
    LOOKUP: Pair(4000, 400),
    STAT: Pair(800, 1200),
    OPEN: Pair(1000, 1500),
    CREATE: Pair(10_000, 160_000),
}


def marked(
    *rows: tuple[int, int, int], states: States = STATES, took: int = 0, more: float = 0.0
) -> list[int]:
    """Sizes of rows of a kind, a file and an offset, after they were marked."""
    kind, file, offset = (np.array(column) for column in zip(*rows, strict=True))
    table = {"kind": kind, "file": file, "offset": offset, "size": np.zeros(len(rows), np.int64)}
    table["order"] = 2 * np.arange(len(rows))
    mark(table, states, np.full(len(rows), took), more)
    return [int(one) for one in table["size"]]


def test_a_name_is_looked_for_again_if_it_was_in_the_same_folder() -> None:
    looks = [(LOOKUP, 1, 7), (LOOKUP, 1, 8), (LOOKUP, 2, 7), (LOOKUP, 1, 7), (LOOKUP, 1, 7)]
    assert marked(*looks) == [0, 0, 0, 1, 1]
    assert marked(*looks, states={}) == [0] * 5


def test_a_file_is_far_after_as_many_others_as_caches_have() -> None:
    every = [(STAT, file, 0) for file in range(FAR)]
    again = [(OPEN, FAR - 1, 0), (READ, FAR - 1, 0), (STAT, 0, 0), (CLOSE, 0, 0)]
    assert marked(*every, *again) == [1] * FAR + [0, 0, 0, 0]
    one_more = [*every, (STAT, FAR, 0), *again]
    assert marked(*one_more) == [1] * (FAR + 1) + [0, 0, 1, 0]
    assert marked(*one_more, states={OPEN: STATES[OPEN]}) == [0] * len(one_more)


def test_of_few_files_none_is_far() -> None:
    assert marked(*[(STAT, file, 0) for file in range(FAR - 1)]) == [0] * (FAR - 1)


@pytest.mark.parametrize(
    ("took", "sizes"),
    [(0, [0] * 4), (10_000, [0] * 4), (85_000, [1, 0, 1, 0]), (47_500, [0, 1, 0, 0])],
)
def test_as_many_creates_are_slow_as_make_the_time_of_the_one_in_the_middle(
    took: int, sizes: list[int]
) -> None:
    """10 us and 160 us: a half of them is 85 us, a quarter 47.5."""
    assert marked(*[(CREATE, file, 0) for file in range(4)], (STAT, 0, 0), took=took) == [*sizes, 0]
    assert marked((CREATE, 0, 0), took=900_000) == [1]


@pytest.mark.parametrize(
    ("took", "more", "slow"),
    [
        (10_000, 600_000, 4),  # Each took 150 us more where there was no tracer.
        (10_000, 302_000, 2),
        (10_000, 300_000, 0),  # That is no more than what may be noise.
        (160_000, -600_000, 0),
        (160_000, -300_000, 4),
        (160_000, 600_000, 4),
    ],
)
def test_creates_are_as_slow_as_the_processors_were_busy_without_the_tracer(
    took: int, more: float, slow: int
) -> None:
    made = [(CREATE, file, 0) for file in range(4)]
    assert sum(marked(*made, took=took, more=more)) == slow
    assert sum(marked(*[(STAT, 0, 0)] * 4, took=took, more=more)) == 0


@pytest.mark.parametrize("kind", [UNLINK, RENAME])
def test_calls_that_took_long_have_waited_for_blocks_to_be_freed(kind: int) -> None:
    """9 us and 400 us: what takes more than their geometric mean, 60 us, is nearer to 400."""
    states = {kind: Pair(9_000, 400_000)}
    for took, slow in ((59_000, 0), (61_000, 1), (4_000_000, 1)):
        assert marked((kind, 0, 0), (STAT, 0, 0), states=states, took=took) == [slow, 0]
    assert marked((kind, 0, 0), states={}, took=61_000) == [0]


def test_only_an_attribute_that_empties_a_file_frees_blocks() -> None:
    """An open that empties its file has the time of both of its rows: 61 us is of the first."""
    rows = {
        "kind": np.array([SETATTR, SETATTR, OPEN, SETATTR, OPEN, SETATTR]),
        "offset": np.array([0, 1, 0, 1, 0, 1]),
        "order": np.array([0, 2, 4, 5, 6, 7]),
        "size": np.zeros(6, np.int64),
    }
    took = np.array([61_000, 61_000, 61_000, 0, 59_000, 0])
    mark(rows, {SETATTR: Pair(9_000, 400_000)}, took)
    assert rows["size"].tolist() == [0, 1, 0, 1, 0, 0]


def test_a_log_is_replayed_in_its_states_and_its_workload_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two absent names, one of them twice; a create that was slow: 4 + 4 + 0.4 and 160 us."""
    pytest.importorskip("pyarrow")
    looks = ["a", "b", "a"]
    calls = [f'access("/d/{name}", F_OK) = -1 ENOENT (No such file) <0.000004>' for name in looks]
    calls.append('openat(AT_FDCWD, "/d/new", O_WRONLY|O_CREAT|O_EXCL, 0600) = 3 <0.000150>')
    log, machine = tmp_path / "log", tmp_path / "machine.yaml"
    log.write_text("".join(f"7 1700000100.000{n}00 {call}\n" for n, call in enumerate(calls)))
    costs = "{lookup: 4 us, create: 10 us}, others: {lookup: 400 ns, create: 160 us}"
    machine.write_text(
        "format: machine/2\nname: two\nparts:\n  disk: {kind: disk, rate: 1 MB/s}\n"
        "  mds: {kind: queue, overhead: 0 s}\n  cpu: {kind: cpu, call_overhead: 0 s}\n"
        f"filesystems: {{home: {{tiers: [disk], metadata: [{{work: mds, costs: {costs}}}]}}}}\n"
    )
    words = ["--on", str(machine), "--format", "json"]
    assert main(["replay", str(log), *words, "--think", "none", "--debug"]) == 0
    found = json.loads(capsys.readouterr().out)["replay"]
    took = {one["call"]: round(one["predicted_s"] * 1e9) for one in found["calls"]}
    assert took == {"access": 8400, "openat": 160_000}
