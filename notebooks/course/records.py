"""Lesson 1: records and buffers, on the Numerical Wind Tunnel (tables 4.2 and 4.3)."""

from __future__ import annotations

import random
import re
import struct
import warnings
from itertools import accumulate
from pathlib import Path

import nwtsim
from simulator.study.study_file import load_study

from .chart import Chart
from .exercises import Exercise, Lesson, Numbers, Said

BUFFERS = (0.2, 0.4, 0.6, 1.2, 2.4, 4.8, 8.0)
"""Fortran buffers of the pictures, MB: with those of the paper."""
DATA = Path(__file__).resolve().parents[1] / "data"
"""Logs of programs of two compilers, recorded in November 2026."""
LENGTHS = ("8 kB", "40 kB", "64 kB", "80 kB", "128 kB", "2 MB")
"""Records that the paper's program may have had; it does not say which."""
LIBRARIES = {
    "gfortran, its buffer of 128 KiB": ("gfortran", "128 KiB"),
    "NWT of 1998, buffer of 600 kB": ("nwt", "600 kB"),
    "flang": ("flang", None),
    "NWT, length predicted, 600 kB": ("nwt-predicted", "600 kB"),
    "gfortran, buffer of 1 MiB": ("gfortran", "1 MiB"),
}
"""Name -> policy and buffer; flang has none of its own."""


def lesson(student: str) -> Lesson:
    """Return the exercises, with numbers that belong to this name."""
    return Lesson("records", student, EXERCISES)


# -- pictures ---------------------------------------------------------------------------------


def rate(workload: str, buffer_MB: float, policy: str = "nwt") -> float:
    """Simulate a job of the paper with a buffer; its rate in MB/s."""
    result = nwtsim.run("nwt", workload, buffer=f"{buffer_MB} MB", policy=policy)
    return result.read_MBps + result.write_MBps


def rates() -> Chart:
    """Draw reading and writing of 512 MB by one processor over the buffer (table 4.2)."""
    known = nwtsim.published("nwt")
    printed = [
        (size, known[f"{how}-1pe-{name}"])
        for how in ("read", "write")
        for size, name in ((0.6, "600kB"), (8.0, "8MB"))
    ]
    curves = {
        "reading": [(one, rate("test-read", one)) for one in BUFFERS],
        "writing": [(one, rate("test-write", one)) for one in BUFFERS],
    }
    title = "One processor reads and writes 512 MB: writing is 5 to 20 times as slow"
    return Chart(title, "buffer, MB", "MB/s", curves, printed, logarithmic=True)


def remedy() -> Chart:
    """Draw writing of 120 MB, as it was and with the remedy, over the buffer (table 4.3)."""
    known = nwtsim.published("nwt")
    printed = [
        (size, known[f"write-120MB-{name}{how}"])
        for how in ("", "-predicted")
        for size, name in ((0.6, "600kB"), (8.0, "8MB"))
    ]
    curves = {
        name: [(one, rate("test-write-120MB", one, policy)) for one in BUFFERS]
        for name, policy in (("as it was", "nwt"), ("length predicted", "nwt-predicted"))
    }
    title = "One processor writes 120 MB: three to five times as fast with the length predicted"
    return Chart(title, "buffer, MB", "MB/s", curves, printed)


def columns() -> Said:
    """Show all columns of tables 4.2 and 4.3: simulated without noise, the mean, and each run."""
    rows = [f"{'column':26} simulated   mean  runs, MB/s"]
    for one in load_study("nwt").cells:
        found = nwtsim.run("nwt", one.workload, dict(one.settings))
        simulated = found.read_MBps + found.write_MBps
        runs = " ".join(f"{run:g}" for run in one.runs)
        rows.append(f"{one.id:26} {simulated:9.1f} {one.mean:6g}  {runs}")
    return Said("\n".join(rows))


def spread(column: str) -> Said:
    """Simulate as many runs of a column as the paper has, each with other noise; in order."""
    (one,) = (one for one in load_study("nwt").cells if one.id == column)
    results = [
        nwtsim.run("nwt", one.workload, dict(one.settings), seed=seed)
        for seed in range(1, len(one.runs) + 1)
    ]
    rates = [result.read_MBps + result.write_MBps for result in results]
    both = {"simulated": rates, "printed": one.runs}
    lines = (
        f"{name:9} " + " ".join(f"{run:5.1f}" for run in sorted(runs))
        for name, runs in both.items()
    )
    return Said("\n".join(lines))


def mixed() -> Said:
    """Show how fast 120 MB are written, and how many lengths wait, if records differ in length."""
    rows = ["records                    as it was: MB/s  waits   predicted: MB/s  waits"]
    for length in ("64 kB", "[64 kB, 32 kB]", "[64 kB, 64 kB, 64 kB, 64 kB, 32 kB]"):
        shown = length if len(length) < 20 else "[4 times 64 kB, 32 kB]"
        found = [_written("test-write-120MB", length, how) for how in ("nwt", "nwt-predicted")]
        rows.append(f"{shown:26}" + "".join(f"{rate:13.1f} {waits:6}   " for rate, waits in found))
    return Said("\n".join(one.rstrip() for one in rows))


def _written(
    workload: str, length: str, policy: str, buffer: str | None = "600 kB"
) -> tuple[float, int]:
    """Simulate a job with records of some length; MB/s, and the lengths that waited."""
    how = {"buffer": buffer} if buffer else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nwtsim.SettingWarning)  # flang has no use for a buffer.
        result = nwtsim.run("nwt", workload, record=length, policy=policy, **how)
    return result.write_MBps, result.counts("ssu")["rewrites_waited"]


def units() -> Said:
    """Show the rate of writing 512 MB by the unit of the SSU (rows) and the buffer (columns)."""
    sizes = ("1 MB", "2 MB", "4 MB", "8 MB", "16 MB")
    rows = ["unit    buffer" + "".join(f"{one:>7}" for one in sizes)]
    for unit in sizes:
        found = [nwtsim.run("nwt", "test-write", {"ssu.block": unit}, buffer=one) for one in sizes]
        rows.append(f"{unit:14}" + "".join(f"{one.write_MBps:7.1f}" for one in found))
    return Said("\n".join(rows))


def lengths() -> Said:
    """Show in how many columns of tables 4.2 and 4.3 a length of records is within the runs."""
    rows, cells = [], load_study("nwt").cells
    for length in LENGTHS:
        found = [
            nwtsim.run("nwt", one.workload, dict(one.settings), record=length) for one in cells
        ]
        rates = [one.read_MBps + one.write_MBps for one in found]
        pairs = zip(rates, cells, strict=True)
        inside = sum(min(one.runs) <= rate <= max(one.runs) for rate, one in pairs)
        rows.append(f"{length:>7}: {inside:2} of {len(cells)} columns within their runs")
    return Said("\n".join(rows))


# -- bytes and calls --------------------------------------------------------------------------


def record(*values: float) -> bytes:
    """Return an unformatted Fortran record of real numbers: its length, its data, its length."""
    data = struct.pack(f"<{len(values)}f", *values)
    length = struct.pack("<i", len(data))
    return length + data + length


def dump(content: bytes) -> Said:
    """Show bytes, four in a row, with their place."""
    rows = (f"{at:4}  {content[at : at + 4].hex(' ')}" for at in range(0, len(content), 4))
    return Said("\n".join(rows))


def calls(length: int, count: int, buffer: str, policy: str = "nwt") -> Said:
    """Show the system calls that write records; a * marks what goes back in the file."""
    lines, end = [], 0
    for name, offset, size in nwtsim.fortran_calls(policy, length, count, buffer=buffer):
        if name == "write":
            lines.append(f"write {size:9,} B at {offset:9,} {'*' if offset < end else ''}".rstrip())
            end = max(end, offset + size)
    return Said("\n".join(lines))


def today(compiler: str) -> Said:
    """Compare the calls of a program of today with those of the model; ``gfortran``, ``flang``.

    It wrote five records of 400 kB under ``strace``.
    """
    made, at = [], 0
    log = (DATA / f"{compiler}.strace").read_text("utf-8")
    for name, text in re.findall(r"(write|lseek)\(\d+, .*\) += (\d+)$", log, re.MULTILINE):
        at, size = (int(text), 0) if name == "lseek" else (at, int(text))
        made.append((name, at, size))
        at += size
    same = made == list(nwtsim.fortran_calls(compiler, 400_000, 5))
    shown = [one for one in log.splitlines() if "(" in one][:6] + ["..."] * (len(made) > 6)
    return Said("\n".join([*shown, f"{len(made)} calls; those of the model are equal: {same}"]))


def libraries() -> Said:
    """Show what libraries would do on the NWT with 120 MB in records of 400 kB."""
    rows = ["library                           writes back    MB/s  lengths that waited"]
    for name, (policy, buffer) in LIBRARIES.items():
        numbers = {"policy": policy, "length": 400_000, "count": 300, "buffer": buffer}
        rate, waits = _written("test-write-120MB", "400 kB", policy, buffer)
        rows.append(f"{name:34}{went_back(numbers):11} {rate:7.1f} {waits:6}")
    return Said("\n".join(rows))


def account(workload: str, buffer: str, policy: str = "nwt") -> dict[str, float]:
    """Return the seconds of a run by what the program did or waited for, the most first."""
    words = {
        "pe": "computing and copying",
        "channel": "crossbar to the SSU",
        "ssu.writeback": "waiting until bytes are on disk",
        "array": "reading a unit back from disk",
        "paths": "reading a unit back from disk",
    }
    spent: dict[str, float] = {}
    for name, seconds in nwtsim.run("nwt", workload, buffer=buffer, policy=policy).where().items():
        word = words.get(name, name)
        spent[word] = round(spent.get(word, 0.0) + seconds, 3)
    return dict(sorted(spent.items(), key=lambda one: -one[1]))


# -- exercises --------------------------------------------------------------------------------


def went_back(numbers: Numbers) -> int:
    """Count the writes that go back in the file."""
    policy, buffer = numbers.get("policy", "nwt"), numbers["buffer"]
    how = {"buffer": buffer} if buffer else {}
    listed = nwtsim.fortran_calls(policy, numbers["length"], numbers["count"], **how)
    writes = [(offset, offset + size) for name, offset, size in listed if name == "write"]
    ends = accumulate((end for _, end in writes), max, initial=0)
    return sum(begin < end for (begin, _), end in zip(writes, ends, strict=False))


def file_size(numbers: Numbers) -> int:
    """Return the bytes of the file that the calls leave."""
    listed = nwtsim.fortran_calls("nwt", numbers["length"], numbers["count"])
    return max(offset + size for name, offset, size in listed if name == "write")


def written(numbers: Numbers) -> float:
    """Simulate writing 512 MB with the student's buffer; MB/s."""
    return rate("test-write", numbers["buffer"])


def waited(numbers: Numbers) -> float:
    """Simulate it; the percentage of the time that waits for the disk."""
    buffer = f"{numbers['buffer']} MB"
    result = nwtsim.run("nwt", "test-write", buffer=buffer)
    busy = sum(result.where().get(one, 0.0) for one in ("pe", "channel"))
    return 100 * (1 - busy / result.elapsed_s)


def gained(numbers: Numbers) -> float:
    """Simulate writing 120 MB as it was and with the remedy; how many times as fast."""
    jobs = (("nwt-predicted", numbers["buffer"]), ("nwt", numbers["buffer"]))
    after, before = (rate("test-write-120MB", buffer, policy) for policy, buffer in jobs)
    return after / before


def _some_records(rng: random.Random) -> Numbers:
    return {"length": 1000 * rng.randrange(20, 400), "count": rng.randrange(50, 500)}


def _some_buffer(rng: random.Random) -> Numbers:
    return {"buffer": rng.randrange(5, 75) / 10}


EXERCISES = (
    Exercise(
        "A program writes {count} records of {length:,} bytes. How large is the file?",
        "bytes",
        "A record is its length, its data, and its length again; a length takes 4 bytes.",
        "{count} records of {length:,} + 8 bytes are {answer}.",
        _some_records,
        file_size,
    ),
    Exercise(
        "The buffer has {buffer}. How many lengths does the library write after going back,"
        " for {count} records of {length:,} bytes?",
        "lengths",
        "records.calls({length}, {count}, {buffer!r}) lists the calls; count its stars.",
        "Each time the buffer is full in the middle of a record, one length is written later:"
        " {answer}.",
        lambda rng: {"buffer": "600 kB", "length": 64_000, "count": rng.randrange(40, 120)},
        went_back,
    ),
    Exercise(
        "At which rate does the program write 512 MB with a buffer of {buffer} MB?"
        " Read it off the first picture, or simulate it.",
        "MB/s",
        "records.rate('test-write', {buffer}) simulates it.",
        "Simulated: {answer}. A larger buffer is full less often, so fewer lengths wait.",
        _some_buffer,
        written,
        relative=0.1,
    ),
    Exercise(
        "Which share of the time that writing 512 MB takes, with a buffer of {buffer} MB, does the"
        " program wait for the disk?",
        "percent",
        "records.account('test-write', '{buffer} MB') gives the seconds of each; what is not"
        " computing, copying or crossing is waiting for the disk.",
        "Simulated: {answer}. A length can be corrected only when the bytes around it, which are"
        " on their way to disk, have arrived there.",
        _some_buffer,
        waited,
        absolute=3,
    ),
    Exercise(
        "The remedy of 1998 predicts the length, so that nothing goes back. How many times as fast"
        " does the program write 120 MB with a buffer of {buffer} MB?",
        "times",
        "Divide records.rate('test-write-120MB', {buffer}, 'nwt-predicted') by the same rate"
        " with 'nwt'.",
        "Simulated: {answer} as fast. The program waits for the disk no more.",
        _some_buffer,
        gained,
        relative=0.05,
    ),
)
