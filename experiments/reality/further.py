"""Ten further programs, by someone who has not read the code of advice: eight with their cures.

Two are well written, and an expert would change nothing; they are predicted only. The table of
patterns in ``docs/advise.md`` was known, and so were the earlier results. They, their cures and
what counts (``further-criteria.yaml``) were committed before any of them was recorded or predicted;
``frozen()`` is a digest of it all. As in ``more.py`` the second way of each is the expert's cure,
patterns are those of ``nwtsim advise``, and ``words`` are looked for in what it says is to be
changed.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import sqlite3
from pathlib import Path

from .inputs import Made
from .program import MIB, SEED, SOURCES, Program, Way, digest, random_file
from .twenty import PYTHON

CRITERIA = "criteria.yaml", "further-criteria.yaml"
"""Its rules, and what these ten have to show."""
_SLICE = 1 << 14
_PROBES = tuple(f"probe{number:02}.dat" for number in range(1, 41))
_MEANS = (
    "group_by(.station) | map({station: .[0].station, mean: (map(.value) | add / length)}) | .[]"
)


def _incoming(files: int) -> Made:
    """Make ``files`` files, each a second of its own older than another, in no order."""

    def make(folder: Path) -> None:
        seconds = random.Random(SEED).sample(range(files), files)
        (folder / "incoming").mkdir()
        for number, second in enumerate(seconds):
            name = folder / "incoming" / f"mail{number:05}"
            name.write_bytes(b"")
            os.utime(name, (1_700_000_000 + second,) * 2)

    return make


def _image(slices: int, wanted: int) -> Made:
    """Make an image of ``slices`` slices of 16 KiB, compressed, and a list of them in no order."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        grain = bytes(drawn.choices(range(100, 140), k=_SLICE))
        with (
            (folder / "image.gz").open("wb") as file,
            gzip.GzipFile("", "wb", 6, file, mtime=0) as image,
        ):
            for _ in range(slices):
                at = drawn.randrange(_SLICE)
                image.write(grain[at:] + drawn.randbytes(256) + grain[: at - 256 or None])
        numbers = drawn.choices(range(slices), k=wanted)
        (folder / "wanted.txt").write_text("".join(f"{one}\n" for one in numbers), "ascii")

    return make


def _orders(orders: int, customers: int) -> Made:
    """Make two tables of ``orders`` rows, one with an index, and a script that asks of some."""

    def make(folder: Path) -> None:
        for name in ("plain", "indexed"):
            drawn = random.Random(SEED)
            with sqlite3.connect(folder / f"{name}.db") as made:
                made.execute("create table orders (number integer primary key, customer, amount)")
                made.executemany(
                    "insert into orders values (?, ?, ?)",
                    (
                        (one, f"customer-{drawn.randrange(2000):060}", drawn.randrange(10**6))
                        for one in range(orders)
                    ),
                )
                if name == "indexed":
                    made.execute("create index by_customer on orders (customer)")
            made.close()
        select = "select count(*), sum(amount), max(number) from orders where customer ="
        lines = (f"{select} 'customer-{19 * one % 2000:060}';\n" for one in range(customers))
        (folder / "asked.sql").write_text("".join(lines), "ascii")

    return make


def _articles(lines: int, codes: int) -> Made:
    """Make a sorted table of ``lines`` articles, and a sorted list of the codes of some."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / "articles.csv").open("w", encoding="ascii") as file:
            for number in range(lines):
                price, weight = drawn.randrange(10**5), drawn.randrange(10**4)
                file.write(f"A{number:06},article of kind {number % 97},{price},{weight}\n")
        some = sorted(drawn.sample(range(lines), codes))
        (folder / "codes").write_text("".join(f"A{one:06}\n" for one in some), "ascii")

    return make


def _texts(count: int) -> Made:
    """Make ``count`` texts of 30 lines, and what goes into each of their pages."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        (folder / "texts").mkdir()
        (folder / "version").write_text("2.7.1\n", "ascii")
        (folder / "about").write_text("title: Notes\nauthor: A. N. Author\nyear: 2026\n", "ascii")
        for number in range(count):
            lines = "".join(f"line {drawn.randrange(10**9)}\n" for _ in range(30))
            text = f"Note {number}, VERSION, AUTHOR, YEAR\n{lines}"
            (folder / "texts" / f"note{number:03}.txt").write_text(text, "ascii")

    return make


def _stations(count: int) -> Made:
    """Make ``count`` observations of 50 stations, as JSON, one in a line."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / "observed.json").open("w", encoding="ascii") as file:
            for number in range(count):
                one = {"station": f"S{drawn.randrange(50):02}", "value": drawn.randrange(1000)}
                file.write(json.dumps({"number": number, **one}) + "\n")

    return make


def further_programs(scale: float = 1.0) -> tuple[Program, ...]:
    """Return the ten, the eight with cures first; ``scale`` multiplies how often each does it."""

    def many(count: int) -> int:
        return max(2, round(count * scale))

    def listing(mode: str) -> tuple[str, ...]:
        return "listing", mode, str(many(30_000))

    def newest(mode: str) -> tuple[str, ...]:
        return "java", "-cp", "{binaries}", "Newest", mode

    def probes(mode: str) -> tuple[str, ...]:
        return "probes", mode, str(many(500))

    def cyclic(mode: str) -> tuple[str, ...]:
        return "cyclic", mode, str(many(160_000))

    def slices(mode: str) -> tuple[str, ...]:
        return *PYTHON, str(SOURCES / "slices.py"), mode

    def wanted(mode: str) -> tuple[str, ...]:
        return "bash", str(SOURCES / "wanted.sh"), mode

    def site(mode: str) -> tuple[str, ...]:
        return "make", "-s", "-B", "-f", str(SOURCES / "site.mk"), f"mode={mode}"

    def customers(base: str) -> tuple[str, ...]:
        return "sqlite3", "-readonly", base, ".read asked.sql"

    return (
        Program(
            "listing", "lines written into a file as such, a call for each of their pieces",
            (
                Way("slow", listing("file"), what="writeln! into a File"),
                Way(
                    "buffered", listing("buffered"), ("small-io",), "a BufWriter between them",
                    words="(?i)BufWriter",
                ),
                Way("line", listing("line"), (), "a call for each line", words="(?i)whole lines?"),
            ),
            fresh=("out",), sources=("listing.rs",), language="Rust",
        ),
        Program(
            "newest", "files sorted by time, which each comparison asks for",
            (
                Way("slow", newest("each"), what="lastModified in the comparator"),
                Way(
                    "once", newest("once"), ("stat-storm",), "each file's time asked for once",
                    words="(?i)status .*once",
                ),
            ),
            _incoming(many(8000)), results=(), sources=("Newest.java",), language="Java",
        ),
        Program(
            "probes", "a file for each probe, opened, appended to and closed in each step",
            (
                Way("slow", probes("each"), what="OPEN, WRITE, CLOSE each time"),
                Way(
                    "open", probes("open"), ("open-storm", "close-flush", "reopened"),
                    "files kept open", words="(?i)(keep|leave|stays?) .*open",
                ),
                Way(
                    "end", probes("end"), ("small-io", "rewritten"),
                    "values in memory, written at the end", words="(?i)in memory|at the end",
                ),
            ),
            fresh=_PROBES, results=_PROBES, sources=("probes.f90",), language="Fortran",
        ),
        Program(
            "cyclic", "four processes that write every fourth row of one file each",
            (
                Way("slow", cyclic("row"), what="a row a call, where it belongs"),
                Way(
                    "block", cyclic("block"), ("strided-write", "scattered-write", "small-io"),
                    "a quarter of the rows each, by 1 MiB", words="(?i)collective|contiguous",
                ),
            ),
            fresh=("out",), sources=("cyclic.c",), language="C",
        ),
        Program(
            "slices", "parts of a compressed file looked for in no order",
            (
                Way("slow", slices("seek"), what="GzipFile.seek, which starts anew to go back"),
                Way(
                    "whole", slices("whole"), ("re-read", "poll", "reopened"), "unpacked once",
                    words="(?i)in memory|unpack(ed)? .*once|cache",
                ),
                Way(
                    "sorted", slices("sorted"), (), "in the order of the file",
                    words="(?i)order of the file|sort",
                ),
            ),
            _image(600, many(120)), results=(), language="Python",
        ),
        Program(
            "wanted", "grep of a table for each line of a list",
            (
                Way("slow", wanted("each"), what="a process, and the table read, for each"),
                Way(
                    "once", wanted("once"), ("started", "re-read", "poll", "reopened"),
                    "grep -f", words="(?i)grep .*-f|xargs|(fewer|one) process",
                ),
                Way("join", wanted("join"), (), "join", words=r"(?i)\bjoin\b"),
            ),
            _articles(20_000, many(150)), results=(), language="grep",
        ),
        Program(
            "site", "what each recipe needs found by $(shell) each time",
            (
                Way("slow", site("each"), what="version = $(shell cat version)"),
                Way(
                    "once", site("once"), ("started", "re-read", "poll", "reopened"),
                    "version := $(shell cat version)", words="(?i):=|(fewer|one) process",
                ),
            ),
            _texts(many(50)), fresh=("made", "out"), language="make",
        ),
        Program(
            "customers", "rows selected by a column without an index",
            (
                Way("slow", customers("plain.db"), what="the table read for each"),
                Way(
                    "index", customers("indexed.db"), ("table-scan",), "an index",
                    words=r"(?i)\bindex\b",
                ),
            ),
            _orders(40_000, many(90)), results=(), language="SQLite",
        ),
        Program(
            "passed", "measurements within bounds copied, 1 MiB at a time",
            (Way("as it is", ("passed",)),),
            random_file("data", many(256) * MIB), fresh=("out",), sources=("passed.cpp",),
            language="C++",
        ),
        Program(
            "stations", "means by station, of JSON",
            (Way("as it is", ("jq", "-s", "-c", _MEANS, "observed.json")),),
            _stations(many(30_000)), results=(), language="jq",
        ),
    )  # fmt: skip


def frozen() -> str:
    """Return a digest of the programs, their inputs, their cures, and what counts."""
    here = Path(__file__).parent
    files = [here / name for name in ("further.py", "inputs.py", *CRITERIA)]
    return digest(further_programs(), files)
