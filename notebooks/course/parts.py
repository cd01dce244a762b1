"""The end of lesson 8: several kinds of parts, and the price of a second."""

from __future__ import annotations

import warnings
from functools import cache

import nwtsim

from .chart import Chart
from .exercises import Said

LIMITS_s = (40, 36, 34, 33, 32, 31, 30)
"""Times within which 512 MB have to be on the disks; with these parts 28 s cannot be had."""
REQUIREMENT = """\
format: requirement/1
name: front-end
machine: nwt
currency: points
workloads:
  write: {workload: test-write}
  read: {workload: nwt-each}
targets:
- {workload: write, end: LIMIT s}
- {workload: read, elapsed: 2.4 s}
catalogue: {path: {price: 1}, volume: {price: 2}, memory: {price: 4}}
choices:
  memory:
    {set: ssu.capacity, values: 512 MB..2048 MB +512 MB, unit: 256 MB, buys: {memory: 1}}
  paths: {set: paths.servers, values: [4, 8, 16], buys: {path: 1}}
  volumes: {set: array.rate, values: 36 MB/s..72 MB/s +9 MB/s, unit: 4.5 MB/s, buys: {volume: 1}}
"""


@cache
def sized(limit: int) -> nwtsim.Sized:
    """Find the cheapest front end with which 512 MB are on the disks within so many seconds.

    And four PEs read their files within 2.4 s; on a day on which nothing varies.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nwtsim.SettingWarning)  # Equal PEs move in lockstep.
        return nwtsim.size(REQUIREMENT.replace("LIMIT", str(limit)), noise=False, jobs=1)


def ask(limit: int) -> Said:
    """Show what nwtsim size says of it: the answer, what binds, what is cheaper, one step more."""
    parts = str(sized(limit)).strip().split("\n\n")
    begin, end = (
        next(place for place, one in enumerate(parts) if one.startswith(head))
        for head in ("target ", "one step more")
    )
    answer = ", ".join(
        f"{name} {one}" for name, one in (sized(limit).answer or {})["choices"].items()
    )
    return Said(f"Buy {answer}.\n\n" + "\n\n".join(parts[begin : end + 1]))


def prices() -> Chart:
    """Draw the price of the cheapest front end over the time in which the write has to end."""
    found = [(one, (sized(one).answer or {})["price"]) for one in LIMITS_s]
    title = "The price of a second: each one less costs more, until no front end has it"
    return Chart(title, "512 MB on the disks within, s", "points", {"cheapest": found}, even=True)
