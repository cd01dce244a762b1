"""Lesson 3: disks, arrays, striping: a workstation, the Numerical Wind Tunnel, and RAID 6."""

from __future__ import annotations

import warnings

import nwtsim

from .chart import Chart, Point
from .exercises import Exercise, Lesson, Numbers

SIZES = (4, 16, 64, 256, 1024, 4096, 16384)
"""Requests of the first picture, KiB."""
VOLUMES = (1, 2, 4, 8, 16, 20)
"""Disks of the NWT that the pieces of a file are on."""
UNITS = (16, 64, 256, 1024, 4096)
"""Stripe units, KiB."""
CALLS = (64, 256, 512, 1024, 2048, 3072, 6144, 12288)
"""Calls that write to an array, KiB: with its row of 3 MiB and with its multiples."""

JOBS = """
format: workload/2
name: one-file-each
files: {{data: {{size: {total} KiB, exists: true{more}}}}}
jobs: [{jobs}]
"""
JOB = """{{name: job{number}, start: {number} ms, record: {size} KiB, policy: posix,
  phases: [{{do: {do}, file: data{how}}}]}}"""

STRIPED = """
format: machine/2
name: striped
nodes: {{node: 1}}
parts:
  disk: {{kind: disk, at: node, count: {disks}, rate: 125 MB/s, seek: 8.5 ms, rotation: 8.33 ms}}
filesystems: {{data: [{{stripe: {unit} KiB, over: all, of: disk}}, disk]}}
"""
ARRAY = """
format: machine/2
name: raid
nodes: {{node: 1}}
parts:
  raid: {{kind: array, at: node, disks: {disks}, level: {level}, unit: {unit} KiB,
    rate: 125 MB/s, seek: 8.5 ms, rotation: 8.33 ms, capacity: {capacity} GB, rebuild_step: 16 MiB}}
filesystems: {{data: [raid]}}
{events}
"""


def lesson(student: str) -> Lesson:
    """Return the exercises, with numbers that belong to this name."""
    return Lesson("disks", student, EXERCISES)


def work(
    size_KiB: float,
    count: int,
    do: str = "read",
    order: str = ", order: random",
    programs: int = 1,
    more: str = "",
) -> str:
    """Return a workload: programs that each move a number of records of a size."""
    each = (JOB.format(number=one, size=size_KiB, do=do, how=order) for one in range(programs))
    return JOBS.format(total=size_KiB * count, more=more, jobs=", ".join(each))


# -- pictures ---------------------------------------------------------------------------------


def disk(size_KiB: float, at_random: bool) -> float:
    """Simulate 64 reads from the disk of the workstation; MB/s."""
    order = ", direct: true" + (", order: random" if at_random else "")
    job = work(size_KiB, 64, order=order, more=", filesystem: home")
    return nwtsim.run("workstation", job).read_MBps


def requests() -> Chart:
    """Draw reading from a disk over the size of the requests."""
    curves = {
        name: [(one, disk(one, at_random)) for one in SIZES]
        for name, at_random in (("in order", False), ("at random", True))
    }
    title = "Reading from one disk: at random, small requests get a hundredth of its rate"
    return Chart(title, "request, KiB", "MB/s", curves, logarithmic=True)


def pieces(volumes: int) -> nwtsim.Result:
    """Simulate a processor of the NWT that reads 64 MB whose 32 pieces are on so many disks."""
    settings = {
        "machine.filesystems.vfl.paths.scfs.tiers.2.over": "disk",
        "machine.filesystems.vfl.paths.scfs.tiers.4": "disk",
        "disk.count": str(volumes),
        "workload.files.input.size": "64 MB",
        "workload.files.input.prestage": "false",
    }
    return nwtsim.run("nwt", "test-read", settings, buffer="8 MB")


def stripes() -> Chart:
    """Draw reading of 64 MB in 32 pieces over the disks they are on (the NWT's vfl)."""
    curves: dict[str, list[Point]] = {
        "32 pieces": [(one, pieces(one).read_MBps) for one in VOLUMES]
    }
    title = "A file in 32 pieces on the disks of the NWT: 20 disks read it no faster than 16"
    return Chart(title, "disks", "MB/s", curves, [(1, 4.5)])


def striped(unit_KiB: int, size_KiB: int, programs: int = 1, disks: int = 8) -> float:
    """Simulate programs that read at random from striped disks; MB/s of all."""
    machine = STRIPED.format(disks=disks, unit=unit_KiB)
    return nwtsim.run(machine, work(size_KiB, 32, programs=programs)).read_MBps


def units() -> Chart:
    """Draw the rate of one program with large and of 32 with small requests over the unit."""
    curves = {
        "one reads 4 MiB": [(one, striped(one, 4096)) for one in UNITS],
        "32 read 64 KiB": [(one, striped(one, 64, 32)) for one in UNITS],
    }
    title = "Eight disks: a large request wants all of them at once, a small one only one"
    return Chart(title, "stripe unit, KiB", "MB/s", curves)


def array(
    size_KiB: int,
    do: str = "write",
    level: str = "raid6",
    disks: int = 8,
    unit_KiB: int = 512,
    count: int = 32,
) -> nwtsim.Result:
    """Simulate calls of a size, in random order, on an array of 8 disks like raid-lab's."""
    machine = ARRAY.format(disks=disks, level=level, unit=unit_KiB, capacity=1000, events="")
    return nwtsim.run(machine, work(size_KiB, count, do))


def raids() -> Chart:
    """Draw reading from and writing to a RAID 6 over the size of the calls."""
    curves = {
        "reading": [(one, array(one, "read").read_MBps) for one in CALLS],
        "writing": [(one, array(one).write_MBps) for one in CALLS],
    }
    title = "RAID 6 of eight disks: writing is as fast as reading when calls are whole rows"
    return Chart(title, "call, KiB", "MB/s", curves, logarithmic=True)


# -- numbers ----------------------------------------------------------------------------------


def moved(result: nwtsim.Result) -> dict[str, float]:
    """Return the MB that the disks of an array read and wrote."""
    found = result.to_dict()["arrays"]["raid"]
    return {what: found[f"{what}_bytes"] / 1e6 for what in ("read", "written")}


def rebuilt(capacity_GB: float) -> float:
    """Simulate a disk that fails and is replaced at once; the seconds until it is full."""
    events = "events: [{part: raid, disk: 1, at: 0 s, repair: 1 ms}]"
    machine = ARRAY.format(disks=8, level="raid6", unit=512, capacity=capacity_GB, events=events)
    job = work(512, 1).replace("phases: [", f"phases: [{{do: compute, time: {capacity_GB} min}}, ")
    return nwtsim.run(machine, job).to_dict()["arrays"]["raid"]["degraded_ns"] / 1e9


def laboratory(extent: str) -> float:
    """Simulate a client of raid-lab that writes 1 GiB; MB/s until all is on the disks."""
    job = work(1024, 1024, "write", order="").replace("exists: true", "exists: false")
    with warnings.catch_warnings():  # Of extents that are no whole rows: the lesson is about them.
        warnings.simplefilter("ignore", nwtsim.SettingWarning)
        return nwtsim.run("raid-lab", job, {"server-pages.extent": extent}).write_MBps


# -- exercises --------------------------------------------------------------------------------


def scattered(numbers: Numbers) -> float:
    """Simulate reading at random with the student's requests; MB/s."""
    return disk(numbers["size"], True)


def sped_up(numbers: Numbers) -> float:
    """Simulate the pieces on one disk and on several; how many times as fast."""
    return pieces(1).elapsed_s / pieces(numbers["volumes"]).elapsed_s


def whole_row(numbers: Numbers) -> int:
    """Find the smallest calls that make the array read nothing; KiB."""
    level, disks, unit = numbers["level"], numbers["disks"], numbers["unit"]
    tried = (unit * one for one in range(1, disks + 1))
    return next(
        size for size in tried if not moved(array(size, "write", level, disks, unit))["read"]
    )


def parity(numbers: Numbers) -> float:
    """Simulate small writes; the MB that the disks move for them."""
    return sum(moved(array(64, count=numbers["count"])).values())


def safe_again(numbers: Numbers) -> float:
    """Simulate a rebuild; minutes."""
    return rebuilt(numbers["capacity"]) / 60


EXERCISES = (
    Exercise(
        "A program reads {size} KiB at a time, at random places, from the disk of the workstation."
        " At which rate?",
        "MB/s",
        "Each request takes 8.5 ms to seek, half of 8.33 ms until the data come by, and then {size}"
        " KiB at 125 MB/s. Or read it off the first picture, or ask disks.disk({size}, True).",
        "Simulated: {answer}. The disk positions for 12.7 ms in each request, and only then reads.",
        lambda rng: {"size": rng.choice((128, 192, 384, 512, 768, 1536, 2048))},
        scattered,
        relative=0.06,
    ),
    Exercise(
        "A file of the NWT is in 32 pieces on {volumes} disks. How many times as fast is it read as"
        " from one disk?",
        "times",
        "How many pieces are on the disk that has most of them? A unit of 8 MB takes 62 ms for each"
        " of these, 32 on a single disk, and 31 ms from the SSU to the program. Or divide"
        " disks.pieces(1).elapsed_s by disks.pieces({volumes}).elapsed_s.",
        "Simulated: {answer}. All wait for the disk that has most pieces, and the way from the SSU"
        " to the program becomes no shorter.",
        lambda rng: {"volumes": rng.randrange(5, 21)},
        sped_up,
        relative=0.05,
    ),
    Exercise(
        "An array has {disks} disks, level {level} and a unit of {unit} KiB. Which is the smallest"
        " size of calls for which it reads nothing before it writes?",
        "KiB",
        "A whole row has one unit of each disk; with raid5 one of them is parity, with raid6 two."
        " disks.moved(disks.array(SIZE, 'write', '{level}', {disks}, {unit})) says what was read.",
        "A row of data, the units of all disks but those with parity: {answer}.",
        lambda rng: {
            "level": rng.choice(("raid5", "raid6")),
            "disks": rng.randrange(5, 13),
            "unit": 2 ** rng.randrange(6, 10),
        },
        whole_row,
    ),
    Exercise(
        "A program overwrites {count} scattered blocks of 64 KiB on a RAID 6. How many MB do the"
        " disks move for this, read and written together?",
        "MB",
        "For each block three disks are read and then written: that of the data, and two of parity."
        " 64 KiB are 0.065536 MB.",
        "Simulated: {answer}, six times what the program wrote.",
        lambda rng: {"count": rng.randrange(50, 200)},
        parity,
        relative=0.01,
    ),
    Exercise(
        "A disk of {capacity} GB in the array of eight fails, and a new one is put in at once. For"
        " how many minutes is the array without its full protection, if nobody uses it?",
        "minutes",
        "Piece by piece, the others are read at 125 MB/s at the same time, and then the new one"
        " is written at 125 MB/s.",
        "Simulated: {answer}. All of the disk is computed anew, also what no file used: the larger"
        " the disks, the longer the array is one failure nearer to losing data.",
        lambda rng: {"capacity": rng.randrange(20, 200)},
        safe_again,
        relative=0.06,
    ),
)
