"""Twenty programs: ten with the cure that an expert would name, and ten that are predicted only.

They, their cures and what counts (``criteria.yaml``) were written before any of them was predicted;
``frozen()`` is a digest of it all, which the results have beside them. Each takes between 0.2 and
3 s without a tracer on a quiet machine. Of the ten with cures the second way is the expert's; what
follows is another answer that was timed as well. Patterns are those of ``nwtsim advise``; ``words``
are looked for in what it says is to be changed.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from .inputs import base, lines, prose, settings, table, tree
from .program import MIB, SOURCES, Program, Way, random_file

PYTHON = (sys.executable, "-I", "-S")
_ROWS = 200_000
_DRAWS = """
with recursive drawn(draw, state) as (
  select 1, 12345
  union all
  select draw + 1, (state * 1103515245 + 12345) % 2147483648 from drawn where draw < {draws}
)
select count(*), sum(length(text)), sum(number)
from drawn join samples on samples.number = (state / 64) % {rows};
"""


def _lookup(mode: str, scale: float) -> tuple[str, ...]:
    return "table_lookup", mode, str(32 * MIB // 1024), str(max(1, round(40_000 * scale)))


def _draws(pragma: str, scale: float) -> tuple[str, ...]:
    query = _DRAWS.format(draws=max(2, round(100_000 * scale)), rows=_ROWS)
    return "sqlite3", "-readonly", "base.db", ".once /dev/null", f"pragma {pragma}", query


def _rows(*words: str) -> tuple[str, ...]:
    return *PYTHON, str(SOURCES / "rows.py"), *words


def _sizes(*words: str) -> tuple[str, ...]:
    return *PYTHON, str(SOURCES / "sizes.py"), *words


def _settings(*words: str) -> tuple[str, ...]:
    return "perl", str(SOURCES / "settings.pl"), *words


def _report(*words: str) -> tuple[str, ...]:
    return "bash", str(SOURCES / "report.sh"), *words


def cured_programs(scale: float = 1.0) -> tuple[Program, ...]:
    """Return the ten with cures; ``scale`` multiplies how often each does what it does."""

    def many(count: int) -> str:
        return str(max(1, round(count * scale)))

    series = "java", "-cp", "{binaries}", "Series"
    return (
        Program(
            "log lines",
            "a line for each step, with std::endl",
            (
                Way("slow", ("log_lines", "slow", many(250_000)), what="std::endl"),
                Way(
                    "newline", ("log_lines", "newline", many(250_000)), ("small-io",),
                    "'\\n': lines gathered in the stream's buffer",
                ),
            ),
            fresh=("out",), sources=("log_lines.cpp",), language="C++",
        ),
        Program(
            "table lookup",
            "records of 1 kB read at random from a table, direct access",
            (
                Way("slow", _lookup("record", scale), what="128 KiB read for each record"),
                Way(
                    "buffer", _lookup("record", scale), (), "a buffer of the record's size",
                    {"GFORTRAN_UNFORMATTED_BUFFER_SIZE": "1024"},
                    words=r"GFORTRAN_UNFORMATTED_BUFFER_SIZE=\d{1,4}\b",
                ),
                Way(
                    "whole", _lookup("whole", scale), ("seek-storm", "re-read"),
                    "the table read once, kept in memory",
                ),
            ),
            random_file("table", 32 * MIB), results=(), sources=("table_lookup.f90",),
            language="Fortran",
        ),
        Program(
            "rows",
            "sqlite3 of Python, a commit for each row",
            (
                Way("slow", _rows("each", many(300)), what="a transaction for each row"),
                Way(
                    "once", _rows("once", many(300)), ("sync-write",), "one transaction",
                    words=r"(?i)one transaction|\bBEGIN\b",
                ),
                Way("wal", _rows("wal", many(300)), (), "WAL", words=r"(?i)\bwal\b|write-ahead"),
            ),
            fresh=("base.db", "base.db-wal", "base.db-shm"), results=(), language="Python",
        ),
        Program(
            "draws",
            "sqlite3, rows at random from a data base larger than its cache",
            (
                Way("slow", _draws("cache_size=-2000", scale), what="a cache of 2 MB"),
                Way(
                    "cache", _draws("cache_size=-100000", scale), ("re-read",),
                    "a cache of 100 MB", words="(?i)cache_size",
                ),
                Way(
                    "mmap", _draws("mmap_size=268435456", scale), ("seek-storm",),
                    "the data base mapped into memory", words="(?i)mmap",
                ),
            ),
            base("base.db", _ROWS), results=(), language="SQLite",
        ),
        Program(
            "settings",
            "a file of settings read for each request",
            (
                Way("slow", _settings("each", many(20_000)), what="opened and read each time"),
                Way("once", _settings("once", many(20_000)), ("re-read",), "read once"),
                Way(
                    "changed", _settings("changed", many(20_000)), (),
                    "read where stat says that it changed", words="(?i)changed|modification time",
                ),
                Way(
                    "open", _settings("open", many(20_000)), ("open-storm",),
                    "kept open, read from its start",
                ),
            ),
            settings, results=(), language="Perl",
        ),
        Program(
            "report",
            "a loop of a shell with >> at each line",
            (
                Way("slow", _report("line", many(40_000)), what=">> out at each line"),
                Way(
                    "loop", _report("loop", many(40_000)), ("open-storm",),
                    "the loop redirected as a whole",
                ),
            ),
            fresh=("out",), language="shell",
        ),
        Program(
            "series",
            "DataOutputStream on a FileOutputStream",
            (
                Way("slow", (*series, "plain", many(250_000)), what="a call for each number"),
                Way(
                    "buffered", (*series, "buffered", many(250_000)), ("small-io",),
                    "a BufferedOutputStream between them",
                ),
            ),
            fresh=("out",), sources=("Series.java",), language="Java",
        ),
        Program(
            "unpack",
            "small files made, fsync for each",
            (
                Way("slow", ("unpack", "slow", many(1000)), what="fsync for each file"),
                Way(
                    "syncfs", ("unpack", "syncfs", many(1000)), ("sync-write",),
                    "syncfs once at the end", words=r"\bsyncfs\b",
                ),
                Way(
                    "none", ("unpack", "none", many(1000)), (), "no sync at all",
                    words="(?i)without a sync|no sync",
                ),
            ),
            fresh=("unpacked-0", "unpacked-1"), results=(), sources=("unpack.c",), language="C",
        ),
        Program(
            "copy in sectors",
            "dd of a cached file with its block of 512 bytes",
            (
                Way("slow", ("dd", "if=data", "of=out", "status=none"), what="512 bytes a call"),
                Way(
                    "block", ("dd", "if=data", "of=out", "status=none", "bs=1M"), ("small-io",),
                    "bs=1M",
                ),
            ),
            random_file("data", max(1, round(80 * scale)) * MIB), fresh=("out",), language="dd",
        ),
        Program(
            "sizes",
            "a tree walked with os.listdir, isdir, isfile and getsize",
            (
                Way("slow", _sizes("listdir"), what="three stats for each file"),
                Way("scandir", _sizes("scandir"), ("stat-storm", "stat"), "os.scandir"),
            ),
            tree(round(25_000 * scale)), results=(), language="Python",
        ),
    )  # fmt: skip


def predicted_programs(scale: float = 1.0) -> tuple[Program, ...]:
    """Return the ten that are predicted only; the patterns are what an expert would name."""

    def many(count: int) -> int:
        return max(1, round(count * scale))

    def one(*command: str, named: tuple[str, ...] = (), words: str = "") -> tuple[Way, ...]:
        return (Way("as it is", command, named, words=words),)

    storm = ("seek-storm", "small-io")
    load = ".open --new base.db", ".mode csv", ".import table.csv samples"
    return (
        Program(
            "split", "a file for each key, opened and closed for each line",
            one("awk", "-f", str(SOURCES / "split.awk"), "lines", named=("open-storm",)),
            lines(many(50_000)), results=(), language="awk",
        ),
        Program(
            "archive", "tar of a tree of small files", one("tar", "-cf", "out", "tree"),
            tree(many(30_000)), fresh=("out",), results=(), language="tar",
        ),
        Program(
            "copy", "cp of a cached file", one("cp", "data", "out"),
            random_file("data", many(384) * MIB), fresh=("out",), language="cp",
        ),
        Program(
            "compress", "gzip of a text", one("gzip", "-kf", "prose"), prose(many(16) * MIB),
            fresh=("prose.gz",), results=(), language="gzip",
        ),
        Program(
            "sort", "sort of lines", one("sort", "-o", "out", "lines"), lines(many(400_000)),
            fresh=("out",), language="sort",
        ),
        Program(
            "means", "means of a table's column with csv",
            one(*PYTHON, str(SOURCES / "means.py")), table(many(200_000)),
            fresh=("out",), language="Python",
        ),
        Program(
            "direct read", "a file read past the page cache, 4 KiB a call",
            one("direct_read", named=("small-io",), words="(?i)O_DIRECT"),
            random_file("data", many(32) * MIB),
            results=(), sources=("direct_read.c",), language="C",
        ),
        Program(
            "samples", "64 bytes at random from a file, nothing cached",
            one("perl", str(SOURCES / "samples.pl"), str(many(6000)), named=storm),
            random_file("table", 32 * MIB), cold=("table",), results=(), language="Perl",
        ),
        Program(
            "count", "grep for each of many files",
            one("sh", str(SOURCES / "count.sh")), tree(many(300), "parts", 100_000),
            results=(), language="shell",
        ),
        Program(
            "import", "a table imported in one transaction",
            one("sqlite3", ":memory:", *load), table(many(200_000)), fresh=("base.db",),
            results=(), language="SQLite",
        ),
    )  # fmt: skip


def frozen() -> str:
    """Return a digest of the programs, their inputs, their cures, and what counts."""
    here = Path(__file__).parent
    names = {
        one
        for program in (*cured_programs(), *predicted_programs())
        for one in (*program.sources, *(Path(word).name for word in program.slow.command))
    }
    files = [here / "twenty.py", here / "inputs.py", here / "criteria.yaml"]
    files += sorted(one for one in SOURCES.iterdir() if one.name in names or one.name == "io.h")
    whole = hashlib.sha256()
    for one in files:
        whole.update(one.read_bytes())
    return whole.hexdigest()
