"""Calls drawn from counters of Darshan have these; replays and advice of several samples."""

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from simulator.answers.again import machine_variants
from simulator.cli.main import main
from simulator.replay.confirmed import advise_samples
from simulator.replay.family import interval_of, moves_most
from simulator.replay.replay import ReplayOptions
from simulator.traces.sampled.bins import Bins, Heat
from simulator.traces.sampled.calls import BARRIER, OPEN, SYNC, WRITE
from simulator.traces.sampled.counts import counters_of
from simulator.traces.sampled.records import Job
from simulator.traces.sampled.rows import rows_of
from simulator.traces.sampled.streams import EXACT, KEPT, Counted, Draws, drawn
from simulator.traces.sampled.times import in_turn, running_most
from tests.traces.darshan_bytes import record, segments, write
from tests.traces.programs import counted, each, program, streams

FILE = 4711
ALIGNMENT = 4096
REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "darshan"


def recorded(random):
    """Return a random program of one to four ranks on a file, its counters and its record."""
    ranks = int(random.integers(1, 5))
    calls = program(random, ranks)
    counts, seconds, rank = counted(calls, ALIGNMENT), {}, 0
    if ranks > 1:
        moved = [sum(size for _, _, size in mine) for mine in calls]
        counts |= {"FASTEST_RANK_BYTES": moved[0], "SLOWEST_RANK": ranks - 1}
        counts["SLOWEST_RANK_BYTES"] = moved[-1]
        seconds, rank = {"F_VARIANCE_RANK_BYTES": float(np.var(moved))}, -1
    return calls, ranks, Counted(rank, "/scratch/out", counts, seconds)


def differing(found, counts):
    names = {name for name in {*found, *counts} if name.startswith(EXACT)}
    return sorted(name for name in names if found.get(name, 0) != counts.get(name, 0))


def test_counters_of_streams_are_those_that_one_call_after_the_other_gives():
    for seed in range(200):
        calls, _, one = recorded(np.random.default_rng(seed))
        found = counters_of(streams(calls), ALIGNMENT)
        assert not differing(found, one.counts)
        assert found.get("FILE_NOT_ALIGNED", 0) == one.counts.get("FILE_NOT_ALIGNED", 0)


def test_counters_of_drawn_calls_are_those_of_the_log_or_said_to_differ():
    unmet = 0
    for seed in range(300):
        _, ranks, one = recorded(np.random.default_rng(seed))
        made = drawn(one, ranks, np.random.default_rng(seed + 1))
        assert differing(counters_of(made.streams, ALIGNMENT), one.counts) == made.wrong
        unmet += bool(made.wrong)
        for way in ("READ", "WRITE"):  # How many, how much and of what size is met always.
            sure = (f"{way}S", f"SIZE_{way}", "BYTES")
            assert not [name for name in made.wrong if name.startswith(sure)]
    assert unmet <= 18  # 6 %; strides that are known leave no room for the last byte.


def test_the_same_seed_draws_the_same_calls_and_another_one_others():
    _, ranks, one = recorded(np.random.default_rng(9))
    of = [rows_of(job(one, ranks=ranks), seed).whole("offset").tolist() for seed in (1, 1, 2)]
    assert of[0] == of[1] != of[2]


def test_records_with_the_same_counters_share_draws_and_keep_them():
    random = np.random.default_rng(17)
    counts = counted(program(random, 1), 4096)
    draws, alone = Draws(8, 5), Counted(0, "/f", counts, {})
    made = [draws.of(Counted(rank % 8, f"/f{rank}", counts, {}), rank) for rank in range(3 * KEPT)]
    for number, one in enumerate(made):
        assert set(one.streams.rank.tolist()) == {number % 8}
        first = drawn(alone, 8, np.random.default_rng((5, number % KEPT)))
        assert counters_of(one.streams, 4096) == counters_of(first.streams, 4096)
        assert one.streams.offset.tolist() == first.streams.offset.tolist()
    other = draws.of(Counted(0, "/g", counts | {"STATS": 1}, {}), 99)
    assert other is not made[99 % KEPT]


def segmented(writes, ranks=4, size=1024, **more):
    """Return the counters of IOR: each rank writes a segment of one file, piece by piece."""
    whole = writes * ranks * size
    many = writes * ranks
    seconds = {"F_WRITE_START_TIMESTAMP": 1.0, "F_WRITE_END_TIMESTAMP": 9.0, "F_WRITE_TIME": 24.0}
    return {
        "OPENS": ranks,
        "WRITES": many,
        "BYTES_WRITTEN": whole,
        "MAX_BYTE_WRITTEN": whole - 1,
        "CONSEC_WRITES": many - ranks,
        "SEQ_WRITES": many - 1,
        "SIZE_WRITE_100_1K": many,
        "ACCESS1_ACCESS": size,
        "ACCESS1_COUNT": many,
        "FILE_ALIGNMENT": 1 << 20,
        "FASTEST_RANK": 0,
        "FASTEST_RANK_BYTES": whole // ranks,
        "SLOWEST_RANK": 2,
        "SLOWEST_RANK_BYTES": whole // ranks,
        "FILE_NOT_ALIGNED": many - 1,
        **seconds,
        **more,
    }


def printed(capsys, *words):
    assert main(list(words)) == 0
    return capsys.readouterr().out


def job(*records, ranks=4, heat=None):
    return Job(ranks, records, heat or {})


def of_record(counters, rank=-1):
    counts = {name: value for name, value in counters.items() if name[:2] != "F_"}
    seconds = {name: value for name, value in counters.items() if name[:2] == "F_"}
    return Counted(rank, "/scratch/out", counts, seconds)


def test_segments_of_ranks_stand_where_the_counters_leave_no_choice():
    made = drawn(of_record(segmented(8)), 4, np.random.default_rng(3))
    assert [one.rank[0] for one in each(made.streams)] == [0, 1, 2, 3]
    for one in each(made.streams):
        assert one.offset.tolist() == [1024 * (8 * one.rank[0] + number) for number in range(8)]
        assert one.writes.all()
        assert one.size.tolist() == [1024] * 8


def test_a_rank_that_moved_everything_has_all_calls():
    """The variance of one rank with all bytes of four: (3/16) of their square."""
    whole = 4 * 8 * 1024
    more = {"FASTEST_RANK": 1, "FASTEST_RANK_BYTES": 0, "SLOWEST_RANK_BYTES": whole}
    more |= {"F_VARIANCE_RANK_BYTES": 3 / 16 * whole**2, "CONSEC_WRITES": 31}
    made = drawn(of_record(segmented(8, **more)), 4, np.random.default_rng(3))
    assert made.streams.rank.tolist() == [2] * 32


def modified(rounds=4, size=1024, hole=3):
    """Return the counters of reads and writes in turn, of the same bytes: rounds with holes."""
    many = 8 * rounds
    counts = {"READS": many, "WRITES": many, "RW_SWITCHES": 2 * many - 1}
    for way, past in (("READ", "READ"), ("WRITE", "WRITTEN")):
        counts[f"BYTES_{past}"] = counts["MAX_BYTE_" + past] = many * size
        counts["MAX_BYTE_" + past] += (rounds - 1) * hole * size - 1
        counts |= {f"CONSEC_{way}S": many - rounds, f"SEQ_{way}S": many - 1}
        counts[f"SIZE_{way}_100_1K"] = many
    strides = {"STRIDE1_STRIDE": hole * size, "STRIDE1_COUNT": 2 * (rounds - 1)}
    return counts | strides | {"ACCESS1_ACCESS": size, "ACCESS1_COUNT": 2 * many}


def test_what_is_read_and_written_in_turn_is_of_the_same_places():
    for seed in range(8):
        made = drawn(of_record(modified(), 0), 1, np.random.default_rng(seed))
        one = made.streams
        assert not made.wrong
        assert one.offset[~one.writes].tolist() == one.offset[one.writes].tolist()


def collected(**more):
    """Return a record of a shared file that two of four ranks write, in 4 collective calls."""
    whole = 4 * 8 * 1024
    named = {"FASTEST_RANK": 1, "FASTEST_RANK_BYTES": 0, "SLOWEST_RANK": 2, "FSYNCS": 4}
    named |= {"SLOWEST_RANK_BYTES": whole // 2, "F_VARIANCE_RANK_BYTES": whole**2 / 16}
    one = of_record(segmented(8, **named, **more))
    return replace(one, above={"COLL_WRITES": 16, "SYNCS": 4})


def test_ranks_meet_between_collective_calls_and_before_collective_syncs():
    rows = rows_of(job(collected()), 4)  # Its samples with bit 2 of the seed wait for each other.
    call, rank = rows.whole("call"), rows.whole("rank")
    number, ends = (rows.whole(name) for name in ("offset", "begin"))
    ends = ends + rows.whole("took")
    at_sync, between = 0, 1
    assert rows.barriers == [4, 2]
    assert sorted(rank[call == SYNC].tolist()) == [0, 1, 2, 3]
    waits = (call == BARRIER) & (number == at_sync)
    assert sorted(rank[waits].tolist()) == [0, 1, 2, 3]
    assert set(ends[waits].tolist()) == {9_000_000_000}
    meets = (call == BARRIER) & (number == between)
    movers = sorted(set(rank[call == WRITE].tolist()))
    assert len(movers) == 2
    for one in movers:  # Between 4 calls from 1 to 9 s; each of the two has as many.
        assert ends[meets & (rank == one)].tolist() == [3 * 10**9, 5 * 10**9, 7 * 10**9]
    assert rows_of(job(collected()), 0).barriers == [4]


def test_a_file_that_is_written_first_is_made_by_its_first_open():
    rows = rows_of(job(collected()), 0)
    call, flags = (rows.whole(name) for name in ("call", "flags"))
    assert flags[call == OPEN].tolist() == [2, 1, 1, 1]
    reads = {"READS": 1, "BYTES_READ": 8, "SIZE_READ_0_100": 1, "F_READ_START_TIMESTAMP": 0.5}
    rows = rows_of(job(of_record(segmented(8, **reads))), 0)
    call, flags = (rows.whole(name) for name in ("call", "flags"))
    assert set(flags[call == OPEN].tolist()) == {1}


def test_intervals_hold_a_further_draw_as_often_as_they_say():
    """Of 2,000 families of 8 times, logarithms normally distributed, 90 % hold a ninth."""
    random = np.random.default_rng(7)
    times = np.exp(random.normal(10, 0.3, (2000, 9)) * 1.0 + 10)
    held = 0
    for row in times.round().astype(int).tolist():
        low, high = interval_of(row[:8], 0.0)
        held += low <= row[8] <= high
    assert held / 2000 == pytest.approx(0.9, abs=0.025)


def test_times_of_many_ranks_are_those_of_each_alone():
    random = np.random.default_rng(3)
    group = np.repeat(np.arange(5), [1, 4, 0, 7, 2])
    group = np.unique(group, return_inverse=True)[1]  # Numbers without a hole.
    begin, took = random.integers(0, 2**45, len(group)), random.integers(0, 2**42, len(group))
    high = np.array([int((begin + took)[group == one].max()) for one in range(4)])
    every = in_turn(group, begin, took, high)
    for one in range(4):
        mine = group == one
        alone = in_turn(group[mine] * 0, begin[mine], took[mine], high[one : one + 1])
        for whole, part in zip(every, alone, strict=True):
            assert whole[mine].tolist() == part.tolist()
        starts, lengths = (column[mine] for column in every)
        assert (starts[1:] >= (starts + lengths)[:-1]).all()
        assert (starts + lengths)[-1] <= high[one]


def test_the_largest_up_to_each_is_that_of_its_group_however_far_numbers_reach():
    random = np.random.default_rng(5)
    group = np.sort(random.integers(0, 6, 40))
    group = np.unique(group, return_inverse=True)[1]
    values = random.integers(-(2**60), 2**60, 40)  # Six times this is more than 64 bits hold.
    found = running_most(group, values)
    for one in set(group.tolist()):
        mine = group == one
        assert found[mine].tolist() == np.maximum.accumulate(values[mine]).tolist()


def test_bins_of_many_ranks_place_calls_as_those_of_each_alone():
    random = np.random.default_rng(4)
    bins = {
        rank: Bins(0.5, [], (random.integers(0, 3, 5 + rank) * 100).tolist()) for rank in (0, 2, 3)
    }
    heat, ranks = Heat(bins, 5), np.arange(5)
    owner = np.repeat(ranks, 4)
    before = np.tile([0.0, 0.2, 0.5, 0.9], 5)
    low, high = np.full(5, 0.3), np.full(5, 2.4)
    every = heat.begins(ranks, "WRITE", before, owner, low, high)
    for rank in ranks.tolist():
        mine, one = every[owner == rank], np.array([rank])
        alone = heat.begins(one, "WRITE", before[:4], np.zeros(4, int), low[:1], high[:1])
        assert np.array_equal(mine, alone, equal_nan=True)
        assert np.isnan(mine).all() == (rank not in bins)
        assert np.isnan(mine).all() or (np.diff(mine) >= 0).all()


def test_what_moves_the_answer_most_is_named_with_how_much():
    times = [100 + 50 * (seed >> 1 & 1) for seed in range(8)]  # Bit 1: jumps are regular.
    assert moves_most(times, 0) == ("whether its jumps are regular", pytest.approx(0.5))
    assert moves_most([100] * 8, 0) is None
    assert moves_most([100, 150], 0) is None  # Too few to say.


# -- logs ------------------------------------------------------------------------------------------

needs_darshan = pytest.mark.skipif(
    not (find_spec("darshan") and find_spec("duckdb")), reason="needs PyDarshan and DuckDB"
)
quiet = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def log(tmp_path):
    """A log of 1 KiB writes with a sync each, without DXT."""
    counters = segmented(16, FSYNCS=64, F_OPEN_START_TIMESTAMP=1.0, F_WRITE_TIME=31.96)
    return write(
        tmp_path / "ior.darshan",
        {"POSIX": record("POSIX", FILE, -1, counters)},
        names={FILE: "/scratch/out"},
        seconds=10,
    )


@needs_darshan
@quiet
def test_a_replay_of_counters_says_what_is_not_in_the_log_and_between_what_the_answer_is(
    capsys, log
):
    words = ["replay", str(log), "--on", "lustre-lab", "--no-limits", "--samples", "5"]
    text = printed(capsys, *words)
    found = json.loads(printed(capsys, *words, "--format", "json"))["replay"]
    times = found["samples"]["elapsed_s"]
    assert len(times) == 5
    assert found["predicted_elapsed_s"] == sorted(times)[2]
    assert "5 samples of calls that have its counters take" in " ".join(text.split())
    assert found["samples"]["unmet"] == 0
    assert {one["call"]: one["count"] for one in found["calls"]}["write"] == 64
    assert printed(capsys, *words) == text


@needs_darshan
@quiet
def test_advice_on_counters_is_run_on_all_samples(capsys, log):
    words = ["advise", str(log), "--on", "lustre-lab", "--no-limits", "--samples", "4"]
    found = json.loads(printed(capsys, *words, "--format", "json"))
    by_pattern = {one["pattern"]: one for one in found["advice"]}
    assert {"sync-write", "shared-hotspot"} & by_pattern.keys()
    for one in found["advice"]:
        spread = one["samples"]
        assert (spread["helped"], spread["of"]) == (4, 4)
        assert spread["least_ns"] <= one["predicted_ns"] <= spread["most_ns"]
        assert spread["most_ns"] > 2 * spread["least_ns"]  # The model's error of 45 %.
    assert "It helps in 4 of 4 samples" in " ".join(printed(capsys, *words).split())


@needs_darshan
@quiet
def test_without_drawn_machines_samples_are_run_on_the_one_there_is(log, monkeypatch):
    """Those that are kept, and those that are read again since they are too large, alike."""
    on, wanted, found = machine_variants("lustre-lab", ()), ReplayOptions(), []
    for most in (10**6, 0):
        monkeypatch.setattr("simulator.replay.family.MOST_KEPT", most)
        advised = advise_samples([log], on, wanted, samples=4, limits=False).advised
        found.append([one.spread for one in advised.advice])
    assert found[0] == found[1]
    assert found[0][0][:2] == (4, 4)


@needs_darshan
@quiet
def test_a_log_with_dxt_is_replayed_by_its_own_calls(capsys, tmp_path):
    calls = [(1024 * one, 1024, 1.0 + one, 1.5 + one) for one in range(4)]
    counters = segmented(4, ranks=1)
    modules = {
        "POSIX": record("POSIX", FILE, 0, counters),
        "DXT_POSIX": segments(FILE, 0, writes=calls),
    }
    path = write(tmp_path / "dxt.darshan", modules, names={FILE: "/scratch/out"}, nprocs=1)
    words = ["replay", str(path), "--on", "lustre-lab", "--no-limits", "--format", "json"]
    assert json.loads(printed(capsys, *words))["replay"]["samples"] is None


@needs_darshan
@quiet
@pytest.mark.slow
@pytest.mark.skipif(not REAL.exists(), reason="needs ../shared/data/darshan")
@pytest.mark.parametrize("name", sorted(path.name for path in REAL.rglob("*.darshan")))
def test_counters_of_public_logs_are_met(name):
    from darshan.backend import cffi_backend as library

    path = next(REAL.rglob(name))
    log = library.log_open(str(path))
    processes = library.log_get_job(log)["nprocs"]
    records = unmet = 0
    while (one := library.log_get_record(log, "POSIX", "dict")) is not None:
        values = {**one["counters"], **one["fcounters"]}
        values = {key.removeprefix("POSIX_"): value.item() for key, value in values.items()}
        counters = {key: value for key, value in values.items() if value > 0}
        if counters.get("READS") or counters.get("WRITES"):
            made = drawn(
                of_record(counters, one["rank"]), processes, np.random.default_rng(records)
            )
            records += 1
            unmet += bool(made.wrong)
    assert records
    assert unmet <= 0.04 * records  # Files read by several threads, and pipes.
