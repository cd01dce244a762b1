"""Loading batches: threads that read ahead, against a naive twin, and bounds of any loader."""

from __future__ import annotations

import math
from collections import Counter
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

import pytest

from simulator.config.doubts import find_doubts
from simulator.config.errors import ConfigError
from simulator.config.formats import parse_machine, parse_workload
from simulator.inputfile import Text
from simulator.kinds.phases.load import shuffle
from simulator.native.run import run_native
from simulator.plan import codes
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import Result
from simulator.run import load_plan
from tests.engines.compare import Run, complaint

BOTH: dict[str, Run] = {"reference": run_reference, "native": run_native}
MS = 10**6
MACHINE = """\
format: machine/2
name: m
nodes: {{client: 2}}
parts:
  cpu: {{kind: cpu, at: client, copy_rate: 1 PB/s, call_overhead: 0 s, record_overhead: 0 s}}
  disk: {{kind: queue, servers: {servers}, rate: {rate}}}
filesystems: {{fs: [disk]}}
"""
WORKLOAD = """\
format: workload/2
name: w
files: {{data: {{size: {size}, exists: true, shared: {shared}}}}}
jobs:
  - name: train
    processes: {processes}
    phases: [{{do: load, file: data, record: {record}, {keys}}}]
"""


def plan_of(
    keys: str,
    *,
    processes: int = 1,
    servers: int = 64,
    rate: str = "100 MB/s",
    record: str = "1 MB",
    size: str = "1 GB",
    shared: str = "true",
) -> Plan:
    machine = MACHINE.format(servers=servers, rate=rate)
    workload = WORKLOAD.format(
        keys=keys, processes=processes, record=record, size=size, shared=shared
    )
    return load_plan(Text(machine, "m"), Text(workload, "w"))


def run(plan: Plan) -> Result:
    assert not complaint(BOTH, plan)
    return run_native(plan)


def trainers(result: Result) -> list[int]:
    return [one.elapsed_ns for one in result.processes if one.job == "train"]


# -- a naive twin ---------------------------------------------------------------------------------


class Loader(NamedTuple):
    """A loader with as many servers of the disk as it has threads, so that no read waits."""

    readers: int
    prefetch: int
    batches: int
    read_ms: int
    compute_ms: int


def twin(one: Loader) -> int:
    """Return how long a process takes, batch by batch; ms."""
    free, taken = [0] * one.readers, list[int]()
    now = 0
    for batch in range(one.batches):
        thread, turn = batch % one.readers, batch // one.readers
        # A thread may begin its turn when the process has taken the one ``prefetch`` turns before.
        before = (turn - one.prefetch) * one.readers + thread
        begin = max(free[thread], taken[before] if before >= 0 else 0)
        free[thread] = begin + one.read_ms
        now = max(now, free[thread])
        taken.append(now)
        now += one.compute_ms
    return now


def keys_of(one: Loader, batch: int = 1) -> str:
    return (
        f"batch: {batch}, batches: {one.batches}, time: {one.compute_ms} ms,"
        f" readers: {one.readers}, prefetch: {one.prefetch}"
    )


@pytest.mark.parametrize("seed", range(25))
def test_batches_come_when_a_naive_loader_has_them(seed: int) -> None:
    dice = Random(seed)
    batch = dice.randint(1, 4)
    one = Loader(
        readers=dice.randint(1, 6),
        prefetch=dice.randint(1, 3),
        batches=dice.randint(1, 30),
        read_ms=10 * batch,  # Samples of 1 MB at 100 MB/s.
        compute_ms=dice.choice([1, 3, 10, 17, 40]),
    )
    assert trainers(run(plan_of(keys_of(one, batch)))) == [twin(one) * MS], one


def test_threads_enough_leave_only_the_first_batch_to_wait_for() -> None:
    """By hand: 40 ms to read four samples, 15 ms to compute: three threads are enough, two not."""
    enough = run(plan_of("batch: 4, batches: 60, time: 15 ms, readers: 3"))
    assert trainers(enough) == [(40 + 60 * 15) * MS]
    few = run(plan_of("batch: 4, batches: 60, time: 15 ms, readers: 2"))
    assert trainers(few) == [(60 // 2 * 40 + 15 + 15) * MS]  # Both end together, 30 times.


def test_without_readers_a_process_reads_and_computes_in_turn() -> None:
    result = run(plan_of("batch: 4, batches: 10, time: 15 ms, readers: 0"))
    assert trainers(result) == [10 * (40 + 15) * MS]
    assert {one.job for one in result.processes} == {"train"}


def test_no_loader_is_faster_than_its_storage_or_its_processor() -> None:
    """A disk of one server: all batches pass through it; and computing cannot be hidden."""
    for readers in (1, 2, 8):
        result = run(
            plan_of(
                f"batch: 2, batches: 20, time: 5 ms, readers: {readers}", servers=1, processes=3
            )
        )
        read_ms = 3 * 20 * 2 * 10
        assert result.elapsed_ns >= read_ms * MS + 5 * MS
        assert result.elapsed_ns <= (read_ms + 20 * 5 + 5) * MS
        assert sum(one.read.bytes for one in result.processes) == 3 * 20 * 2 * 10**6


def test_reading_further_ahead_helps_where_reads_take_turns() -> None:
    """Uneven sizes: with more batches ahead, long ones are hidden behind short ones."""
    waits = {}
    for prefetch in (1, 8):
        keys = (
            f"batch: 1, batches: 200, time: 10 ms, readers: 1, prefetch: {prefetch}, spread: 60 %"
        )
        (elapsed,) = trainers(run(plan_of(keys)))
        waits[prefetch] = elapsed - 200 * 10 * MS
    assert waits[8] < waits[1]


# -- samples --------------------------------------------------------------------------------------


def reads_of(plan: Plan) -> list[tuple[int, int]]:
    table = plan.operations
    return [
        (table.offset[row], table.size[row])
        for row in range(len(table))
        if table.kind[row] == codes.READ
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 10, 100, 1000])
def test_a_shuffle_has_each_sample_once(count: int) -> None:
    for key in range(5):
        assert sorted(shuffle(count, key)(place) for place in range(count)) == [*range(count)]
    if count > 10:
        assert [shuffle(count, 1)(place) for place in range(count)] != [
            shuffle(count, 2)(place) for place in range(count)
        ]


def test_all_processes_together_read_each_sample_once_an_epoch() -> None:
    """Four processes of 25 batches of 3 samples, of 150 samples in all: two epochs."""
    keys = "batch: 3, batches: 25, time: 1 ms, readers: 2"
    offsets = Counter(a for a, _ in reads_of(plan_of(keys, processes=4, size="150 MB")))
    assert offsets == {number * 10**6: 2 for number in range(150)}
    alone = plan_of(keys, processes=4, size="75 MB", shared="false")
    assert Counter(a for a, _ in reads_of(alone)) == {number * 10**6: 4 for number in range(75)}


def test_samples_in_order_follow_each_other() -> None:
    keys = "batch: 2, batches: 3, time: 1 ms, readers: 0, order: sequential"
    offsets = [a // 10**6 for a, _ in reads_of(plan_of(keys, processes=2))]
    assert offsets == [0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11]


def test_sizes_are_normal_and_stay_in_their_file() -> None:
    keys = "batch: 10, batches: 100, time: 1 ms, spread: 20 %"
    sizes = [size for _, size in reads_of(plan_of(keys, size="10 GB"))]
    assert len(sizes) == 1000
    assert fmean(sizes) == pytest.approx(10**6, abs=3.5 * 0.2e6 / math.sqrt(1000))
    assert stdev(sizes) == pytest.approx(0.2e6, rel=0.08)
    wild = reads_of(plan_of("batch: 10, batches: 10, time: 1 ms, spread: 90 %", size="5 MB"))
    assert all(size > 0 and at + size <= 5 * 10**6 for at, size in wild)


def test_samples_that_are_files_are_opened_and_closed() -> None:
    keys = "batch: 2, batches: 6, time: 1 ms, readers: 3"
    for opens, many in (("true", 12), ("false", 3)):
        kinds = Counter(plan_of(f"{keys}, opens: {opens}").operations.kind)
        assert (kinds[codes.OPEN], kinds[codes.CLOSE]) == (many, many)


def test_the_order_is_that_of_the_seed() -> None:
    keys = "batch: 3, batches: 5, time: 1 ms"
    machine = Text(MACHINE.format(servers=4, rate="100 MB/s"), "m")
    text = WORKLOAD.format(keys=keys, processes=1, record="1 MB", size="1 GB", shared="true")
    plans = [load_plan(machine, Text(text, "w"), seed=seed) for seed in (1, 1, 2)]
    first, again, other = map(reads_of, plans)
    assert first == again != other


# -- mistakes -------------------------------------------------------------------------------------

USUAL = "batch: 2, batches: 5, time: 1 ms"


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (f"{USUAL}, readers: 0, prefetch: 2", "prefetch: has no effect without readers; leave"),
        (f"{USUAL}, readers: 1025", "readers: 1,025 threads; write at most 1024"),
        ("batch: 2, time: 1 ms", "batches: is missing"),
        ("batch: 2, batches: 0, time: 1 ms", "batches: '0' is out of range"),
        ("batches: 900000, batch: 20, time: 1 ms", "batches: 18,000,000 samples of all"),
        (f"{USUAL}, order: shuffled", "order: 'shuffled' is unknown; write random or sequential"),
        (f"{USUAL}, spread: 120 %", "spread: '120 %' is more than 100 %"),
    ],
)
def test_mistakes_are_one_error_each(keys: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        plan_of(keys)
    (problem,) = caught.value.problems
    assert f"{problem.key}: {problem.message}".startswith(f"jobs.0.phases.0.{told}")


@pytest.mark.parametrize(("batches", "opens"), [(2778, "false"), (1852, "true")])
def test_samples_whose_list_takes_half_a_gigabyte_are_told(batches: int, opens: str) -> None:
    """90 bytes of each, 135 with opens: 5,555,556 and 3,703,704 are the first above 0.5 GB."""
    machine = parse_machine(MACHINE.format(servers=1, rate="1 MB/s"))

    def doubts(count: int) -> list[str]:
        keys = f"batch: 1000, batches: {count}, time: 1 ms, opens: {opens}"
        text = WORKLOAD.format(keys=keys, processes=2, record="1 MB", size="1 GB", shared="true")
        found = find_doubts(machine, parse_workload(text), noisy=True)
        return [about for at, about in found if at[-1] == "batches"]

    assert doubts(batches - 1) == []
    (about,) = doubts(batches)
    assert about.startswith(f"{2000 * batches:,} samples of all processes are listed before a run")
    assert "in some 0.5 GB of memory" in about


def test_a_sample_larger_than_its_file_and_a_file_that_is_not_there() -> None:
    with pytest.raises(ConfigError, match="2 GB is more than the file of 1 GB has; write less"):
        plan_of(USUAL, record="2 GB")
    text = WORKLOAD.format(keys=USUAL, processes=1, record="1 MB", size="1 GB", shared="true")
    machine = Text(MACHINE.format(servers=4, rate="100 MB/s"), "m")
    with pytest.raises(ConfigError, match="neither exists nor is written before"):
        load_plan(machine, Text(text.replace("exists: true, ", ""), "w"))


@pytest.mark.parametrize("where", ["repeat: 2", "arrivals: {every: 1 s, count: 3}", "loop"])
def test_threads_start_once(where: str) -> None:
    text = WORKLOAD.format(keys=USUAL, processes=1, record="1 MB", size="1 GB", shared="true")
    phase = text.partition("phases: [")[2].rpartition("]")[0]
    if where == "loop":
        text = text.replace(phase, f"{{do: loop, times: 2, phases: [{phase}]}}")
    else:
        text = text.replace("    processes: 1\n", f"    {where}\n")
    with pytest.raises(ConfigError, match="starts its threads once; write more 'batches'"):
        load_plan(Text(MACHINE.format(servers=4, rate="1 MB/s"), "m"), Text(text, "w"))
