"""Eight slow programs with their cures that no rule of nwtsim has seen.

The rules that predict cured times were made knowing the twenty of ``twenty.py``. These, their cures
and what counts (``unseen-criteria.yaml``) were written before any of them was predicted;
``frozen()`` is a digest of it all. As there: the second way of each is the expert's cure, patterns
are those of ``nwtsim advise``, and ``words`` are looked for in what it says is to be changed.
"""

from __future__ import annotations

import hashlib
import random
import sqlite3
import struct
from pathlib import Path

from .inputs import Made, table
from .program import SEED, SOURCES, Program, Way
from .twenty import PYTHON

CRITERIA = "criteria.yaml", "unseen-criteria.yaml"
"""Its rules, and what these eight have to show."""
_PAGES = 24
_SIDE = 32
_ITEMS = 20_000
_SUMS = "select count(*), sum(amount), sum(amount * number) from stock"


def _numbers(count: int) -> Made:
    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        lines = (f"{drawn.gauss(20, 4):.6f}\n" for _ in range(count))
        (folder / "numbers").write_text("".join(lines), "ascii")

    return make


def _pictures(count: int) -> Made:
    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        lines = [drawn.randbytes(64) * 2 for _ in range(64)]
        with (folder / "pictures").open("wb") as file:
            for _ in range(count):
                file.write(b"".join(drawn.choices(lines, k=64)))

    return make


def _log(count: int) -> Made:
    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / "access.log").open("w", encoding="ascii") as file:
            for number in range(count):
                hour, rest = divmod(number % 86_400, 3600)
                time = f"27/Nov/2026:{hour:02}:{rest // 60:02}:{rest % 60:02} +0000"
                page, status = drawn.randrange(_PAGES), drawn.choice((200, 200, 200, 404))
                file.write(
                    f"10.0.{drawn.randrange(256)}.{drawn.randrange(256)} - - [{time}]"
                    f' "GET /page{page:02}.html HTTP/1.1" {status} {drawn.randrange(10**5)}\n'
                )

    return make


def _stock(updates: int) -> Made:
    """Make a data base without an index on what is looked for, and a script of updates."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with sqlite3.connect(folder / "stock.db") as made:
            made.execute("create table stock (number integer primary key, code text, amount int)")
            made.executemany(
                "insert into stock values (?, ?, ?)",
                ((one, f"item-{one * 7919 % _ITEMS:06}", one % 50) for one in range(_ITEMS)),
            )
        made.close()
        lines = (
            f"update stock set amount = amount - {drawn.randrange(1, 9)}"
            f" where code = 'item-{drawn.randrange(_ITEMS):06}';\n"
            for _ in range(updates)
        )
        (folder / "sales.sql").write_text("".join(lines), "ascii")

    return make


def _chunks(count: int) -> Made:
    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / "chunks").open("wb") as file:
            for _ in range(count):
                size = drawn.randrange(100, 2000)
                file.write(struct.pack(">ii", drawn.randrange(64), size) + drawn.randbytes(size))

    return make


def _tiles(count: int) -> Made:
    """Make a file for each tile, in 50 folders, and one with all of them."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        for number in range(50):
            (folder / "tiles" / f"{number:02}").mkdir(parents=True)
        with (folder / "tiles.pack").open("wb") as pack:
            for number in range(count):
                tile = drawn.randbytes(_SIDE * _SIDE)
                pack.write(tile)
                (folder / "tiles" / f"{number % 50:02}" / f"tile{number:05}").write_bytes(tile)

    return make


def unseen_programs(scale: float = 1.0) -> tuple[Program, ...]:
    """Return the eight; ``scale`` multiplies how often each does what it does."""

    def many(count: int) -> int:
        return max(2, round(count * scale))

    def thumbnails(mode: str) -> tuple[str, ...]:
        return *PYTHON, str(SOURCES / "thumbnails.py"), mode, str(many(400))

    def hits(mode: str) -> tuple[str, ...]:
        return "perl", str(SOURCES / "hits.pl"), mode

    def stock(*words: str) -> tuple[str, ...]:
        return "sqlite3", "sold.db", *words, _SUMS

    def covariance(mode: str) -> tuple[str, ...]:
        return "covariance", mode, str(many(600))

    def chunks(mode: str) -> tuple[str, ...]:
        return "java", "-cp", "{binaries}", "Chunks", mode

    def tiles(mode: str) -> tuple[str, ...]:
        return "tiles", mode, str(many(36_000))

    def normal(mode: str) -> tuple[str, ...]:
        script = str(SOURCES / "normal.awk")
        return "awk", "-v", f"mode={mode}", "-f", script, "table.csv"

    return (
        Program(
            "quantiles", "a text of numbers read with read(2), a byte a call",
            (
                Way("slow", ("numbers", "byte"), what="a call for each byte"),
                Way("buffer", ("numbers", "buffer"), ("small-io",), "a buffer of 64 KiB"),
                Way("whole", ("numbers", "whole"), (), "all of it at once", words="(?i)whole file"),
            ),
            _numbers(many(90_000)), results=(), sources=("numbers.c",), language="C",
        ),
        Program(
            "thumbnails", "the next free name looked for with os.path.exists, from the first",
            (
                Way("slow", thumbnails("try"), what="every name tried for each file"),
                Way("count", thumbnails("count"), ("stat-storm",), "the last number remembered"),
                Way(
                    "list", thumbnails("list"), (), "the folder listed once",
                    words=r"(?i)listdir|scandir|list the folder",
                ),
            ),
            _pictures(many(400)), fresh=("packed-0", "packed-1"), results=(), language="Python",
        ),
        Program(
            "hits", "a counter in a file, read and written anew for each request of a log",
            (
                Way("slow", hits("file"), what="its file opened, read and written each time"),
                Way(
                    "memory", hits("memory"), ("re-read", "poll"),
                    "counts in memory, written at the end", words="(?i)in memory",
                ),
                Way("open", hits("open"), ("open-storm",), "files of counts kept open"),
            ),
            _log(many(25_000)), fresh=("counts",), results=(), language="Perl",
        ),
        Program(
            "stock", "a script of updates without a transaction, each a scan of the table",
            (
                Way("slow", stock(".read sales.sql"), what="a transaction for each update"),
                Way(
                    "once", stock("begin", ".read sales.sql", "commit"),
                    ("transaction-per-row", "sync-write"), "BEGIN and COMMIT around the script",
                    words=r"(?i)one transaction|\bBEGIN\b",
                ),
            ),
            _stock(many(120)), copied=(("stock.db", "sold.db"),), results=(), language="SQLite",
        ),
        Program(
            "covariance", "a matrix written by rows that is computed by columns, direct access",
            (
                Way("slow", covariance("element"), what="a record for each element"),
                Way(
                    "column", covariance("column"), ("small-io", "seek-storm"),
                    "transposed, a record for each column of that",
                    words="(?i)in order|order of the file",
                ),
                Way("whole", covariance("whole"), (), "all at once", words="(?i)whole file"),
            ),
            fresh=("out",), sources=("covariance.f90",), language="Fortran",
        ),
        Program(
            "chunks", "headers of chunks read by RandomAccessFile, the rest skipped by seek",
            (
                Way("slow", chunks("seek"), what="a call for each byte of a header, and seeks"),
                Way(
                    "stream", chunks("stream"), ("small-io", "seek-storm"),
                    "a DataInputStream with a buffer",
                ),
                Way("whole", chunks("whole"), (), "all in memory", words="(?i)whole file"),
            ),
            _chunks(many(30_000)), results=(), sources=("Chunks.java",), language="Java",
        ),
        Program(
            "tiles", "a map in many small files, all of them read",
            (
                Way("slow", tiles("files"), what="a file for each tile"),
                Way(
                    "pack", tiles("pack"), ("many-files",), "one file of all tiles",
                    words=r"(?i)\bone file\b",
                ),
            ),
            _tiles(many(36_000)), results=(), sources=("tiles.cpp",), language="C++",
        ),
        Program(
            "normal", "a table computed line by line, with fflush after each",
            (
                Way("slow", normal("flush"), what="a call for each line"),
                Way("lines", normal("lines"), ("small-io",), "no fflush"),
            ),
            table(many(100_000)), fresh=("out",), language="awk",
        ),
    )  # fmt: skip


def frozen() -> str:
    """Return a digest of the programs, their inputs, their cures, and what counts."""
    here, programs = Path(__file__).parent, unseen_programs()
    names = {name for one in programs for name in (*one.sources, *map(_last, one.slow.command))}
    files = [here / name for name in ("unseen.py", "inputs.py", *CRITERIA)]
    files += sorted(one for one in SOURCES.iterdir() if one.name in names or one.name == "io.h")
    whole = hashlib.sha256()
    for one in files:
        whole.update(one.read_bytes())
    return whole.hexdigest()


def _last(word: str) -> str:
    return Path(word).name
