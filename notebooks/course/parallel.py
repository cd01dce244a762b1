"""Lesson 4: parallel I/O, on the SR8000 (the four ratios of its paper that remain)."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

import nwtsim

from .chart import Chart
from .exercises import Exercise, Lesson, Numbers, Said

if TYPE_CHECKING:
    from nwtsim import Result

COUNTS = (2, 4, 8)
"""Processes of the paper."""
PIECE_KiB, ARRAY_KiB = 16, 32_768
"""A process's piece of a row, and the array: a 32nd of the paper's, for answers in seconds."""

GAPS_KiB = (16, 64, 256, 1024, 4096)
PHASE = "workload.jobs.0.phases.0"

Settings = Mapping[str, str | int]
NO_READ_AHEAD: Settings = {"buffers.prefetch": 0}
NO_LOCK: Settings = {"machine.runtime.mpi_io.file_lock": "false"}


def lesson(student: str) -> Lesson:
    """Return the exercises, with numbers that belong to this name."""
    return Lesson("parallel", student, EXERCISES)


def run(operation: str, how: str, processes: int = 8, settings: Settings | None = None) -> Result:
    """Simulate ``read`` or ``write`` of the array by ``ut``, ``fv`` or ``col``."""
    rows = ARRAY_KiB // (PIECE_KiB * processes)
    given = {"array.size": f"{rows * PIECE_KiB * processes} KiB", **(settings or {})}
    return _made(f"sr8000-{operation}-{how}", processes, tuple(given.items()))


@functools.cache
def _made(workload: str, processes: int, given: tuple[tuple[str, str | int], ...]) -> Result:
    """Simulate it once: pictures, tables and exercises ask for the same runs."""
    return nwtsim.run("sr8000", workload, dict(given), processes=processes)


def rate(operation: str, how: str, processes: int = 8, settings: Settings | None = None) -> float:
    """Simulate it; the rate of all processes together in MB/s."""
    result = run(operation, how, processes, settings)
    return result.read_MBps + result.write_MBps


def calls_take(ms: float) -> Settings:
    """Return the setting with which a system call takes so many milliseconds."""
    return {"machine.runtime.mpi_io.call_overhead": f"{ms} ms"}


def transfer_buffer(KiB: int) -> Settings:
    """Return the setting with which a call works through a buffer of this size."""
    return {"machine.runtime.mpi_io.transfer_buffer": f"{KiB} KiB"}


def stripes(KiB: int = 64, disks: int = 8) -> Settings:
    """Return the setting with which the file lies on some disks in stripes of this size."""
    return {"workload.files.array.layout": f"[{{stripe: {KiB} KiB, over: {disks}}}]"}


# -- pictures ---------------------------------------------------------------------------------


def _line(operation: str, how: str, settings: Settings | None = None) -> list[tuple[float, float]]:
    return [(count, rate(operation, how, count, settings)) for count in COUNTS]


def writing() -> Chart:
    """Draw the rate of writing over the processes, with the printed ratios times that of UT."""
    known = nwtsim.published("sr8000")
    curves = {
        "UT: call by call": _line("write", "ut"),
        "FV: a view": _line("write", "fv"),
        "COL: all together": _line("write", "col"),
    }
    unit = curves["UT: call by call"][-1][1]
    printed = [(8, unit * known[name]) for name in ("write-fv-ut", "write-col-ut")]
    title = "Eight processes write one file: 13 times as fast with a collective call"
    return Chart(title, "processes", "MB/s", curves, printed)


def reading() -> Chart:
    """Draw the rate of reading over the processes, with the printed ratio times that of UT."""
    curves = {
        "UT: call by call": _line("read", "ut"),
        "FV: a view": _line("read", "fv"),
        "FV, no read-ahead": _line("read", "fv", NO_READ_AHEAD),
    }
    unit = curves["UT: call by call"][-1][1]
    printed = [(8, unit * nwtsim.published("sr8000")["read-fv-ut"])]
    title = "Reading through a view grows more than the number of processes, by read-ahead"
    return Chart(title, "processes", "MB/s", curves, printed)


def ratios() -> Said:
    """Compare the paper's four ratios at 8 processes with simulated ones."""
    lines = []
    for name, printed in nwtsim.published("sr8000").items():
        operation, one, other = name.split("-")
        ours = rate(operation, one) / rate(operation, other)
        what = f"{operation}: {one.upper()} against {other.upper()}"
        lines.append(f"{what:24} printed {printed:4.1f}, simulated {ours:.1f}")
    return Said("\n".join(lines))


def gaps() -> Chart:
    """Draw reading of 512 pieces by one process over the gap between them, by method."""
    names = {"sieving": "sieving", "UT: call by call": "seek", "FV: one call": "stride"}
    curves = {
        name: [(gap, _gapped(gap, method)) for gap in GAPS_KiB] for name, method in names.items()
    }
    title = "Reading the gaps too is the fastest while they are small"
    return Chart(title, "KiB between pieces", "seconds", curves, logarithmic=True)


def _gapped(gap_KiB: int, method: str) -> float:
    """Simulate a process that reads 512 pieces with gaps between them; seconds."""
    step, count = PIECE_KiB + gap_KiB, 512
    settings: Settings = {
        "array.size": f"{count * step - gap_KiB} KiB",
        f"{PHASE}.method": method,
        f"{PHASE}.size": f"{count * PIECE_KiB} KiB",
        f"{PHASE}.stride": f"{step} KiB",
    }
    return run("read", "fv", 1, settings).elapsed_s


def collective() -> Said:
    """Show three ways to make a collective call: seconds, bytes between nodes, buffers, calls."""
    rows = ["                          seconds  MiB between nodes  MiB of buffers  system calls"]
    for operation in ("read", "write"):
        for method in ("disk-directed", "server-directed", "two-phase"):
            result = run(operation, "col", settings={f"{PHASE}.method": method})
            made, parts = result.to_dict()["mpi_io"], result.to_dict()["parts"].values()
            sent = sum(one["bytes"] for one in parts if one["part"] == "crossbar.out") / 2**20
            buffers = sum(made["buffers"].values()) / 2**20
            count = made["calls"] + made["server_calls"]
            name = f"{operation}, {method}"
            rows.append(
                f"{name:24} {result.elapsed_s:8.3f} {sent:18.0f} {buffers:15.0f} {count:13}"
            )
    return Said("\n".join(rows))


# -- where bytes are, and where time goes -----------------------------------------------------


def pieces(processes: int, stripe_KiB: int = 64, disks: int = 8, rows: int = 2) -> Said:
    """Show whose pieces the first stripes of each disk hold; a digit is a piece of a process."""
    held: list[list[str]] = [[] for _ in range(disks)]
    per_stripe = stripe_KiB // PIECE_KiB
    for stripe in range(rows * disks):
        first = stripe * per_stripe
        owners = (str(piece % processes) for piece in range(first, first + per_stripe))
        held[stripe % disks].append("".join(owners))
    return Said("\n".join(f"disk {number}: {' '.join(one)}" for number, one in enumerate(held)))


def account(operation: str, how: str, settings: Settings | None = None) -> dict[str, float]:
    """Return the seconds of the process that ends last, the most first."""
    words = {
        "mpi-io.calls": "making calls",
        "crossbar": "crossbar between nodes",
        "io": "servers of the nodes",
        "raid": "waiting for disks",
        "buffers.cache": "waiting for disks",
        "mpi-io.merging": "merging with the other processes",
        "locks": "waiting for the file's lock",
    }
    result = run(operation, how, settings=settings)
    last = max(result.to_dict()["processes"], key=lambda one: one["started_ns"] + one["elapsed_ns"])
    spent: dict[str, float] = {}
    for name, seconds in result.where(last["name"]).items():
        word = words.get(name, name)
        spent[word] = round(spent.get(word, 0.0) + seconds, 3)
    return dict(sorted(spent.items(), key=lambda one: -one[1]))


def turns(processes: int = 8, settings: Settings | None = None) -> list[tuple[float, float]]:
    """Return for each process that writes through a view the seconds it waits and works."""
    result = run("write", "fv", processes, settings)
    made = []
    for one in result.to_dict()["processes"]:
        waits = result.where(one["name"]).get("locks", 0.0)
        made.append((waits, one["elapsed_ns"] / 1e9 - waits))
    return sorted(made)


# -- exercises --------------------------------------------------------------------------------


def calls(numbers: Numbers) -> int:
    """Count the system calls of eight processes with UT."""
    size = {"array.size": f"{numbers['MiB']} MiB"}
    made: int = run("write", "ut", settings=size).to_dict()["mpi_io"]["calls"]
    return made


def written(numbers: Numbers) -> float:
    """Simulate writing by UT with calls of another length; MB/s."""
    return rate("write", "ut", settings=calls_take(numbers["ms"]))


def waited(numbers: Numbers) -> float:
    """Simulate writing through views; the percentage of all time that waits for the lock."""
    found = turns(numbers["processes"])
    waits = sum(one for one, _ in found)
    return 100 * waits / (waits + sum(one for _, one in found))


def grown(numbers: Numbers) -> float:
    """Simulate reading through views; how many times as fast 8 processes are as 2."""
    many, few = (rate("read", "fv", one, transfer_buffer(numbers["KiB"])) for one in (8, 2))
    return many / few


def spread(numbers: Numbers) -> float:
    """Simulate reading through views; how many times as fast 8 disks are as fewer."""
    return rate("read", "fv") / rate("read", "fv", settings=stripes(disks=numbers["disks"]))


EXERCISES = (
    Exercise(
        "Eight processes write an array of {MiB} MiB by UT, in pieces of 16 KiB. How many system"
        " calls do they make together?",
        "calls",
        "UT makes two calls for a piece: one moves to its place, one writes it."
        " parallel.run('write', 'ut').to_dict()['mpi_io'] counts them for 32 MiB.",
        "{MiB} MiB are 64 x {MiB} pieces; two calls for each make {answer}.",
        lambda rng: {"MiB": rng.randrange(9, 64)},
        calls,
    ),
    Exercise(
        "A system call takes 1.03 ms. At which rate would eight processes write by UT if it took"
        " {ms} ms?",
        "MB/s",
        "parallel.rate('write', 'ut', settings=parallel.calls_take({ms})) simulates it; to estimate"
        " it, let only 'making calls' change in the account.",
        "Simulated: {answer}. A process makes 512 calls for its part of the 32 MiB, one after the"
        " other; the rest of its time does not change much.",
        lambda rng: {"ms": rng.choice((0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.5, 2.0, 2.5, 3.0))},
        written,
        relative=0.1,
    ),
    Exercise(
        "{processes} processes write through views. Which share of the time of all of them together"
        " do they wait for the lock?",
        "percent",
        "parallel.turns({processes}) has for each process the seconds it waits and works; divide"
        " the sum of the first by the sum of all.",
        "Simulated: {answer}. The first waits for nobody and the last for all others, so the times"
        " they take together are those of 1 + 2 + ... + {processes} turns, of which {processes} are"
        " work.",
        lambda rng: {"processes": rng.randrange(2, 9)},
        waited,
        absolute=2,
    ),
    Exercise(
        "With a transfer buffer of {KiB} KiB instead of 128: how many times as fast do eight"
        " processes read through views as two?",
        "times",
        "Divide parallel.rate('read', 'fv', 8, parallel.transfer_buffer({KiB})) by the same"
        " with 2.",
        "Simulated: {answer} as fast. Read-ahead starts where the transfer buffers of all processes"
        " together reach into the next block of a disk. If two processes are enough for it, more"
        " bring less; if eight are not, the rate grows in proportion.",
        lambda rng: {"KiB": rng.choice((32, 64, 96, 192, 256, 384, 512))},
        grown,
        relative=0.05,
    ),
    Exercise(
        "Somebody puts the file on {disks} of the eight disks. How many times as fast would eight"
        " processes read it through views with all eight?",
        "times",
        "Divide parallel.rate('read', 'fv') by"
        " parallel.rate('read', 'fv', settings=parallel.stripes(disks={disks})).",
        "Simulated: {answer} as fast. An even number of disks reads in proportion to their number."
        " With an odd one a process needs every second block of each disk, so it never asks for"
        " two that follow one another, and nothing is read ahead.",
        lambda rng: {"disks": rng.randrange(1, 8)},
        spread,
        relative=0.05,
    ),
)
