"""Moments in a log, as a user writes them: seconds since its start, a clock time, an ISO time."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from fractions import Fraction

from simulator.errors import InputError

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
