"""Histograms of lengths against a plain count."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.traces.reports.transfers import bins
from tests.traces.stores import call, make_store, printed, random_rows, reported


@given(st.integers(0, 2**63 - 1))
def test_each_length_has_one_bin(length):
    """2^n + 1 to 2^(n+1): SS-ken, appendix 3, 5.3."""
    (found,) = [edges for edges in bins() if edges[0] <= length <= edges[1]]
    if length > 1:
        n = (length - 1).bit_length() - 1
        assert found == (2**n + 1, min(2 ** (n + 1), 2**63 - 1))


def test_bins_and_exact_lengths_agree_with_a_plain_count(capsys, tmp_path):
    rows = random_rows(2000, seed=2)
    found = reported(capsys, "sizes", make_store(tmp_path / "s.parquet", rows))
    reads, writes = Counter(), Counter()
    for row in rows:
        if row["error"] is None:
            reads[row["returned"]] += row["call"] in {"read", "pread64", "sendfile"}
            writes[row["returned"]] += row["call"] in {"write", "sendfile"}
    for row in found["lengths"]:
        length = row["length_bytes"]
        assert (row["reads"], row["writes"]) == (reads[length], writes[length])
        assert row["read_bytes"] == length * reads[length]
    assert sum(row["reads"] for row in found["lengths"]) == reads.total()
    for row in found["bins"]:
        inside = range(row["from_bytes"], row["to_bytes"] + 1)
        assert row["reads"] == sum(n for length, n in reads.items() if length in inside)
        assert row["written_bytes"] == sum(
            length * n for length, n in writes.items() if length in inside
        )
    assert sum(row["writes"] for row in found["bins"]) == writes.total()
    edges = [row["from_bytes"] for row in found["bins"]]
    assert edges == [low for low, _ in bins() if low <= edges[-1]]


def test_of_a_copy_each_file_has_its_side(capsys, tmp_path):
    rows = [call("sendfile", returned=8, file="/data/from", to_file="/data/to")]
    store = make_store(tmp_path / "s.parquet", rows)
    for name, sides in (("from", (1, 0)), ("to", (0, 1))):
        (row,) = reported(capsys, "sizes", store, "--file", name)["lengths"]
        assert (row["reads"], row["writes"]) == sides


def test_lengths_asked_for_are_others_than_lengths_returned(capsys, tmp_path):
    rows = [call("read", returned=10, requested=4096), call("read", returned=0, requested=4096)]
    store = make_store(tmp_path / "s.parquet", rows)
    lengths = reported(capsys, "sizes", store)["lengths"]
    assert {row["length_bytes"] for row in lengths} == {0, 10}
    (row,) = reported(capsys, "sizes", store, "--requested")["lengths"]
    assert (row["length_bytes"], row["reads"]) == (4096, 2)


def test_csv_says_which_rows_are_bins(capsys, tmp_path):
    store = make_store(tmp_path / "s.parquet", [call("read", returned=3)])
    assert printed(capsys, "sizes", store, "--format", "csv") == (
        "table,from_bytes,to_bytes,reads,writes,read_bytes,written_bytes,length_bytes\n"
        "bins,3,4,1,0,3,0,\n"
        "lengths,,,1,0,3,0,3\n"
    )


def test_a_table_shows_the_most_frequent_lengths(capsys, tmp_path):
    rows = [call("write", n, returned=n) for n in range(40)]
    table = printed(capsys, "sizes", make_store(tmp_path / "s.parquet", rows))
    assert "and 20 more" in table


@pytest.mark.parametrize("length", [2**62, 2**53 + 1, 2**63 - 1])
def test_very_long_reads_are_in_the_right_bin(capsys, tmp_path, length):
    store = make_store(tmp_path / "s.parquet", [call("read", returned=length)])
    (row,) = reported(capsys, "sizes", store)["bins"]
    assert row["from_bytes"] <= length <= row["to_bytes"]
    assert row["read_bytes"] == length
