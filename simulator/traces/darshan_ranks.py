"""Ranks of a Darshan log: the fastest and slowest of each file, totals of each, bytes over time.

Of a file that all ranks opened Darshan keeps one record (rank -1) with the fastest and the slowest
rank alone; of others a record for each rank. Not kept: which rank did what in a shared record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

SHARED = -1
"""The rank of a record of all ranks."""
COUNTED = ("POSIX", "STDIO")
"""Modules whose bytes and times are added up by rank: those that no other one has in it."""
MOST_BANDS = 64
"""Bands of ranks that bytes over time are kept of; of more ranks several are one band."""
EXTRAS, HEAT = "extras.json", "heat.json"
"""Files with what LUSTRE and HEATMAP say, which a log may lack or have damaged; with the bytes of
each rank over time, by POSIX."""
_TIMES = ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")
_MOVED = ("BYTES_READ", "BYTES_WRITTEN")


def program_of(command: str) -> str:
    """Return the name of a program by its command line, without its folder and arguments.

    >>> program_of("/opt/bin/ior -w -t 1m"), program_of("")
    ('ior', '')
    """
    words = command.split()
    return words[0].rpartition("/")[2] if words else ""


def extremes_of(sums: dict[str, Any], rank: int, counts: Mapping[str, Any]) -> None:
    """Keep the fastest, the slowest and the heaviest rank of a file: rank, seconds, bytes.

    ``sums``: what is kept of the file, of which ``counts`` are the counters above 0 of a record.
    The first and the last time of its reads and writes are kept too.
    """
    for way in ("READ", "WRITE"):
        ends = [float(counts.get(f"F_{way}_{end}_TIMESTAMP", 0.0)) for end in ("START", "END")]
        if ends[1] > 0:
            known = sums.setdefault("span", {}).setdefault(way.lower(), ends)
            known[:] = min(known[0], ends[0]), max(known[1], ends[1])
    if rank == SHARED:
        for which in ("fastest", "slowest"):
            name = which.upper()
            sums[which] = [
                int(counts.get(f"{name}_RANK", 0)),
                float(counts.get(f"F_{name}_RANK_TIME", 0.0)),
                int(counts.get(f"{name}_RANK_BYTES", 0)),
            ]
        variances = counts.get("F_VARIANCE_RANK_TIME", 0.0), counts.get("F_VARIANCE_RANK_BYTES", 0)
        sums["variance"] = [float(one) for one in variances]
        return
    seconds = float(sum(max(0.0, counts.get(name, 0.0)) for name in _TIMES))
    one = [rank, seconds, int(sum(counts.get(name, 0) for name in _MOVED))]
    if "fastest" not in sums or seconds < sums["fastest"][1]:
        sums["fastest"] = one
    if "slowest" not in sums or seconds > sums["slowest"][1]:
        sums["slowest"] = one
    if "heaviest" not in sums or one[2] > sums["heaviest"][2]:
        sums["heaviest"] = one
    moving = sums.setdefault("moving", {"READ": 0, "WRITTEN": 0})
    for way in moving:
        moving[way] += counts.get(f"BYTES_{way}", 0) > 0


class Totals:
    """Bytes read and written, seconds in calls and of these in metadata calls, by rank."""

    def __init__(self) -> None:
        self.ranks: dict[int, list[float]] = {}

    def add(self, module: str, rank: int, counts: Mapping[str, Any]) -> None:
        """Add the counters of a record; those of all ranks together are of none."""
        if module not in COUNTED or rank == SHARED:
            return
        one = self.ranks.setdefault(rank, [0, 0, 0.0, 0.0])
        for place, name in enumerate(_MOVED):
            one[place] += counts.get(name, 0)
        one[2] += sum(counts.get(name, 0.0) for name in _TIMES)
        one[3] += counts.get("F_META_TIME", 0.0)

    def to_record(self) -> dict[str, list[float]]:
        """Return them by the rank's number."""
        return {str(rank): self.ranks[rank] for rank in sorted(self.ranks)}


class Extras:
    """What LUSTRE and HEATMAP say beside the counters of calls."""

    def __init__(self, folder: Path, names: Mapping[int, str], nprocs: int) -> None:
        self._folder, self._names, self._nprocs = folder, names, nprocs
        self.stripes: dict[str, list[int]] = {}
        """File -> its number of stripes, the bytes of one, and the target of the first."""
        self.heat: dict[str, dict[str, Any]] = {}
        self.ranks: dict[int, tuple[float, list[int], list[int]]] = {}
        """Of each rank the width of a bin in seconds, and the bytes read and written by POSIX."""

    def add(self, module: str, record: Mapping[str, Any]) -> None:
        """Add a record of one of the two modules."""
        if module == "LUSTRE":
            self._stripe(record)
        elif module == "HEATMAP":
            self._warm(record)

    def leave(self) -> None:
        """Write what is known by now; another module may be damaged."""
        text = json.dumps({"stripes": self.stripes, "heat": self.heat})
        (self._folder / EXTRAS).write_text(text, encoding="utf-8")
        (self._folder / HEAT).write_text(json.dumps(self.ranks), encoding="utf-8")

    def _stripe(self, record: Mapping[str, Any]) -> None:
        """Keep the widest component of a file: data beyond the first bytes lie there."""
        name = self._names.get(record["id"])
        for one in record.get("components", [record]):  # Darshan before 3.4 has one layout.
            counts = one["counters"]
            many = int(counts.get("LUSTRE_COMP_STRIPE_COUNT", counts.get("LUSTRE_STRIPE_WIDTH", 0)))
            size = int(counts.get("LUSTRE_COMP_STRIPE_SIZE", counts.get("LUSTRE_STRIPE_SIZE", 0)))
            if name is not None and many > self.stripes.get(name, [0])[0]:
                first = int(next(iter(one.get("ost_ids", ())), -1))
                self.stripes[name] = [many, size, first]

    def _warm(self, record: Mapping[str, Any]) -> None:
        name = self._names.get(record["id"], "heatmap:POSIX").partition(":")[2]
        width, rank = float(record["bin_width_seconds"]), int(record["rank"])
        if not width > 0 or not 0 <= rank < self._nprocs:
            return
        bands = min(self._nprocs, MOST_BANDS)
        fresh = {way: [[0] for _ in range(bands)] for way in ("read", "write")}
        heat = self.heat.setdefault(name, {"bin_s": width, "ranks": self._nprocs, **fresh})
        if heat["bin_s"] != width:
            return
        if name == "POSIX":
            read, written = (list(map(int, record[f"{way}_bins"])) for way in ("read", "write"))
            self.ranks[rank] = width, read, written
        for way in ("read", "write"):
            _add(heat[way][rank * bands // self._nprocs], record[f"{way}_bins"])


def _add(into: list[int], bins: Iterable[Any]) -> None:
    """Add numbers to those at the same places."""
    for place, value in enumerate(bins):
        if place == len(into):
            into.append(0)
        into[place] += max(0, int(value))


def extras_in(folder: Path) -> dict[str, Any]:
    """Return what was found of the two modules; nothing if both are missing or damaged."""
    path = folder / EXTRAS
    if not path.exists():
        return {"stripes": {}, "heat": {}}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
