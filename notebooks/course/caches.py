"""Lesson 2: caches and prestaging, on the Numerical Wind Tunnel (table 4.2) and later machines."""

from __future__ import annotations

import nwtsim

from .chart import Chart
from .exercises import Exercise, Lesson, Numbers

BUFFERS = (0.2, 0.6, 1.2, 2.4, 4.8, 8.0)
"""Fortran buffers of the first picture, MB: with those of the paper."""
ROOMS = (256, 320, 384, 448, 512, 576, 768)
"""Capacities of the SSU, MB."""
WRITTEN = (0.5, 0.75, 1, 1.5, 2, 3, 4)
"""Sizes of the file that the workstation writes, GB."""

PREPARED, COLD = "prestaged", "from the disk"

JOB = """
format: workload/2
name: one-file
files: {{data: {{size: {megabytes:g} MB, filesystem: {filesystem}, {state}}}}}
jobs: [{{name: job, record: {record}, policy: posix, phases: [{{do: {do}, file: data}}]}}]
"""


def lesson(student: str) -> Lesson:
    """Return the exercises, with numbers that belong to this name."""
    return Lesson("caches", student, EXERCISES)


# -- pictures ---------------------------------------------------------------------------------


def read(
    size_MB: float = 512,
    buffer_MB: float = 8,
    prestaged: bool = True,
    room_MB: float = 2048,
    policy: str = "lru",
    times: int = 1,
) -> nwtsim.Result:
    """Simulate a processor of the NWT that reads a file through the SSU, once or several times."""
    settings = {
        "workload.files.input.size": f"{size_MB} MB",
        "workload.files.input.prestage": str(prestaged).lower(),
        "workload.jobs.0.repeat": str(times),
        "ssu.capacity": f"{room_MB} MB",
        "ssu.policy": policy,
    }
    return nwtsim.run("nwt", "test-read", settings, buffer=f"{buffer_MB} MB")


def rates() -> Chart:
    """Draw reading of 512 MB over the buffer, prestaged and not (table 4.2)."""
    known = nwtsim.published("nwt")
    printed = [(0.6, known["read-1pe-600kB"]), (8.0, known["read-1pe-8MB"])]
    curves = {
        name: [(one, read(buffer_MB=one, prestaged=prestaged).read_MBps) for one in BUFFERS]
        for name, prestaged in ((PREPARED, True), (COLD, False))
    }
    title = "One processor reads 512 MB: 4 to 13 times as fast if they are in the SSU before"
    return Chart(title, "buffer, MB", "MB/s", curves, printed, logarithmic=True)


def rereads() -> Chart:
    """Draw reading of 512 MB three times over the room in the SSU, by what has to go."""
    curves = {
        name: [(one, read(512, 8, False, one, policy, 3).read_MBps) for one in ROOMS]
        for name, policy in (("lru", "lru"), ("two-queue", "two-queue"))
    }
    title = "Three times the same 512 MB: with the rule LRU a cache that is a little small is none"
    return Chart(title, "room in the SSU, MB", "MB/s", curves)


def written(size_GB: float) -> nwtsim.Result:
    """Simulate a program that writes a file to the disk of a workstation."""
    state, size = "exists: false", 1000 * size_GB
    work = JOB.format(megabytes=size, filesystem="home", state=state, record="1 MiB", do="write")
    return nwtsim.run("workstation", work, {"pages.block": "1 MiB"})


def writes() -> Chart:
    """Draw the rate that a program sees over the size of the file it writes."""
    curves = {"seen by the program": [(one, written(one).write_MBps) for one in WRITTEN]}
    title = "A workstation writes at 8 GB/s until its cache is full; beyond, it waits for its disk"
    return Chart(title, "file, GB", "MB/s", curves, logarithmic=True)


# -- numbers ----------------------------------------------------------------------------------


def counts(result: nwtsim.Result) -> dict[str, int]:
    """Return what became of the units of the SSU in a run."""
    words = ("hits", "misses", "fetched", "prestaged", "evicted")
    return {word: result.counts("ssu")[word] for word in words}


def account(result: nwtsim.Result) -> dict[str, float]:
    """Return the seconds of a run by what the program did or waited for."""
    words = {
        "pe": "copying, in the processor",
        "channel": "crossbar, from the SSU",
        "paths": "I/O path, from the disks to the SSU",
        "array": "disks",
    }
    spent = sorted(result.where().items(), key=lambda one: -one[1])  # Engines have other orders.
    return {words.get(name, name): seconds for name, seconds in spent}


def burst_buffer(prestaged: bool) -> float:
    """Simulate a client of a burst buffer of 2017 that reads 4 GB; GB/s."""
    state = f"exists: true, prestage: {str(prestaged).lower()}"
    work = JOB.format(megabytes=4000, filesystem="scratch", state=state, record="8 MB", do="read")
    return nwtsim.run("burst-buffer", work).read_MBps / 1000


# -- exercises --------------------------------------------------------------------------------


def fetched(numbers: Numbers) -> int:
    """Count the units that come from the disk when nothing was prestaged."""
    return read(numbers["size"], prestaged=False).counts("ssu")["fetched"]


def saved(numbers: Numbers) -> float:
    """Simulate it with and without prestaging; the seconds in between."""
    cold, warm = (read(numbers["size"], prestaged=one).elapsed_s for one in (False, True))
    return cold - warm


def squeezed(numbers: Numbers) -> float:
    """Simulate prestaged reading with too little room; seconds."""
    return read(512, 8, room_MB=numbers["room"]).elapsed_s


def reread(numbers: Numbers) -> int:
    """Count the units that come from the disk when a file is read several times."""
    result = read(512, 8, False, numbers["room"], "lru", numbers["times"])
    return result.counts("ssu")["fetched"]


def filled(numbers: Numbers) -> float:
    """Simulate writing of more than the cache takes; seconds."""
    return written(numbers["size"]).elapsed_s


EXERCISES = (
    Exercise(
        "A program reads {size} MB of data in records of 64 kB, and nothing was prestaged. How many"
        " units of 8 MB does the SSU fetch?",
        "units",
        "The file is a little longer than its data: 8 bytes for each record, as in lesson 1."
        " A unit of which one byte is read comes whole.",
        "{size} MB are whole units, but the lengths of the records reach into one more: {answer}.",
        lambda rng: {"size": 8 * rng.randrange(20, 80)},
        fetched,
    ),
    Exercise(
        "How many seconds does prestaging save a job that reads {size} MB with a buffer of 8 MB?",
        "s",
        "Each unit that is not fetched saves the time of 8 MB at 41.1 MB/s and then at 36 MB/s;"
        " the last unit, of lengths only, is short. Or take the difference of"
        " caches.read({size}, prestaged=False).elapsed_s and the same with True.",
        "Simulated: {answer}, 0.42 s for each unit. Somebody has to bring the data all the same;"
        " but it is done before the job begins, while others compute.",
        lambda rng: {"size": 8 * rng.randrange(20, 80)},
        saved,
        relative=0.03,
    ),
    Exercise(
        "A file of 512 MB is prestaged as far as it fits, but the SSU has room for {room} MB only."
        " How many seconds does reading it once take, with a buffer of 8 MB?",
        "s",
        "With all 65 units there it takes 2.15 s; each whole unit that is missing costs 0.42 s (the"
        " last one, of 64 kB, hardly anything). How many units fit into {room} MB?",
        "Simulated: {answer}. What fits is hit, and only what does not fit is fetched.",
        lambda rng: {"room": 8 * rng.randrange(33, 60)},
        squeezed,
        relative=0.05,
    ),
    Exercise(
        "Now the file of 512 MB, 65 units, is read {times} times in a row, and nothing is"
        " prestaged. The SSU has room for {room} MB, and drops what was used longest ago. How many"
        " units does it fetch in all?",
        "units",
        "When the program begins anew it needs unit 1. Which unit did the SSU drop when the last"
        " ones came? And what does it drop to fetch unit 1?",
        "Each unit is dropped shortly before it is needed again, so that nothing is ever hit:"
        " {times} times 65 are {answer}. A larger cache helps only when it holds the whole file.",
        lambda rng: {"room": 8 * rng.randrange(33, 64), "times": rng.randrange(2, 7)},
        reread,
    ),
    Exercise(
        "How many seconds does the program on the workstation need to write {size} GB to the disk?",
        "s",
        "Up to the limit of 1.6 GB the cache takes what comes at once. For the rest of {size} GB"
        " the program waits until the disk, at 125 MB/s, has made room.",
        "Simulated: {answer}. What the cache takes is nearly free; what is beyond goes as fast as"
        " the disk.",
        lambda rng: {"size": rng.randrange(20, 41) / 10},
        filled,
        relative=0.06,
    ),
)
