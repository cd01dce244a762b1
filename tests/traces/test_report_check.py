"""The report's own cases come out as it found them."""

import pytest

from tests.traces.stores import call, make_store, printed, reported


def findings(found):
    return {row["check"]: row for row in found["findings"]}


@pytest.fixture
def again(tmp_path):
    """SS-ken 4.4.2.3 in small: 50 times the file's size is read, 3 lseeks for 2 reads."""
    rows = []
    for n in range(5000):
        rows += [call("lseek", n / 1e3, 5e-6, returned=0, offset=0)] * (1 + n % 2)
        rows.append(call("read", n / 1e3, 1e-5, returned=8000, offset=8000 * (n % 100)))
    rows.append(call("write", 5, 1e-4, returned=300, offset=0, file="/data/out"))
    return make_store(tmp_path / "s.parquet", rows)


def test_a_file_read_fifty_times(capsys, again):
    found = reported(capsys, "check", again)
    (row,) = found["files"]
    assert (row["file"], row["read_factor"], row["size_bytes"]) == ("/data/a", 50.0, 800_000)
    assert found["read_factor"] == 50.0
    assert found["write_factor"] == 1.0
    listed = findings(found)
    assert listed["bytes read against file sizes"]["verdict"] == "look"
    assert listed["bytes written against file sizes"]["verdict"] == "good"
    assert listed["lseeks per read/write"]["verdict"] == "look"
    assert listed["lseeks per read/write"]["value"] == "1.50"


def test_times_and_counts_are_plain_sums(capsys, again):
    found = reported(capsys, "check", again)
    assert found["elapsed_s"] == pytest.approx(5.0001)
    assert found["io_s"] == pytest.approx(7500 * 5e-6 + 5000 * 1e-5 + 1e-4)
    assert found["io_share"] == pytest.approx(found["io_s"] / 5.0001)
    assert found["outside_share"] == pytest.approx(1 - found["io_share"])
    counts = ("reads", "writes", "metadata_calls", "lseeks", "errors")
    assert [found[key] for key in counts] == [5000, 1, 7500, 7500, 0]
    assert (found["read_bytes"], found["written_bytes"]) == (40_000_000, 300)
    assert found["metadata_calls_per_byte"] == pytest.approx(7500 / 40_000_300)


def test_outliers_as_in_4_5_2_3(capsys, tmp_path):
    rows = [call("read", n / 1e3, 1e-4 if n % 2 else 1.2e-4, returned=1) for n in range(1000)]
    rows += [call("read", 2, 57.0, returned=1), call("write", 60, 1.0, returned=1)]
    rows += [call("futex", 60, 100.0, kind=None, file=None)]
    found = reported(capsys, "check", make_store(tmp_path / "s.parquet", rows))
    (row,) = found["outliers"]
    assert (row["call"], row["duration_s"]) == ("read", 57.0)
    assert row["factor"] == pytest.approx(57 / 1.1e-4, rel=0.12)
    assert found["far_outliers"] == 1
    assert findings(found)["slow outliers"]["verdict"] == "look"


def test_an_io_job_and_a_cpu_job(capsys, tmp_path):
    """2.3.1: user / real below 0.1, and near 0.9."""
    busy = [call("write", n, 0.95, returned=10**6, offset=n * 10**6) for n in range(10)]
    found = reported(capsys, "check", make_store(tmp_path / "io.parquet", busy))
    assert findings(found)["share outside of all calls"]["verdict"] == "look"
    assert findings(found)["share of I/O in the elapsed time"]["verdict"] == "look"
    idle = [call("write", n, 0.05, returned=10**6, offset=n * 10**6) for n in range(10)]
    found = reported(capsys, "check", make_store(tmp_path / "cpu.parquet", idle))
    assert findings(found)["share outside of all calls"]["verdict"] == "good"


def test_many_failing_opens_as_in_4_2_2_3(capsys, tmp_path):
    rows = [call("open", n, error="ENOENT" if n % 4 == 0 else None) for n in range(100)]
    listed = findings(reported(capsys, "check", make_store(tmp_path / "s.parquet", rows)))
    assert listed["calls that failed"]["value"] == "25.0 % (25 calls)"
    assert listed["calls that failed"]["verdict"] == "look"
    assert "4.2.2.3" in listed["calls that failed"]["source"]


def test_pipes_sockets_and_inherited_descriptors_are_no_file_io(capsys, tmp_path):
    rows = [
        call("read", n, 1e-3, returned=5, kind=kind, file=None)
        for n, kind in enumerate(["pipe", "socket", "inherited", None])
    ]
    found = reported(capsys, "check", make_store(tmp_path / "s.parquet", rows))
    assert (found["reads"], found["io_s"]) == (0, 0)


def test_a_copy_reads_one_file_and_writes_the_other(capsys, tmp_path):
    copy = {"file": "/data/a", "to_file": "/data/b", "offset": 0, "to_offset": 0, "returned": 100}
    rows = [call("copy_file_range", n, **copy) for n in range(3)]
    store = make_store(tmp_path / "s.parquet", rows)
    found = reported(capsys, "check", store)
    factors = {row["file"]: (row["read_factor"], row["write_factor"]) for row in found["files"]}
    assert factors == {"/data/a": (3.0, 0.0), "/data/b": (0.0, 3.0)}
    chosen = reported(capsys, "check", store, "--file", "b")
    assert (chosen["reads"], chosen["writes"], chosen["written_bytes"]) == (0, 3, 300)


def test_each_finding_names_its_section(capsys, again):
    for row in reported(capsys, "check", again)["findings"]:
        assert row["source"][0] in "234"
        assert row["verdict"] in {"good", "look", "-"}
    assert "SS-ken" in printed(capsys, "check", again)


def test_without_durations_it_says_what_it_cannot_know(capsys, tmp_path):
    store = make_store(tmp_path / "s.parquet", [call("read", took_s=None, returned=5, offset=0)])
    found = findings(reported(capsys, "check", store))
    assert found["read rate in calls"]["value"] == "not known"


def test_each_limit_is_the_groups_or_ours(capsys, again):
    """What SS-ken gives in numbers (2.3.1, 4.1.2.3, 4.4.2.3, 4.5.2.3), and what it does not."""
    limits = {row["check"]: row["limit"] for row in reported(capsys, "check", again)["findings"]}
    assert {name for name, whose in limits.items() if whose == "group's"} == {
        "share outside of all calls",
        "metadata time by read/write time",
        "lseeks per read/write",
        "slow outliers",
    }
    assert {name for name, whose in limits.items() if whose == "ours"} == {
        "share of I/O in the elapsed time",
        "bytes read against file sizes",
        "bytes written against file sizes",
        "length of reads and writes",
        "metadata calls per read/write",
        "calls that failed",
    }
    for row in reported(capsys, "check", again)["findings"]:
        assert (row["limit"] == "-") <= (row["verdict"] == "-"), row


def test_the_time_of_a_copy_is_in_both_rates_and_once_in_the_sum(capsys, tmp_path):
    copy = {"file": "/data/a", "to_file": "/data/b", "offset": 0, "to_offset": 0}
    rows = [call("sendfile", 0, 0.5, returned=10**6, **copy)]
    rows += [call("read", 1, 0.5, returned=10**6, offset=0), call("close", 2, 0.25)]
    found = reported(capsys, "check", make_store(tmp_path / "s.parquet", rows))
    listed = findings(found)
    assert listed["read rate in calls"]["value"] == "2.00 MB/s"
    assert listed["write rate in calls"]["value"] == "2.00 MB/s"
    assert found["io_s"] == 1.25
    assert listed["metadata time by read/write time"]["value"] == "0.25"


def test_what_was_written_nobody_knows_where_is_not_nothing(capsys, tmp_path):
    """Appends to a file whose size the log does not say."""
    rows = [call("write", n, returned=1000) for n in range(3)]
    found = findings(reported(capsys, "check", make_store(tmp_path / "s.parquet", rows)))
    assert found["bytes written against file sizes"]["value"] == "not known (3.00 kB)"
    assert found["bytes written against file sizes"]["verdict"] == "-"
    assert found["bytes read against file sizes"]["value"] == "nothing read"


def test_all_outliers_and_rereads_are_counted_however_many_are_listed(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.setattr("simulator.traces.reports.totals.MOST_LISTED", 4)
    rows = [call("read", n, 1e-5, returned=10, offset=0, file=f"/data/{n % 9}") for n in range(90)]
    rows += [call("read", n, 0.02 if n < 97 else 1.0, returned=0) for n in range(90, 99)]
    store = make_store(tmp_path / "s.parquet", rows)
    assert (
        findings(reported(capsys, "check", store))["slow outliers"]["value"] == "2; of 1,000 x: 9"
    )
    shown = printed(capsys, "check", store, "--top", "3")
    assert ("and 6 more" in shown, shown.count("and 6 more")) == (True, 2)
