"""Files to begin with: a first machine, and a first workload for a given machine.

A line that begins with ``#`` and no blank is a line of YAML that can be added by removing that
sign; all others that begin so are comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simulator.config.errors import ConfigError, Problem
from simulator.config.fitting import fit
from simulator.config.formats import parse_workload
from simulator.config.load import read_file
from simulator.config.quantities import FileName
from simulator.config.section import leaf_of
from simulator.plan.cores import MOST_CORES
from simulator.wording import command_line

if TYPE_CHECKING:
    from simulator.config.load import Kind
    from simulator.config.machine_file import Machine

_POSIX = "posix"

_MACHINE = """\
# A first machine: one computer with a disk, behind the page cache of its operating system.
#
#   {check}                 lists every mistake, and what to write instead
#   {show}                  draws the machine, and lists each value with its source
#   {new}    writes a job for it
#
# To add something, remove the '#' in front of its lines. docs/machines.md explains the rest:
# more kinds of parts and tiers, striping, metadata servers, networks of many nodes.
format: machine/2
name: {name}
# What processes of one node compute and copy shares its cores; a group of nodes may have a count.
nodes: {{node: {{cores: {cores}}}}}  # this computer has {cores}
# Each part has a kind: disk, queue, shared, delay, network, pool, tape, cpu, core. What is left out
# has a default ('nwtsim show FILE --full'). A value may say where it comes from, as 'seek' does.
parts:
  memory: {{kind: core, at: node, copies: true, rate: 8 GB/s}}  # copies what calls move
  disk: {{kind: disk, rate: 150 MB/s, seek: {{value: 8.5 ms, source: assumed}}, rotation: 8.33 ms}}
# A solid-state drive: 8 requests at a time; its service times vary if 'nwtsim run' has a --seed.
#  ssd: {{kind: queue, servers: 8, rate: 500 MB/s, overhead: 80 us, noise: {{request: 10 %}}}}
# A file server on a network that all transfers share.
#  lan: {{kind: shared, rate: 117 MB/s, overhead: 0.2 ms}}
#  nfsd: {{kind: pool, servers: 8}}
#  raid: {{kind: disk, rate: 400 MB/s, seek: 6 ms}}
# A store keeps data: reads may find them, and writes return before they are on the device.
stores:
  pages: {{capacity: 1 GB}}
# Data that wait on the drive, in front of the disk.
#  staged: {{capacity: 200 GB, block: 1 MiB, dirty: 90 %}}
# A file system is what a request passes, from the program down to the device. Workloads use the
# first one unless they name another.
filesystems:
  home: [[memory], pages, disk]
#  fast: [[ssd], staged, [ssd], disk]
#  remote: [[memory], pages, {{route: [lan], request: 1 MiB, header: 128 B, server: nfsd}}, raid]
"""

_HEAD = """\
# A first job for {machine}.
#
#   {check}     lists every mistake, and what to write instead
#   {run}       says how long it takes, and where the time goes
#   {help}    lists what can be set for one run
#
# To add something, remove the '#' in front of its line. docs/machines.md explains the rest.
format: workload/2
name: {name}
"""

_FILES = """\
# A file is each process's own, unless it is shared. 'exists': it is there before the job.
files:
  input: {{size: {size}, exists: true}}
  result: {{size: {size}}}
#  common: {{size: {size}, exists: true, shared: true{other}}}
"""

_JOB = """\
# Jobs run beside each other. A record is what one READ or WRITE of the program moves.
jobs:
  - name: job
{options}
    phases:
{phases}
"""

_TRANSFERS = """\
      - {do: read, file: input}
      - {do: compute, time: 1 s}
      - {do: write, file: result}
# Wait until the data are on the device; read a shared file at random places.
#      - {do: sync, file: result}
#      - {do: read, file: common, order: random, policy: posix}"""

_ON_IO_NODES = """\
      - {do: read, file: input}
      - {do: compute, time: 1 s}
      - {do: write, file: result}
# MPI-IO: each process reads its blocks of a shared file, a call for all; then all call together.
#      - {do: mpi-read, file: common, block: 10 kB, size: 120 kB}
#      - {do: mpi-write, file: common, block: 10 kB, size: 120 kB, access: collective}"""

_EXCHANGE = """
# Each process sends data to the next one, then all wait for each other.
#      - {do: exchange, pattern: ring, size: 1 MB}
#      - {do: barrier}"""

_MPI_FILES = """\
# One file of all processes; each writes the pieces of its part of an array.
files:
  result: {size: 64 MiB, shared: true}
"""

_MPI = """\
      - {do: compute, time: 1 s}
      - {do: mpi-write, file: result, block: 16 KiB, access: view}
# All processes write together, as one collective call.
#      - {do: mpi-write, file: result, block: 16 KiB, access: collective}"""

_COMPUTE = "      - {do: compute, time: 1 s}"


def starter_machine(name: str, file: str, cores: int) -> str:
    """Return the text of a first machine; ``file`` is what its comments call it."""
    check_name(name, file)
    return _MACHINE.format(
        name=name,
        check=command_line("nwtsim", "check", file),
        show=command_line("nwtsim", "show", file),
        new=command_line("nwtsim", "new", "workload", "--for", file),
        cores=min(cores, MOST_CORES),
    )


def starter_workload(name: str, file: str, machine: Machine, machine_name: str) -> str:
    """Return the text of a first workload that the machine can run, without warnings.

    It uses the machine's file system, or its servers, or computes only.
    """
    check_name(name, file)
    head = _HEAD.format(
        name=name,
        machine=machine_name,
        check=command_line("nwtsim", "check", machine_name, file),
        run=command_line("nwtsim", "run", machine_name, file),
        help=command_line("nwtsim", "run", machine_name, file, "--help"),
    )
    for body in _bodies(machine):
        try:
            workload = parse_workload(head + body, file)
        except ConfigError:
            continue
        if not fit(machine, workload, noisy=False):
            return head + body
    about = "its nodes have no cpu that a program could run on; write 'kind: cpu' for one"
    raise ConfigError([Problem(machine_name, 0, 0, "", about)])


def copied(
    kind: Kind[Any], source: str, name: str, file: str, read: tuple[str, str] | None = None
) -> str:
    """Return the text of a shipped file or another one, with its comments, under another name.

    ``read``: its text and what messages call it, if it has been read already. ConfigError if it is
    not right itself.
    """
    check_name(name, file)
    text, called = read or read_file(kind, source)
    kind.parse(text, called, ())
    return re.sub(r"^name:.*$", f"name: {name}", text, count=1, flags=re.MULTILINE)


def fits(text: str, file: str, machine: Machine) -> None:
    """Raise ConfigError if a workload cannot run on a machine."""
    workload = parse_workload(text, file)
    errors = [one for one in fit(machine, workload, noisy=False) if one.severity == "error"]
    if errors:
        raise ConfigError(errors)


def check_name(name: str, file: str) -> None:
    """Raise ConfigError if a file cannot have this name inside."""
    try:
        leaf_of(FileName).read(name)
    except ValueError as error:
        raise ConfigError([Problem(file, 0, 0, "name", str(error))]) from None


# -- what a machine can do ---------------------------------------------------------------------


def _bodies(machine: Machine) -> Iterator[str]:
    """Yield files and jobs, those that use most of the machine first."""
    for size, record in (("100 MB", "1 MB"), ("1 MB", "100 kB")):
        for policy in (None, _POSIX):
            if machine.filesystems:
                files = _FILES.format(size=size, other=_other_system(machine))
                phases = _ON_IO_NODES if _on_io_nodes(machine) else _TRANSFERS
                phases += "".join(_more(machine))
                yield files + _with_options(machine, record, policy, phases)
    count = min(8, machine.tables.groups[0].count)
    options = f"    processes: {count}\n# Go through the phases again and again.\n#    repeat: 3"
    yield _MPI_FILES + _JOB.format(options=options, phases=_MPI)
    for phase in _examples(machine):
        yield _JOB.format(options=_NODES, phases=phase)
    for phase in _messages():
        yield _JOB.format(options="    processes: 4\n    launched: true", phases=phase)
        yield _JOB.format(options="    processes: 4", phases=phase)
    for group in machine.nodes:
        yield _JOB.format(options=f"    on: {group}", phases=_COMPUTE)


_NODES = "#    processes: 4"


def _with_options(machine: Machine, record: str, policy: str | None, phases: str) -> str:
    lines = [f"    record: {record}"]
    if policy is not None:
        lines.append(f"    policy: {policy}")
    count = machine.tables.groups[0].count
    if count > 1:
        lines += [
            "# Processes run on nodes of their own as long as there are enough.",
            f"#    processes: {min(4, count)}",
        ]
    lines += ["# Go through the phases again and again.", "#    repeat: 3"]
    if (policy or machine.runtime.policy) == _POSIX and not _on_io_nodes(machine):
        lines += [
            "# A Fortran program: its runtime gathers records in a buffer.",
            "#    policy: gfortran",
            "#    buffer: 128 KiB",
        ]
    return _JOB.format(options="\n".join(lines), phases=phases)


def _on_io_nodes(machine: Machine) -> bool:
    """Return whether files are on I/O nodes unless they say otherwise."""
    if not machine.buffer_caches:
        return False
    name, system = next(iter(machine.filesystems.items()))
    return machine.ways.block(name, next(iter(system.ways())), 0).io is not None


def _other_system(machine: Machine) -> str:
    names = list(machine.filesystems)
    return f", filesystem: {names[1]}" if len(names) > 1 else ""


def _more(machine: Machine) -> Iterator[str]:
    """Yield phases that can be added since the machine has what they need."""
    if machine.tables.groups[0].count > 1:
        yield _EXCHANGE
    for phase in _examples(machine):
        yield f"\n# Have a numerical server solve a problem, and wait for it.\n#{phase}"
        break


def _examples(machine: Machine) -> Iterator[str]:
    """Yield phases that use services."""
    return filter(None, (one.example(name) for name, one in machine.services.items()))


def _messages() -> Iterator[str]:
    yield "      - {do: mesh, rows: 400, columns: 400, loops: 20}"
    yield f"{_COMPUTE}\n      - {{do: exchange, pattern: ring, size: 1 MB}}"
