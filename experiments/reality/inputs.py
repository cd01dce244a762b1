"""Inputs of the twenty programs, the same bytes each time: every draw is from one seed."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

from .program import SEED

Made = Callable[[Path], None]
"""Makes a program's input in an empty folder."""
_WORDS = 4000
_FOLDERS = 50


def base(name: str, rows: int) -> Made:
    """Make a data base of ``rows`` rows of 150 to 250 bytes."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with sqlite3.connect(folder / name) as made:
            made.execute("create table samples (number integer primary key, text text)")
            made.executemany(
                "insert into samples values (?, ?)",
                ((number, "x" * drawn.randrange(150, 250)) for number in range(rows)),
            )
        made.close()

    return make


def lines(count: int) -> Made:
    """Make a file of ``count`` lines: a key of 0 to 15, and a number."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / "lines").open("w", encoding="ascii") as file:
            for _ in range(count):
                file.write(f"{drawn.randrange(16)} {drawn.randrange(10**9)}\n")

    return make


def prose(size: int) -> Made:
    """Make a text of about ``size`` bytes that can be compressed."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        letters = "etaoinshrdlu"
        words = ["".join(drawn.choices(letters, k=drawn.randrange(2, 9))) for _ in range(_WORDS)]
        with (folder / "prose").open("w", encoding="ascii") as file:
            while file.tell() < size:
                file.write(" ".join(drawn.choices(words, k=10_000)) + "\n")

    return make


def settings(folder: Path) -> None:
    """Make a file of twelve settings."""
    names = "limit", *(f"setting{number:02}" for number in range(11))
    text = "".join(f"{name} = {37 + number}\n" for number, name in enumerate(names))
    (folder / "settings.conf").write_text(text, "ascii")


def table(rows: int) -> Made:
    """Make a table of ``rows`` rows with a number, a value and one of 40 groups."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / "table.csv").open("w", encoding="ascii") as file:
            file.write("number,value,group\n")
            for number in range(rows):
                file.write(f"{number},{drawn.random():.9f},group{drawn.randrange(40):02}\n")

    return make


def tree(files: int, name: str = "tree", size: int = 400) -> Made:
    """Make ``files`` files of ``size`` bytes in 50 folders; in one where there are few."""

    def make(folder: Path) -> None:
        text = random.Random(SEED).randbytes(size)
        folders = [folder / name]
        if files > 10 * _FOLDERS:
            folders = [folder / name / f"{number:02}" for number in range(_FOLDERS)]
        for one in folders:
            one.mkdir(parents=True)
        for number in range(files):
            (folders[number % len(folders)] / f"file{number:05}").write_bytes(text)

    return make
