"""Pieces of the kernel in a small program of their own (pieces.cpp): questions in, numbers out."""

from __future__ import annotations

import atexit
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

import pytest

from simulator.runtime.lengthtable import LengthTable

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "build" / "kinds"
LISTED = {1, 3}
"""Kinds of lengths that are listed: taken in turn, or drawn."""
FLAGS = ("-std=c++20", "-O1", "-g0", "-ffp-contract=off", "-Werror", "-Wall")


@cache
def _program() -> subprocess.Popen[str]:
    """Compile the program, once in a process of tests; it runs until this process ends."""
    compiler = shlex.split(sysconfig.get_config_var("CXX") or "c++")
    if shutil.which(compiler[0]) is None or not LISTS.is_dir():
        pytest.skip("needs a C++ compiler, and the lists of kinds that setup.py writes")
    with tempfile.TemporaryDirectory() as folder:
        made = f"{folder}/pieces"
        source = str(Path(__file__).with_name("pieces.cpp"))
        subprocess.run(
            [compiler[0], *FLAGS, f"-I{ROOT}", f"-I{LISTS}", source, "-o", made], check=True
        )
        pipe = subprocess.PIPE
        program = subprocess.Popen([made], stdin=pipe, stdout=pipe, encoding="utf-8")
        atexit.register(program.communicate)
        return program


def ask(*words: object) -> list[int]:
    """Ask the program something; return the numbers of its answer."""
    program = _program()
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(" ".join(map(str, words)) + "\n")
    program.stdin.flush()
    answer = program.stdout.readline()
    assert answer, "the program has ended"
    return [int(word) for word in answer.split()]


def lengths_in(table: LengthTable, row: int) -> list[int]:
    """Return a row of lengths as the program takes it."""
    one = table.described(row)
    one["key"] %= 1 << 64
    names = ("kind", "key", "first", "size", "count", "total", "longest", "last")
    pool = table.pool[one["pool"] :] if one["kind"] in LISTED else ()
    return [*map(one.__getitem__, names), len(pool), *pool]
