"""``nwtsim``: which commands there are, and what becomes of a mistake.

A simulator of programs and their storage: nodes, networks, caches, servers,
file systems, disks. A machine and a workload are two files; it reports how
fast jobs read and write, and where the time goes.

Examples:
  nwtsim list                                   what comes with nwtsim
  nwtsim new machine                            a machine of your own, to begin with
  nwtsim run nwt test-write                     why output was slow in 1998
  nwtsim run nwt test-write --policy nwt-predicted
  nwtsim sweep nwt test-read --vary 'buffer=64 kB..8 MB x2' --out results

See nwtsim COMMAND --help for details. Sizes have units: MB is 10^6 bytes, MiB is 2^20.

exit codes: 0 good, 1 outside the published range, or nothing meets a requirement, 2 bad input,
3 the simulation failed, 130 interrupted (143 by SIGTERM, 129 by SIGHUP): what is done is kept, and
nothing half done
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NoReturn

from simulator.children import paths
from simulator.cli import options
from simulator.config.errors import ConfigError
from simulator.errors import InputError, nearest
from simulator.extras import EXTRAS, missing, outdated
from simulator.output import apart
from simulator.plan.errors import LostError, SimulationError
from simulator.report.lined import Fitting
from simulator.stopping import exit_code_of, interrupt_message, raise_on_termination

BAD_INPUT = 2
FAILED = 3

GROUPS = {
    "describe machines and jobs": {
        "list": "the machines, workloads and studies that come with nwtsim",
        "new": "write a first machine, workload, fit or requirement file, with comments",
        "show": "draw a machine, and list its values with their sources",
        "check": "list the mistakes in such files",
        "schema": "print the JSON Schema of a kind of file, for editors",
        "measure": "write a machine file from bounded probes of a real file system",
    },
    "run and explain": {
        "run": "simulate a job: its rates, what limits it, where the time went",
        "advise": "find what would make a job or a traced program faster, by how much",
        "compare": "explain the difference of two runs, resource by resource",
        "serve": "a page in the browser with sliders for the values of a machine",
    },
    "vary and fit": {
        "sweep": "simulate a grid of variants: CSV, JSON and a plot",
        "calibrate": "fit values of a machine to measurements",
        "uncertainty": "how sure figures are, and which value to measure first",
        "size": "the cheapest machine that meets a requirement",
        "checkpoint": "how long a job should compute between two checkpoints",
    },
    "traces of real programs": {
        "trace": "read what strace, truss and Darshan wrote of a program",
        "replay": "put a traced program on another machine",
    },
    "published systems": {
        "reproduce": "the tables and claims of a paper beside simulated ones",
        "notebooks": "copy the teaching notebooks into a folder",
    },
}
"""The commands as a person asks for them: title -> name -> what it does."""
COMMANDS = {name: told for group in GROUPS.values() for name, told in group.items()}


def _commands() -> str:
    """Write the commands by group, for the help."""
    blocks = [
        "\n".join([f"{title}:", *(f"  {name:<12} {told}" for name, told in some.items())])
        for title, some in GROUPS.items()
    ]
    return "\n\n".join(blocks)


class _Version(argparse.Action):
    """``--version``, found out only when asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from simulator.report.versions import version_line

        print(version_line())
        parser.exit()


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the line breaks of texts; one line for each short option."""

    def __init__(self, prog: str, **options: Any) -> None:
        options["max_help_position"] = 26
        super().__init__(prog, **options)


class _Once(argparse._StoreAction):
    """Keeps the last value of an option; that there was another one before is told."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        given = vars(namespace).setdefault("given", {})
        if self.option_strings and given.setdefault(self.dest, values) != values:
            told = f"{'/'.join(self.option_strings)} is given twice; {values} counts"
            vars(namespace).setdefault("twice", {})[self.dest] = told
        given[self.dest] = values
        super().__call__(parser, namespace, values, option_string)


class _Parser(argparse.ArgumentParser):
    """A parser that keeps the line breaks of its texts, and takes no shortened options.

    What is wrong with a value is told as the function that reads it tells it.
    """

    def __init__(self, **options: object) -> None:
        options["formatter_class"] = _Formatter
        options["allow_abbrev"] = False
        super().__init__(**options)  # type: ignore[arg-type]
        for name in (None, "store"):
            self.register("action", name, _Once)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        read = self._registry_get("type", action.type, action.type)
        try:
            return read(arg_string)
        except (ValueError, InputError) as error:
            raise argparse.ArgumentError(action, str(error)) from None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Name the choice that a misspelt one is close to."""
        choices = [*map(str, action.choices or ())]
        near = nearest(str(value), choices)
        if near and value not in choices:
            said = f"there is no {value!r}; did you mean {near!r}?"
            raise argparse.ArgumentError(action, said)
        super()._check_value(action, value)


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out one command; returns its exit code."""
    _prepare_output()
    words = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        raise_on_termination()
        sys.path[:] = paths()  # What is imported later is no file beside the user's data.
        gc.set_threshold(50_000)  # What is made lives until the end: looking for cycles costs time.
    code = _guarded(words, alone=argv is None)
    if argv is None and "duckdb" not in sys.modules:  # It warns of what is left at the end.
        gc.freeze()  # Python looks for cycles as it ends: a tenth of a short run.
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # The reader has had enough: nwtsim show nwt | head -1
        _discard_the_rest()
    except OSError as error:
        _discard_the_rest()
        return _fail(f"standard output: {error.strerror}", BAD_INPUT)
    return code


def _guarded(words: Sequence[str], *, alone: bool) -> int:
    """Carry out one command; turns each error into what the user should read, and a code."""
    try:
        return _run(words, alone=alone)
    except SystemExit as stop:  # argparse has said what is wrong, or printed a help.
        return stop.code if isinstance(stop.code, int) else 0
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt as stop:
        return _fail(interrupt_message(stop), exit_code_of(stop))
    except (ConfigError, InputError) as error:
        return _fail(str(error), BAD_INPUT)
    except SimulationError as error:
        failed = "" if isinstance(error, LostError) else "the simulation failed: "
        return _fail(f"{failed}{error}", FAILED)
    except OSError as error:
        return _fail(f"{error.filename or 'standard output'}: {error.strerror}", BAD_INPUT)
    except Exception as error:  # noqa: BLE001 - Python's own exit code, 1, means something else here
        return _defect(error)


def _defect(error: Exception) -> int:
    """Name a package that is missing, a compiled module that is too old; else show the defect."""
    package = (getattr(error, "name", "") or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and package in EXTRAS:
        return _fail(missing(package), BAD_INPUT)
    if old := outdated():
        return _fail(old, FAILED)
    traceback.print_exc()
    return _fail("the simulation failed: this is a defect of nwtsim; please report it", FAILED)


def _run(words: Sequence[str], *, alone: bool) -> int:
    """Carry out one command; ``alone``: the process is this command, and ends with it."""
    if alone and "_ARGCOMPLETE" in os.environ:
        from simulator.cli.completion import complete

        complete(_parser)
    if not words:
        words = ("--help",)
    with redirect_stdout(Fitting(sys.stdout)):  # A help.
        arguments, unknown = _parser(words).parse_known_args(words)
    if unknown:
        known = arguments.parser._option_string_actions
        near = nearest(unknown[0].partition("=")[0], known)
        hint = f"; did you mean {near}?" if near else ""
        arguments.parser.error(f"unknown: {' '.join(unknown)}{hint}")
    arguments.alone = alone
    for told in getattr(arguments, "twice", {}).values():
        if not getattr(arguments, "quiet", False):
            print(f"warning: {told}", file=sys.stderr)
    folded = words[0] not in _AS_IT_IS and getattr(arguments, "format", "table") == "table"
    screen = Fitting(sys.stdout) if folded else sys.stdout
    with ExitStack() as stack:
        stack.enter_context(apart())
        stack.enter_context(redirect_stdout(screen))
        if getattr(arguments, "quiet", False):  # Errors are told later, by _guarded.
            stack.enter_context(redirect_stderr(stack.enter_context(Path(os.devnull).open("w"))))
        code: int = arguments.run(arguments)
    return code


_AS_IT_IS = ("schema",)
"""Commands that print what programs read."""


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Make the parser; the options of a command only if a word names it.

    A command's module is imported when it is used, and imports what it needs when it runs, so that
    ``nwtsim --help`` does not wait for scientific libraries.
    """
    text, examples = options.help_of(sys.modules[__name__])
    parser = _Parser(
        prog="nwtsim",
        usage="nwtsim [--help] [--version] COMMAND ...",
        description=f"{text}\n\n{_commands()}",
        epilog=f"examples:\n{examples}",
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="print versions and engines, and stop"
    )
    commands = parser.add_subparsers(
        prog="nwtsim", metavar="COMMAND", dest="command", required=True, help=argparse.SUPPRESS
    )
    # Each parser takes its time: only that of the command, if the first word is one.
    for name in words[:1] if COMMANDS.keys() & words[:1] else COMMANDS:
        command = commands.add_parser(name)
        if name in words:
            module = importlib.import_module(f"simulator.cli.{name.replace('-', '_')}")
            options.configure(command, module)
            if hasattr(module, "configure_for"):
                module.configure_for(command, words)
            command.set_defaults(run=module.run, parser=command)
    return parser


def _fail(message: str, code: int) -> int:
    with suppress(OSError):  # Of standard error there is nobody to tell.
        print(message, file=sys.stderr)
    return code


def _prepare_output() -> None:
    """Escape what the terminal's encoding lacks instead of failing on it; stand in for none."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # Closed by the shell: nwtsim show nwt >&-
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _discard_the_rest() -> None:
    """Have Python flush standard output at its end without another error."""
    with suppress(OSError, ValueError):  # ValueError: standard output is no file.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
