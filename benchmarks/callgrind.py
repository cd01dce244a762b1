"""Counts of callgrind: of a whole run, and by source file or function."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

NAME = re.compile(r"(c?)(f[lien])=\((\d+)\)(?: (.+))?$")
"""A line that names a file (fl, fi, fe) or function (fn), or (c) one that is called, by its number;
with its name the first time."""


def profile(command: Sequence[str], numbers: str, options: Sequence[str]) -> str:
    """Run a command under callgrind with an input; return what that wrote."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *options]
        environment = os.environ | {"PYTHONHASHSEED": "0"}
        subprocess.run(
            [*words, *command],
            input=numbers,
            text=True,
            check=True,
            capture_output=True,
            env=environment,
        )
        return out.read_text(encoding="utf-8")


def events(text: str) -> list[str]:
    """Return the names of the events that were counted."""
    found = re.search(r"^events: (.*)$", text, re.MULTILINE)
    assert found is not None
    return found[1].split()


def totals(text: str) -> dict[str, int]:
    """Return the count of each event; none if no code was counted."""
    found = re.search(r"^totals: (.*)$", text, re.MULTILINE)
    return dict(zip(events(text), map(int, found[1].split()), strict=False)) if found else {}


def spent(text: str, by: str) -> dict[str, Counter[str]]:
    r"""Return each event's counts by ``file`` or ``function``, without those of what that calls.

    >>> text = "events: Ir\nfl=(1) a.hpp\nfn=(1) f\n3 5\ncfi=(2) b.hpp\ncalls=1 9\n4 70\n"
    >>> spent(text + "fi=(2)\n9 2\n", "file")
    {'Ir': Counter({'a.hpp': 5, 'b.hpp': 2})}
    """
    counted = events(text)
    found: dict[str, Counter[str]] = {event: Counter() for event in counted}
    names: dict[tuple[str, str], str] = {}
    place = {"file": "", "function": ""}
    is_of_call = False
    for line in text.splitlines():
        if name := NAME.match(line):
            what = "function" if name[2] == "fn" else "file"
            if name[4]:
                names[what, name[3]] = name[4]
            if not name[1]:
                place[what] = names[what, name[3]]
        elif line.startswith("calls="):
            is_of_call = True
        elif re.match(r"[-+*\d]", line):
            if not is_of_call:
                for event, count in zip(counted, line.split()[1:], strict=False):
                    found[event][place[by]] += int(count)
            is_of_call = False
    return found
