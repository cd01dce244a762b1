"""Mistakes of users outside of machine and workload files."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from pathlib import Path

_MOST_NAMES = 400  # Comparing is slow.


class InputError(Exception):
    """A mistake of the user; ``str()`` of it is the message for them.

    Subclasses name the mistake. Mistakes inside files are :class:`simulator.config.ConfigError`.
    """


class RefusedError(InputError):
    """An engine cannot run a plan; ``str()`` names the missing feature.

    Raised before anything is simulated.
    """


class UnknownNameError(InputError, KeyError):
    """A name that a machine, a result or a table does not have; the message has the nearest one."""

    __str__ = Exception.__str__


def unknown(said: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return the error for a name.

    >>> unknown("no part", "dsk", ["disk", "lan"])
    UnknownNameError("no part 'dsk'; did you mean 'disk'?")
    """
    return UnknownNameError(f"{said} {name!r}; {did_you_mean(str(name), known)}")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is probably meant by ``name``; None if none is near.

    Of several near names, one with the same letters is preferred (two letters swapped).

    >>> nearest("mkdri", ["rmdir", "mkdir"]), nearest("md", ["dm"]), nearest("12", ["21"])
    ('mkdir', 'dm', None)
    """
    import difflib  # Its import takes longer than most checks.

    said = name[:100].casefold()
    by_fold = {one.casefold(): one for one in known}
    if any(map(str.isalpha, said)):
        letters = sorted(said)
        alike = (one for one in by_fold if len(one) == len(said) and sorted(one) == letters)
        if found := next(alike, None):
            return by_fold[found]
    near = by_fold if len(by_fold) <= _MOST_NAMES else _of_length(len(said), by_fold)
    close = difflib.get_close_matches(said, near, n=1)
    return by_fold[close[0]] if close else None


def _of_length(length: int, names: Iterable[str]) -> list[str]:
    """Return a sample of very many names: the first of about this length."""
    alike = (one for one in names if abs(len(one) - length) <= 1)
    return list(itertools.islice(alike, _MOST_NAMES))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest of the known names; or list them if none is near.

    >>> did_you_mean("sekk", ["seek", "turn"]), did_you_mean("x", ["seek", "turn"])
    ("did you mean 'seek'?", 'there are seek, turn')
    """
    names = list(known)
    if near := nearest(name, names):
        return f"did you mean {near!r}?"
    more = ", ..." if len(names) > 20 else ""
    return f"there are {', '.join(names[:20])}{more}" if names else "there are none"


def nearest_file(name: str, known: Iterable[str]) -> str | None:
    """Return the file that is probably meant, with or without regard to extensions.

    >>> nearest_file("jbo.nc", ["out.nc", "job.nc"]), nearest_file("nothing.nc", ["out.nc"])
    ('job.nc', None)
    """
    near = nearest(name, known)
    stems = name.partition(".")[0], (near or "").partition(".")[0]
    return near if stems[0] == stems[1] or nearest(stems[0], stems[1:]) else None


def nearby(path: Path) -> str:
    """Name the file that is probably meant by a missing one, after a semicolon; or nothing."""
    try:
        with os.scandir(path.parent) as entries:
            names = [one.name for one in itertools.islice(entries, _MOST_NAMES)]
    except (OSError, ValueError):  # A NUL in the name.
        return ""
    near = nearest_file(path.name, names)
    return f"; did you mean {str(path.with_name(near))!r}?" if near and near != path.name else ""
