"""When drawn calls are, and where: within the times of the log, with their syncs."""

from dataclasses import replace

import numpy as np
import pytest

from simulator.traces.sampled.bins import Bins
from simulator.traces.sampled.calls import KINDS, READ, SYNC, WRITE
from simulator.traces.sampled.rows import rows_of
from simulator.traces.sampled.streams import Counted, Habit, drawn
from tests.traces.test_sampled import job, of_record, segmented


def test_syncs_stand_evenly_behind_writes_and_times_within_those_of_the_log():
    rows = rows_of(job(of_record(segmented(8, FSYNCS=16))), 0)
    call, begin = rows.whole("call"), rows.whole("begin")
    took, rank = rows.whole("took"), rows.whole("rank")
    assert (call == SYNC).sum() == 16
    mine = call[(rank == 1) & (call >= READ) & np.isin(call, (WRITE, SYNC))].tolist()
    assert mine == [WRITE, WRITE, SYNC] * 4
    moves = np.isin(call, (WRITE, SYNC))
    assert begin[moves].min() == 1_000_000_000
    assert (begin + took)[moves].max() == 9_000_000_000
    assert took[moves].sum() == pytest.approx(24e9, rel=1e-6)


def test_syncs_end_behind_the_last_write_where_their_time_says_so():
    """IOR of AIIO's pair: one write and one sync a rank; Darshan has its time with the write's."""
    times = {"F_WRITE_START_TIMESTAMP": 1.0, "F_WRITE_END_TIMESTAMP": 5.0, "F_WRITE_TIME": 32.0}
    times |= {"F_CLOSE_END_TIMESTAMP": 9.5, "F_SLOWEST_RANK_TIME": 8.4, "FSYNCS": 4}
    rows = rows_of(job(of_record(segmented(1, **times))), 0)
    call, ends = rows.whole("call"), rows.whole("begin") + rows.whole("took")
    moves = np.isin(call, (WRITE, SYNC))
    assert ends[moves].max() == 9_400_000_000
    assert rows.whole("took")[moves].sum() == pytest.approx(32e9, rel=0.01)
    without = rows_of(job(of_record(segmented(1, **times | {"FSYNCS": 0}))), 0)
    last = (without.whole("begin") + without.whole("took"))[without.whole("call") == WRITE]
    assert last.max() == 5_000_000_000


@pytest.mark.parametrize(("bytes_of_file", "again"), [(1, 0), (2, 1)])
def test_who_moves_as_many_bytes_as_the_file_has_goes_back_to_none(bytes_of_file, again):
    """Sample 1 goes back to the run before, but where that would leave the file half empty."""
    counters = segmented(64, CONSEC_WRITES=0, SEQ_WRITES=128)
    counters["MAX_BYTE_WRITTEN"] = bytes_of_file * counters["BYTES_WRITTEN"] - 1
    streams = drawn(of_record(counters), 4, np.random.default_rng(3), Habit.of(1)).streams
    places = len(np.unique(streams.offset))
    assert (places < 200) == bool(again)


def test_calls_stand_in_time_as_heatmap_says():
    """Bins of 1 s: half of the bytes in the first, nothing in the second, half in the third."""
    heat = {rank: Bins(1.0, [], [4096, 0, 4096]) for rank in range(4)}
    times = {"F_WRITE_START_TIMESTAMP": 0.0, "F_WRITE_END_TIMESTAMP": 3.0, "F_WRITE_TIME": 0.04}
    rows = rows_of(job(of_record(segmented(8, **times)), heat=heat), 0)
    call, begin = rows.whole("call"), rows.whole("begin")
    rank = rows.whole("rank")
    for one in range(4):
        mine = np.sort(begin[(call == WRITE) & (rank == one)]) / 1e9
        assert mine[:4] == pytest.approx([0.0, 0.25, 0.5, 0.75], abs=0.01)
        assert mine[4:] == pytest.approx([2.0, 2.25, 2.5, 2.75], abs=0.01)


def test_records_of_one_rank_are_drawn_together_as_they_are_one_by_one():
    """Those with MPI-IO above, of whatever kind, are drawn one by one."""
    random = np.random.default_rng(4)
    records = []
    for number in range(40):
        first, took = random.random(2)
        times = {"F_WRITE_START_TIMESTAMP": first, "F_WRITE_END_TIMESTAMP": first + 5}
        times |= {"F_WRITE_TIME": took, "F_OPEN_START_TIMESTAMP": first / 2, "F_META_TIME": 0.1}
        times |= {"F_OPEN_END_TIMESTAMP": first, "F_CLOSE_END_TIMESTAMP": first + 6}
        more = {"OPENS": number % 3, "STATS": number % 4, "FSYNCS": number % 5}
        counters = segmented(1 + number % 7, ranks=1, **times | more)
        counts = {name: value for name, value in counters.items() if name[:2] != "F_"}
        seconds = {name: value for name, value in counters.items() if name[:2] == "F_"}
        records.append(Counted(number % 8, f"/scratch/{number % 9}", counts, seconds))
    alone = rows_of(job(*records, ranks=8), 2)
    one_by_one = rows_of(job(*(replace(one, above={"VIEWS": 1}) for one in records), ranks=8), 2)
    tables = [np.stack([one.whole(name) for name in KINDS]) for one in (alone, one_by_one)]
    first, second = (one[:, np.lexsort(one)] for one in tables)
    assert first.tolist() == second.tolist()
    assert (alone.wrong, alone.records) == (one_by_one.wrong, 40)
