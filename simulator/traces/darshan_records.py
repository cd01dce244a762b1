"""Records of a Darshan log: the modules, their counters and calls, and what is kept of them.

Of a layer the calls of those beneath are a part: a read by HDF5 is a read by MPI-IO, which is one
of POSIX. Not modelled: calls of STDIO that are a part of another layer's.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simulator.traces.darshan_ranks import Totals, extremes_of

READ = ("F_READ_TIME", "F_MAX_READ_TIME", "BYTES_READ")
WRITE = ("F_WRITE_TIME", "F_MAX_WRITE_TIME", "BYTES_WRITTEN")
LARGEST = frozenset(
    {
        *("MAX_BYTE_READ", "MAX_BYTE_WRITTEN", "F_MAX_READ_TIME", "F_MAX_WRITE_TIME"),
        *("FILE_ALIGNMENT", "USE_MPIIO"),
    }
)
"""Counters of which the largest is kept."""
ORDER = frozenset(
    {
        *("SEQ_READS", "CONSEC_READS", "SEQ_WRITES", "CONSEC_WRITES", "RW_SWITCHES"),
        *("FILE_NOT_ALIGNED", "MEM_NOT_ALIGNED", "USE_MPIIO_COLLECTIVE"),
    }
)
"""Counters that say how calls followed each other, which are added up too."""
TIMES = frozenset({"F_READ_TIME", "F_WRITE_TIME", "F_META_TIME", "F_WAIT_TIME"})
_KINDS = ("INDEP", "COLL", "SPLIT", "NB")

Calls = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
CALLS: dict[str, Calls] = {
    "POSIX": {
        "open": (("OPENS",), ()),
        "read": (("READS",), READ),
        "write": (("WRITES",), WRITE),
        "lseek": (("SEEKS",), ()),
        "stat": (("STATS",), ()),
        "mmap": (("MMAPS",), ()),
        "fsync": (("FSYNCS",), ()),
        "fdatasync": (("FDSYNCS",), ()),
        "rename": (("RENAME_SOURCES",), ()),
    },
    "STDIO": {
        "fopen": (("OPENS",), ()),
        "fdopen": (("FDOPENS",), ()),
        "fread": (("READS",), READ),
        "fwrite": (("WRITES",), WRITE),
        "fseek": (("SEEKS",), ()),
        "fflush": (("FLUSHES",), ()),
    },
    # Those without waiting (NB_) are among the others (darshan-dfs.c, darshan-daos.c).
    "DFS": {
        "dfs_open": (("OPENS", "GLOBAL_OPENS", "LOOKUPS", "DUPS"), ()),
        "dfs_read": (("READS", "READXS"), READ),
        "dfs_write": (("WRITES", "WRITEXS"), WRITE),
        "dfs_get_size": (("GET_SIZES",), ()),
        "dfs_stat": (("STATS",), ()),
        "dfs_punch": (("PUNCHES",), ()),
        "dfs_remove": (("REMOVES",), ()),
    },
    "DAOS": {
        "daos_open": (("OBJ_OPENS", "ARRAY_OPENS", "KV_OPENS"), ()),
        "daos_read": (("OBJ_FETCHES", "ARRAY_READS", "KV_GETS"), READ),
        "daos_write": (("OBJ_UPDATES", "ARRAY_WRITES", "KV_PUTS"), WRITE),
        "daos_list": (("OBJ_DKEY_LISTS", "OBJ_AKEY_LISTS", "OBJ_RECX_LISTS", "KV_LISTS"), ()),
        "daos_punch": (
            ("OBJ_PUNCHES", "OBJ_DKEY_PUNCHES", "OBJ_AKEY_PUNCHES", "ARRAY_PUNCHES", "KV_REMOVES"),
            (),
        ),
        "daos_array_size": (("ARRAY_GET_SIZES", "ARRAY_SET_SIZES", "ARRAY_STATS"), ()),
        "daos_destroy": (("ARRAY_DESTROYS", "KV_DESTROYS"), ()),
    },
    "MPI-IO": {
        "MPI_File_open": (("INDEP_OPENS", "COLL_OPENS"), ()),
        "MPI_File_read": (tuple(f"{kind}_READS" for kind in _KINDS), READ),
        "MPI_File_write": (tuple(f"{kind}_WRITES" for kind in _KINDS), WRITE),
        "MPI_File_sync": (("SYNCS",), ()),
    },
    "H5F": {"H5Fopen": (("OPENS",), ()), "H5Fflush": (("FLUSHES",), ())},
    "H5D": {
        "H5Dopen": (("OPENS",), ()),
        "H5Dread": (("READS",), READ),
        "H5Dwrite": (("WRITES",), WRITE),
        "H5Dflush": (("FLUSHES",), ()),
    },
    "PNETCDF_FILE": {
        "ncmpi_open": (("CREATES", "OPENS"), ()),
        "ncmpi_wait": (("INDEP_WAITS", "COLL_WAITS"), ()),
        "ncmpi_redef": (("REDEFS",), ()),
        "ncmpi_sync": (("SYNCS",), ()),
    },
    "PNETCDF_VAR": {
        "ncmpi_get": (("INDEP_READS", "COLL_READS", "NB_READS"), READ),
        "ncmpi_put": (("INDEP_WRITES", "COLL_WRITES", "NB_WRITES"), WRITE),
    },
}
"""Module -> call -> the counters of its number, and those of its time, longest time and bytes."""
READING, WRITING = (
    frozenset(call for calls in CALLS.values() for call, (_, of) in calls.items() if of == way)
    for way in (READ, WRITE)
)
"""Calls that read, and calls that write."""

LAYERS = {
    "POSIX": "POSIX",
    "DFS": "DAOS",
    "DAOS": "DAOS",
    "MPI-IO": "MPI-IO",
    "H5F": "HDF5",
    "H5D": "HDF5",
    "PNETCDF_FILE": "PnetCDF",
    "PNETCDF_VAR": "PnetCDF",
    "STDIO": "STDIO",
}
"""The layer of each module."""
BENEATH = {
    "MPI-IO": ("POSIX", "STDIO", "DFS", "DAOS"),
    "H5F": ("MPI-IO", "POSIX", "STDIO", "DFS", "DAOS"),
    "H5D": ("MPI-IO", "POSIX", "STDIO", "DFS", "DAOS"),
    "PNETCDF_FILE": ("MPI-IO", "POSIX", "STDIO", "DFS", "DAOS"),
    "PNETCDF_VAR": ("MPI-IO", "POSIX", "STDIO", "DFS", "DAOS"),
    "DAOS": ("DFS",),
}
"""The modules that count what this one does as well. DFS counts its files itself, and is DAOS'."""
STREAMS = frozenset({"<STDIN>", "<STDOUT>", "<STDERR>"})
"""What Darshan calls the standard streams, which are no files."""
WITHOUT_IO = ("NULL", "BG/Q", "LUSTRE", "HEATMAP", "APXC", "APMPI", "DXT_")
"""What modules begin with that move nothing, or that say anew what others count."""
UNUSED = "unused: "
"""What the reader writes before it reads a module only to see if it can be read."""

DRAWN = ("POSIX", "STDIO", "MPI-IO")
"""Modules of whose counters calls can be drawn where the log has no DXT."""
SINGLE = "records.json"
"""The file with the counters of each file and rank."""
DXT = {"DXT_POSIX": ("read", "write"), "DXT_MPIIO": ("MPI_File_read", "MPI_File_write")}
"""What the segments are called in a store."""
DXT_OF = {"DXT_POSIX": "POSIX", "DXT_MPIIO": "MPI-IO"}
"""The module whose counters are of the same calls."""
USED = (
    frozenset(
        {name for calls in CALLS.values() for numbers, moved in calls.values() for name in numbers}
        | {*READ, *WRITE, *TIMES}
    )
    - LARGEST
)
"""Counters that are kept and added up, besides those of ``SIZE_``."""
JOB = ("jobid", "uid", "nprocs", "run_time", "log_ver", "exe")
BATCH = 1 << 17
"""Rows that are written at once."""


class Records:
    """Counters of each file of a log, of all ranks, and its segments of DXT as rows.

    Counters are added up; maxima are the largest.
    """

    def __init__(self, folder: Path, names: dict[int, str], numbers: dict[str, int]) -> None:
        """``names`` of files and other records by number, ``numbers`` the other way round."""
        self.files: dict[tuple[str, int], dict[str, Any]] = {}
        """Counters by module and number of the file."""
        self.single: list[dict[str, Any]] = []
        """Counters of each file and rank, of the modules that calls can be drawn from."""
        self._folder, self._names, self._numbers = folder, names, numbers
        self._totals = Totals()
        self._start_ns = 0
        self._rows: Rows | None = None

    def add(self, module: str, record: dict[str, Any]) -> None:
        """Add the counters of one file and rank to those of the file."""
        prefix = "MPIIO_" if module == "MPI-IO" else f"{module}_"
        fresh: dict[str, Any] = {"ranks": 0, "counters": {}, "negative": [], "seconds": {}}
        sums = self.files.setdefault((module, self._file_of(record)), fresh)
        sums["ranks"] += 1
        kept, seconds, rank = sums["counters"], sums["seconds"], str(record["rank"])
        whole: dict[str, Any] = {}
        if module in DRAWN:
            file = self._names.get(record["id"], f"(record {record['id']})")
            one = {"module": module, "rank": record["rank"], "file": file, "counts": whole}
            self.single.append(one)
        for name, raw in (record["counters"] | record["fcounters"]).items():
            value = raw if isinstance(raw, int | float) else raw.item()
            short = name.removeprefix(prefix)
            if value < 0 and short in TIMES:  # Some versions of Darshan forget when a call began.
                sums["negative"] = sorted({*sums["negative"], short})
            if value <= 0:  # -1 stands for a counter that this version of Darshan did not have.
                continue
            whole[short] = value
            if short in TIMES:
                seconds[rank] = seconds.get(rank, 0.0) + value
            if short in LARGEST:
                kept[short] = max(kept.get(short, 0), value)
            elif short.startswith("SIZE_") or short in USED or short in ORDER:
                kept[short] = kept.get(short, 0) + value
        extremes_of(sums, record["rank"], whole)
        if self._names.get(record["id"]) not in STREAMS:
            self._totals.add(module, record["rank"], whole)
        if module == "H5D":
            kept["CHUNK"] = max(kept.get("CHUNK", 0), _chunk_of(whole))

    def _file_of(self, record: dict[str, Any]) -> int:
        """Return the number of a record's file; a data set, or a variable, is ``FILE:NAME``."""
        number: int = record["id"]
        if "file_rec_id" not in record:
            return number
        if record["file_rec_id"] in self._names:
            return int(record["file_rec_id"])
        # Logs of Darshan before 3.3 have names only.
        words = self._names.get(number, "").split(":")
        files = (self._numbers.get(":".join(words[:end])) for end in range(1, len(words)))
        return next((one for one in files if one is not None), number)

    def begin(self, start_ns: int) -> Rows:
        """Return where segments are added, once the begin of the job is known."""
        self._start_ns = start_ns
        self._rows = Rows(self._folder / "rows.parquet", start_ns, self._names)
        return self._rows

    def leave(
        self,
        job: Mapping[str, Any],
        end_ns: int,
        modules: tuple[list[str], list[str], list[str]],
        single: str | None,
    ) -> None:
        """Write what was found into the folder.

        ``modules``: all, those that are read, and those of which records are missing; ``single``:
        the module of DXT whose segments are rows.
        """
        every, readable, partial = modules
        rows = self._rows
        assert rows is not None
        rows.close()
        found = {
            "job": {key: job[key] for key in JOB if key in job},
            "start_ns": self._start_ns,
            "end_ns": end_ns,
            "modules": every,
            "unread": [
                name for name in every if not (name in readable or name.startswith(WITHOUT_IO))
            ],
            "partial": partial,
            "segments": rows.count,
            "traced": rows.calls,
            "segments_of": single,
            "counted": self._counted(DXT_OF.get(single or "")),
            "processes": len(rows.ranks),
            "ranks": self._totals.to_record(),
            "files": [
                {
                    "module": module,
                    "file": self._names.get(number, f"(record {number})"),
                    **counters,
                }
                for (module, number), counters in self.files.items()
            ],
        }
        (self._folder / "counters.json").write_text(json.dumps(found), encoding="utf-8")
        if not rows.count:
            (self._folder / SINGLE).write_text(json.dumps(self.single), encoding="utf-8")

    def _counted(self, module: str | None) -> dict[str, int]:
        """Return how many reads and writes of a module there are by its counters."""
        return {
            way: sum(
                one["counters"].get(number, 0)
                for (counted, _), one in self.files.items()
                if counted == module
                for call, (numbers, _) in CALLS[counted].items()
                if call.endswith(way)
                for number in numbers
            )
            for way in ("read", "write")
        }


def _chunk_of(counts: Mapping[str, Any]) -> int:
    """Return the bytes of a chunk of a data set; 0 if it has none."""
    sides = [int(counts.get(f"CHUNK_SIZE_D{place}", 0)) for place in range(1, 6)]
    used = [side for side in sides if side > 0]
    return math.prod(used) * int(counts.get("DATATYPE_SIZE", 0)) if used else 0


class Rows:
    """Segments as rows, in a Parquet file."""

    def __init__(self, path: Path, start_ns: int, names: dict[int, str]) -> None:
        from pyarrow import parquet

        from simulator.traces.columns import schema

        self.schema = schema()
        self.count = 0
        self.calls = {"read": 0, "write": 0}
        self.ranks: dict[int, int] = {}
        self._start_ns = start_ns
        self._names = names
        self._writer = parquet.ParquetWriter(path, self.schema)
        self._batch: list[dict[str, Any]] = []

    def add(self, record: dict[str, Any], calls: tuple[str, str]) -> None:
        """Add the segments of one file and rank."""
        rank = record["rank"]
        common = {
            "pid": rank,
            "process": self.ranks.setdefault(rank, len(self.ranks)),
            "kind": "file",
            "file": self._names.get(record["id"], f"(record {record['id']})"),
        }
        for call, key in zip(calls, ("read_segments", "write_segments"), strict=True):
            self.calls[key.partition("_")[0]] += len(record[key])
            for segment in record[key]:
                start = round(segment["start_time"] * 1e9)
                self._batch.append(
                    {
                        **common,
                        "call": call,
                        "time_ns": self._start_ns + start,
                        "duration_ns": max(0, round(segment["end_time"] * 1e9) - start),
                        "offset": segment["offset"],
                        "requested": segment["length"],
                        "returned": segment["length"],
                    }
                )
                if len(self._batch) == BATCH:
                    self._flush()

    def close(self) -> None:
        """Write what is left."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        import pyarrow as pa

        self.count += len(self._batch)
        if self._batch:
            self._writer.write_batch(pa.RecordBatch.from_pylist(self._batch, schema=self.schema))
        self._batch = []
