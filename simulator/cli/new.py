"""``nwtsim new``: a machine or workload file to begin with."""

from __future__ import annotations

import argparse
from pathlib import Path

from simulator.cli import options

_TEXT = """\
Write a machine or workload file to begin with. Its comments say what each line means, and what can
be added by removing a '#'. With --from the file is a copy of a shipped machine or workload, with
its comments, sources and notes, to change as you like. A workload is made for the machine that
--for names: it uses its file system, or what else it has. A file that is there already is
overwritten only with --force."""

_EXAMPLES = """\
  nwtsim new machine                                     (writes my-machine.yaml)
  nwtsim new workload --for my-machine.yaml              (writes my-workload.yaml)
  nwtsim run my-machine.yaml my-workload.yaml
  nwtsim new machine --from nfs-lab -o server.yaml
  nwtsim new workload --from shared-file --for server.yaml -o job.yaml"""

FIRST_MACHINE = "workstation"
"""The machine of a workload that names none."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument("what", choices=["machine", "workload"], help="which kind of file")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="NAME",
        help="a shipped machine or workload (or a file) to copy; 'nwtsim new machine --from ?'"
        " lists the shipped ones",
    )
    parser.add_argument(
        "--for",
        dest="machine",
        metavar="MACHINE",
        help="of a workload: the machine that it is to run on, a file or a shipped name (default:"
        f" {FIRST_MACHINE})",
    )
    parser.add_argument(
        "-o",
        "--out",
        metavar="FILE",
        type=options.file,
        help="the file to write (default: my-machine.yaml, my-workload.yaml, or my-NAME.yaml for a"
        " copy); its name is also that in the file",
    )
    parser.add_argument("--force", action="store_true", help="overwrite the file if it is there")


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.config.formats import MACHINE, WORKLOAD
    from simulator.errors import InputError
    from simulator.output import show, write_text

    what, source = arguments.what, arguments.source
    kind = MACHINE if what == "machine" else WORKLOAD
    if source == "?":
        show(_listed(kind.shipped()))
        return 0
    if what == "machine" and arguments.machine is not None:
        raise InputError("--for: only a workload is made for a machine; omit the option")
    file = arguments.out or Path(f"my-{Path(source).stem if source else what}.yaml")
    if file.exists() and not arguments.force:
        raise InputError(f"{file}: is there already; write another -o FILE, or --force")
    write_text(file, _text(what, source, arguments.machine, file))
    show(_next_steps(what, file, arguments.machine or FIRST_MACHINE, bool(source)))
    return 0


def _text(what: str, source: str | None, machine: str | None, file: Path) -> str:
    """Return the text of the file; ConfigError if there can be none."""
    from simulator.config import starters
    from simulator.config.formats import MACHINE, WORKLOAD, load_machine

    name, shown = file.stem, str(file)
    if what == "machine":
        if source is None:
            return starters.starter_machine(name, shown)
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
    lines = [f"{file}: a {what} that can be run as it is", "", "next:"]
    if what == "machine":
        lines.append(f"  nwtsim show {file}")
        if not copied:
            lines.append(f"  nwtsim new workload --for {file}")
    else:
        lines.append(f"  nwtsim check {file}")
        if not copied:
            lines.append(f"  nwtsim run {machine} {file}")
    return "\n".join([*lines, ""])
