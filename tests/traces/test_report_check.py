"""The report's own cases come out as it found them."""

import csv
import io
import math
import re

import pytest

from tests.traces.stores import call, make_store, printed, reported


def checks(found):
    return {row["check"]: row for row in found["checks"]}


def shown(capsys, *words):
    """The lines of the table for people, by what they are about: value and guide value."""
    lines = printed(capsys, "check", *words, "--full").split("\n\n")[0].splitlines()[2:]
    cells = [re.split(r" {2,}", line) for line in lines]
    return {label: value for label, value, *_ in cells}


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
    listed = checks(found)
    assert listed["read_factor"]["verdict"] == "warning"
    assert (listed["read_factor"]["value"], listed["read_factor"]["guide"]) == (50.0, 2.0)
    assert listed["read_factor"]["concerned"] == [
        {"file": "/data/a", "call": None, "error": None, "value": 50.0, "unit": "ratio"}
    ]
    assert listed["write_factor"]["verdict"] == "good"
    assert listed["lseeks_per_move"]["verdict"] == "warning"
    assert listed["lseeks_per_move"]["value"] == pytest.approx(7500 / 5001)
    assert listed["lseeks_per_move"]["concerned"] == [
        {"file": "/data/a", "call": "lseek", "error": None, "value": 7500, "unit": "calls"}
    ]
    assert shown(capsys, again)["lseeks per read/write"] == "1.50"


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
    far = checks(found)["far_outliers"]
    assert (far["value"], far["guide"], far["verdict"]) == (1, 0, "warning")
    assert far["values"] == {"calls_1000_times": 1, "calls_10000_times": 1}
    assert [(one["file"], one["call"]) for one in far["concerned"]] == [("/data/a", "read")]


def test_an_io_job_and_a_cpu_job(capsys, tmp_path):
    """2.3.1: user / real below 0.1, and near 0.9."""
    busy = [call("write", n, 0.95, returned=10**6, offset=n * 10**6) for n in range(10)]
    found = reported(capsys, "check", make_store(tmp_path / "io.parquet", busy))
    assert checks(found)["outside_share"]["verdict"] == "warning"
    assert checks(found)["io_share"]["verdict"] == "warning"
    idle = [call("write", n, 0.05, returned=10**6, offset=n * 10**6) for n in range(10)]
    found = reported(capsys, "check", make_store(tmp_path / "cpu.parquet", idle))
    assert checks(found)["outside_share"]["verdict"] == "good"


def test_many_failing_opens_as_in_4_2_2_3(capsys, tmp_path):
    rows = [call("open", n, error="ENOENT" if n % 4 == 0 else None) for n in range(100)]
    store = make_store(tmp_path / "s.parquet", rows)
    failed = checks(reported(capsys, "check", store))["failed_share"]
    assert (failed["value"], failed["unit"], failed["verdict"]) == (0.25, "ratio", "warning")
    assert failed["values"] == {"failed_calls": 25, "calls": 100}
    assert failed["concerned"] == [
        {"file": "/data/a", "call": "open", "error": "ENOENT", "value": 25, "unit": "calls"}
    ]
    assert "4.2.2.3" in failed["source"]
    assert shown(capsys, store)["share of calls that failed"] == "25.0 % (25 calls)"


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
    for row in reported(capsys, "check", again)["checks"]:
        assert row["source"][0] in "234"
        assert row["verdict"] in {"good", "warning", None}
    assert "SS-ken" in printed(capsys, "check", again)


def test_without_durations_it_says_what_it_cannot_know(capsys, tmp_path):
    store = make_store(tmp_path / "s.parquet", [call("read", took_s=None, returned=5, offset=0)])
    rate = checks(reported(capsys, "check", store))["read_rate"]
    assert (rate["value"], rate["values"]["read_bytes"], rate["values"]["read_time_s"]) == (
        None,
        5,
        0.0,
    )
    assert shown(capsys, store)["read rate in calls"] == "not known"


def test_each_limit_is_the_groups_or_ours(capsys, again):
    """What SS-ken gives in numbers (2.3.1, 4.1.2.3, 4.4.2.3, 4.5.2.3), and what it does not."""
    listed = reported(capsys, "check", again)["checks"]
    limits = {row["check"]: row["limit"] for row in listed}
    assert {name for name, whose in limits.items() if whose == "SS-ken"} == {
        "outside_share",
        "metadata_time_ratio",
        "lseeks_per_move",
        "far_outliers",
    }
    assert {name for name, whose in limits.items() if whose == "nwtsim"} == {
        "io_share",
        "read_factor",
        "write_factor",
        "mean_length",
        "metadata_per_move",
        "failed_share",
    }
    for row in listed:
        assert (row["limit"] is None) <= (row["verdict"] is None), row


def test_the_time_of_a_copy_is_in_both_rates_and_once_in_the_sum(capsys, tmp_path):
    copy = {"file": "/data/a", "to_file": "/data/b", "offset": 0, "to_offset": 0}
    rows = [call("sendfile", 0, 0.5, returned=10**6, **copy)]
    rows += [call("read", 1, 0.5, returned=10**6, offset=0), call("close", 2, 0.25)]
    found = reported(capsys, "check", make_store(tmp_path / "s.parquet", rows))
    listed = checks(found)
    assert [listed[f"{way}_rate"]["value"] for way in ("read", "write")] == [2e6, 2e6]
    assert found["io_s"] == 1.25
    assert listed["metadata_time_ratio"]["value"] == 0.25


def test_what_was_written_at_an_unknown_offset_is_not_nothing(capsys, tmp_path):
    """Appends to a file whose size the log does not say."""
    rows = [call("write", n, returned=1000) for n in range(3)]
    store = make_store(tmp_path / "s.parquet", rows)
    found = checks(reported(capsys, "check", store))["write_factor"]
    assert (found["value"], found["verdict"]) == (None, None)
    assert found["values"]["unknown_size_written_bytes"] == 3000
    texts = shown(capsys, store)
    assert texts["bytes written against file sizes"] == "not known (3.00 kB)"
    assert texts["bytes read against file sizes"] == "nothing read"


def test_all_outliers_and_rereads_are_counted_however_many_are_listed(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.setattr("simulator.traces.reports.totals.MOST_LISTED", 4)
    rows = [call("read", n, 1e-5, returned=10, offset=0, file=f"/data/{n % 9}") for n in range(90)]
    rows += [call("read", n, 0.02 if n < 97 else 1.0, returned=0) for n in range(90, 99)]
    store = make_store(tmp_path / "s.parquet", rows)
    assert shown(capsys, store)["calls far slower than usual"] == "2 (9 of 1,000 times)"
    text = printed(capsys, "check", store, "--top", "3")
    assert text.count("and 6 more") == 2


def test_json_has_numbers_and_no_sentences(capsys, again):
    """Each check: a value with its unit, the guide value, the verdict, what it concerns."""
    keys = ["check", "label", "value", "unit", "comparison", "guide", "verdict", "limit", "source"]
    keys += ["values", "published", "concerned"]
    judges = {
        "below": lambda value, guide: value < guide,
        "at most": lambda value, guide: value <= guide,
        "at least": lambda value, guide: value >= guide,
    }
    for row in reported(capsys, "check", again)["checks"]:
        assert list(row) == keys
        assert row["unit"] in {"ratio", "B", "B/s", "calls", "calls/B"}
        numbers = [row["value"], *row["values"].values(), *row["published"].values()]
        assert all(isinstance(one, int | float) for one in numbers if one is not None)
        assert (row["comparison"] is None) == (row["guide"] is None) == (row["limit"] is None)
        if row["verdict"] is not None:
            good = judges[row["comparison"]](row["value"], row["guide"])
            assert row["verdict"] == ("good" if good else "warning"), row
        for one in row["concerned"]:
            assert list(one) == ["file", "call", "error", "value", "unit"]
            assert one["file"] or one["call"]


def test_a_value_is_what_its_values_make(capsys, again):
    found = checks(reported(capsys, "check", again))
    for check, part, whole in (
        ("io_share", "io_s", "client_time_s"),
        ("outside_share", "outside_s", "client_time_s"),
        ("read_factor", "read_bytes", "size_bytes"),
        ("read_rate", "read_bytes", "read_time_s"),
        ("write_rate", "written_bytes", "write_time_s"),
        ("mean_length", "moved_bytes", "reads_and_writes"),
        ("metadata_per_move", "metadata_calls", "reads_and_writes"),
        ("metadata_time_ratio", "metadata_s", "read_write_s"),
        ("metadata_per_byte", "metadata_calls", "moved_bytes"),
        ("lseeks_per_move", "lseeks", "reads_and_writes"),
        ("failed_share", "failed_calls", "calls"),
    ):
        row = found[check]
        assert row["value"] == pytest.approx(row["values"][part] / row["values"][whole]), check


def test_csv_has_the_checks_and_what_they_concern(capsys, again):
    text = printed(capsys, "check", again, "--format", "csv", "--top", "1")
    rows = list(csv.DictReader(io.StringIO(text)))
    found = reported(capsys, "check", again)["checks"]
    listed = [row for row in rows if row["table"] == "checks"]
    for row, other in zip(listed, found, strict=True):
        for key in ("check", "unit", "comparison", "verdict", "limit", "source"):
            assert row[key] == (other[key] or "")
        for key in ("value", "guide"):
            assert float(row[key] or "nan") == pytest.approx(
                math.nan if other[key] is None else other[key], nan_ok=True
            )
    about = [row for row in rows if row["table"] == "concerned" and row["check"] == "io_share"]
    assert [(row["file"], row["call"], row["unit"]) for row in about] == [("/data/a", "read", "s")]
    assert float(about[0]["value"]) == pytest.approx(0.05)


def test_client_time_is_not_elapsed_time(capsys, tmp_path):
    """Four processes side by side: what is added up over them is longer than the log."""
    rows = [
        call("write", n, 0.5, returned=10**6, offset=n * 10**6, process=who, pid=who)
        for who in range(4)
        for n in range(10)
    ]
    store = make_store(tmp_path / "s.parquet", rows)
    found = reported(capsys, "check", store)
    assert (found["elapsed_s"], found["client_time_s"], found["clients"]) == (9.5, 38.0, 4)
    assert checks(found)["io_share"]["value"] == pytest.approx(20 / 38)
    text = printed(capsys, "check", store)
    assert "share of I/O in client time" in text
    assert "elapsed time 9.50 s; client time 38.0 s" in text
    assert "to the last call of each of 4 processes and threads, added up" in text
    alone = make_store(tmp_path / "t.parquet", rows[:10])
    assert "elapsed time 9.50 s, which is the client time of the only" in printed(
        capsys, "check", alone
    )
