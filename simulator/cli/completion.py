"""Completion of commands, options and names in a shell, by argcomplete if it is installed.

``eval "$(register-python-argcomplete nwtsim)"`` in bash or zsh; the shell then calls nwtsim with
the line so far in its environment.
"""

from __future__ import annotations

import argparse
import glob
import os
import shlex
from collections.abc import Callable, Iterable, Sequence


def complete(parser_of: Callable[[Sequence[str]], argparse.ArgumentParser]) -> None:
    """Print what the line so far can go on with, and end the process; nothing without argcomplete.

    ``parser_of`` makes the parser of a line's words.
    """
    try:
        import argcomplete
    except ImportError:
        return
    words = _words(os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT", "0"))])
    parser = parser_of([one for one in words[1:] if not one.startswith("-")])
    _name(parser)
    argcomplete.autocomplete(parser, always_complete_options=False)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # A quote is not closed yet.
        return line.split()


def _name(parser: argparse.ArgumentParser) -> None:
    """Complete machines and workloads by shipped names, or files."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                _name(one)
        elif action.metavar in ("MACHINE", "WORKLOAD"):
            action.completer = _Names(str(action.metavar))  # type: ignore[attr-defined]


class _Names:
    """The names of shipped files of a kind, and the YAML files and folders here."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __call__(self, prefix: str, **_: object) -> Iterable[str]:
        """Return what begins with ``prefix``."""
        from simulator.config import formats

        names = [one for one in getattr(formats, self.kind).shipped() if one.startswith(prefix)]
        files = sorted(glob.glob(f"{glob.escape(prefix)}*"))  # noqa: PTH207 - a prefix is no path
        names += [one for one in files if one.endswith((".yaml", ".yml"))]
        return [*names, *(f"{one}/" for one in files if os.path.isdir(one))]  # noqa: PTH112
