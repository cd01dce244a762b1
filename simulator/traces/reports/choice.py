"""The calls that a report is about, chosen by file, by call, and by time."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

from simulator.errors import InputError, nearest_file

MOST_NAMED = 5
"""Names in a message about a name that is not there."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice of a user; nothing chosen is everything.

    A file is chosen by its absolute name, by the end of one from a ``/`` on, or by a pattern with
    ``*`` and ``?``, where ``*`` stands for a ``/`` as well.
    """

    files: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    exclude_dirs: tuple[str, ...] = ()
    exclude_exts: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None

    @property
    def by_name(self) -> bool:
        """Whether files are chosen or left out."""
        return bool(self.files or self.exclude_dirs or self.exclude_exts)

    def keeps(self, column: str) -> str:
        """Return the condition, as SQL, under which the file named in a column is chosen.

        >>> Choice(files=("a.nc",)).keeps("file")
        "(coalesce(file = 'a.nc' OR ends_with(file, '/a.nc'), false))"
        >>> Choice(exclude_dirs=("/usr/",), exclude_exts=("so",)).keeps("file")
        "(coalesce(NOT (starts_with(file, '/usr/') OR ends_with(file, '.so')), true))"
        """
        some = [_matches(column, name) for name in self.files]
        none = [f"starts_with({column}, {text(_folder(name))})" for name in self.exclude_dirs]
        none += [f"ends_with({column}, {text(_extension(name))})" for name in self.exclude_exts]
        terms = []
        if some:
            terms.append(f"coalesce({' OR '.join(some)}, false)")
        if none:
            terms.append(f"coalesce(NOT ({' OR '.join(none)}), true)")
        return f"({' AND '.join(terms) or 'true'})"

    def names_call(self, column: str) -> str:
        """Return the condition under which the call named in a column is chosen."""
        return f"({' OR '.join(_is(column, name) for name in self.calls) or 'true'})"


def text(value: str) -> str:
    """Write a text as SQL has it; bytes that are not UTF-8 as a store has them.

    >>> print(text("it's"))
    'it''s'
    """
    spelt = os.fsencode(value).decode("utf-8", "backslashreplace")
    return "'" + spelt.replace("'", "''") + "'"


def is_pattern(name: str) -> bool:
    """Return whether a name has ``*`` or ``?`` in it."""
    return "*" in name or "?" in name


def meant(name: str, found: Sequence[str], what: str) -> str:
    """Return in words which name of a log is meant, or which it uses most, the first of them.

    >>> meant("raed", ["read", "close"], "calls"), meant("x", ["read", "close"], "calls")
    ("did you mean 'read'?", 'the most used calls are read, close')
    """
    if near := nearest_file(name, [*found, *(one.rpartition("/")[2] for one in found)]):
        return f"did you mean {near!r}?"
    if not found:
        return f"the log names no {what}"
    return f"the most used {what} are {', '.join(found[:MOST_NAMED])}"


def _matches(column: str, name: str) -> str:
    conditions = [f"{column} = {text(name)}"]
    if not name.startswith("/"):
        conditions.append(f"ends_with({column}, {text('/' + name)})")
    if is_pattern(name):
        pattern = name.replace("\\", "\\\\").replace("[", "[[]")
        anywhere = pattern if pattern.startswith(("/", "*")) else f"*/{pattern}"
        conditions.append(f"{column} GLOB {text(anywhere)}")
    return " OR ".join(conditions)


def _is(column: str, name: str) -> str:
    return f"{column} {'GLOB' if is_pattern(name) else '='} {text(name)}"


def _folder(name: str) -> str:
    return name.rstrip("/") + "/"


def _extension(name: str) -> str:
    return name if name.startswith(".") else f".{name}"


# -- moments, as a user writes them: seconds since the start, a clock time, an ISO time -----------

EPOCH, OF_THE_DAY = "epoch", "of the day"
"""What times a log has, as its ``about`` says it."""
SECOND = 10**9
DAY = 86_400 * SECOND

_SECONDS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?")
_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]{1,9})?)?")
_FRACTION = re.compile(r"(?<=:[0-9]{2})\.([0-9]+)")


def moment(written: str, option: str, *, times: str, start: int, end: int) -> int:
    """Return a moment in the log's own nanoseconds; InputError if it cannot be one.

    >>> moment("1.5", "--since", times="epoch", start=10**18, end=2 * 10**18) - 10**18
    1500000000
    >>> evening, night = 23 * 3600 * 10**9, 25 * 3600 * 10**9
    >>> moment("00:10", "--until", times="of the day", start=evening, end=night)
    87000000000000
    """
    bare = written.strip()
    if _SECONDS.fullmatch(bare):
        return start + int(Fraction(bare) * SECOND)
    if clock := _CLOCK.fullmatch(bare):
        if times != OF_THE_DAY:
            raise _not_here(written, option, times, "a clock time")
        hours, minutes, seconds = (int(part or 0) for part in clock.groups()[:3])
        if hours > 23 or minutes > 59 or seconds > 60:
            raise InputError(f"{option} {written}: no such time of the day; write it like 09:30:00")
        fraction = int(Fraction(f"0{clock[4] or '.0'}") * SECOND)
        found = ((hours * 60 + minutes) * 60 + seconds) * SECOND + fraction
        return found + DAY if found < start and end >= DAY else found
    return _iso(bare, written, option, times)


def _iso(bare: str, written: str, option: str, times: str) -> int:
    """Read an ISO time; without a zone it is UTC."""
    fraction = _FRACTION.search(bare)
    whole = _FRACTION.sub("", bare, count=1)
    try:
        when = datetime.fromisoformat(whole)
    except ValueError:
        raise InputError(
            f"{option} {written}: not understood; write seconds since the log's start, like 12.5,"
            " or a time as the log has it, like 09:30:00 or 2026-01-31T09:30:00"
        ) from None
    if times != EPOCH:
        raise _not_here(written, option, times, "a date")
    seconds = int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
    digits = fraction[1][:9].ljust(9, "0") if fraction else "0"
    return seconds * SECOND + int(digits)


def _not_here(written: str, option: str, times: str, what: str) -> InputError:
    has = {EPOCH: "dates (an ISO time, UTC)", OF_THE_DAY: "times of the day (HH:MM:SS)"}
    like = has.get(times, "times since its start")
    return InputError(
        f"{option} {written}: {what}, but the log has {like}; write one, or seconds since its"
        " start, like 12.5"
    )
