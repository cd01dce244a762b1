"""The middle of lesson 6: a program with three bad habits, its cures, and the times they took."""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import nwtsim

from .exercises import Said
from .traces import DATA

if TYPE_CHECKING:
    from nwtsim import Result

SAMPLES, LINE = 1500, (7, 13, 1)
"""Lines of the program's log, and the bytes of the pieces of one."""
HEAD = "client,do,file,offset,size,gap_ns\n,file,/settings.txt,4096,4096,\n,file,/samples.log,0,{},"
WORKLOAD = "format: workload/2\nname: sampler\njobs: [{name: sampler, calls: {file: calls.csv}}]\n"
CURES = ("", "once", "keep", "gather", "once keep gather")
"""What is changed: one ``fsync`` at the end, settings read once, lines gathered in 64 KiB."""


def calls(cures: str = "") -> Iterator[tuple[str, str, int]]:
    """Yield the calls of the program after some cures: what, file, bytes."""
    held, last = 0, SAMPLES - 1
    for sample in range(SAMPLES):
        if not sample or "keep" not in cures:
            yield from (("open", "settings", 0), ("read", "settings", 4096))
            yield "close", "settings", 0
        safe = sample == last or (sample % 10 == 9 and "once" not in cures)
        for size in LINE:
            held += size
            if "gather" not in cures or (safe and size == LINE[-1]):
                yield "write", "log", held
                held = 0
        if safe:
            yield "sync", "log", 0


@functools.cache
def run(cures: str = "") -> Result:
    """Simulate it on the file system that was measured in November 2026.

    What the program computes between its calls is left out.
    """
    rows, at = ["p,start,,0,,0", "p,create,/samples.log,,,0"], 0
    for what, file, size in calls(cures):
        name, place = ("/samples.log", at) if file == "log" else ("/settings.txt", 0)
        moved = f"{place},{size}" if size else ","
        rows.append(f"p,{what},{name},{moved},0")
        at += size if file == "log" else 0
    rows.append("p,close,/samples.log,,1,0")
    with tempfile.TemporaryDirectory() as folder:
        text = "\n".join([HEAD.format(at), *rows, ""])
        (Path(folder) / "calls.csv").write_text(text, "utf-8")
        workload = Path(folder) / "sampler.yaml"
        workload.write_text(WORKLOAD, "utf-8")
        return nwtsim.run(DATA / "sampler-machine.yaml", workload)


def count() -> Said:
    """Show how many calls of each kind the program makes."""
    made: dict[str, int] = {}
    for what, file, _ in calls():
        made[f"{what} {file}"] = made.get(f"{what} {file}", 0) + 1
    return Said("\n".join(f"{number:6,}  {name}" for name, number in made.items()))


def proof() -> Said:
    """Compare what each cure was predicted to take with what it took when it was timed."""
    timed = json.loads((DATA / "sampler.json").read_text("utf-8"))["times"]
    rows = ["the program        simulated, ms  timed, ms"]
    for one in CURES:
        name = one or "as it was"
        rows.append(f"{name:18} {1e3 * run(one).elapsed_s:13.1f} {1e3 * timed[name]:10.1f}")
    return Said("\n".join(rows))
