"""Workload files drawn at random for a machine: files, jobs, phases of all kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simulator.config.machine_file import Machine
from simulator.config.phase import Phase
from simulator.config.restart import Restart
from simulator.config.section import Section, fields_of
from simulator.config.workload_file import Arrivals, File, Job
from simulator.kinds.dice import LEFT_OUT, Dice
from tests.draws.machine_files import LIBRARIES
from tests.draws.sections import Draws

_SHAPE: Any = fields_of(Job)["phases"]
PHASES: Mapping[str, type[Phase]] = _SHAPE.item.options
"""All kinds of phases, by their words."""
CALLS = """\
client,do,file,offset,size,gap_ns
a,start,,,,0
a,open,/data/in,,,0
a,read,/data/in,0,10000,250000
a,write,/data/out,0,3000,0
a,close,/data/in,,,0
b,start,,,,7000
b,write,/data/b,0,500,0
"""
RESTARTING = 5
"""One in so many files has a job that goes on from its checkpoints."""
OF_QUEUES = ["submit", "log", "requested", "user", "priority", "stage_in", "stage_out", "hold"]
"""Keys of jobs in a queue, which tests/draws/queuefiles.py draws."""


class WorkloadFile:
    """A workload file as it is drawn, for a machine that is there already."""

    def __init__(self, dice: Dice, machine: Machine, folder: Path) -> None:
        self.dice = dice
        self.machine = machine
        self.calls = folder / "calls.csv"
        self.calls.write_text(CALLS, encoding="utf-8")
        self.files: dict[str, dict[str, Any]] = {}
        self.draws = Draws(dice, self.names)

    def names(self, section: type[Section], key: str) -> Sequence[str]:
        """Return what a key of a section can name."""
        machine = self.machine
        if section.__name__ == "Calls" and key == "file":
            return [str(self.calls)]
        known = {
            "file": list(self.files),
            "filesystem": list(machine.filesystems),
            "path": [name for one in machine.filesystems.values() for name in one.paths or ()],
            "on": list(machine.nodes),
            "name": ["first", "second"],
            "site": list(machine.sites),
            "server": ["numerical-server"],
            "library": LIBRARIES,
        }
        return known.get(key, ())

    def tags(self) -> list[str]:
        """Return the kinds of phases that the machine may do."""
        usual = [tag for tag, one in PHASES.items() if not one.served and tag not in one.beside]
        served = [tag for tag, one in PHASES.items() if one.served]
        return [*served * 4, *usual] if self.machine.services else usual


def draw_workload_file(
    dice: Dice, machine: Machine, folder: Path, number: int = 0
) -> dict[str, Any]:
    """Draw files, and one or two jobs; the first phase goes by the number, one kind in turn."""
    file = WorkloadFile(dice, machine, folder)
    layout = {} if machine.buffer_caches else {"layout": LEFT_OUT}
    for name in ("a", "b", "c"):
        exists = "true" if name != "c" else dice.some("true", "false")
        size = dice.some("64 KiB", "100 kB", "300 kB")
        file.files[name] = file.draws.section(File, size=size, exists=exists, **layout)
    file.files["view"] = {"size": "256 KiB", "shared": "true", "exists": "true"}
    tags = file.tags()
    jobs = [_job(file, f"job{n}", tags[(number + n) % len(tags)]) for n in range(dice.int(1, 2))]
    if number % RESTARTING == 0 and not (machine.services or machine.buffer_caches):
        jobs[0] = _restarting(file)
    head = {"format": "workload/2", "name": "drawn", "title": "Drawn at random"}
    references = {"references": {"book": "A book"}} if dice.maybe(20) else {}
    return {**head, **references, "files": file.files, "jobs": jobs}


def _job(file: WorkloadFile, name: str, first: str) -> dict[str, Any]:
    draws, dice = file.draws, file.dice
    fixed: dict[str, Any] = {"calls": LEFT_OUT, "start": "0 s", "arrivals": LEFT_OUT}
    fixed |= dict.fromkeys([*OF_QUEUES, "restart"], LEFT_OUT)
    if dice.maybe(20):
        fixed |= {"arrivals": _arrivals(file), "processes": LEFT_OUT, "start": LEFT_OUT}
    if dice.maybe(5):
        fixed["calls"] = draws.section(fields_of(Job)["calls"])  # type: ignore[arg-type]
    else:
        fixed["phases"] = _phases(file, first)
    fixed |= {"on": LEFT_OUT} if dice.maybe(85) else {}
    nodes = LEFT_OUT
    if dice.maybe(10):
        nodes, fixed["phases"] = 2, [_phase(file, tag) for tag in ("write", "compute", "read")]
    job = draws.section(Job, **{"name": name, "nodes": nodes, **fixed})
    return {"record": "4 kB", **job}


def _restarting(file: WorkloadFile) -> dict[str, Any]:
    """Draw a job that fails, and goes on from the checkpoint of its last complete round."""
    dice, draws = file.dice, file.draws
    able = [tag for tag in file.tags() if PHASES[tag].restarts]
    write = {"do": "write", "file": "a", "record": dice.some("4 kB", "1 kB")}
    drawn = [_phase(file, dice.some("compute", *able)) for _ in range(dice.int(0, 4))]
    phases = [one for one in drawn if one["do"] != "write" and one.get("order") != "onward"]
    phases.insert(dice.int(0, len(phases)), write)
    if dice.maybe(30):
        phases = [{"do": "loop", "times": dice.int(1, 3), "phases": phases}]
    times = sorted(dice.int(0, 30) for _ in range(dice.int(1, 5)))
    drawn_times = {"at": LEFT_OUT, "mtbf": "1 s"} if dice.maybe(30) else {"mtbf": LEFT_OUT}
    restart = draws.section(
        Restart, **{"file": "a", "at": [f"{time} ms" for time in times], **drawn_times}
    )
    gone = ["calls", "start", "arrivals", "until", "launched", "skew", "nodes", *OF_QUEUES]
    job = draws.section(
        Job,
        **dict.fromkeys(gone, LEFT_OUT),
        name="job0",
        repeat=dice.int(1, 4),
        restart=restart,
        phases=[*phases, {"do": "compute", "time": dice.some("1 ms", "1 s")}],
    )
    return {"record": "4 kB", **job}


def _arrivals(file: WorkloadFile) -> dict[str, Any]:
    draws = file.draws
    if file.dice.maybe(30):
        times = ["0 s", "1 ms", "1 ms"]
        return draws.section(
            Arrivals, at=times, every=LEFT_OUT, count=LEFT_OUT, distribution=LEFT_OUT
        )
    return draws.section(Arrivals, at=LEFT_OUT, every="2 ms", count=file.dice.int(1, 4))


def _phases(file: WorkloadFile, first: str) -> list[Any]:
    """Draw phases; most of them those that the machine is for."""
    dice, found = file.dice, []
    parallel = [tag for tag in file.tags() if tag.startswith("mpi")]
    usual = parallel if file.machine.buffer_caches and dice.maybe() else ["write", "read"]
    drawn = [dice.some(dice.some(*usual), *file.tags()) for _ in range(dice.int(0, 5))]
    for tag in (first, *drawn):
        found += _with_others(file, _phase(file, tag))
    return [*found, {"do": "compute", "time": "1 ms"}]


def _with_others(file: WorkloadFile, phase: dict[str, Any]) -> list[Any]:
    """Return a phase with those that it cannot be without, or that are of use after it."""
    found = PHASES[phase["do"]].drawn_with(phase, lambda tag: _phase(file, tag))
    if phase.get("nonblocking") != "true":
        return found
    return [*found, {"do": "wait"} | ({"memory": phase["memory"]} if "memory" in phase else {})]


def _phase(file: WorkloadFile, tag: str) -> dict[str, Any]:
    kind = PHASES[tag]
    return file.draws.section(kind, do=tag, **kind.drawn_keys(file.dice))
