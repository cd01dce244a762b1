"""Ten slow programs with their cures, by someone who has not read the code of advice.

The table of patterns in ``docs/advise.md`` was known, and so were the earlier results. They are
what people have: each does what none of the earlier ones does, in a language or tool of its own.
They, their cures and what counts (``more-criteria.yaml``) were committed before any of them was
recorded or predicted; ``frozen()`` is a digest of it all. As in ``ten.py`` the second way of each
is the expert's cure, patterns are those of ``nwtsim advise``, and ``words`` are looked for in what
it says is to be changed.
"""

from __future__ import annotations

import random
from pathlib import Path

from .inputs import Made
from .program import MIB, SEED, SOURCES, Program, Way, digest, random_file
from .twenty import PYTHON

CRITERIA = "criteria.yaml", "more-criteria.yaml"
"""Its rules, and what these ten have to show."""
_SUMS = "select count(*), sum(value), min(code), max(code) from readings"


def _model(cards: int) -> Made:
    """Make a model of ``cards`` cards of 80 columns: nodes, elements, loads."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / "model.txt").open("w", encoding="ascii") as file:
            for number in range(cards):
                kind = drawn.choice(("NODE", "NODE", "ELEM", "LOAD"))
                text = f"{kind}{number:8}"
                if kind == "ELEM":
                    text += "".join(f"{drawn.randrange(cards):8}" for _ in range(3))
                else:
                    places = 3 if kind == "NODE" else 1
                    text += "".join(f"{drawn.uniform(-999, 999):12.4f}" for _ in range(places))
                file.write(f"{text:80}\n")

    return make


def _observed(stations: int) -> Made:
    """Make a file for each of ``stations``, its date in its name, and a list in another order."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        (folder / "observed").mkdir()
        names = [f"S{number:05}" for number in range(stations)]
        for name in names:
            date = f"2026{drawn.randrange(1, 13):02}{drawn.randrange(1, 29):02}"
            text = "".join(f"{drawn.randrange(-300, 400)}\n" for _ in range(24))
            (folder / "observed" / f"{date}-{name}.txt").write_text(text, "ascii")
        drawn.shuffle(names)
        (folder / "stations.txt").write_text("".join(f"{one}\n" for one in names), "ascii")

    return make


def _mailbox(attachments: int) -> Made:
    """Make ``attachments`` texts of 20 to 60 lines, one after the other in a file."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / "mailbox").open("w", encoding="ascii") as file:
            for _ in range(attachments):
                for number in range(drawn.randrange(20, 60)):
                    if number % 10 == 7:
                        file.write(f"amount: {drawn.randrange(10**4)}\n")
                    else:
                        file.write(f"line {number} of {drawn.randrange(10**9)}\n")
                file.write("--\n")

    return make


def _parts(files: int) -> Made:
    """Make ``files`` files of 2 to 20 kB and a list of their names."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        (folder / "parts").mkdir()
        names = [f"parts/part{number:04}" for number in range(files)]
        for name in names:
            (folder / name).write_bytes(drawn.randbytes(drawn.randrange(2000, 20_000)))
        (folder / "list").write_text("".join(f"{one}\n" for one in names), "ascii")

    return make


def _templates(folder: Path) -> None:
    drawn = random.Random(SEED)
    (folder / "templates").mkdir()
    for part in range(12):
        text = "".join(f"<p>{drawn.randrange(10**6)}</p>\n" for _ in range(4))
        (folder / "templates" / f"part{part:02}.html").write_text(text, "ascii")


def _form(values: int) -> Made:
    """Make a form of 20,000 lines with ``values`` names in it, and a script that replaces them."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / "form.txt").open("w", encoding="ascii") as form:
            for number in range(20_000):
                name = f"@NAME{drawn.randrange(values):04}@" if number % 5 == 0 else "none"
                form.write(f"setting{number:05} = {name}\n")
        with (folder / "values.sed").open("w", encoding="ascii") as script:
            for number in range(values):
                script.write(f"s/@NAME{number:04}@/{drawn.randrange(10**6)}/g\n")

    return make


def _readings(rows: int) -> Made:
    """Make a table of ``rows`` rows, each with a code of 32 digits in no order."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / "readings.csv").open("w", encoding="ascii") as file:
            for _ in range(rows):
                file.write(f"{drawn.getrandbits(128):032x},{drawn.randrange(10**6)}\n")

    return make


def more_programs(scale: float = 1.0) -> tuple[Program, ...]:
    """Return the ten; ``scale`` multiplies how often each does what it does."""

    def many(count: int) -> int:
        return max(2, round(count * scale))

    def script(interpreter: str, source: str, *words: str) -> tuple[str, ...]:
        return interpreter, str(SOURCES / source), *words

    def track(mode: str) -> tuple[str, ...]:
        return "track", mode, str(many(160_000))

    def observations(mode: str) -> tuple[str, ...]:
        return *PYTHON, str(SOURCES / "observations.py"), mode

    def bookings(mode: str) -> tuple[str, ...]:
        return script("node", "bookings.js", mode, str(many(4500)))

    def templates(mode: str) -> tuple[str, ...]:
        return "java", "-cp", "{binaries}", "Templates", mode, str(many(12_000))

    def loaded(pragma: str, *after: str) -> tuple[str, ...]:
        made = "create table readings (code text, value integer)"
        index = "create index by_code on readings (code)"
        load = ".mode csv", ".import readings.csv readings"
        steps = (*load, index) if after else (index, *load)
        opened = ".open --new loaded.db", f"pragma {pragma}"
        return "sqlite3", ":memory:", *opened, made, *steps, _SUMS

    return (
        Program(
            "corrected", "records read, changed and written back in their order, with stdio",
            (
                Way("slow", ("corrected", "record"), what="fread, fseek, fwrite for each"),
                Way("block", ("corrected", "block"), ("small-io",), "1024 records at a time"),
                Way(
                    "whole", ("corrected", "whole"), ("re-read", "scattered-write", "rewritten"),
                    "all of them at a time", words="(?i)in memory|whole file",
                ),
            ),
            random_file("records", many(72) * MIB), copied=(("records", "out"),),
            sources=("corrected.c",), language="C",
        ),
        Program(
            "track", "points appended to a file whose header has their bounds",
            (
                Way("slow", track("each"), what="its header written each time"),
                Way(
                    "end", track("end"), ("rewritten", "record-length-rewrite"),
                    "its header written at the end", words="(?i)at the end",
                ),
                Way(
                    "memory", track("memory"), ("scattered-write", "small-io"),
                    "all of it in memory, written at the end", words="(?i)in memory",
                ),
            ),
            fresh=("out",), sources=("track.cpp",), language="C++",
        ),
        Program(
            "cards", "the values of each line written to a scratch file, and read from there",
            (
                Way("slow", ("cards", "scratch"), what="WRITE, REWIND, READ for each line"),
                Way(
                    "internal", ("cards", "internal"), ("rewritten", "re-read"), "internal files",
                    words="(?i)internal|in memory",
                ),
            ),
            _model(many(60_000)), results=(), sources=("cards.f90",), language="Fortran",
        ),
        Program(
            "observations", "a file looked for with glob for each station",
            (
                Way("slow", observations("glob"), what="the folder listed each time"),
                Way(
                    "listed", observations("listed"), ("re-list",), "the folder listed once",
                    words="(?i)list(s|ed)? .*once",
                ),
            ),
            _observed(many(1000)), results=(), language="Python",
        ),
        Program(
            "attachments", "a temporary file for each item, for what wants a file",
            (
                Way("slow", script("perl", "attachments.pl", "each"), what="a file for each"),
                Way(
                    "memory", script("perl", "attachments.pl", "memory"),
                    ("rewritten", "re-read"), "a file handle in memory", words="(?i)in memory",
                ),
                Way(
                    "one", script("perl", "attachments.pl", "one"), ("many-files", "open-storm"),
                    "one file, kept open",
                ),
            ),
            _mailbox(many(8000)), results=(), language="Perl",
        ),
        Program(
            "bookings", "the last number of a file found by reading all of it before each line",
            (
                Way("slow", bookings("read"), what="readFileSync for each"),
                Way(
                    "known", bookings("known"), ("re-read", "poll", "reopened"), "remembered",
                    words="(?i)remember|in memory",
                ),
                Way("tail", bookings("tail"), (), "its end read", words="(?i)last bytes"),
            ),
            fresh=("out",), language="JavaScript",
        ),
        Program(
            "templates", "whether a file has changed asked each time that it is used",
            (
                Way("slow", templates("each"), what="twelve getLastModifiedTime for each page"),
                Way(
                    "seldom", templates("seldom"), ("stat-storm",), "asked for each 1000th page",
                    words="(?i)less often|seldom|inotify|WatchService",
                ),
            ),
            _templates, results=(), sources=("Templates.java",), language="Java",
        ),
        Program(
            "grown", "an archive to which a tar of its own appends each file",
            (
                Way("slow", script("sh", "grown.sh", "each"), what="tar -r for each file"),
                Way(
                    "once", script("sh", "grown.sh", "once"),
                    ("re-read", "poll", "reopened", "open-storm"), "one tar with a list",
                    words="(?i)(fewer|one) process|one tar",
                ),
            ),
            _parts(many(300)), fresh=("out",), language="tar",
        ),
        Program(
            "filled", "sed -i for each value of a form",
            (
                Way("slow", script("sh", "filled.sh", "each"), what="written anew for each"),
                Way(
                    "once", script("sh", "filled.sh", "once"),
                    ("rewritten", "re-read", "poll", "reopened"), "one sed with a script",
                    words="(?i)(fewer|one) process|sed -f",
                ),
            ),
            _form(many(150)), fresh=("out",), language="sed",
        ),
        Program(
            "readings", "rows imported into a table with an index, in no order",
            (
                Way("slow", loaded("cache_size=-2000"), what="an index, a cache of 2 MB"),
                Way(
                    "after", loaded("cache_size=-2000", "after"), (), "the index made afterwards",
                    words="(?i)index (after|later|at the end|when)|after the (import|load)",
                ),
                Way(
                    "cache", loaded("cache_size=-200000"),
                    ("re-read", "rewritten", "scattered-write"), "a cache of 200 MB",
                    words="(?i)cache_size",
                ),
            ),
            _readings(many(200_000)), fresh=("loaded.db", "loaded.db-journal"), results=(),
            language="SQLite",
        ),
    )  # fmt: skip


def frozen() -> str:
    """Return a digest of the programs, their inputs, their cures, and what counts."""
    here = Path(__file__).parent
    return digest(more_programs(), [here / name for name in ("more.py", "inputs.py", *CRITERIA)])
