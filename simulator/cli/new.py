"""``nwtsim new``: a machine, workload, fit or requirement file to begin with.

Write a machine, workload, fit or requirement file to begin with. Its comments say what each line
means, and what can be added by removing a '#'. With --from the file is a copy of a shipped one,
with its comments, sources and notes, to change as you like. The others are made for the machine
that --for names: a workload uses its file system, or what else it has; a fit has the values of it
that matter most to a shipped workload, or to that of --workload; a requirement asks for less time
of that workload, and can buy more of what limits it. A file that is there already is overwritten
only with --force.

Examples:
  nwtsim new machine                                     (writes my-machine.yaml)
  nwtsim new workload --for my-machine.yaml              (writes my-workload.yaml)
  nwtsim run my-machine.yaml my-workload.yaml
  nwtsim new fit --for my-machine.yaml --workload my-workload.yaml    (see nwtsim calibrate)
  nwtsim new requirement --for my-machine.yaml --workload my-workload.yaml  (see nwtsim size)
  nwtsim new machine --from nfs-lab -o server.yaml
  nwtsim new workload --from shared-file --for server.yaml -o job.yaml
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.cli import options
from simulator.cli.shared import Table
from simulator.errors import InputError
from simulator.wording import command_line

if TYPE_CHECKING:
    from simulator.config.load import Kind

OF_WORKLOADS = ("fit", "requirement")
FIRST_MACHINE = "workstation"
"""The machine of a workload that names none."""


OPTIONS: Table = {
    "what machine|workload|fit|requirement": "which kind of file",
    "--from NAME": (
        "a shipped machine, workload, fit or requirement (or a file) to copy; 'nwtsim new"
        " machine --from ?' lists the shipped ones",
        {"dest": "source"},
    ),
    "--for MACHINE": (
        "of the others: the machine it is for: a file or a shipped name (default:"
        f" {FIRST_MACHINE})",
        {"dest": "machine"},
    ),
    "--workload WORKLOAD": "of a fit or a requirement: what is run, a file or a shipped name",
    "-o --out FILE file": "the file to write (default: my-machine.yaml, my-workload.yaml, or"
    " my-NAME.yaml for a copy); its name is also that in the file",
    "progress": "",
    "--force": "overwrite the file if it is there",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.config.schema import KINDS
    from simulator.output import show, write_text

    what, source = arguments.what, arguments.source
    kind = next(one for one in KINDS if one.noun == what)
    if source == "?":
        show(_listed(kind.shipped()))
        return 0
    if arguments.workload is not None and what not in OF_WORKLOADS:
        about = "only a fit or a requirement is made for a workload; omit the option"
        raise InputError(f"--workload: {about}")
    if what == "machine" and arguments.machine is not None:
        raise InputError("--for: a machine is made for no other machine; omit the option")
    file = arguments.out or Path(f"my-{Path(source).stem if source else what}.yaml")
    options.check_made(file, force=arguments.force)
    write_text(file, _copy(arguments, kind, file) if source else _starter(arguments, file))
    show(_next_steps(what, file, arguments.machine or FIRST_MACHINE, bool(source)))
    return 0


def _copy(arguments: argparse.Namespace, kind: Kind[Any], file: Path) -> str:
    """Return the text of a shipped file, under another name; ConfigError if there can be none."""
    from simulator.config.formats import load_machine
    from simulator.config.starters import copied, fits

    what, source, machine = arguments.what, arguments.source, arguments.machine
    if what in OF_WORKLOADS and (machine or arguments.workload):
        raise InputError("--from: the copy has its own machine and workloads; omit the others")
    read = None
    if what == "fit":  # A study is one, too.
        from simulator.study.fits import read_fit

        read = read_fit(source)
    text = copied(kind, source, file.stem, str(file), read)
    if what == "workload" and machine is not None:
        fits(text, source, load_machine(machine))
    return text


def _starter(arguments: argparse.Namespace, file: Path) -> str:
    """Return the text of a first file; ConfigError if there can be none."""
    from simulator.config import starters
    from simulator.config.formats import load_machine

    what, name, shown = arguments.what, file.stem, str(file)
    if what == "machine":
        from simulator.processors import processors

        return starters.starter_machine(name, shown, processors())
    machine = arguments.machine or FIRST_MACHINE
    if what == "workload":
        return starters.starter_workload(name, shown, load_machine(machine), machine)
    starters.check_name(name, shown)
    if what == "fit":
        from simulator.study.starter import starter_fit

        shows = arguments.progress
        return starter_fit(name, shown, machine, arguments.workload, progress=shows)
    from simulator.sizing.starter import starter_requirement

    return starter_requirement(name, shown, machine, arguments.workload)


def _listed(shipped: dict[str, Path]) -> str:
    """Return each shipped file with its first comment."""
    lines = []
    for name, path in shipped.items():
        first = path.read_text(encoding="utf-8").split("\n", 1)[0]
        lines.append(f"{name:<20} {first.removeprefix('#').strip()}")
    return "\n".join([*lines, ""])


def _next_steps(what: str, file: Path, machine: str, copied: bool) -> str:
    done = {"fit": "fitted", "requirement": "answered"}.get(what, "run")
    lines = [f"{file}: a {what} that can be {done} as it is", "", "next:"]
    if what == "fit":
        steps: list[tuple[object, ...]] = [("calibrate", file)]
    elif what == "requirement":
        steps = [("size", file)]
    elif what == "machine":
        steps = [("show", file), ("new", "workload", "--for", file)]
    else:
        steps = [("check", file), ("run", machine, file)]
    shown = steps[:1] if copied else steps
    return "\n".join([*lines, *(f"  {command_line('nwtsim', *one)}" for one in shown), ""])
