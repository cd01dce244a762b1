"""Options that several commands share, and what their values may be."""

from __future__ import annotations

import argparse
import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.report.page import Page

MOST_JOBS = 1024
MOST_LIMITS = 30
"""Runs that the question what limits a run takes, or some more."""

EXIT_CODES = (
    "exit codes: 0 good, 2 bad input, 3 the simulation failed (blocked clients are\n"
    "named), 130 interrupted"
)

_WIDTH = 78  # of a help on a terminal with 80 columns, as argparse has it
_OF_JOBS = {
    "buffer": ("SIZE", "Fortran buffer of each file, like '8 MB'"),
    "record": ("SIZE", "user data of one READ or WRITE, '64 kB'"),
    "policy": ("WORD", "Fortran runtime: nwt, nwt-predicted, gfortran, flang, posix"),
    "path": ("WORD", "how files are reached: a path of their file system"),
    "clients": ("N", "processes of each job, like '8'"),
}
"""Settings of all jobs of a workload, with an option on every machine."""


class AppendKnob(argparse.Action):
    """``--buffer '8 MB'`` is ``--set buffer='8 MB'``: one more setting, in the order written.

    The name is looked up in the machine and the workload when they are read.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Add the setting to those before."""
        namespace.settings = [*(namespace.settings or ()), (str(self.const), str(values))]


def describe(parser: argparse.ArgumentParser, text: str, examples: str) -> None:
    """Set a parser's paragraph, and examples and exit codes after the options; add ``--quiet``."""
    parser.add_argument(
        "--quiet",
        action="store_true",
        default=argparse.SUPPRESS,
        help="print the report and errors only: no warnings, no progress",
    )
    parser.description = filled(text)
    parser.epilog = f"examples:\n{examples}\n\n{EXIT_CODES}"


def filled(text: str) -> str:
    """Break the paragraphs of a help into lines."""
    return "\n\n".join(textwrap.fill(" ".join(part.split()), _WIDTH) for part in text.split("\n\n"))


def add_inputs(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Add MACHINE, WORKLOAD and what replaces single values of them."""
    number = "?" if optional else None
    parser.add_argument(
        "machine",
        nargs=number,
        metavar="MACHINE",
        help="a machine file, or a shipped name, like nwt or workstation",
    )
    parser.add_argument(
        "workload",
        nargs=number,
        metavar="WORKLOAD",
        help="a workload file, or a shipped name, like test-read or test-write",
    )
    add_settings(parser)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add ``--set``, and options for what most workloads have."""
    group = parser.add_argument_group("settings, which override the files (the last one wins)")
    add_set(
        group, "any value, like --set machine.nodes.pe.count=4 or --set workload.jobs.0.nodes=8"
    )
    for name, (metavar, about) in _OF_JOBS.items():
        group.add_argument(
            f"--{name}",
            dest="settings",
            const=name,
            metavar=metavar,
            action=AppendKnob,
            help=about,
        )


def add_set(parser: argparse._ActionsContainer, about: str, flag: str = "--set") -> None:
    """Add ``--set``, or another option for settings; ``about`` is its help."""
    parser.add_argument(
        flag,
        dest=f"{flag[2:].replace('-', '_')}tings",
        metavar="PATH=VALUE",
        type=setting,
        action="append",
        default=[],
        help=about,
    )


def add(parser: argparse.ArgumentParser, names: str) -> None:
    """Add options that several commands have, by their names in :data:`SHARED`.

    ``format:table:json`` has these formats, of which the first is the default.
    """
    for name in names.split():
        flag_, *choices = name.split(":")
        how = dict(SHARED[flag_])
        if choices:
            told = f"format of the report (default: {choices[0]})"
            how = {"choices": choices, "default": choices[0], "help": told}
        flags = how.pop("flags", (f"--{flag_}",))
        parser.add_argument(*flags, **how)


def flag(parser: argparse._ActionsContainer, name: str, about: str) -> None:
    """Add an option without a value."""
    parser.add_argument(name, action="store_true", help=about)


def check_noise(arguments: argparse.Namespace) -> None:
    """Raise InputError for options of runs that vary beside ``--no-noise``."""
    for name in ("seed", "replications"):
        if not arguments.noise and getattr(arguments, name) is not None:
            raise InputError(f"--no-noise leaves out what --{name} is about; omit one of them")


def add_made(parser: argparse.ArgumentParser, about: str) -> None:
    """Add ``-o`` for a file that is made, and ``--force`` to overwrite one."""
    parser.add_argument("-o", "--out", metavar="FILE", type=file, help=about)
    flag(parser, "--force", "overwrite the file if it is there")


def check_made(out: Path | None, *, force: bool) -> None:
    """InputError if the file that is to be made is there already, and not to be overwritten."""
    if out is not None and out.exists() and not force:
        raise InputError(f"{out}: is there already; write another -o FILE, or --force")


class Report(Protocol):
    """Writes the page of a command in the form that is wanted, and as HTML."""

    def __call__(self, page: Page | str, browser: Page | None = None, *, below: str = "") -> None:
        """Write a page, or a text; ``browser``: what HTML is made of, if that is another one.

        ``below``: a last line.
        """


@contextmanager
def reporting(arguments: argparse.Namespace, out: Path | None = None) -> Iterator[Report]:
    """Yield what writes a report: HTML into ``--html``, the rest into ``out`` or a terminal.

    Both files can be written, or it fails before the work begins.
    """
    from simulator.output import placing_if, show
    from simulator.report.forms import written

    with placing_if(out) as part, placing_if(getattr(arguments, "html", None)) as html:

        def report(page: Page | str, browser: Page | None = None, *, below: str = "") -> None:
            shown = browser or page
            if html is not None and not isinstance(shown, str):
                show(written(shown, "html"), html)
            if not isinstance(page, str):
                form = getattr(arguments, "format", "table")
                page = written(page, form, full=getattr(arguments, "full", True), below=below)
            show(page, part)

        yield report


def add_sweep_output(parser: argparse.ArgumentParser) -> None:
    """Add ``--out``, ``--force`` and ``--no-plot`` of what leaves a sweep in a folder."""
    parser.add_argument(
        "--out", metavar="DIR", type=file, required=True, help="folder for the results"
    )
    flag(parser, "--force", "replace the results of another sweep in DIR")
    parser.add_argument(
        "--no-plot",
        dest="plot",
        action="store_false",
        help="do not write plot.png and plot.svg, which need matplotlib",
    )


FOR_PEOPLE = ("table", "markdown")
"""Reports that say what limits and what helps unless they are told not to."""


def limits_wanted(arguments: argparse.Namespace) -> bool:
    """Return whether to ask what limits: for people unless they say no, else if it is wanted."""
    if arguments.limits is None:
        return bool(arguments.format in FOR_PEOPLE or arguments.html)
    return bool(arguments.limits)


def limits_told(arguments: argparse.Namespace) -> bool:
    """Return whether the report itself, beside a page, says what limits."""
    return bool(arguments.limits or (arguments.limits is None and arguments.format in FOR_PEOPLE))


def with_limits(command: Sequence[str], arguments: argparse.Namespace) -> list[str]:
    """Return the words of a command with its option for what limits, for a page that repeats it."""
    wanted = {True: ["--limits"], False: ["--no-limits"]}
    return [*command, *wanted.get(arguments.limits, [])]


def one_thread() -> None:
    """Keep numpy from starting threads: there is no linear algebra here, and they would spin."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def check_files(arguments: argparse.Namespace, *names: str) -> None:
    """InputError if two of these options name the same file."""
    seen: dict[Path, str] = {}
    for name in names:
        one = getattr(arguments, name)
        if one is None:
            continue
        if one in seen:
            raise InputError(
                f"{one}: --{seen[one]} and --{name} each need a file of their own; write another"
            )
        seen[one] = name


def words_of(arguments: argparse.Namespace) -> list[str]:
    """Return the options that decide what a run does: settings, seed, engine."""
    words = [word for path, value in arguments.settings for word in ("--set", f"{path}={value}")]
    if arguments.seed is not None:
        words += ["--seed", str(arguments.seed)]
    if arguments.engine != "auto":
        words += ["--engine", arguments.engine]
    return words


def setting(text: str) -> tuple[str, str]:
    """Read PATH=VALUE."""
    path, equals, value = text.partition("=")
    if not equals or not path:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a setting; write PATH=VALUE, like --set buffer='8 MB'"
        )
    return path.strip(), value.strip()


def seed(text: str) -> int:
    """Read a seed."""
    from simulator.run import read_seed

    try:
        return read_seed(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def jobs(text: str) -> int:
    """Read a number of threads or processes."""
    return whole(text, 1, MOST_JOBS)


def whole(text: str, least: int, most: int) -> int:
    """Read a whole number from ``least`` to ``most``."""
    if not re.fullmatch(r"[0-9]{1,30}", text.strip()) or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a whole number from {least} to {most}; write one, like"
            f" {max(1, least)}"
        )
    return int(text)


def page(text: str) -> Path:
    """Read the name of a page to write."""
    if text == "-":
        raise argparse.ArgumentTypeError("a page needs a file; write its name, like page.html")
    return file(text)


def file(text: str) -> Path:
    """Read the name of a file or folder to write."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty; write one")
    return Path(text)


SHARED: dict[str, dict[str, Any]] = {
    "seed": {
        "metavar": "N",
        "type": seed,
        "help": "seed of the random variation of service times that the machine file gives; the"
        " same seed gives the same result (default: service times do not vary)",
    },
    "drawn-seed": {  # Of what judges targets, and varies service times itself.
        "flags": ("--seed",),
        "metavar": "N",
        "type": seed,
        "help": "seed of the random variation of service times that the machine file gives"
        " (default: 1); the same seed gives the same result",
    },
    "no-noise": {
        "dest": "noise",
        "action": "store_false",
        "help": "do not vary service times: what meets a target that way may miss it from run to"
        " run",
    },
    "engine": {
        "choices": ["auto", "native", "reference"],
        "default": "auto",
        "help": "simulation engine (auto: the fastest available; all agree to the nanosecond)",
    },
    "format": {},
    "full": {
        "action": "store_true",
        "help": "the whole table report (default: what fits a screen of 40 lines); all other"
        " formats are whole",
    },
    "html": {
        "metavar": "FILE",
        "type": page,
        "help": "also write the report as a page for a browser: one file with its pictures, without"
        " scripts",
    },
    "out": {"metavar": "FILE", "type": file, "help": "write the report to this file"},
    "limits": {
        "action": argparse.BooleanOptionalAction,
        "help": "say what limits, by runs in which one resource is better (default: in the table,"
        " and unless it takes long); a long run is shortened for it where that changes nothing",
    },
    "job": {
        "metavar": "NAME",
        "help": "the job of the workload that what limits and advice are about (default: what"
        " limits is about each, advice about the whole run)",
    },
    "jobs": {
        "type": jobs,
        "metavar": "N",
        "help": "number of threads or processes (default: the number of CPUs); does not change the"
        " result",
    },
    "progress": {
        "action": argparse.BooleanOptionalAction,
        "help": "show progress on standard error (default: if that is a terminal)",
    },
}
"""Options that several commands have: name -> how argparse adds it."""
