"""The first sixteen programs: ten slow ones with cures, and six that are predicted only.

A *cure* is the same program in another mode, with the same result bytes, made by hand. Each has the
patterns of ``nwtsim advise`` that mean this cure; ``+ buffer`` if the advice also adds a buffer to
the file.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

from .program import MIB, SEED, SOURCES, Program, Way, random_file

SMALL_BUFFER = {"GFORTRAN_UNFORMATTED_BUFFER_SIZE": "8192"}
"""The buffer of gfortran before version 10, and of other compilers."""
LARGE_BUFFER = {"GFORTRAN_UNFORMATTED_BUFFER_SIZE": str(4 * MIB)}


def _ways(
    name: str, slow: str, size: Sequence[str], *cures: tuple[str, tuple[str, ...], str]
) -> tuple[Way, ...]:
    ways = [Way("slow", (name, "slow", *size), what=slow)]
    ways += [Way(mode, (name, mode, *size), patterns, what) for mode, patterns, what in cures]
    return tuple(ways)


def _path(folder: Path) -> None:
    drawn = random.Random(SEED)
    for number in range(30):
        (folder / "path" / f"{number:02}").mkdir(parents=True)
    for number in range(20):
        (folder / "path" / "29" / f"input{number:02}").write_bytes(drawn.randbytes(4096))


def _tree(folder: Path) -> None:
    for number in range(40):
        (folder / "tree" / f"{number:02}").mkdir(parents=True)
        for file in range(100):
            (folder / "tree" / f"{number:02}" / f"{file:02}").write_bytes(b"0123456789" * 40)


def slow_programs(scale: float = 1.0) -> tuple[Program, ...]:
    """Return the ten slow programs; ``scale`` multiplies their numbers of operations."""

    def many(count: int) -> str:
        return str(max(1, round(count * scale)))

    steps, records = many(80), "100"
    written = ("long_records", "slow", steps, records, "1200")
    return (
        Program(
            "long_records",
            "gfortran, records longer than the buffer",
            (
                Way("slow", written, environment=SMALL_BUFFER, what="a buffer of 8 kB"),
                Way(
                    "buffer",
                    written,
                    ("record-length-rewrite", "small-io"),
                    "a buffer of 4 MiB",
                    LARGE_BUFFER,
                ),
                Way(
                    "open-storm",
                    ("long_records", "open-storm", steps, records, "1200"),
                    ("open-storm",),
                    "the file kept open",
                    SMALL_BUFFER,
                ),
            ),
            fresh=("out",),
            sources=("long_records.f90",),
        ),
        Program(
            "reread",
            "the same file read for every step, 4 kB a call",
            _ways(
                "reread",
                "64 MiB in 4 kB",
                [many(30)],
                ("re-read", ("re-read",), "kept in memory"),
                ("small-io", ("small-io",), "1 MiB a call"),
            ),
            random_file("data", 16 * MIB),
            cold=("data",),
            results=(),
            sources=("reread.c",),
        ),
        Program(
            "fsync_each",
            "a log: open, append, fsync, close for each record",
            _ways(
                "fsync_each",
                "512 bytes a record",
                [many(150)],
                ("sync-write", ("sync-write",), "one fsync at the end"),
                ("open-storm", ("open-storm",), "the file kept open"),
            ),
            fresh=("out",),
            sources=("fsync_each.c",),
        ),
        Program(
            "open_append",
            "open, four writes, close for each record",
            _ways(
                "open_append",
                "128 bytes a record",
                [many(20000)],
                ("open-storm", ("open-storm",), "the file kept open"),
                ("small-io", ("small-io",), "one write for each record"),
                ("both", ("open-storm + buffer",), "kept open, with a buffer"),
            ),
            fresh=("out",),
            sources=("open_append.c",),
        ),
        Program(
            "seek_storm",
            "random reads of 512 bytes, nothing cached",
            _ways(
                "seek_storm",
                "as drawn",
                [many(4000)],
                ("seek-storm", ("seek-storm",), "the whole file read by 1 MiB"),
                ("sorted", ("small-io",), "sorted by offset"),
            ),
            random_file("data", 32 * MIB),
            cold=("data",),
            results=(),
            sources=("seek_storm.c",),
        ),
        Program(
            "tiny_writes",
            "writes of 16 bytes, fsync after 20,000",
            _ways(
                "tiny_writes",
                "a call for each",
                [many(120000)],
                ("small-io", ("small-io",), "gathered in 64 KiB"),
                ("sync-write", ("sync-write",), "one fsync at the end"),
                ("both", ("sync-write + buffer",), "a buffer, and one fsync"),
            ),
            fresh=("out",),
            sources=("tiny_writes.c",),
        ),
        Program(
            "search_path",
            "each input looked for in 30 folders",
            _ways(
                "search_path",
                "from the first folder",
                [many(2000)],
                ("failed-lookup", ("failed-lookup",), "its folder remembered"),
                ("re-read", ("re-read",), "what was read kept in memory"),
            ),
            _path,
            results=(),
            sources=("search_path.c",),
        ),
        Program(
            "osync_log",
            "a log of 256-byte records with O_SYNC",
            _ways(
                "osync_log",
                "a call for each",
                [many(150)],
                ("sync-write", ("sync-write",), "no O_SYNC, one fsync"),
                ("small-io", ("small-io",), "16 records a call"),
            ),
            fresh=("out",),
            sources=("osync_log.c",),
        ),
        Program(
            "unaligned",
            "6000-byte records written over an old file",
            _ways(
                "unaligned",
                "nothing cached",
                [many(4000)],
                ("unaligned", ("unaligned", "small-io"), "blocks of 1 MiB"),
                ("no-prestage", ("no-prestage",), "the old file read before, by 1 MiB"),
            ),
            random_file("old", 24 * MIB),
            cold=("out",),
            copied=(("old", "out"),),
            sources=("unaligned.c",),
        ),
        Program(
            "stat_tree",
            "a tree walked, stat for each entry",
            _ways(
                "stat_tree",
                "every file of 4,000",
                [many(10)],
                ("stat-storm", ("stat-storm", "stat"), "the kind from readdir"),
                (
                    "open-storm",
                    ("open-storm", "re-read", "poll"),
                    "files opened in the first pass only",
                ),
            ),
            _tree,
            results=(),
            sources=("stat_tree.c",),
        ),
    )


def predicted_programs(scale: float = 1.0) -> tuple[Program, ...]:
    """Return the six programs that are predicted only."""

    def one(*command: str) -> tuple[Way, ...]:
        return (Way("as it is", command),)

    mib = max(1, round(64 * scale))
    commits = str(max(2, round(60 * scale)))
    two = " ".join(
        f"dd if=/dev/zero of=out{n} bs=256k count={max(1, mib)} conv=fsync status=none &"
        for n in (1, 2)
    )
    return (
        Program(
            "tar", "tar of 4,000 small files", one("tar", "-cf", "out", "tree"), _tree,
            fresh=("out",), results=(),
        ),
        Program(
            "sqlite", f"Python and SQLite, {commits} commits",
            one(sys.executable, "-I", "-S", str(SOURCES / "commits.py"), commits),
            fresh=("base.db",), results=(),
        ),
        Program(
            "fortran writer", f"gfortran, {2 * mib} records of 1 MB, a large buffer",
            (Way("as it is", ("long_records", "open-storm", "1", str(2 * mib), "125000")),),
            fresh=("out",), results=(), sources=("long_records.f90",),
        ),
        Program(
            "dd direct", f"dd oflag=direct, {4 * mib} blocks of 64 KiB",
            one("dd", "if=/dev/zero", "of=out", "bs=64k", f"count={4 * mib}", "oflag=direct",
                "status=none"),
            fresh=("out",), results=(),
        ),
        Program(
            "small reader", f"{2 * mib} MiB read once by 4 kB, nothing cached",
            (Way("as it is", ("reread", "slow", "1")),), random_file("data", 2 * mib * MIB),
            cold=("data",), results=(), sources=("reread.c",),
        ),
        Program(
            "two writers", f"two dd at once, {mib // 4} MiB each, fsync at the end",
            one("sh", "-c", f"{two} wait"), fresh=("out1", "out2"), results=(),
        ),
    )  # fmt: skip
