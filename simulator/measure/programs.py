"""Simple programs that run as they are, beside what the measured machine says that they take.

The probes are what the machine is made of; these are none of them: ``dd`` with records of some
sizes, and loops in Python that make files, ask for attributes, or read at random places. Each is
run by turns with the others. What it computes - its user time, and all that it takes to begin and
end without a call - is not simulated but given to the simulation.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from simulator.errors import InputError
from simulator.host import drop, waited_s
from simulator.measure.calls import Files, clock
from simulator.measure.facts import Facts
from simulator.measure.probe import KIB, MIB, Limits, quartiles
from simulator.measure.probing import Progress, in_turns

_FILES, _STATS, _READS = 1000, 100_000, 2000
_SMALL = 100
_MAKE = (
    "import os, sys\n"
    "os.mkdir(sys.argv[1])\n"
    "for n in range(int(sys.argv[2])):\n"
    "    f = os.open(f'{sys.argv[1]}/{n}', os.O_WRONLY | os.O_CREAT, 0o600)\n"
    f"    os.write(f, bytes({_SMALL}))\n"
    "    os.close(f)\n"
)
_STAT = (
    "import os, sys\n"
    "names = [f'{sys.argv[1]}/f{n:04}' for n in range(200)]\n"
    "for n in range(int(sys.argv[2])):\n"
    "    os.stat(names[n % 200])\n"
)
_READ = (
    "import os, random, sys\n"
    "f = os.open(sys.argv[1], os.O_RDONLY)\n"
    "places = random.Random(1).sample(range(os.fstat(f).st_size // 4096), int(sys.argv[2]))\n"
    "for place in places:\n"
    "    os.pread(f, 4096, place * 4096)\n"
)


@dataclass(frozen=True, slots=True)
class Program:
    """A program, how often it does what it is about, and the same as a workload."""

    name: str
    words: tuple[str, ...]
    """The command; ``COUNT`` stands for how often, ``OUT`` for what is new in each turn."""
    count: int
    files: str
    """Files of the workload, in the words of a workload file."""
    phases: str
    record: int = MIB
    repeat: int = 1
    """How often it goes through its phases; what it computes comes before."""
    cold: bool = False
    """What it reads is dropped from the page cache before."""


def programs_of(limits: Limits, facts: Facts) -> Iterator[Program]:
    """Yield the programs that can be run here."""
    if shutil.which("dd"):
        yield from _copies(limits, facts)
    python = (sys.executable, "-I", "-S", "-c")
    making = "{do: create, file: f}, {do: write, file: f}"
    yield Program(
        f"Python: {_FILES} files of {_SMALL} B made",
        (*python, _MAKE, "OUT", "COUNT"),
        _FILES,
        f"{{f: {{size: {_SMALL} B}}}}",
        making,
        record=_SMALL,
        repeat=_FILES,
    )
    yield Program(
        f"Python: {_STATS:,} times stat",
        (*python, _STAT, "many0", "COUNT"),
        _STATS,
        "{f: {size: 1 B, exists: true}}",
        "{do: stat, file: f}",
        repeat=_STATS,
    )
    if facts.cold:
        reads = min(_READS, limits.file // (16 * KIB))
        yield Program(
            f"Python: {reads} preads of 4 KiB anywhere, cold",
            (*python, _READ, "data", "COUNT"),
            reads,
            f"{{f: {{size: {limits.file} B, exists: true}}}}",
            f"{{do: read, file: f, order: random, size: {reads * 4 * KIB} B}}",
            record=4 * KIB,
            cold=True,
        )


def _copies(limits: Limits, facts: Facts) -> Iterator[Program]:
    """Yield runs of dd that copy a file."""
    most = limits.written
    yield _copy("bs=512", 512, min(most, 64 * MIB))
    yield _copy("bs=4k", 4 * KIB, most)
    yield _copy("bs=1M", MIB, most)
    yield _copy("bs=4k conv=fsync", 4 * KIB, most, then="{do: sync, file: out}")
    yield _copy("bs=4k oflag=dsync", 4 * KIB, min(most, MIB), how="synchronous: true")
    if facts.direct and not facts.in_memory:
        for size, total in ((4 * KIB, 4 * MIB), (64 * KIB, 32 * MIB), (MIB, most)):
            text = f"bs={size // KIB}k" if size < MIB else "bs=1M"
            yield _copy(f"{text} oflag=direct", size, min(most, total), how="direct: true")
    if facts.cold:
        count = limits.file // MIB
        yield Program(
            "dd bs=1M of=/dev/null, cold",
            ("dd", "if=data", "of=/dev/null", "bs=1M", "count=COUNT"),
            count,
            f"{{in: {{size: {count * MIB} B, exists: true}}}}",
            "{do: read, file: in}",
            cold=True,
        )


def _copy(words: str, record: int, total: int, *, how: str = "", then: str = "") -> Program:
    """Return dd as it copies a cached file."""
    count = total // record
    there = f"{{size: {count * record} B, exists: true, prestage: true}}"
    write = f"{{do: write, file: out{', ' if how else ''}{how}}}"
    return Program(
        f"dd {words}",
        ("dd", "if=data", "of=OUT", *words.split(), "count=COUNT"),
        count,
        f"{{in: {there}, out: {{size: {count * record} B}}}}",
        ", ".join(filter(None, ("{do: read, file: in}", write, then))),
        record=record,
    )


# -- running them ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a program: seconds that it took, and those that it computed."""

    elapsed: float
    user: float
    waiting: float = 0.0
    """Seconds in which it could have run, and others had the processor."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A program that was run some times, each time beside a run that makes no call."""

    program: Program
    runs: tuple[Run, ...]
    empty: tuple[Run, ...]

    @property
    def median(self) -> float:
        """The median of the seconds that it took."""
        return statistics.median(one.elapsed for one in self.runs)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The quartiles of the seconds that it took."""
        return quartiles([one.elapsed for one in self.runs])

    @property
    def waiting(self) -> float:
        """The median of the seconds that it waited for a processor, which no machine predicts."""
        return statistics.median(one.waiting for one in self.runs)

    @property
    def undisturbed(self) -> float:
        """The median of the seconds that it took without waiting for a processor, above 0.

        Waiting is measured by the scheduler, and may come to more than a short program took.
        """
        return max(statistics.median(one.elapsed - one.waiting for one in self.runs), 1e-6)

    @property
    def computing(self) -> float:
        """Seconds that are not those of its calls: to begin and end, and its user time."""
        empty = statistics.median(one.elapsed - one.waiting for one in self.empty)
        user = [statistics.median(one.user for one in some) for some in (self.runs, self.empty)]
        return empty + max(user[0] - user[1], 0.0)


def run_programs(
    files: Files, facts: Facts, limits: Limits, progress: Progress | None = None
) -> list[Timed]:
    """Run all programs by turns, in the folder of the probes' files."""
    programs = list(programs_of(limits, facts))
    runs: list[list[Run]] = [[] for _ in programs]
    empty: list[list[Run]] = [[] for _ in programs]
    for turn, number in in_turns([one.name for one in programs], limits, progress):
        program = programs[number]
        empty[number].append(_ran(program, files, 0, f"none{number}.{turn}"))
        runs[number].append(_ran(program, files, program.count, f"out{number}.{turn}"))
    return [Timed(*one) for one in zip(programs, map(tuple, runs), map(tuple, empty), strict=True)]


def _ran(program: Program, files: Files, count: int, out: str) -> Run:
    """Run a program once; what it writes with dd is removed, what it makes with names stays."""
    for path in files.folder.glob("out*"):
        if path.is_file():
            path.unlink()
    with files.data.open("rb", buffering=0) as data:
        if program.cold:
            drop(data.fileno())
        else:
            while data.read(MIB):
                pass
    os.sync()  # So that no earlier program's data are written meanwhile.
    words = [word.replace("COUNT", str(count)).replace("OUT", out) for word in program.words]
    before, began = os.times(), clock()
    with subprocess.Popen(words, stderr=subprocess.PIPE, cwd=files.folder) as child:
        try:
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        except BaseException:  # An interrupt: nothing may write on in a folder that is removed.
            child.kill()
            raise
        elapsed, waiting = clock() - began, waited_s(child.pid) or 0.0
        _, said = child.communicate()
    if child.returncode:
        lines = said.decode(errors="replace").strip().splitlines() or ["it failed"]
        raise InputError(f"--programs: {program.name}: {lines[-1]}")
    return Run(elapsed, os.times().children_user - before.children_user, waiting)
