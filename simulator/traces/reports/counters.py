"""Darshan's counters as a relation of counted calls, beside that of single calls.

Darshan counts calls that succeed, so the number of errors is not known (null). It adds up the time
of reads, of writes (with fsync) and of all metadata calls together, and keeps the longest read and
write of each file; no minima. The reads and writes of MPI-IO are one row each, of all their kinds.
The time of a file's metadata calls is a row without a name and number of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simulator.errors import InputError
from simulator.traces.darshan_records import BENEATH, CALLS, LAYERS, STREAMS
from simulator.traces.reports.choice import text
from simulator.units import format_time

if TYPE_CHECKING:
    from simulator.traces.reports.opened import Opened

SIZES = {
    "0_100": (0, 100),
    "100_1K": (101, 2**10),
    "1K_10K": (2**10 + 1, 10 * 2**10),
    "10K_100K": (10 * 2**10 + 1, 100 * 2**10),
    "100K_1M": (100 * 2**10 + 1, 2**20),
    "1M_4M": (2**20 + 1, 4 * 2**20),
    "4M_10M": (4 * 2**20 + 1, 10 * 2**20),
    "10M_100M": (10 * 2**20 + 1, 100 * 2**20),
    "100M_1G": (100 * 2**20 + 1, 2**30),
    "1G_PLUS": (2**30 + 1, None),
}
"""The first and last length of each of Darshan's bins (darshan-common.h, DARSHAN_BUCKET_INC)."""
TIME_OF_METADATA = ""
"""The name of the rows with the time of metadata calls."""
COLUMNS = (
    *("module VARCHAR", "call VARCHAR", "kind VARCHAR", "file VARCHAR", "many BIGINT"),
    *("took_ns DOUBLE", "longest_ns DOUBLE", "moved_bytes BIGINT", "reach BIGINT"),
    "lowest BOOLEAN",
)
"""Of a row: a call of one file in one module. ``moved_bytes`` is null of a call that moves none,
``reach`` where the file ends as far as that is known, ``lowest`` true if no other row of the log
counts the same calls."""


class Counters:
    """The chosen files of a Darshan log; their calls are the relations of :data:`COLUMNS`.

    ``chosen`` has all rows, ``counted`` those of calls, ``lowest`` those that count each call once.
    """

    def __init__(self, trace: Opened, log: dict[str, Any]) -> None:
        self._trace, self._choice = trace, trace.choice
        self.log = log
        if self._choice.since is not None or self._choice.until is not None:
            raise InputError(
                f"{', '.join(trace.names)}: Darshan's totals are of the whole run, without"
                " --since and --until; 'rate' and 'offsets' can take them if the log has DXT"
            )
        self.files: list[dict[str, Any]] = log["files"]
        self._plain = {one["file"] for one in self.files if one["module"] in ("POSIX", "STDIO")}
        self._relate()
        if self._choice.by_name:
            kept = {name for (name,) in trace.rows("SELECT DISTINCT file FROM chosen")}
            self.files = [one for one in self.files if one["file"] in kept]

    def _is_lowest(self, one: dict[str, Any]) -> bool:
        """Return whether no other record of the log has the calls of this one as well."""
        if one["file"] in STREAMS:
            return False
        beneath = {*BENEATH.get(one["module"], ())} & {*self.log["modules"]}
        if one["module"] != "MPI-IO" or beneath & {"DFS", "DAOS"}:
            return not beneath
        return one["file"] not in self._plain

    def _relate(self) -> None:
        """Make the relations; InputError if nothing was chosen."""
        trace, choice = self._trace, self._choice
        rows = [row for one in self.files for row in _rows(one, lowest=self._is_lowest(one))]
        trace.put("recorded", COLUMNS, rows)
        source = "(SELECT *, NULL::VARCHAR AS to_file FROM recorded)"
        named, nameless = choice.names_call("call"), f"call = {text(TIME_OF_METADATA)}"
        trace.rows(
            f"CREATE VIEW chosen AS SELECT * FROM {source}"
            f" WHERE {choice.keeps('file')} AND ({named} OR {nameless})"
        )
        trace.rows(f"CREATE VIEW counted AS SELECT * FROM chosen WHERE NOT {nameless}")
        trace.rows("CREATE VIEW lowest AS SELECT * FROM chosen WHERE lowest")
        if choice.by_name or choice.calls:
            calls = f"(SELECT * FROM {source} WHERE NOT {nameless})"
            trace.need_some(calls, f" WHERE {choice.keeps('file')} AND {named}", "sum(many)")

    def bins(self) -> tuple[list[tuple[Any, ...]], str]:
        """Return the numbers of reads and writes in Darshan's bins, and the module they are of."""
        module, aggregated = ("POSIX", "")
        if all(one["module"] != "POSIX" for one in self.files):
            module, aggregated = ("MPI-IO", "AGG_")
        wanted = self._trace.row(
            f"SELECT {self._choice.names_call(text('read'))},"
            f" {self._choice.names_call(text('write'))}"
        )
        counters = [one["counters"] for one in self.files if one["module"] == module]
        rows = []
        for name, edges in SIZES.items():
            counts = (
                sum(one.get(f"SIZE_{way}_{aggregated}{name}", 0) for one in counters) if some else 0
                for way, some in zip(("READ", "WRITE"), wanted, strict=True)
            )
            rows.append((*edges, *counts, None, None))
        return rows, module

    def _metadata_ns(self) -> dict[str, float]:
        """Return the time of the metadata calls, by module."""
        times: dict[str, float] = {}
        for one in self.files:
            seconds = one["counters"].get("F_META_TIME", 0)
            times[one["module"]] = times.get(one["module"], 0) + seconds * 1e9
        return {module: time for module, time in times.items() if time}

    def layers_ns(self) -> dict[str, float]:
        """Return the time in calls on files by layer; those of a layer have those beneath in them.

        In ``all`` each rank counts the larger of its layers, and STDIO beside them. Of a record of
        several ranks together (rank -1) it is not known whose time it is: ``all`` is at least that.
        Empty if calls are chosen.
        """
        if self._choice.calls:
            return {}
        ranks: dict[str, dict[str, float]] = {}
        for one in self.files:
            if one["file"] not in STREAMS:
                of = ranks.setdefault(LAYERS[one["module"]], {})
                of = of if one["module"] != "DAOS" else ranks.setdefault("DAOS objects", {})
                for rank, seconds in one["seconds"].items():
                    of[rank] = of.get(rank, 0.0) + seconds
        objects = ranks.pop("DAOS objects", {})
        if sum(objects.values()) > sum(ranks.get("DAOS", {}).values()):
            ranks["DAOS"] = objects
        plain = ranks.pop("STDIO", {})
        layers = {name: sum(of.values()) * 1e9 for name, of in ranks.items()}
        known = {rank for of in ranks.values() for rank in of} - {"-1"}
        largest = sum(max(of.get(rank, 0.0) for of in ranks.values()) for rank in known) * 1e9
        stdio = sum(plain.values()) * 1e9
        if plain:
            layers["STDIO"] = stdio
        nested = [time for name, time in layers.items() if name != "STDIO"]
        return {**layers, "all": max(largest, *nested, 0.0) + stdio}

    def _above(self) -> set[str]:
        """Return the modules whose calls are in those of others as well."""
        lowest = {one["module"] for one in self.files if self._is_lowest(one)}
        return {one["module"] for one in self.files if one["module"] in BENEATH} - lowest

    def values(self) -> dict[str, Any]:
        """Return what programs read beside the tables of counted calls."""
        times = self._metadata_ns()
        return {
            "metadata_time_s": {module: time / 1e9 for module, time in times.items()},
            "above": sorted(call for module in self._above() for call in CALLS[module]),
        }

    def notes(self) -> list[str]:
        """Return the sentences that belong to tables of counted calls."""
        notes = [
            f"metadata calls of {module} took {format_time(time)} of client time together; Darshan"
            " does not divide it among them"
            for module, time in self._metadata_ns().items()
        ]
        if above := self._above():
            names = sorted({LAYERS[name] for name in above})
            notes.append(f"what {' and '.join(names)} moved is in the calls beneath as well")
        notes.append("Darshan counts calls that succeed: errors are not in the log")
        notes += [
            f"the log's {name} of {one['file']} is negative: not known"
            for one in self.files
            for name in one["negative"]
        ]
        return notes + self._trace.lacks


def _rows(one: dict[str, Any], *, lowest: bool) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a record."""
    module, file, counters = one["module"], one["file"], one["counters"]
    kind = "stream" if file in STREAMS else "file"
    reach = 1 + max(counters.get("MAX_BYTE_READ", -1), counters.get("MAX_BYTE_WRITTEN", -1))
    for call, (numbers, moved) in CALLS[module].items():
        if count := sum(counters.get(number, 0) for number in numbers):
            time = longest = size = None
            if moved:
                total, most, amount = moved
                known = total not in one["negative"]
                time = counters.get(total, 0) * 1e9 if known else None
                longest = counters[most] * 1e9 if most in counters else None
                size = counters.get(amount, 0)
            yield (module, call, kind, file, count, time, longest, size, reach, lowest)
    if time := counters.get("F_META_TIME", 0) * 1e9:
        yield (module, TIME_OF_METADATA, kind, file, 0, time, None, None, reach, lowest)
