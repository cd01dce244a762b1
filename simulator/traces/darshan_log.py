"""Darshan logs as traces: the counters of each file, and the segments of DXT as rows.

Darshan counts what the ranks of a job asked of POSIX, MPI-IO and STDIO, file by file; only DXT
keeps single reads and writes. The rows of a store are DXT's segments at the POSIX level (pid =
rank), or at the MPI-IO level if there are no others; the counters are in its metadata. The log is
read by Darshan's own library in a process of its own, since that may crash on a damaged one.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.children import command, environment
from simulator.errors import InputError
from simulator.extras import need
from simulator.inputfile import open_input
from simulator.traces.darshan_ranks import Extras, extras_in, program_of
from simulator.traces.darshan_records import BATCH, CALLS, DXT, SINGLE, STREAMS, UNUSED, Records
from simulator.traces.darshan_server import server
from simulator.traces.errors import DarshanError
from simulator.wording import counted

if TYPE_CHECKING:
    import pyarrow

    from simulator.traces.sampled.records import Job

SILENT_S = 60.0
"""How long the reader may say nothing."""
MOST_S = 3600.0
"""How long it may take."""
SHOWN = 200
MUCH = 0.05
"""The share of a log that may be unread, or its time not what a replay takes it for, unsaid."""
_TAIL = 16
"""Bytes that say with which code a log was read."""
READER = "import sys; from simulator.traces.darshan_log import main; main(*sys.argv[1:])"
"""What the other process does."""


_KNOWN: dict[tuple[Any, ...], tuple[str, Job]] = {}
"""What was found in the last log whose calls were drawn, as JSON, and what they are drawn from."""


def _known(key: tuple[Any, ...]) -> tuple[str, Job] | None:
    return _KNOWN.get(key)


class DarshanTrace:
    """A Darshan log, or a text of one, that is being read."""

    def __init__(
        self, path: Path, *, text: bool = False, sample: int | None = None, dxt: bool = True
    ) -> None:
        """``sample``: the seed by which calls are drawn from counters where there is no DXT.

        ``dxt``: read it, if there is any.
        """
        need("pyarrow" if text else "darshan")
        self._without = "" if dxt else "DXT"
        self._text, self._sample = text, sample
        open_input(path).close()  # Says what is wrong.
        if path.stat().st_size == 0:
            raise DarshanError(f"{path}: empty; a Darshan log has at least its job's record")
        self.paths = [path]
        self.about: dict[str, Any] = {"format": "darshan"}
        self.unknown: dict[str, dict[str, int]] = {}
        self.job: Job | None = None
        """What calls are drawn from, once that is read."""

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """Yield the segments in the order in which they ended; then the rest is known as well."""
        known = _known(self._key()) if self._sample is not None else None
        if known is not None:
            text, job = known
            self._describe(self.paths[0], json.loads(text))
            yield from self._drawn(job, json.loads(text))
            return
        with tempfile.TemporaryDirectory(prefix="nwtsim-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            if self._text:
                from simulator.traces.darshan_text import read_text

                read_text(self.paths[0], folder)
            spoilt = [] if self._text else _run_reader(self.paths[0], folder, self._without)
            found = json.loads((folder / "counters.json").read_text(encoding="utf-8"))
            found |= {"spoilt": spoilt, **extras_in(folder)}
            self._describe(self.paths[0], found)
            if found["segments"]:
                yield from _ordered(folder)
            elif self._sample is not None and (folder / SINGLE).exists():
                from simulator.traces.sampled.records import job_in

                job = job_in(folder, found["job"]["nprocs"])
                _KNOWN.clear()
                _KNOWN[self._key()] = json.dumps(found), job
                yield from self._drawn(job, found)

    def _key(self) -> tuple[Any, ...]:
        """Return what the log's records are kept by while samples of it are drawn."""
        about = self.paths[0].stat()
        return (str(self.paths[0].resolve()), about.st_mtime_ns, about.st_size, self._without)

    def _drawn(self, job: Job, found: dict[str, Any]) -> Iterator[pyarrow.RecordBatch]:
        """Yield calls that the counters of the log may be of, drawn by the sample's seed."""
        from simulator.traces.sampled.rows import batches_of, rows_of

        assert self._sample is not None
        self.job = job
        rows = rows_of(job, self._sample)
        self.about |= {"times": "epoch", "durations": True, "epoch": "1970-01-01T00:00:00Z"}
        about: dict[str, Any] = {"seed": self._sample, "records": rows.records, "wrong": rows.wrong}
        longest = job.longest()
        about |= {"file": longest.file, "rank": longest.rank} if longest else {}
        self.about |= {"sample": about, "meetings": rows.barriers}
        yield from batches_of(rows, found["start_ns"])

    def _describe(self, path: Path, found: dict[str, Any]) -> None:
        segments = found["segments"]
        self.about |= {
            "sources": [
                {"path": str(path), "compression": None, "format": "darshan", "times": "epoch"}
            ],
            "format": "darshan",
            "times": "epoch" if segments else None,
            "durations": bool(segments),
            "epoch": "1970-01-01T00:00:00Z" if segments else None,
            "calls": segments,
            "processes": found["job"]["nprocs"],
            "begin_ns": found["start_ns"],
            "end_ns": max(found["end_ns"], found["start_ns"]),
            "darshan": found,
        }
        mapped = sum(one["counters"].get("MMAPS", 0) for one in found["files"])
        streams = [one["counters"] for one in found["files"] if one["file"] in STREAMS]
        calls, moved = (
            sum(counts.get(name, 0) for counts in streams for name in names)
            for names in (("READS", "WRITES"), ("BYTES_READ", "BYTES_WRITTEN"))
        )
        self.unknown |= {
            "inherited": {"calls": calls, "bytes": moved},
            "mmap": {"calls": mapped},
            "io_uring": {"calls": 0},
            "unfinished": {"calls": 0},
            "skipped": {"modules": len(found["partial"]) + len(found["unread"])},
        }


def shortfalls(found: dict[str, Any]) -> list[str]:
    """Return what a log lacks of what the program did to files, a sentence each."""
    lacks = [
        f"the log has calls of {name}, which are not read: how many, and what they moved, is in"
        " no number here"
        for name in found["unread"]
    ]
    if found["spoilt"]:
        cut = ", ".join(found["spoilt"])
        lacks.append(f"the log is cut or damaged at {cut}, of which nothing is used here")
    if found["segments_of"] is not None and found["modules"] == [found["segments_of"]]:
        lacks.append(
            "the text of darshan-dxt-parser has reads and writes only: opens, seeks and all other"
            " calls are in no number here"
        )
    if found["partial"]:
        cut = ", ".join(found["partial"])
        lacks.append(f"Darshan ran out of memory for {cut}: some files are missing")
    if found["segments_of"] is not None and missing(found):
        ways = " and ".join(
            f"{found['traced'][way]:,} of {counted(many, way)}"
            for way, many in found["counted"].items()
            if many
        )
        lacks.append(f"DXT has {ways}; of the others the log has totals only")
    within, whole = _within_mpi(found), found["job"]["nprocs"] * float(found["job"]["run_time"])
    if found["segments_of"] == "DXT_POSIX" and within > MUCH * whole:
        lacks.append(
            f"ranks were within MPI-IO's calls for {within:,.3g} s more than within those of POSIX"
            f" beneath, of {whole:,.4g} s in all; a replay takes that for computing"
        )
    return lacks


def _within_mpi(found: dict[str, Any]) -> float:
    """Return for how many seconds ranks were in calls of MPI-IO, but in none of POSIX."""
    times = {
        name: sum(sum(one["seconds"].values()) for one in found["files"] if one["module"] == name)
        for name in ("MPI-IO", "POSIX")
    }
    return times["MPI-IO"] - times["POSIX"]


def missing(found: dict[str, Any]) -> int:
    """Return how many reads and writes of the module that DXT traced it does not have."""
    counts = found["counted"]
    return sum(max(0, counts[way] - found["traced"][way]) for way in counts)


def read_darshan(
    paths: Sequence[Path], *, text: bool = False, sample: int | None = None
) -> DarshanTrace:
    """Read a Darshan log, or the text that Darshan's parsers write of one; one at a time.

    ``sample``: where it has no single calls, draw some from its counters by this seed.
    """
    if len(paths) > 1:
        raise InputError(f"{paths[0]}: name one Darshan log at a time")
    return DarshanTrace(paths[0], text=text, sample=sample)


def _ordered(folder: Path) -> Iterator[pyarrow.RecordBatch]:
    """Yield the rows that the reader found in their order."""
    from pyarrow.parquet import ParquetFile

    from simulator.traces.columns import schema
    from simulator.traces.store import connect

    with closing(connect(folder)) as connection:
        connection.execute("SET preserve_insertion_order = true")
        connection.execute(
            f"COPY (SELECT * FROM read_parquet('{folder / 'rows.parquet'}')"
            " ORDER BY time_ns + duration_ns, time_ns, process)"
            f" TO '{folder / 'ordered.parquet'}' (FORMAT parquet)"
        )
    with ParquetFile(folder / "ordered.parquet") as file:
        for batch in file.iter_batches(batch_size=BATCH):
            yield batch.cast(schema())


def _run_reader(path: Path, folder: Path, without: str) -> list[str]:
    """Read the log in another process; return the modules that it needs not, and cannot read.

    DarshanError if it crashes, hangs or complains at one that it needs.
    """
    errors, absolute = folder / "errors", os.path.abspath(path)  # noqa: PTH100
    errors.touch()
    if (kept := server()) is not None:
        in_time, code = kept.read(absolute, folder, without, _wait)
    else:
        in_time, code = _read_once(absolute, folder, without)
    said = errors.read_text(encoding="utf-8", errors="backslashreplace")
    said, *unused = said.split(UNUSED)
    if not in_time:
        raise DarshanError(
            f"{path}: Darshan's library did not come to an end with it; probably it is damaged"
        )
    complaint = _complaint(said)
    if unused and not complaint:
        spoilt = [one.split("\n")[0] for one in unused if one.strip().count("\n")]
        if code and not spoilt:
            spoilt = [unused[-1].strip()]
        return spoilt
    if code == 0 and not complaint and (folder / "counters.json").exists():
        return []
    if "No module named 'pyarrow'" in said:
        need("pyarrow")
    if code < 0 and not complaint:
        complaint = "it crashed"
    why = complaint or said.strip().rpartition("\n")[2][:SHOWN] or "it gave no reason"
    raise DarshanError(f"{path}: damaged, or no Darshan log; Darshan's library says: {why}")


def _read_once(path: str, folder: Path, without: str) -> tuple[bool, int]:
    """Read a log in a process that is started for it; return if it ended in time, and its code."""
    with (
        (folder / "errors").open("wb") as complaints,
        subprocess.Popen(
            command(READER, path, str(folder), without),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            cwd=folder,
            env=environment(),
        ) as worker,
    ):
        assert worker.stdout is not None
        try:
            in_time = _wait(worker.stdout.fileno()) is not None
            if in_time:
                worker.wait(SILENT_S)
        except subprocess.TimeoutExpired:
            in_time = False
        finally:
            worker.kill()
    return in_time, worker.returncode


def _wait(pipe: int, end: bytes = b"") -> bytes | None:
    """Wait for the end of a pipe, or a line with ``=``, as long as it says that it is alive.

    Return its last words; None if it is silent.
    """
    last, until = b"", time.monotonic() + MOST_S
    while time.monotonic() < until:
        ready, _, _ = select.select([pipe], [], [], SILENT_S)
        if not ready:
            return None
        words = os.read(pipe, 1 << 12)
        last = (last + words)[-_TAIL:]
        if not words or (end and b"=" in last and last.endswith(end)):
            return last
    return None


def _complaint(said: str) -> str:
    r"""Return the first error that the library printed.

    >>> _complaint("Error: unable to read\nError: failed\n")
    'unable to read'
    """
    lines = (line.strip() for line in said.splitlines())
    first = next((line for line in lines if line.lower().startswith("error")), "")
    return first.partition(":")[2].strip()[:SHOWN]


# -- the other process -----------------------------------------------------------------------------

ALIVE_S = 1.0
_ENDS = ("start", "end")


def main(log_path: str, folder: str, without: str = "") -> None:
    """Read a log with PyDarshan, in a process of its own; what is found goes to a folder.

    ``without``: "DXT" to read counters only.

    A line on standard output says that it is still at work. The folder gets ``counters.json``, and
    ``rows.parquet`` with the segments of DXT as rows of a store.
    """
    _limit_memory()
    from darshan.backend import cffi_backend as library

    log = library.log_open(log_path)
    if log["handle"] == library.ffi.NULL:
        sys.exit(1)  # The library has said why.
    job = library.log_get_job(log) | {"exe": program_of(str(library.log_get_exe(log)))}
    names = library.log_get_name_records(log)
    modules = library.log_get_modules(log)
    alive = _Alive()
    found = Records(Path(folder), names, {name: number for number, name in names.items()})
    readable = [name for name in CALLS if name in modules and name in library._structdefs]
    for module in readable:
        for record in _records(library, log, module):
            found.add(module, record)
            alive.say()
    start_ns, end_ns = (job[f"{at}_time_sec"] * 10**9 + job[f"{at}_time_nsec"] for at in _ENDS)
    rows = found.begin(start_ns)
    single = next((module for module in DXT if module in modules and without != "DXT"), None)
    if single is not None:
        for record in _records(library, log, single):
            rows.add(record, DXT[single])
            alive.say()
    partial = [name for name, about in modules.items() if about["partial_flag"]]
    found.leave(job, end_ns, (list(modules), readable, partial), single)
    unused = [name for name in ("LUSTRE", "HEATMAP", *DXT) if name in modules and name != single]
    extras = Extras(Path(folder), names, job["nprocs"])
    for module in unused:
        print(UNUSED + module, file=sys.stderr, flush=True)
        for record in _records(library, log, module):
            extras.add(module, record)
            alive.say()
        extras.leave()


def _records(library: Any, log: Any, module: str) -> Iterator[dict[str, Any]]:
    while (record := library.log_get_record(log, module, "dict")) is not None:
        yield record


class _Alive:
    """Reports now and then that work goes on."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def say(self) -> None:
        """Report it, if it is time."""
        if time.monotonic() - self._said > ALIVE_S:
            self._said = time.monotonic()
            print(".", flush=True)


def _limit_memory() -> None:
    """Limit memory to what the machine has: a damaged length would take all of it, and more."""
    try:
        import resource
    except ImportError:  # Not on Windows.
        return
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    resource.setrlimit(resource.RLIMIT_AS, (whole, whole))
