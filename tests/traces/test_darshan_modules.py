"""Darshan logs of several modules: what moves data is read, or named; nothing counts twice."""

from importlib.util import find_spec

import pytest

from simulator.traces.darshan_records import BENEATH, CALLS, LAYERS, WITHOUT_IO
from tests.traces.darshan_bytes import record, segments, write
from tests.traces.stores import call, make_store, printed, refused, reported

pytest.importorskip("duckdb")
if find_spec("darshan") is None:
    pytest.skip("needs PyDarshan", allow_module_level=True)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

FILE, OTHER = 4711, 4712
NAMES = {FILE: "/scratch/out.dat", OTHER: "<STDOUT>"}
POSIX = {"OPENS": 4, "WRITES": 40, "BYTES_WRITTEN": 320_000_000, "MAX_BYTE_WRITTEN": 319_999_999}


def checks(capsys, path):
    found = reported(capsys, "check", path)
    return found, {one["check"]: one for one in found["checks"]}


def test_every_module_that_pydarshan_knows_is_read_or_moves_nothing():
    from darshan.backend import cffi_backend as library

    for name in library._structdefs:
        assert (name in CALLS) != name.startswith(WITHOUT_IO), name
    assert CALLS.keys() == LAYERS.keys()
    assert BENEATH.keys() < CALLS.keys()


@pytest.mark.parametrize("module", sorted(CALLS))
def test_every_counter_of_a_call_is_one_of_its_module(module):
    from darshan.backend import cffi_backend as library

    prefix = "MPIIO_" if module == "MPI-IO" else f"{module}_"
    known = {*library.counter_names(module), *library.fcounter_names(module)}
    for numbers, moved in CALLS[module].values():
        for name in (*numbers, *moved):
            longest = module == "STDIO" and name.startswith("F_MAX")  # STDIO has no longest calls.
            assert longest or prefix + name in known


@pytest.mark.slow
def test_ranks_that_wait_within_mpi_io_are_in_io(capsys, tmp_path):
    """One rank writes for 4 s what four wrote by MPI-IO in 360 s: 90.1 % of 4 x 100 s."""
    posix = record("POSIX", FILE, 0, POSIX | {"F_WRITE_TIME": 4.0, "F_META_TIME": 0.1})
    mpi = {"COLL_OPENS": 4, "COLL_WRITES": 160, "BYTES_WRITTEN": 320_000_000}
    mpi |= {"F_WRITE_TIME": 360.0, "F_META_TIME": 0.4}
    modules = {"POSIX": posix, "MPI-IO": record("MPI-IO", FILE, -1, mpi)}
    found, each = checks(capsys, write(tmp_path / "one.darshan", modules, names=NAMES))
    assert each["io_share"]["value"] == pytest.approx(360.4 / 400)
    assert each["io_share"]["verdict"] == "warning"
    assert found["layers_s"] == pytest.approx({"POSIX": 4.1, "MPI-IO": 360.4, "all": 360.4})
    assert (found["writes"], found["written_bytes"]) == (40, 320_000_000)
    assert "client time by layer" in printed(capsys, "check", tmp_path / "one.darshan")


@pytest.mark.slow
def test_each_rank_counts_the_larger_of_its_layers(capsys, tmp_path):
    """Rank 0 is 50 s in POSIX, rank 1 60 s in MPI-IO: 110 s, though no layer has more than 61."""
    posix = b"".join(
        record("POSIX", FILE, rank, POSIX | {"F_WRITE_TIME": time})
        for rank, time in ((0, 50.0), (1, 1.0))
    )
    mpi = b"".join(
        record("MPI-IO", FILE, rank, {"INDEP_WRITES": 1, "F_WRITE_TIME": time})
        for rank, time in ((0, 1.0), (1, 60.0))
    )
    modules = {"POSIX": posix, "MPI-IO": mpi}
    found, _ = checks(capsys, write(tmp_path / "one.darshan", modules, names=NAMES))
    assert found["layers_s"] == pytest.approx({"POSIX": 51.0, "MPI-IO": 61.0, "all": 110.0})


@pytest.mark.slow
def test_dfs_is_read(capsys, tmp_path):
    dfs = {"OPENS": 16, "READS": 6000, "READXS": 400, "WRITES": 6400, "NB_READS": 100}
    dfs |= {"BYTES_READ": 1_677_721_600, "BYTES_WRITTEN": 1_677_721_600}
    dfs |= {"F_READ_TIME": 38.0, "F_WRITE_TIME": 88.0, "F_META_TIME": 2.0}
    modules = {
        "STDIO": record("STDIO", OTHER, 0, {"OPENS": 1, "WRITES": 10, "BYTES_WRITTEN": 200}),
        "DFS": record("DFS", FILE, -1, dfs),
    }
    path = write(tmp_path / "one.darshan", modules, names=NAMES, nprocs=16, seconds=10)
    found, each = checks(capsys, path)
    assert (found["reads"], found["read_bytes"]) == (6400, 1_677_721_600)
    assert each["io_share"]["value"] == pytest.approx(128 / 160)
    calls = {one["call"]: one for one in reported(capsys, "summary", path)["calls"]}
    assert (calls["dfs_write"]["count"], calls["dfs_write"]["bytes"]) == (6400, 1_677_721_600)


@pytest.mark.slow
def test_hdf5_is_above_posix(capsys, tmp_path):
    """Two data sets are of their file; what they moved is in POSIX' calls."""
    written = {"WRITES": 5, "BYTES_WRITTEN": 10**6, "F_WRITE_TIME": 9.0}
    sets = b"".join(record("H5D", number, 0, written, file=FILE) for number in (1, 2))
    modules = {"POSIX": record("POSIX", FILE, 0, POSIX | {"F_WRITE_TIME": 4.0}), "H5D": sets}
    found, _ = checks(capsys, write(tmp_path / "one.darshan", modules, names=NAMES))
    assert found["layers_s"] == pytest.approx({"POSIX": 4.0, "HDF5": 18.0, "all": 18.0})
    assert found["written_bytes"] == 320_000_000
    summary = reported(capsys, "summary", tmp_path / "one.darshan")
    calls = {one["call"]: one["count"] for one in summary["calls"]}
    assert calls["H5Dwrite"] == 10
    assert "H5Dwrite" in summary["above"]
    assert "write" not in summary["above"]
    rows = reported(capsys, "summary", tmp_path / "one.darshan", "--by", "file")["files"]
    assert {one["file"] for one in rows} == {"/scratch/out.dat"}


def test_mpi_io_without_posix_beneath_is_counted(capsys, tmp_path):
    mpi = {"INDEP_WRITES": 3, "BYTES_WRITTEN": 3_000_000, "F_WRITE_TIME": 2.0}
    modules = {"MPI-IO": record("MPI-IO", FILE, 0, mpi)}
    found, _ = checks(capsys, write(tmp_path / "one.darshan", modules, names=NAMES))
    assert (found["writes"], found["written_bytes"]) == (3, 3_000_000)


@pytest.mark.slow
@pytest.mark.parametrize("module", ["BG/Q", "MDHIM"])
def test_a_module_that_is_not_used_refuses_no_log(capsys, tmp_path, module):
    modules = {"POSIX": record("POSIX", FILE, -1, POSIX | {"F_WRITE_TIME": 8.0}), module: bytes(96)}
    path = write(tmp_path / "one.darshan", modules, names=NAMES)
    found, each = checks(capsys, path)
    assert found["written_bytes"] == 320_000_000
    named = "calls of MDHIM, which are not read"
    for report in ("check", "summary", "sizes"):
        assert (named in printed(capsys, report, path)) == (module == "MDHIM")
    # How much of the log is not known: there is no verdict.
    verdicts = {one["verdict"] for one in each.values()}
    assert (verdicts == {None}) == (module == "MDHIM")


@pytest.mark.slow
def test_standard_streams_are_no_files(capsys, tmp_path):
    lines = {"OPENS": 20, "WRITES": 200, "BYTES_WRITTEN": 5000, "MAX_BYTE_WRITTEN": 249}
    modules = {"STDIO": record("STDIO", OTHER, -1, lines | {"F_WRITE_TIME": 0.001})}
    path = write(tmp_path / "one.darshan", modules, names=NAMES, nprocs=20)
    found, each = checks(capsys, path)
    assert (each["write_factor"]["value"], each["write_factor"]["verdict"]) == (None, None)
    assert (found["writes"], found["files"]) == (0, [])
    assert found["unknown"]["inherited"] == {"calls": 200, "bytes": 5000}


@pytest.mark.slow
def test_calls_and_their_counters_make_one_report(capsys, tmp_path):
    """Darshan leaves out what it does not count (null), and has the same of all else."""
    file = NAMES[FILE]
    rows = [call("open", file=file, returned=3), call("lseek", file=file, returned=0)]
    rows += [call("read", took_s=0.002, file=file, offset=0, returned=1000) for _ in range(3)]
    rows += [call("write", took_s=0.004, file=file, offset=0, returned=500) for _ in range(2)]
    counted = {"OPENS": 1, "SEEKS": 1, "READS": 3, "BYTES_READ": 3000, "MAX_BYTE_READ": 999}
    counted |= {"WRITES": 2, "BYTES_WRITTEN": 1000, "MAX_BYTE_WRITTEN": 499}
    counted |= {"F_READ_TIME": 0.006, "F_WRITE_TIME": 0.008, "F_MAX_READ_TIME": 0.002}
    counted |= {"F_MAX_WRITE_TIME": 0.004, "F_META_TIME": 2e-6}
    log = {"POSIX": record("POSIX", FILE, 0, counted)}
    paths = make_store(tmp_path / "s", rows), write(tmp_path / "one.darshan", log, names=NAMES)
    for words, name in ((("summary",), "calls"), (("summary", "--by", "file"), "files")):
        calls, counters = (
            {row["call"]: row for row in reported(capsys, *words[:1], path, *words[1:])[name]}
            for path in paths
        )
        assert calls.keys() == counters.keys()
        for one, row in counters.items():
            assert row.keys() == calls[one].keys()
            known = {key: value for key, value in row.items() if value is not None}
            assert known == pytest.approx({key: calls[one][key] for key in known})
            assert (row["errors"], row["bytes_min"]) == (None, None)
    (of_calls, every), (of_counters, each) = (checks(capsys, path) for path in paths)
    same = ("reads", "writes", "read_bytes", "written_bytes", "lseeks", "metadata_calls")
    for key in (*same, "metadata_s", "read_factor", "write_factor", "read_size_bytes"):
        assert of_calls[key] == pytest.approx(of_counters[key]), key
    assert of_calls["files"] == of_counters["files"]
    assert (of_calls["errors"], of_counters["errors"]) == (0, None)
    for one in ("mean_length", "lseeks_per_move", "metadata_per_move", "read_factor"):
        assert every[one]["concerned"] == each[one]["concerned"]


@pytest.mark.slow
def test_a_call_that_the_counters_lack_is_refused_as_in_a_log(capsys, tmp_path):
    log = {"POSIX": record("POSIX", FILE, 0, POSIX)}
    path = write(tmp_path / "one.darshan", log, names=NAMES)
    assert "no call is named wrte; did you mean 'write'?" in refused(
        capsys, "summary", path, "--call", "wrte"
    )
    assert "no call matches --file out; did you mean 'out.dat'?" in refused(
        capsys, "sizes", path, "--file", "out"
    )


@pytest.mark.slow
@pytest.mark.parametrize("traced", [100, 1000])
def test_dxt_that_has_a_part_of_the_calls_says_so(capsys, tmp_path, traced):
    counters = {"OPENS": 1, "READS": 1000, "BYTES_READ": 10**6, "MAX_BYTE_READ": 999_999}
    some = [(1000 * i, 1000, 0.001 * i, 0.001 * i + 0.0005) for i in range(traced)]
    modules = {
        "POSIX": record("POSIX", FILE, 0, counters | {"F_READ_TIME": 5.0}),
        "DXT_POSIX": segments(FILE, 0, reads=some),
    }
    path = write(tmp_path / "one.darshan", modules, names=NAMES, nprocs=1, seconds=20)
    said = "DXT has 100 of 1,000 reads"
    for report in ("check", "summary", "sizes", "rate", "calls"):
        assert (said in printed(capsys, report, path)) == (traced == 100), report
    if traced == 100:
        from simulator.cli.main import main

        for command in ("replay", "advise"):
            capsys.readouterr()
            assert main([command, str(path), "--on", "workstation"]) == 0
            told = capsys.readouterr().out.split("\n\n")
            place = 1 if command == "replay" else 0  # Behind the title.
            assert said in " ".join(told[place].split())
