"""Ten fresh programs, by someone who has not read the code of advice: eight with their cures.

As ``further.py`` in all but what they do: the table of patterns and the earlier results were known,
two are well written, and all of it, with ``fresh-criteria.yaml``, was committed before any of them
was recorded or predicted; ``frozen()`` is a digest of it.
"""

from __future__ import annotations

import json
import os
import random
from array import array
from pathlib import Path

from .inputs import Made, tree
from .program import MIB, SEED, SOURCES, Program, Way, digest, random_file
from .ten import ten_programs
from .twenty import PYTHON

CRITERIA = "criteria.yaml", "fresh-criteria.yaml"
"""Its rules, and what these ten have to show."""
_FOLDERS = 200
_RUNS = 8


def _lines(names: list[str], count: int) -> Made:
    """Make a file of ``count`` numbers, one in a line, under each name."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        for name in names:
            text = "".join(f"{drawn.randrange(10**6)}\n" for _ in range(count))
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, "ascii")

    return make


def _headers(count: int) -> Made:
    """Make ``count`` headers in the last of 200 folders, and a source that includes them."""

    def make(folder: Path) -> None:
        for number in range(_FOLDERS):
            (folder / "inc" / f"{number:03}").mkdir(parents=True)
        for number in range(count):
            text = "".join(f"extern int value_{number}_{one};\n" for one in range(20))
            file = folder / "inc" / f"{_FOLDERS - 1:03}" / f"part{number:03}.h"
            file.write_text(f"#pragma once\n{text}", "ascii")
        names = (f'#include "part{number:03}.h"\n' for number in range(count))
        (folder / "main.c").write_text("".join(names), "ascii")

    return make


def _codes(folder: Path) -> None:
    drawn = random.Random(SEED)
    lines = (f"{3 * one:012}{drawn.randrange(10**9):019}\n" for one in range(60_000))
    (folder / "codes").write_text("".join(lines), "ascii")


def _control(folder: Path) -> None:
    text = "&control\n  rate = 0.2\n  source = 1.5\n  stop_now = .false.\n/\n"
    (folder / "control.nml").write_text(text, "ascii")


def _posts(count: int) -> Made:
    """Make ``count`` posts of 1 kB, each in a file of its own, and a file of them all."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        (folder / "posts").mkdir()
        with (folder / "posts.json").open("w", encoding="ascii") as whole:
            for number in range(count):
                post = {"number": number, "title": f"Post {number}", "date": drawn.randrange(9999)}
                tags, text = drawn.sample(range(25), 3), f"{drawn.getrandbits(3600):0900x}"
                one = json.dumps({**post, "tags": tags, "text": text})
                (folder / "posts" / f"{number:04}.json").write_text(one, "ascii")
                whole.write(f"{one}\n")

    return make


def _runs(pairs: int) -> Made:
    """Make eight files of ``pairs`` sorted keys of 8 bytes, each with a value of as many."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        for run in range(_RUNS):
            keys = array("Q", drawn.randbytes(8 * pairs))
            both = (number for key in sorted(keys) for number in (key, key % 1000))
            (folder / f"run{run}").write_bytes(array("Q", both).tobytes())

    return make


def _saved(files: int) -> Made:
    """Make a tree of ``files`` files, and the same again, with the same times."""

    def make(folder: Path) -> None:
        for name in ("tree", "saved"):
            tree(files, name)(folder)
            for path in (folder / name, *(folder / name).rglob("*")):
                os.utime(path, (1_700_000_000,) * 2)

    return make


def fresh_programs(scale: float = 1.0) -> tuple[Program, ...]:
    """Return the ten, the eight with cures first; ``scale`` multiplies how often each does it."""

    def many(count: int) -> int:
        return max(2, round(count * scale))

    def includes(first: int) -> tuple[str, ...]:
        folders = sorted(range(_FOLDERS), key=lambda one: one != first)
        return "gcc", "-E", "-P", "-o", "out", "main.c", *(f"-Iinc/{one:03}" for one in folders)

    def codes(mode: str) -> tuple[str, ...]:
        return *PYTHON, str(SOURCES / "codes.py"), mode, str(many(7000))

    def diffusion(mode: str) -> tuple[str, ...]:
        return "diffusion", mode, str(many(20_000))

    def spool(mode: str) -> tuple[str, ...]:
        return "perl", str(SOURCES / "spool.pl"), mode

    def image(*words: str) -> tuple[str, ...]:
        return "dd", "if=image", "of=out", "status=none", *words

    def tags(mode: str) -> tuple[str, ...]:
        return "node", str(SOURCES / "tags.js"), mode

    def dates(mode: str) -> tuple[str, ...]:
        return "bash", str(SOURCES / "dates.sh"), mode

    history = {one.name: one for one in ten_programs(scale / 20)}["history"].inputs
    return (
        Program(
            "levels", "numbers scanned from files as such, by four goroutines",
            (
                Way("slow", ("levels", "file"), what="fmt.Fscan, a call for each byte"),
                Way("buffered", ("levels", "buffered"), ("small-io",), "a bufio.Reader between"),
            ),
            _lines([f"station{one}.txt" for one in range(4)], many(12_000)), results=(),
            sources=("levels.go",), language="Go",
        ),
        Program(
            "includes", "headers looked for in 200 folders, all of them in the last",
            (
                Way("slow", includes(0), what="-I of its folder last"),
                Way("first", includes(_FOLDERS - 1), ("failed-lookup",), "-I of its folder first"),
            ),
            _headers(many(400)), fresh=("out",), language="gcc",
        ),
        Program(
            "codes", "a sorted file mapped into memory by the function that looks a name up in it",
            (
                Way("slow", codes("each"), what="open and mmap for each name"),
                Way(
                    "once", codes("once"), ("open-storm", "reopened", "poll"), "mapped once",
                    words="(?i)(keep|leave|stays?) .*(open|mapped)|map(ped)? .*once",
                ),
                Way("read", codes("read"), ("re-read",), "read once", words="(?i)in memory"),
            ),
            _codes, results=(), language="Python",
        ),
        Program(
            "diffusion", "a namelist read in each step of a computation, in case it has changed",
            (
                Way("slow", diffusion("each"), what="OPEN, READ, CLOSE in each step"),
                Way(
                    "seldom", diffusion("seldom"), ("poll", "re-read", "reopened"),
                    "read in each hundredth step", words="(?i)less often|seldom|has changed",
                ),
                Way("open", diffusion("open"), ("open-storm",), "kept open, and rewound"),
            ),
            _control, fresh=("out",), sources=("diffusion.f90",), language="Fortran",
        ),
        Program(
            "spool", "jobs of a folder taken by four processes, which list it for each job",
            (
                Way("slow", spool("each"), what="readdir and sort for the first one"),
                Way(
                    "listed", spool("listed"), ("re-list",), "listed again at the end of the list",
                    words="(?i)list(s|ed)? .*(once|less often)|(first|one) list",
                ),
            ),
            _lines([f"jobs/{one:04}" for one in range(many(1000))], 20),
            fresh=("queue", "busy", "done"), results=(), language="Perl",
        ),
        Program(
            "image", "an image written by blocks of 4 KiB, with O_DSYNC",
            (
                Way("slow", image("bs=4k", "oflag=dsync"), what="oflag=dsync"),
                Way(
                    "once", image("bs=4k", "conv=fsync"), ("sync-write",), "one fsync at the end",
                    words="(?i)conv=fsync",
                ),
                Way("large", image("bs=1M", "oflag=dsync"), ("small-io",), "blocks of 1 MiB"),
            ),
            random_file("image", many(5) * MIB), fresh=("out",), language="dd",
        ),
        Program(
            "tags", "posts of a site, a small file each, all of them read for each of its tags",
            (
                Way("slow", tags("each"), what="readdirSync, readFileSync for each tag"),
                Way(
                    "once", tags("once"), ("re-read", "poll", "reopened"), "read once",
                    words="(?i)in memory|read .*once",
                ),
                Way(
                    "index", tags("index"), ("many-small", "many-files"), "one file of all posts",
                    words=r"(?i)\bone file\b",
                ),
            ),
            _posts(many(600)), fresh=("out",), language="JavaScript",
        ),
        Program(
            "dates", "the last change of each file of a repository looked for by itself",
            (
                Way("slow", dates("each"), what="git log -1 for each"),
                Way(
                    "once", dates("once"), ("started", "re-read", "poll", "reopened"),
                    "one git log --name-only", words="(?i)(fewer|one) process|--name-only",
                ),
            ),
            history, results=(), language="git",
        ),
        Program(
            "merged", "sorted runs merged through large buffers",
            (Way("as it is", ("merged", str(_RUNS))),),
            _runs(many(500_000)), fresh=("out",), sources=("merged.rs",), language="Rust",
        ),
        Program(
            "backup", "rsync of a tree of which nothing has changed",
            (Way("as it is", ("rsync", "-a", "tree/", "saved")),),
            _saved(many(20_000)), results=(), language="rsync",
        ),
    )  # fmt: skip


def frozen() -> str:
    """Return a digest of the programs, their inputs, their cures, and what counts."""
    here = Path(__file__).parent
    files = [here / name for name in ("fresh.py", "inputs.py", "ten.py", *CRITERIA)]
    return digest(fresh_programs(), files)
