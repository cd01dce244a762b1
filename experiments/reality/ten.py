"""Ten slow programs with their cures, written after all rules that predict and advise.

Each does what none of the earlier ones does, in a language or tool of its own. They, their cures
and what counts (``ten-criteria.yaml``) were committed before any of them was predicted or recorded;
``frozen()`` is a digest of it all. As in ``unseen.py`` the second way of each is the expert's cure,
patterns are those of ``nwtsim advise``, and ``words`` are looked for in what it says is to be
changed.
"""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import zipfile
from pathlib import Path

from .inputs import Made, prose, table, tree
from .program import MIB, SEED, SOURCES, Program, Way, random_file
from .twenty import PYTHON

CRITERIA = "criteria.yaml", "ten-criteria.yaml"
"""Its rules, and what these ten have to show."""
_FOLDERS = 20
_MATERIALS = 2000


def _materials(folder: Path) -> None:
    drawn = random.Random(SEED)
    lines = (
        f"material-{number:05} {drawn.uniform(0.5, 20):.6f} {drawn.uniform(100, 4000):.4f}\n"
        for number in range(_MATERIALS)
    )
    (folder / "materials.txt").write_text("".join(lines), "ascii")


def _members(count: int) -> Made:
    """Make an archive of ``count`` texts with 300 numbers each, and a list of their names."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        names = [f"station{number:04}.txt" for number in range(count)]
        with zipfile.ZipFile(folder / "members.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                text = "".join(f"{drawn.randrange(10**6)}\n" for _ in range(300))
                archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
        (folder / "members.txt").write_text("".join(f"{one}\n" for one in names), "ascii")

    return make


def _history(count: int) -> Made:
    """Make ``loose``, a history of ``count`` commits to 100 files, and ``packed``, the same."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        texts = {f"part{n % _FOLDERS:02}/file{n // _FOLDERS}": [""] * 30 for n in range(100)}
        told = []
        for number in range(count):
            name = drawn.choice(sorted(texts))
            texts[name][drawn.randrange(30)] = f"line {drawn.randrange(10**9)}"
            text = "\n".join(texts[name])
            told.append(
                f"commit refs/heads/main\ncommitter A <a@b> {1_700_000_000 + number} +0000\n"
                f"data <<.\nChange {number}\n.\nM 644 inline {name}\ndata {len(text)}\n{text}\n"
            )
        for kind in ("packed", "loose"):
            _git(folder, "init", "-q", "--bare", kind)
        _git(folder / "packed", "fast-import", "--quiet", given="".join(told).encode())
        (pack,) = (folder / "packed").glob("objects/pack/*.pack")
        _git(folder / "loose", "unpack-objects", "-q", given=pack.read_bytes())
        head = _git(folder / "packed", "rev-parse", "main").decode().strip()
        _git(folder / "loose", "update-ref", "refs/heads/main", head)
        for kind in ("packed", "loose"):
            _git(folder / kind, "symbolic-ref", "HEAD", "refs/heads/main")

    return make


def _git(folder: Path, *words: str, given: bytes = b"") -> bytes:
    """Run git in a folder, without a user's settings, and ``given`` as its standard input."""
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "fastimport.unpackLimit=1", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, input=given, check=True, stdout=subprocess.PIPE
    ).stdout


def ten_programs(scale: float = 1.0) -> tuple[Program, ...]:
    """Return the ten; ``scale`` multiplies how often each does what it does."""

    def many(count: int) -> int:
        return max(2, round(count * scale))

    def script(interpreter: str, source: str, *words: str) -> tuple[str, ...]:
        return interpreter, str(SOURCES / source), *words

    def ledger(mode: str) -> tuple[str, ...]:
        return "ledger", mode, str(many(28_000))

    def pages(mode: str) -> tuple[str, ...]:
        return *PYTHON, str(SOURCES / "pages.py"), mode, str(many(20_000))

    def checksums(end: str) -> tuple[str, ...]:
        return "find", "parts", "-type", "f", "-exec", "md5sum", "{}", end

    def log(repository: str) -> tuple[str, ...]:
        return "git", f"--git-dir={repository}", "log", "--format=%s", "--numstat"

    return (
        Program(
            "gauges", "counters in a mapped file, a page each, msync after each event",
            (
                Way("slow", ("gauges", "each", str(many(1000))), what="msync of a page each time"),
                Way("once", ("gauges", "once", str(many(1000))), ("sync-write",), "one msync"),
            ),
            fresh=("out",), sources=("gauges.c",), language="C",
        ),
        Program(
            "ledger", "accounts read and written in place, at random, with std::fstream",
            (
                Way("slow", ledger("stream"), what="a buffer of 256 KiB, read for each"),
                Way(
                    "memory", ledger("memory"), ("scattered-write", "rewritten", "re-read"),
                    "accounts in memory, read and written as a whole",
                    words="(?i)in memory|whole file",
                ),
                Way(
                    "record", ledger("record"), ("oversized-read",), "a buffer of an account",
                    words="(?i)pubsetbuf",
                ),
            ),
            random_file("accounts", 64 * MIB), copied=(("accounts", "out"),),
            sources=("ledger.cpp",), language="C++",
        ),
        Program(
            "materials", "a text rewound and read anew up to what is looked for",
            (
                Way("slow", ("materials", "rewind", str(many(2500))), what="REWIND each time"),
                Way(
                    "table", ("materials", "table", str(many(2500))),
                    ("re-read", "poll", "reopened"), "read once, into arrays",
                ),
            ),
            _materials, results=(), sources=("materials.f90",), language="Fortran",
        ),
        Program(
            "pages", "pages of a file at random, not cached, a read at a time",
            (
                Way("slow", pages("one"), what="os.pread, one after the other"),
                Way(
                    "many", pages("many"), ("one-at-a-time",), "sixteen threads",
                    words="(?i)thread|under way",
                ),
                Way(
                    "sorted", pages("sorted"), (), "in the order of the file",
                    words="(?i)order of the file|sort",
                ),
                Way("whole", pages("whole"), ("seek-storm",), "all of the file, by 1 MiB"),
            ),
            random_file("table", 512 * MIB), cold=("table",), results=(), language="Python",
        ),
        Program(
            "members", "an archive opened anew for each of its members",
            (
                Way("slow", script("perl", "members.pl", "each"), what="Unzip->new with a Name"),
                Way(
                    "once", script("perl", "members.pl", "once"), ("re-read", "poll", "reopened"),
                    "gone through once, with nextStream",
                ),
            ),
            _members(many(100)), results=(), language="Perl",
        ),
        Program(
            "progress", "what is done saved after each item, the whole of it in a new file",
            (
                Way(
                    "slow", script("node", "progress.js", "each", str(many(2000))),
                    what="writeFileSync and renameSync each time",
                ),
                Way(
                    "end", script("node", "progress.js", "end", str(many(2000))), ("rewritten",),
                    "saved at the end", words="(?i)at the end|in memory",
                ),
            ),
            fresh=("out", "out.tmp"), language="JavaScript",
        ),
        Program(
            "columns", "a loop with read over the lines of a table",
            (
                Way("slow", script("bash", "columns.sh", "read"), what="read for each line"),
                Way(
                    "mapfile", script("bash", "columns.sh", "mapfile"), ("small-io", "re-read"),
                    "mapfile", words="(?i)mapfile|readarray",
                ),
                Way("awk", script("bash", "columns.sh", "awk"), (), "awk", words="(?i)awk"),
            ),
            table(many(120_000)), results=(), language="bash",
        ),
        Program(
            "steps", "steps in the background, each looked for with sleeps between",
            (
                Way(
                    "slow", script("tclsh", "steps.tcl", "poll", str(many(10))),
                    what="file exists each 200 ms",
                ),
                Way(
                    "wait", script("tclsh", "steps.tcl", "wait", str(many(10))),
                    ("sleeping-poll",), "waited for", words="(?i)wait for|inotify",
                ),
            ),
            prose(2 * MIB), fresh=("part", "part.tmp"), results=(), language="Tcl",
        ),
        Program(
            "history", "the log of a repository all of whose objects are loose",
            (
                Way("slow", log("loose"), what="a file for each object"),
                Way(
                    "packed", log("packed"), ("many-small",), "a pack",
                    words=r"(?i)git (gc|repack)|\bpack",
                ),
            ),
            _history(many(8000)), results=(), language="git",
        ),
        Program(
            "checksums", "a process for each file of a tree",
            (
                Way("slow", checksums(";"), what="-exec with ;"),
                Way(
                    "plus", checksums("+"), (), "-exec with +",
                    words=r"(?i)-exec .*\+|xargs|(fewer|one) process",
                ),
            ),
            tree(many(1200), "parts", 4000), results=(), language="find",
        ),
    )  # fmt: skip


def frozen() -> str:
    """Return a digest of the programs, their inputs, their cures, and what counts."""
    here, programs = Path(__file__).parent, ten_programs()
    names = {name for one in programs for name in (*one.sources, *map(_last, one.slow.command))}
    files = [here / name for name in ("ten.py", "inputs.py", *CRITERIA)]
    files += sorted(one for one in SOURCES.iterdir() if one.name in names or one.name == "io.h")
    whole = hashlib.sha256()
    for one in files:
        whole.update(one.read_bytes())
    return whole.hexdigest()


def _last(word: str) -> str:
    return Path(word).name
