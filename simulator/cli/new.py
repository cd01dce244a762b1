"""``nwtsim new``: a machine, workload, fit or requirement file to begin with."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.cli import options
from simulator.wording import command_line

if TYPE_CHECKING:
    from simulator.config.load import Kind

_TEXT = """\
Write a machine, workload, fit or requirement file to begin with. Its comments say what each line
means, and what can be added by removing a '#'. With --from the file is a copy of a shipped one,
with its comments, sources and notes, to change as you like. The others are made for the machine
that --for names: a workload uses its file system, or what else it has; a fit has the values of it
that matter most to a shipped workload, or to that of --workload; a requirement asks for less time
of that workload, and can buy more of what limits it. A file that is there already is overwritten
only with --force."""

_EXAMPLES = """\
  nwtsim new machine                                     (writes my-machine.yaml)
  nwtsim new workload --for my-machine.yaml              (writes my-workload.yaml)
  nwtsim run my-machine.yaml my-workload.yaml
  nwtsim new fit --for my-machine.yaml --workload my-workload.yaml    (see nwtsim calibrate)
  nwtsim new requirement --for my-machine.yaml --workload my-workload.yaml  (see nwtsim size)
  nwtsim new machine --from nfs-lab -o server.yaml
  nwtsim new workload --from shared-file --for server.yaml -o job.yaml"""

KINDS = ("machine", "workload", "fit", "requirement")
FIRST_MACHINE = "workstation"
"""The machine of a workload that names none."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument("what", choices=[*KINDS], help="which kind of file")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="NAME",
        help="a shipped machine, workload, fit or requirement (or a file) to copy; 'nwtsim new"
        " machine --from ?' lists the shipped ones",
    )
    parser.add_argument(
        "--for",
        dest="machine",
        metavar="MACHINE",
        help="of the others: the machine it is for: a file or a shipped name (default:"
        f" {FIRST_MACHINE})",
    )
    parser.add_argument(
        "--workload",
        metavar="WORKLOAD",
        help="of a fit or a requirement: what is run, a file or a shipped name",
    )
    parser.add_argument(
        "-o",
        "--out",
        metavar="FILE",
        type=options.file,
        help="the file to write (default: my-machine.yaml, my-workload.yaml, or my-NAME.yaml for a"
        " copy); its name is also that in the file",
    )
    options.add(parser, "progress")
    options.flag(parser, "--force", "overwrite the file if it is there")


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.config.fit_file import FIT
    from simulator.config.formats import MACHINE, WORKLOAD
    from simulator.config.requirement_file import REQUIREMENT
    from simulator.errors import InputError
    from simulator.output import show, write_text

    what, source = arguments.what, arguments.source
    if source == "?":
        all_kinds: tuple[Kind[Any], ...] = (MACHINE, WORKLOAD, FIT, REQUIREMENT)
        show(_listed(dict(zip(KINDS, all_kinds, strict=True))[what].shipped()))
        return 0
    if arguments.workload is not None and what not in ("fit", "requirement"):
        about = "only a fit or a requirement is made for a workload; omit the option"
        raise InputError(f"--workload: {about}")
    if what == "machine" and arguments.machine is not None:
        raise InputError("--for: a machine is made for no other machine; omit the option")
    file = arguments.out or Path(f"my-{Path(source).stem if source else what}.yaml")
    options.check_made(file, force=arguments.force)
    text = {"fit": _fit, "requirement": _requirement}.get(what, _text)
    write_text(file, text(arguments, file))
    show(_next_steps(what, file, arguments.machine or FIRST_MACHINE, bool(source)))
    return 0


def _fit(arguments: argparse.Namespace, file: Path) -> str:
    """Return the text of a fit file; ConfigError if there can be none."""
    from simulator.config.fit_file import FIT
    from simulator.config.starters import check_name, copied
    from simulator.errors import InputError
    from simulator.study.fits import read_fit
    from simulator.study.starter import starter_fit

    if arguments.source is None:
        check_name(file.stem, str(file))
        machine = arguments.machine or FIRST_MACHINE
        return starter_fit(
            file.stem, str(file), machine, arguments.workload, progress=arguments.progress
        )
    if arguments.machine or arguments.workload:
        raise InputError("--from: the copy has its own machine and workloads; omit the others")
    source: str = arguments.source
    return copied(FIT, source, file.stem, str(file), read_fit(source))


def _requirement(arguments: argparse.Namespace, file: Path) -> str:
    """Return the text of a requirement; ConfigError if there can be none."""
    from simulator.config.requirement_file import REQUIREMENT
    from simulator.config.starters import check_name, copied
    from simulator.errors import InputError
    from simulator.sizing.starter import starter_requirement

    if arguments.source is None:
        check_name(file.stem, str(file))
        machine = arguments.machine or FIRST_MACHINE
        return starter_requirement(file.stem, str(file), machine, arguments.workload)
    if arguments.machine or arguments.workload:
        raise InputError("--from: the copy has its own machine and workloads; omit the others")
    return copied(REQUIREMENT, arguments.source, file.stem, str(file))


def _text(arguments: argparse.Namespace, file: Path) -> str:
    """Return the text of a machine or workload; ConfigError if there can be none."""
    from simulator.config import starters
    from simulator.config.formats import MACHINE, WORKLOAD, load_machine
    from simulator.processors import processors

    what, source, machine = arguments.what, arguments.source, arguments.machine
    name, shown = file.stem, str(file)
    if what == "machine":
        if source is None:
            return starters.starter_machine(name, shown, processors())
        return starters.copied(MACHINE, source, name, shown)
    if source is None:
        named = machine or FIRST_MACHINE
        return starters.starter_workload(name, shown, load_machine(named), named)
    text = starters.copied(WORKLOAD, source, name, shown)
    if machine is not None:
        starters.fits(text, source, load_machine(machine))
    return text


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
