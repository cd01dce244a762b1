"""Options of commands: tables of them, how their values are read, and where reports go.

A table has an option as its help writes it, and what it is for::

    "--trials N 1..1000": "..."           a whole number from 1 to 1000
    "--seed N seed=1": "..."              read by READERS["seed"], 1 if left out
    "-o --out FILE file!": "..."          one that must be there
    "--data PATH file*": "..."            one that may be repeated
    "--call NAME names,": "..."           one of several names, that may be repeated
    "--cache HOW as-is|drop=as-is": "..." one of some words
    "--full": "..."                       one without a value; --[no-]limits can be denied
    "logs LOG file+": "..."               a positional one; ?: it may be left out
    "[which calls]": "..."                the title of a group, and what is said of it; []: its end
    "seed format:table:json": ""          options of SHARED

Behind the help there may be more of what argparse takes.
"""

from __future__ import annotations

import argparse
import os
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from simulator.cli.shared import SHARED, Table
from simulator.errors import InputError, nearest

if TYPE_CHECKING:
    from types import ModuleType

    from simulator.report.page import Page
    from simulator.run import Listener, Run

Reader: TypeAlias = Callable[[str], Any]

MOST_SCALE = 10**6
MOST_TOP = 10**9
MOST_LIMITS = 30
"""Runs that the question what limits a run takes, or some more."""

CODES = """\
exit codes: 0 good, 2 bad input, 3 the simulation failed (blocked clients are
named), 130 interrupted"""
QUIET: Table = {
    "--quiet": (
        "print the report and errors only: no warnings, no progress",
        {"default": argparse.SUPPRESS},
    )
}

_WIDTH = 78  # of a help on a terminal with 80 columns, as argparse has it


def configure(parser: argparse.ArgumentParser, module: ModuleType) -> None:
    """Add the help of a command's module, its docstring, and its ``OPTIONS``.

    ``table`` makes options that follow from other modules, ``configure`` adds what no table has.
    """
    describe(parser, module, getattr(module, "CODES", CODES))
    parser.usage = getattr(module, "USAGE", None)
    add(parser, module.table() if hasattr(module, "table") else module.OPTIONS, vars(module))
    if hasattr(module, "configure"):
        module.configure(parser)


def describe(parser: argparse.ArgumentParser, documented: object, codes: str = CODES) -> None:
    """Set a parser's help from a docstring, and exit codes after its examples; add ``--quiet``."""
    add(parser, QUIET)
    text, examples = help_of(documented)
    parser.description = filled(text)
    parser.epilog = f"examples:\n{examples}\n\n{codes}"


def help_of(documented: object) -> tuple[str, str]:
    """Return the text of a docstring, without its line for readers of the code; and the examples.

    Examples are printed behind the options.
    """
    _, _, told = (documented.__doc__ or "").partition("\n\n")
    text, _, examples = textwrap.dedent(told).rstrip().partition("\n\nExamples:\n")
    return text, examples


def filled(text: str) -> str:
    """Break the paragraphs of a help into lines."""
    parts = (" ".join(part.split()) for part in text.split("\n\n"))
    return "\n\n".join(textwrap.fill(part, _WIDTH, break_on_hyphens=False) for part in parts)


# -- tables of options ----------------------------------------------------------------------------


def add(
    parser: argparse._ActionsContainer, table: Table, readers: Mapping[str, Reader] | None = None
) -> None:
    """Add the options of a table; ``readers`` has those of values that :data:`READERS` lacks."""
    group, known = parser, {**(readers or {}), **READERS}
    for key, told in table.items():
        about, more = (told, {}) if isinstance(told, str) else told
        if key == "[either]":
            group = parser.add_mutually_exclusive_group()
        elif key.startswith("["):
            title = key.strip("[]")
            group = parser.add_argument_group(title, about or None) if title else parser
        elif told:
            names, how = _read(key, known)
            group.add_argument(*names, **{**how, "help": about, **more})
        else:
            for name in key.split():
                add(group, _formats(name) if ":" in name else SHARED[name])


def _formats(name: str) -> Table:
    """Return the table of ``format:table:json``, of which the first is the default."""
    flag, first, *others = name.split(":")
    choices = "|".join([first, *others])
    return {f"--{flag} {choices}={first}": f"format of the report (default: {first})"}


_READER = re.compile(r"(?P<how>[^=+*?!,]*)(?P<many>[+*?!,]?)(=(?P<default>.*))?")


def _read(key: str, readers: Mapping[str, Reader]) -> tuple[list[str], dict[str, Any]]:
    """Return the names of an option, and how argparse adds it."""
    words = key.split()
    names = [one for one in words if one.startswith("-")] or words[:1]
    rest = [one for one in words if one not in names]
    if not rest:
        return [names[0].replace("[no-]", "")], {
            "action": argparse.BooleanOptionalAction if "[no-]" in key else "store_true"
        }
    how: dict[str, Any] = {}
    if len(rest) > 1 or "|" not in rest[0]:
        how["metavar"] = rest.pop(0)
    found = _READER.fullmatch(rest[0] if rest else "")
    assert found is not None
    if "|" in found["how"]:
        how["choices"] = found["how"].split("|")
    elif ".." in found["how"]:
        least, most = map(int, found["how"].split(".."))
        how["type"] = lambda text: whole(text, least, most)
    elif found["how"]:
        how["type"] = readers[found["how"]]
    if found["many"] in ("*", ","):
        how |= {"action": "append" if found["many"] == "*" else "extend", "default": []}
    elif found["many"]:
        how |= {"required": True} if found["many"] == "!" else {"nargs": found["many"]}
    if found["default"] is not None:
        how["default"] = found["default"]
    if names[0].endswith("set"):  # --set, --a-set: dest settings, a_settings
        how["dest"] = f"{names[0][2:].replace('-', '_')}tings"
    return names, how


# -- values ---------------------------------------------------------------------------------------


def setting(text: str) -> tuple[str, str]:
    """Read PATH=VALUE."""
    path, equals, value = text.partition("=")
    if not equals or not path:
        example = "write PATH=VALUE, like --set buffer='8 MB'"
        raise ValueError(f"{text!r} is not a setting; {example}")
    return path.strip(), value.strip()


def seed(text: str) -> int:
    """Read a seed."""
    from simulator.run import read_seed

    return read_seed(text)


def whole(text: str, least: int, most: int) -> int:
    """Read a whole number from ``least`` to ``most``."""
    if not re.fullmatch(r"[0-9]{1,30}", text.strip()) or not least <= int(text) <= most:
        one = f"write one, like {max(1, least)}"
        raise ValueError(f"{text!r} is not a whole number from {least} to {most}; {one}")
    return int(text)


def size(text: str) -> int:
    """Read a size, with its unit."""
    from simulator.units import parse_size

    return int(parse_size(text))


def page(text: str) -> Path:
    """Read the name of a page to write."""
    if text == "-":
        raise ValueError("a page needs a file; write its name, like page.html")
    return file(text)


def file(text: str) -> Path:
    """Read the name of a file or folder to write."""
    if not text:
        raise ValueError("the name is empty; write one")
    return Path(text)


def names(text: str) -> list[str]:
    """Read names between commas."""
    named = [name.strip() for name in text.split(",") if name.strip()]
    if not named:
        raise ValueError("the name is missing; write one")
    return named


def think(text: str) -> Fraction:
    """Read ``keep``, ``none`` or ``scale=X``."""
    if text in ("keep", "none"):
        return Fraction(text == "keep")
    scale = re.fullmatch(r"scale=([0-9]{1,12}(\.[0-9]{1,9})?)", text)
    if scale is None or Fraction(scale[1]) > MOST_SCALE:
        ways, way = ("keep", "none", "scale"), text.partition("=")[0]
        near = None if way in ways else nearest(way, ways)
        meant = f"did you mean {near!r}? Write" if near else "write"
        raise ValueError(
            f"{text!r} is not understood; {meant} keep, none, or a factor, like scale=0.5"
        )
    return Fraction(scale[1])


READERS: dict[str, Reader] = {
    "text": str,
    "setting": setting,
    "seed": seed,
    "page": page,
    "file": file,
    "names": names,
    "think": think,
}
"""Functions that read values, by the words of tables; ValueError or InputError: it cannot be."""


# -- what options must not be together ------------------------------------------------------------


def check_noise(arguments: argparse.Namespace) -> None:
    """Raise InputError for options of runs that vary beside ``--no-noise``."""
    for name in ("seed", "replications"):
        if not arguments.noise and getattr(arguments, name) is not None:
            raise InputError(f"--no-noise leaves out what --{name} is about; omit one of them")


def check_made(out: Path | None, *, force: bool) -> None:
    """InputError if the file that is to be made is there already, and not to be overwritten."""
    if out is not None and out.exists() and not force:
        raise InputError(f"{out}: is there already; write another -o FILE, or --force")


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


# -- reports --------------------------------------------------------------------------------------


class Report(Protocol):
    """Writes the page of a command in the form that is wanted, and as HTML."""

    def __call__(self, page: Page | str, browser: Page | None = None, *, below: str = "") -> None:
        """Write a page, or a text; ``browser``: what HTML is made of, if that is another one.

        ``below``: a last line.
        """


@contextmanager
def reporting(arguments: argparse.Namespace, out: Path | None = None) -> Iterator[Report]:
    """Yield what writes a report: HTML into ``--html``, the rest into ``out`` or a terminal.

    Both files can be written, and are two, or it fails before the work begins.
    """
    from simulator.output import placing_if, show
    from simulator.report.forms import written

    if out is not None:
        check_files(arguments, "out", "html")
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


# -- commands that make the same again ------------------------------------------------------------


RUNS = "settings seed engine"
"""The options that decide what a run does."""


def words_of(arguments: argparse.Namespace, options: str = RUNS) -> list[str]:
    """Return the words of some options, as far as they are given."""
    words: list[str] = []
    for key in options.split():
        value, option = getattr(arguments, key), f"--{key.replace('_', '-')}"
        if value is None or str(value) == str(arguments.parser.get_default(key)):
            continue
        if isinstance(value, bool):
            words.append(option if value else option.replace("--", "--no-"))
        elif key.endswith("settings"):
            option = option.removesuffix("tings")
            words += [word for pair in value for word in (option, "=".join(pair))]
        else:
            several = value if isinstance(value, list) else [value]
            words += [word for one in several for word in (option, str(one))]
    return words


def values(arguments: argparse.Namespace, options: str) -> dict[str, Any]:
    """Return some options as keywords of a call."""
    return {name: getattr(arguments, name) for name in options.split()}


def run_of(arguments: argparse.Namespace, machine: str, workload: str, hears: Listener) -> Run:
    """Read the files of a run, with the settings, the seed and the engine of a command."""
    from simulator.run import prepare_run

    how = values(arguments, "seed engine")
    return prepare_run(machine, workload, arguments.settings, hears=hears, **how)


def one_thread() -> None:
    """Keep numpy from starting threads: there is no linear algebra here, and they would spin."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
