"""The eleven steps of RIKEN's Filebench script as lists of steps, one for each thread.

Numbers are read from the printed script (``riken.f``). As in Filebench, a file of the set keeps its
drawn size (gamma distribution of shape 1.5), a new file is one that is absent, others are any that
are there. Each thread has its own tenth of the set here, so that lists can be made beforehand.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
SCALE = {"": 1, "k": 1 << 10, "m": 1 << 20}
SHAPE = 1.5
"""Of the sizes' gamma distribution: Filebench's default (filesizegamma 1500)."""
SEED = 1998
CYCLES = 3000
"""Times that each thread goes through the eleven steps."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: ``size`` bytes are written, appended or read, in calls of ``iosize`` at most."""

    do: str
    file: int
    size: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Thread:
    """Files that are there before, with their sizes, and the steps of one thread."""

    number: int
    before: dict[int, int]
    steps: list[Step]


@cache
def script() -> dict[str, int]:
    """Return the numbers of the printed script."""
    text = (FOLDER / "riken.f").read_text("utf-8")
    found = re.findall(r"set \$(\w+)=(\d+)([km]?)$", text, re.MULTILINE)
    numbers = {name: int(value) * SCALE[scale] for name, value, scale in found}
    prealloc = re.search(r"prealloc=(\d+)", text)
    assert prealloc is not None
    return {**numbers, "prealloc": int(prealloc[1])}


def threads(count: int, cycles: int = CYCLES) -> list[Thread]:
    """Draw the steps of the first threads of the script."""
    return [_thread(number, cycles) for number in range(count)]


def path_of(file: int) -> str:
    """Return the name of a file of the set, in its folder."""
    return f"{file // script()['meandirwidth']}/{file}"


def _thread(number: int, cycles: int) -> Thread:
    numbers = script()
    drawn = random.Random(SEED * 1000 + number)
    own = numbers["nfiles"] // numbers["nthreads"]
    files = range(number * own, (number + 1) * own)
    sizes = {
        file: max(1, round(drawn.gammavariate(SHAPE, numbers["meanfilesize"] / SHAPE)))
        for file in files
    }
    there = {file: sizes[file] for file in files if drawn.random() * 100 < numbers["prealloc"]}
    before = dict(there)
    steps = [step for _ in range(cycles) for step in _cycle(drawn, sizes, there, numbers)]
    return Thread(number, before, steps)


def _cycle(
    drawn: random.Random, sizes: dict[int, int], there: dict[int, int], numbers: dict[str, int]
) -> Iterator[Step]:
    """Go through the steps once; ``there`` is what is there, with its size, and changes."""
    made = drawn.choice([file for file in sizes if file not in there])
    yield from (Step("create", made), Step("write", made, sizes[made]), Step("close", made))
    there[made] = sizes[made]
    longer = drawn.choice(list(there))
    more = drawn.randrange(1, numbers["meanappendsize"])
    yield from (Step("open", longer), Step("append", longer, more, there[longer]))
    yield Step("close", longer)
    there[longer] += more
    whole = drawn.choice(list(there))
    yield from (Step("open", whole), Step("read", whole, there[whole]), Step("close", whole))
    gone = drawn.choice(list(there))
    yield Step("unlink", gone)
    del there[gone]
    yield Step("stat", drawn.choice(list(there)))
