"""A trace on a machine: its files get places, its clients nodes, and it becomes a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simulator.config.doubts import room_of
from simulator.config.identity import digest_of
from simulator.config.lowering.listed import add_traced
from simulator.config.lowering.plan import Lowering
from simulator.config.lowering.services import AllServices
from simulator.config.phase import JobNodes
from simulator.config.workload_file import Calls, Job, Workload
from simulator.errors import InputError, did_you_mean
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.plan.plan import Plan
    from simulator.workload.traced import Traced, TracedFile


@dataclass(frozen=True, slots=True)
class Placing:
    """What is said of all files of a trace."""

    filesystem: str | None = None
    """The machine's first if left out."""
    path: str | None = None
    """Of the file system, by name; its first if left out."""
    prestage: bool = False
    """Whether files that were there before are in the stores when it starts."""


def replayed_plan(
    machine: Machine,
    traced: Traced,
    placing: Placing | None,
    *,
    known: Mapping[str, Mapping[str, Any]] | None = None,
    nodes: Sequence[Mapping[str, Any]] = (),
    seed: int = 0,
    noisy: bool = False,
) -> Plan:
    """Make a plan of a trace; InputError if the machine cannot carry it out.

    ``known`` are files whose place a simulated run has written down, ``nodes`` where its clients
    were, if all were in one group; see ``replay/simulated.py``. They count where the machine has
    such paths and such a group, and ``placing`` is None.
    """
    if not machine.filesystems:
        raise InputError(f"{machine.name} has no file system; write 'filesystems:' in it")
    job = Job(name="trace", calls=Calls(file="trace"))
    workload = Workload(format="workload/2", name="trace", jobs=(job,))
    whole = Lowering(machine, workload, seed)
    groups = {str(one["group"]) for one in nodes} if placing is None else set()
    group = machine.tables.group_of.get(groups.pop(), 0) if len(groups) == 1 else 0
    files = _Files(whole, placing or Placing(), group)
    remembered = known if known is not None and placing is None else {}
    numbers = [files.place(file, remembered.get(file.name)) for file in traced.files]
    files.check_room()
    count = machine.tables.groups[group].count
    members = [client.place % count for client in traced.clients]
    if placing is None and len(nodes) == len(members):
        members = [int(one["node"]) % count for one in nodes]
    place = JobNodes(group, members)
    whole.services = AllServices(whole, [place])
    add_traced(whole, workload.jobs[0], place, traced, [(number, -1) for number in numbers])
    for number, member in enumerate(members):
        whole.processes[number] = replace(whole.processes[number], node=member)
    stripes = [one.stripes for one in traced.files]
    more = (repr(stripes),) if any(many for many, _ in stripes) else ()
    digest = digest_of(machine, traced.digest, repr(placing), *more)
    return replace(whole.plan(digest=digest, noisy=noisy), workload=traced.name)


def usual_place(machine: Machine, placing: Placing, group: int = 0) -> tuple[str, str]:
    """Return the file system and the path of files that nothing is known of; raises InputError."""
    systems = machine.filesystems
    system = placing.filesystem or next(iter(systems))
    if system not in systems:
        about = did_you_mean(system, systems)
        raise InputError(f"--filesystem {system}: {machine.name} has none; {about}")
    paths = systems[system].ways()
    path = placing.path if placing.path is not None else next(iter(paths))
    if path not in paths:
        about = did_you_mean(path, [name for name in paths if name])
        raise InputError(f"--path {path}: {system} has no such path; {about}")
    if placing.prestage and machine.ways.block(system, path, group).plan.first_store < 0:
        way = f"path {path} of {system}" if path else system
        raise InputError(f"--prestage: {way} has no store to hold files; omit the option")
    return system, path


class _Files:
    """Puts the files of a trace on a machine."""

    def __init__(self, whole: Lowering, placing: Placing, group: int) -> None:
        self.whole = whole
        self.group = group
        self.placing = placing
        systems = whole.machine.filesystems
        self.ways = {
            f"{system}.{path}" if path else system: (system, path)
            for system, section in systems.items()
            for path in section.ways()
        }
        self.usual = usual_place(whole.machine, placing, group)
        self.needed: dict[tuple[str, str], int] = {}
        """Bytes of the files of each file system, on each of its paths."""

    def place(self, file: TracedFile, known: Mapping[str, Any] | None) -> int:
        """Return the number of a file in the plan."""
        way = self.ways.get(str(known["path"])) if known is not None else None
        prestage = self.placing.prestage and file.length > 0
        length, size = file.length, max(file.size, file.length)
        if known is not None and way is not None:
            prestage = bool(known["prestaged"])
            length, size = int(known["length"]), max(size, int(known["size"]))
        at = way or self.usual
        self.needed[at] = self.needed.get(at, 0) + size
        files = self.whole.files
        number = files.place(
            file.name,
            (*at, self.group),
            length=length,
            size=size,
            most=0,
            prestaged=prestage,
            stripes=file.stripes,
        )
        if known is not None and way is not None:
            files.known.add(number)
            files.files[number] = replace(
                files.files[number], base=int(known["base"]), lead=int(known["lead"])
            )
        return number

    def check_room(self) -> None:
        """Raise InputError if the files do not fit on their devices."""
        machine, used = self.whole.machine, dict[str, int]()
        for (system, path), needed in self.needed.items():
            device, room = room_of(machine, system, path)
            used[device] = used.get(device, 0) + needed
            if room is not None and used[device] > room:
                about = f"the files of the trace need {format_size(used[device])}"
                raise InputError(
                    f"{about}, and the disks of {system} ({device}) have {format_size(room)};"
                    " name another file system"
                )
