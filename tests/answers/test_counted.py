"""What counters show: each pattern with the numbers of its log, and silence where it is not."""

from __future__ import annotations

import pytest

from simulator.answers.patterns.of_counters.every import PATTERNS, counted_findings
from simulator.answers.patterns.of_counters.snippets import TOPICS, snippet
from tests.answers.counted import FILE, how, log, own, patterns, shared

SMALL = {
    "OPENS": 8,
    "WRITES": 80_000,
    "BYTES_WRITTEN": 80_000_000,
    "MAX_BYTE_WRITTEN": 79_999_999,
    "CONSEC_WRITES": 79_992,
    "SEQ_WRITES": 79_992,
    "F_WRITE_TIME": 360.0,
    "SIZE_WRITE_100_1K": 80_000,
}
"""80,000 writes of 1 kB, each behind the one before, 45 s of each of 8 ranks."""
LARGE = {"BYTES_WRITTEN": 80_000 << 16, "MAX_BYTE_WRITTEN": 80_000 << 16}
PIECES = SMALL | {"CONSEC_WRITES": 0}
"""The same writes with gaps, in which others write."""
EACH = 10_000_000
"""Bytes of a rank."""


def small(**more: float) -> dict[str, object]:
    return shared(slowest=(3, 45.0, EACH), fastest=(1, 45.0, EACH), **(SMALL | more))


def pieces(**more: float) -> dict[str, object]:
    return shared(slowest=(3, 45.0, EACH), fastest=(1, 45.0, EACH), **(PIECES | more))


def test_small_writes_are_found_with_their_numbers() -> None:
    found = patterns(log(small()))
    assert list(found) == ["small-io"]
    assert found["small-io"].found == (
        "80,000 writes of 1.00 kB on average (100.0 % of at most 10 KiB, 100.0 % right behind the"
        " one before): 45.0 s of the slowest rank."
    )
    assert (found["small-io"].files[0].name, found["small-io"].calls) == (FILE, 80_000)
    assert "setvbuf(file, NULL, _IOFBF, 1048576)" in how(found["small-io"])


@pytest.mark.parametrize(
    "record",
    [
        shared(slowest=(3, 0.9, EACH), fastest=(1, 0.9, EACH), **SMALL),  # Below a second.
        shared(slowest=(3, 1.9, EACH), fastest=(1, 1.9, EACH), **SMALL),  # Below 2 % of the run.
        shared(slowest=(3, 45.0, EACH), **(SMALL | {"WRITES": 900})),  # Few.
        shared(slowest=(3, 45.0, EACH), **(SMALL | LARGE)),
        shared(slowest=(3, 900.0, EACH), **SMALL),  # A rank cannot take nine times the run.
    ],
)
def test_what_is_small_in_time_or_number_is_silent(record: dict[str, object]) -> None:
    assert patterns(log(record)) == {}


def test_a_sync_for_each_write_is_told_behind_the_small_writes() -> None:
    found = patterns(log(small(FSYNCS=80_000)))
    assert list(found) == ["small-io", "sync-write"]
    assert "With 80,000 syncs" in found["small-io"].found
    told = "80,000 syncs for 80,000 writes, 1.00 kB for each"
    assert found["sync-write"].found.startswith(told)
    assert found["sync-write"].cures[0].risk
    assert "sync-write" not in patterns(log(small(FSYNCS=8)))


def test_pieces_between_those_of_others_want_collective_calls() -> None:
    found = patterns(log(pieces()))
    assert list(found) == ["scattered-write", "no-collectives"]
    assert "MPI_File_write_at_all" in how(found["no-collectives"])
    assert "0.0 % right behind the one before" in found["no-collectives"].found
    mpi = shared(module="MPI-IO", INDEP_WRITES=80_000, BYTES_WRITTEN=80_000_000)
    named = patterns(log(pieces(), mpi))["no-collectives"]
    assert "80,000 independent writes by MPI-IO" in named.found
    assert "MPI_File_write_all" in how(named)
    assert "romio_cb_write" in how(named)


def test_collective_calls_disprove_that_they_are_missing() -> None:
    mpi = shared(module="MPI-IO", COLL_WRITES=800, BYTES_WRITTEN=80_000_000)
    found = patterns(log(pieces(), mpi))
    assert list(found) == ["scattered-write"]
    assert "have not joined them" in how(found["scattered-write"])
    assert patterns(log(small(), mpi)) == {}  # What collective calls write is gathered already.


def test_the_words_are_those_of_the_library() -> None:
    for name, data_sets, word in (
        ("/scratch/out.h5", "H5D", "H5Pset_dxpl_mpio"),
        ("/scratch/out.nc4", "H5D", "nc_var_par_access"),
        ("/scratch/out.nc", "PNETCDF_VAR", "ncmpi_put_vara_all"),
    ):
        mpi = shared(module="MPI-IO", file=name, INDEP_WRITES=80_000)
        above = shared(module=data_sets, file=name, WRITES=80_000)
        record = pieces() | {"file": name}
        assert word in how(patterns(log(record, mpi, above))["no-collectives"]), word
    python = log(pieces())
    python["job"]["exe"] = "python3.11"
    lines = how(patterns(python)["no-collectives"])
    assert "Python: fh = MPI.File.Open" in lines
    assert "Fortran" not in lines


def test_one_stripe_under_a_shared_file() -> None:
    large = {"WRITES": 800, "BYTES_WRITTEN": 8 * 10**9, "MAX_BYTE_WRITTEN": 8 * 10**9 - 1}
    large |= {"CONSEC_WRITES": 792, "SEQ_WRITES": 792, "F_WRITE_TIME": 160.0}
    record = shared(slowest=(3, 20.0, 10**9), fastest=(1, 19.0, 10**9), **large)
    found = patterns(log(record, stripes={FILE: [1, 1 << 20, 7]}))
    assert list(found) == ["one-stripe"]
    assert "8 ranks share a file with 1 stripe (of 1 MiB): 8" in found["one-stripe"].found
    assert "lfs setstripe -c 8 -S 1M /scratch/run" in how(found["one-stripe"])
    assert patterns(log(record, stripes={FILE: [4, 1 << 20, 7]})) == {}
    assert patterns(log(record)) == {}
    assert patterns(log(record, nprocs=2, stripes={FILE: [1, 1 << 20, 7]})) == {}


def test_one_rank_that_does_all_is_named() -> None:
    every = {"WRITES": 80, "BYTES_WRITTEN": 10**9, "MAX_BYTE_WRITTEN": 10**9 - 1}
    every |= {"CONSEC_WRITES": 79, "F_WRITE_TIME": 30.0}
    for record in (shared(slowest=(5, 30.0, 10**9), **every), own(5, seconds=30.0, **every)):
        found = patterns(log(record))
        assert list(found) == ["one-rank"]
        assert "Rank 5 of 8 moves 100.0 % of the bytes (1" in found["one-rank"].found
    mpi = shared(module="MPI-IO", COLL_WRITES=80, BYTES_WRITTEN=10**9)
    stripes = {FILE: [1, 1 << 20, 7]}
    found = patterns(log(shared(slowest=(5, 30.0, 10**9), **every), mpi, stripes=stripes))
    assert list(found) == ["one-aggregator"]
    assert "lfs setstripe -c 4" in how(found["one-aggregator"])
    assert patterns(log(own(5, seconds=30.0, **every), nprocs=1)) == {}


def test_ranks_that_move_more_are_named() -> None:
    """Rank 6 moves 400 MB, the other seven 50 MB each: 93.75 MB on average."""
    times = {"F_WRITE_TIME": 33.5, "WRITES": 750, "CONSEC_WRITES": 742}
    record = shared(
        slowest=(6, 30.0, 400_000_000),
        fastest=(2, 0.5, 50_000_000),
        variance=(95.0, 1.34e16),
        BYTES_WRITTEN=750_000_000,
        MAX_BYTE_WRITTEN=749_999_999,
        **times,
    )
    found = patterns(log(record))
    assert list(found) == ["rank-bytes"]
    assert found["rank-bytes"].found.startswith("Rank 6 moves 400 MB in 30")
    assert "93.8 MB on average" in found["rank-bytes"].found
    assert "the fastest (rank 2) 50" in found["rank-bytes"].found
    each = [
        own(
            rank,
            file=f"/scratch/out.{rank}",
            seconds=30.0 if rank == 6 else 0.5,
            BYTES_WRITTEN=400_000_000 if rank == 6 else 50_000_000,
            WRITES=400,
            F_WRITE_TIME=30.0,
        )
        for rank in range(8)
    ]
    assert "Rank 6 moves 400 MB in 30" in patterns(log(*each))["rank-bytes"].found


def test_a_rank_that_takes_longer_for_as_much_and_its_target() -> None:
    """Files on target 14 take 60 s, those on others 5 s."""
    each = [
        own(
            rank,
            file=f"/scratch/out.{rank}",
            seconds=60.0 + rank if rank < 3 else 5.0,
            BYTES_WRITTEN=EACH,
            WRITES=10,
            F_WRITE_TIME=60.0 + rank if rank < 3 else 5.0,
        )
        for rank in range(16)
    ]
    targets = [14, 14, 14, *range(20, 33)]
    stripes = {f"/scratch/out.{rank}": [1, 1 << 20, to] for rank, to in enumerate(targets)}
    found = patterns(log(*each, nprocs=16, stripes=stripes))
    assert list(found) == ["rank-time"]
    told = found["rank-time"].found
    assert told.startswith("Rank 2 takes 62")
    assert "Lustre's target (OST) 14 is slow: 3 files there take 61" in told
    assert "those on others 5" in told
    assert found["rank-time"].files[0].name == "/scratch/out.2"
    alike = [own(rank, seconds=5.0, F_WRITE_TIME=5.0, BYTES_WRITTEN=EACH) for rank in range(16)]
    assert patterns(log(*alike, nprocs=16)) == {}


def test_reading_again_sharing_and_chunks() -> None:
    reads = {"READS": 80_000, "F_READ_TIME": 240.0, "CONSEC_READS": 79_992, "SEQ_READS": 79_992}
    reads |= {"BYTES_READ": 80_000 * 10**6, "MAX_BYTE_READ": 10**10 - 1}
    all_of_it = shared(slowest=(3, 30.0, 10**10), fastest=(1, 30.0, 10**10), **reads)
    found = patterns(log(all_of_it))
    assert list(found) == ["read-by-all"]
    assert "8.0 times the 10 GB" in found["read-by-all"].found.replace("10.0 GB", "10 GB")
    assert "MPI_Bcast" in how(found["read-by-all"])
    again = own(2, seconds=30.0, **(reads | {"F_READ_TIME": 30.0}))
    assert list(patterns(log(again, nprocs=1))) == ["re-read"]
    data_set = shared(module="H5D", READS=80_000, BYTES_READ=10**10, CHUNK=8 << 20)
    found = patterns(log(again, data_set, nprocs=1))
    assert list(found) == ["chunk-cache"]
    assert "A chunk has 8.39 MB" in found["chunk-cache"].found
    assert "H5Pset_chunk_cache(dapl, 12421, 134217728, 1.0)" in how(found["chunk-cache"])
    once = own(2, seconds=30.0, **(reads | {"MAX_BYTE_READ": 80_000 * 10**6 - 1}))
    assert patterns(log(once, nprocs=1)) == {}


def test_a_file_written_twice_by_hdf5_has_fill_values() -> None:
    writes = {"WRITES": 8000, "F_WRITE_TIME": 160.0, "CONSEC_WRITES": 7992, "SEQ_WRITES": 7992}
    writes |= {"BYTES_WRITTEN": 16 * 10**9, "MAX_BYTE_WRITTEN": 8 * 10**9 - 1}
    record = shared(slowest=(3, 20.0, 2 * 10**9), fastest=(1, 20.0, 2 * 10**9), **writes)
    assert "write it once" in how(patterns(log(record))["rewritten"])
    data_set = shared(module="H5D", file=FILE)
    assert "H5D_FILL_TIME_NEVER" in how(patterns(log(record, data_set))["rewritten"])


def test_random_reads() -> None:
    reads = {"READS": 8000, "BYTES_READ": 32_768_000, "MAX_BYTE_READ": 10**9, "SEQ_READS": 4000}
    record = own(0, seconds=40.0, F_READ_TIME=40.0, CONSEC_READS=100, **reads)
    found = patterns(log(record, nprocs=1))
    assert list(found) == ["seek-storm"]
    assert "8,000 reads of 4.10 kB on average: 50.0 % go back, 48.8 % jump" in (
        found["seek-storm"].found
    )
    ordered = record | {"counters": record["counters"] | {"CONSEC_READS": 7_000}}
    assert "seek-storm" not in patterns(log(ordered, nprocs=1))


def test_large_calls_out_of_step() -> None:
    writes = {"WRITES": 8000, "BYTES_WRITTEN": 8000 << 20, "MAX_BYTE_WRITTEN": (8000 << 20) - 1}
    writes |= {"FILE_ALIGNMENT": 1 << 20, "F_WRITE_TIME": 160.0, "CONSEC_WRITES": 7992}
    ends = {"slowest": (3, 20.0, 1000 << 20), "fastest": (1, 20.0, 1000 << 20)}
    found = patterns(log(shared(**ends, **writes, FILE_NOT_ALIGNED=7_900)))
    assert list(found) == ["unaligned"]
    assert found["unaligned"].found.startswith("98.8 % of 8,000 calls, of 1.05 MB on average")
    assert patterns(log(shared(**ends, **writes, FILE_NOT_ALIGNED=100))) == {}
    much = writes | {"BYTES_WRITTEN": 8000 << 28, "MAX_BYTE_WRITTEN": (8000 << 28) - 1}
    ends = {"slowest": (3, 20.0, 1000 << 28), "fastest": (1, 20.0, 1000 << 28)}
    # Of 256 MiB the first and the last MiB are shared: below a second of 20.
    assert patterns(log(shared(**ends, **much, FILE_NOT_ALIGNED=7_900))) == {}


def test_metadata_again_and_again() -> None:
    opens = {"OPENS": 8000, "STATS": 0, "F_META_TIME": 80.0, "WRITES": 8, "BYTES_WRITTEN": 8000}
    found = patterns(log(shared(slowest=(3, 11.0, 1000), fastest=(1, 10.0, 1000), **opens)))
    assert list(found) == ["open-storm", "metadata-time"]
    assert "8,000 opens of 1 file, up to 1,000 by a rank" in found["open-storm"].found
    few = opens | {"OPENS": 40}
    assert list(patterns(log(shared(slowest=(3, 11.0, 1000), **few)))) == ["metadata-time"]
    stats = opens | {"OPENS": 8, "STATS": 80_000}
    found = patterns(log(shared(slowest=(3, 11.0, 1000), fastest=(1, 10.0, 1000), **stats)))
    assert list(found) == ["stat-storm", "metadata-time"]


def test_many_small_files() -> None:
    each = [
        own(
            number % 8,
            file=f"/scratch/{number}",
            seconds=0.05,
            OPENS=1,
            WRITES=1,
            BYTES_WRITTEN=4096,
            F_META_TIME=0.04,
            F_WRITE_TIME=0.01,
        )
        for number in range(2000)
    ]
    found = patterns(log(*each))
    assert set(found) == {"many-files", "metadata-time"}
    assert found["many-files"].found.startswith("2,000 files of 4.10 kB on average: 80.0 %")


def test_files_of_one_pattern_are_one_finding() -> None:
    found = counted_findings(log(small(), small() | {"file": "/scratch/run/two.dat"}))
    assert [(one.finding.pattern, len(one.finding.files)) for one in found] == [("small-io", 2)]
    assert found[0].finding.calls == 160_000


def test_a_log_that_lacks_files_is_silent() -> None:
    assert patterns(log(small(), partial=["POSIX"])) == {}
    assert patterns(log()) == {}
    before = log(small())
    for key in ("ranks", "stripes"):
        before.pop(key, None)
    assert list(patterns(before)) == ["small-io"]


def test_every_topic_has_lines_for_some_library() -> None:
    from simulator.answers.patterns.of_counters.job import CountedJob

    names = {"out.h5": "H5F", "out.nc": "H5F", "mpi.dat": "MPI-IO", "p.nc": "PNETCDF_FILE"}
    files = [shared(module=module, file=name) for name, module in names.items()]
    job = CountedJob.of(log(*files))
    for topic in TOPICS:
        made = [snippet(job, topic, name) for name in (*names, "plain.dat")]
        assert any(made), topic
        assert not any("{" in one.replace("{...}", "") for one in made), topic
    assert len(PATTERNS) == len(set(PATTERNS))
