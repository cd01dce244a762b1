"""Read the text that ``darshan-parser`` and ``darshan-dxt-parser`` write of a Darshan log.

Times in it have six digits behind the point, those of DXT four. Not modelled: logs of Darshan 2,
whose lines begin with a rank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BufferedReader
from itertools import groupby
from pathlib import Path
from typing import Any

from simulator.inputfile import open_input
from simulator.traces.darshan_ranks import Extras, program_of
from simulator.traces.darshan_records import CALLS, DXT, DXT_OF, Records
from simulator.traces.errors import DarshanError

HEADER = re.compile(r"# ?([a-z_ ]+): (.*)$")
REGION = re.compile(r"# ?(\S+) module: ")
SECTION = re.compile(r"# ?(\S+) module data$")
INCOMPLETE = re.compile(r"# ?\*WARNING\*: .*contains incomplete data")
FILE = re.compile(r"# DXT, file_id: (\d+), file_name: (.*)$")
SEGMENT = re.compile(
    r" *X_(POSIX|MPIIO) +(-?\d+) +(read|write) +\d+ +(\d+|N/A) +(\d+) +(\d+\.\d+) +(\d+\.\d+)\b"
)
TOTALS = re.compile(r"total_\S+: |\S+(?: \S+)*: \S+$")
"""Lines of ``--total`` and ``--perf``."""
WHOLE = re.compile(r"-?\d+")
NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?(?:e[-+]?\d+)?|inf|nan)", re.IGNORECASE)
COLUMNS = 8
WORDS = "_POOL_NAME"
"""The end of a counter's name whose value is no number."""
PARTS = ("H5D", "PNETCDF_VAR")
"""Modules whose records are of a part of a file."""
NEEDED = {"nprocs": int, "run time": float, "start_time": int}
"""Lines at the beginning without which there is no job."""
WAYS = {
    "read": ("READS", "BYTES_READ", "F_READ_TIME"),
    "write": ("WRITES", "BYTES_WRITTEN", "F_WRITE_TIME"),
}
SHOWN = 80
AT_ONCE = 1 << 20


class _Text:
    """The lines of a text, read one after the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.job: dict[str, str] = {}
        self.modules: dict[str, None] = {}
        self.partial: list[str] = []
        self.names: dict[int, str] = {}
        self.numbers: dict[str, int] = {}
        self._section = ""
        self._file = -1

    def wrong(self, number: int, about: str, line: str) -> DarshanError:
        """Return the error of a line."""
        return DarshanError(f"{self.path}:{number}: {about}: {line[:SHOWN]!r}")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield all lines that are not empty, with their numbers."""
        with BufferedReader(open_input(self.path), AT_ONCE) as file:
            for number, raw in enumerate(file, 1):
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8", "backslashreplace")
                if line.strip():
                    yield number, line.rstrip("\r\n")

    def counters(self) -> Iterator[tuple[tuple[str, str, str], int, list[str]]]:
        """Yield each line of a counter, with the record that it is of, and note all others."""
        for number, line in self.lines():
            if line.startswith("#"):
                self._note(line)
                continue
            columns = line.split("\t")
            if len(columns) >= COLUMNS:
                yield (columns[0], columns[1], columns[2]), number, columns
            elif not (SEGMENT.match(line) or TOTALS.match(line)):
                about = "neither a counter of darshan-parser nor a segment of darshan-dxt-parser"
                raise self.wrong(number, about, line)

    def segments(self) -> Iterator[tuple[tuple[str, int, int], re.Match[str]]]:
        """Yield each segment of DXT, with its module, its file and its rank."""
        for number, line in self.lines():
            if found := FILE.match(line):
                self._file = int(found[1])
                self.names.setdefault(self._file, found[2])
            elif segment := SEGMENT.match(line):
                if self._file < 0:
                    raise self.wrong(number, "a segment before '# DXT, file_id:'", line)
                yield (f"DXT_{segment[1]}", self._file, int(segment[2])), segment

    def _note(self, line: str) -> None:
        if region := REGION.match(line):
            self.modules[region[1]] = None
        elif section := SECTION.match(line):
            self._section = section[1]
            self.modules[section[1]] = None
        elif INCOMPLETE.match(line):
            self.partial.append(self._section)
        elif header := HEADER.match(line):
            self.job.setdefault(header[1].strip(), header[2].strip())


def read_text(path: Path, folder: Path) -> None:
    """Read a text, and leave in a folder what the reader of logs does.

    DarshanError names the line that is wrong, or what is missing.
    """
    text = _Text(path)
    found = Records(folder, text.names, text.numbers)
    beside: list[tuple[str, dict[str, Any]]] = []
    for module, record in _records(text):
        if module in CALLS:
            found.add(module, record)
        else:
            beside.append((module, record))
    job = _job(text)
    extras = Extras(folder, text.names, int(job["nprocs"]))
    for module, record in beside:
        extras.add(module, record)
    extras.leave()
    counts = bool(found.files)
    traced = {key[0] for key, _ in text.segments()}
    single = next((module for module in DXT if module in traced), None)
    start_ns = int(job["start_time"]) * 10**9
    rows = found.begin(start_ns)
    if single is not None:
        counted = any(module == DXT_OF[single] for module, _ in found.files)
        for (module, number, rank), some in groupby(text.segments(), key=lambda one: one[0]):
            if module == single:
                record = _segments(number, rank, [segment for _, segment in some])
                rows.add(record, DXT[single])
                if not counted:
                    found.add(DXT_OF[single], _counters_of(record, DXT_OF[single]))
    order = [*CALLS]
    found.files = dict(sorted(found.files.items(), key=lambda one: order.index(one[0][0])))
    every = [single] if single is not None and not counts else [*text.modules] or [*traced]
    about = {
        "jobid": int(job.get("jobid", 0)),
        "uid": int(job.get("uid", 0)),
        "nprocs": int(job["nprocs"]),
        "run_time": float(job["run time"]),
        "log_ver": job.get("darshan log version", ""),
        "exe": program_of(job.get("exe", "")),
    }
    end_ns = int(job["end_time"]) * 10**9 if "end_time" in job else start_ns
    found.leave(about, end_ns, (every, order, text.partial), single)


def _job(text: _Text) -> dict[str, str]:
    """Return the lines on the job; DarshanError if one is missing, or is no number."""
    for key, kind in NEEDED.items():
        if key not in text.job:
            about = f"the line '# {key}: ' is missing, which is at the beginning of the text"
            raise DarshanError(f"{text.path}: {about}; write all that the parser prints to a file")
        try:
            kind(text.job[key])
        except ValueError:
            raise DarshanError(f"{text.path}: # {key}: {text.job[key]!r} is no number") from None
    return text.job


def _records(text: _Text) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the records of modules that are read, each with its counters."""
    for (module, rank, number), lines in groupby(text.counters(), key=lambda one: one[0]):
        counters: dict[str, float] = {}
        for _, at, columns in lines:
            if columns[3].endswith(WORDS):
                continue
            for column, form in ((1, WHOLE), (2, WHOLE), (4, NUMBER)):
                if not form.fullmatch(columns[column]):
                    about = f"column {column + 1}, {columns[column][:SHOWN]!r}, is no number"
                    raise text.wrong(at, about, " ".join(columns))
            name = "\t".join(columns[5:-2])
            text.names.setdefault(int(number), name)
            text.numbers.setdefault(name, int(number))
            value = columns[4]
            counters[columns[3]] = int(value) if WHOLE.fullmatch(value) else float(value)
        if module in CALLS:
            file = next((v for k, v in counters.items() if k.endswith("_FILE_REC_ID")), 0)
            more = {"file_rec_id": int(file)} if module in PARTS else {}
            yield (
                module,
                {"id": int(number), "rank": int(rank), "counters": counters, "fcounters": {}}
                | more,
            )
        elif module == "LUSTRE":
            yield module, _striped(int(number), counters)
        elif module == "HEATMAP":
            yield module, _heat(int(number), int(rank), counters)


def _striped(number: int, counters: dict[str, float]) -> dict[str, Any]:
    """Return the record of a file's stripes, of its components in newer logs."""
    parts = {name.split("_")[1] for name in counters if re.match(r"LUSTRE_COMP\d", name)}
    made = []
    for part in sorted(parts) or [""]:
        prefix = f"LUSTRE_{part}_" if part else "LUSTRE_"
        many = counters.get(f"{prefix}STRIPE_{'COUNT' if part else 'WIDTH'}", 0)
        sizes = {"COUNT": many, "SIZE": counters.get(f"{prefix}STRIPE_SIZE", 0)}
        counts = {f"LUSTRE_COMP_STRIPE_{name}": value for name, value in sizes.items()}
        first = counters.get(f"{prefix}OST_ID_0")
        made.append({"counters": counts, "ost_ids": [] if first is None else [first]})
    return {"id": number, "components": made}


def _heat(number: int, rank: int, counters: dict[str, float]) -> dict[str, Any]:
    """Return the record of a rank's bytes over time."""
    record: dict[str, Any] = {"id": number, "rank": rank}
    record["bin_width_seconds"] = counters.get("HEATMAP_F_BIN_WIDTH_SECONDS", 0.0)
    for way in WAYS:
        prefix = f"HEATMAP_{way.upper()}_BIN_"
        record[f"{way}_bins"] = [v for name, v in counters.items() if name.startswith(prefix)]
    return record


def _segments(number: int, rank: int, found: list[re.Match[str]]) -> dict[str, Any]:
    """Return the record of a file and a rank."""
    record: dict[str, Any] = {"id": number, "rank": rank}
    for way in WAYS:
        record[f"{way}_segments"] = [
            {
                "offset": None if one[4] == "N/A" else int(one[4]),
                "length": int(one[5]),
                "start_time": float(one[6]),
                "end_time": float(one[7]),
            }
            for one in found
            if one[3] == way
        ]
    return record


def _counters_of(record: dict[str, Any], module: str) -> dict[str, Any]:
    """Return the counters of reads and writes that segments stand for."""
    prefix = "MPIIO_" if module == "MPI-IO" else "POSIX_"
    counters: dict[str, float] = {}
    for way, (calls, moved, time) in WAYS.items():
        each = record[f"{way}_segments"]
        counters[prefix + ("INDEP_" if module == "MPI-IO" else "") + calls] = len(each)
        counters[prefix + moved] = sum(one["length"] for one in each)
        counters[prefix + time] = sum(one["end_time"] - one["start_time"] for one in each)
    return {"id": record["id"], "rank": record["rank"], "counters": counters, "fcounters": {}}
