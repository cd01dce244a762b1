"""The text of a log, the slow and obvious way: lines, leaders, arguments, quotes, results.

Every text here has one character for each byte of the log (Latin-1); only a name that leaves
this module is turned into Unicode.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DIGITS = "0123456789"
PIDS = 1 << 22  # Linux gives no number above; what is larger at the start of a line is a time
LONGEST = 64 << 20
OPEN, CLOSED = "([{", ")]}"
COMMAND = re.compile(r" *(\d+)<.*?> ")
"""A pid and, with -Y, the name of its command."""


class BadLineError(Exception):
    """A line that cannot be read."""


class TooLargeError(BadLineError):
    """A number beyond 64 bits."""


def number(text: str) -> int:
    """A C integer: decimal, 0x..., or 0 and octal digits; it must fit 64 bits.

    >>> number("-12"), number("0x10"), number("022"), number("0xffffffffffffffff")
    (-12, 16, 18, 9223372036854775807)
    """
    digits = text.removeprefix("-")
    try:
        if not digits.isascii() or "_" in digits or digits[:1] in ("", "+", "-", " "):
            raise ValueError
        if digits.startswith("0") and digits.isdecimal() and len(digits) > 1:
            value = int(digits, 8)
        elif digits.isdecimal():
            value = int(digits)
        elif digits.startswith("0x"):
            value = int(digits, 16)
        else:
            raise ValueError
    except ValueError:
        raise BadLineError(f"not a number: {text!r}") from None
    if text.startswith("-"):
        value = -value
    if not -(1 << 63) <= value < 1 << 64:
        raise TooLargeError(f"beyond 64 bits: {text}")
    return min(value, (1 << 63) - 1)


def maybe_number(text: str | None) -> int | None:
    """A number, or None where the log shows something else (``NULL``, ``...``, a name)."""
    if text is None or not text or text.removeprefix("-")[:1] not in DIGITS:
        return None
    try:
        return number(text)
    except TooLargeError:
        raise
    except BadLineError:
        return None


def nanoseconds(text: str) -> int:
    """Seconds with a fraction of up to nine digits.

    >>> nanoseconds("1.5"), nanoseconds("0.000000001"), nanoseconds("7")
    (1500000000, 1, 7000000000)
    """
    whole, dot, fraction = text.partition(".")
    if not whole.isdecimal() or (dot and not fraction.isdecimal()) or len(fraction) > 9:
        raise BadLineError(f"not a time: {text!r}")
    if len(whole) > 12:
        raise BadLineError(f"beyond 64 bits: {text}")
    return int(whole) * 10**9 + int(fraction.ljust(9, "0") or "0")


def name(text: str) -> str:
    r"""A name for people: UTF-8 where it is UTF-8, ``\xNN`` where it is not."""
    return text.encode("latin-1").decode("utf-8", "backslashreplace")


def closing(text: str, start: int) -> int:
    """Index of the bracket that closes the one before ``start``; quotes and names are skipped."""
    expected, at = [")"], start
    while at < len(text):
        char = text[at]
        if char == '"':
            at = after_quote(text, at)
            continue
        if char == "<" and begins_name(text, at):
            at = after_name(text, at)
            continue
        if char in OPEN:
            expected.append(CLOSED[OPEN.index(char)])
        elif char in CLOSED:
            if expected.pop() != char:
                raise BadLineError(f"a {char} too many")
            if not expected:
                return at
        at += 1
    raise BadLineError("its brackets are not closed")


def after_quote(text: str, at: int) -> int:
    """Index after the quoted text that begins at ``at``."""
    at += 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == '"':
            return at + 1
        else:
            at += 1
    raise BadLineError("a quote is not closed")


def begins_name(text: str, at: int) -> bool:
    """Is this the ``<`` between a descriptor and its name?"""
    before = text[:at]
    if text[at + 1 : at + 2] in ("<", " ", "") or not before:
        return False
    return before[-1] in DIGITS or before.endswith("AT_FDCWD")


def after_name(text: str, at: int) -> int:
    """Index after ``<...>``: a name may hold quotes and, of a device, a second ``<...>``."""
    depth, start = 0, at
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == '"' and text[at - 1] in ",[":
            at = after_quote(text, at) - 1
        elif char == "<":
            depth += 1
        elif char == ">" and text[at - 1] != "-":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise BadLineError(f"the name at {start} is not closed")


def split(text: str) -> list[str]:
    """The arguments of a call, or the members of a structure.

    >>> split('3</a,b>, "x, \\\\"y", [{iov_base="", iov_len=2}, 4]')
    ['3</a,b>', '"x, \\\\"y"', '[{iov_base="", iov_len=2}, 4]']
    """
    parts, depth, at, last = [], 0, 0, 0
    while at < len(text):
        char = text[at]
        if char == '"':
            at = after_quote(text, at)
            continue
        if char == "<" and begins_name(text, at):
            at = after_name(text, at)
            continue
        depth += (char in OPEN) - (char in CLOSED)
        if char == "," and depth == 0:
            parts.append(text[last:at].strip(" "))
            last = at + 1
        at += 1
    parts.append(text[last:].strip(" "))
    return parts if parts != [""] else []


@dataclass(frozen=True)
class Leader:
    """What stands before the event on a line."""

    pid: int | None
    time: int | None
    clock: str | None
    """``day`` (since midnight), ``epoch``, ``step`` (since the line before), or None."""
    event: str


def leader(line: str) -> Leader:
    """Take pid and time off a line.

    >>> leader("[pid  12] 00:00:01.5 --- SIGCHLD")
    Leader(pid=12, time=1500000000, clock='day', event='--- SIGCHLD')
    """
    pid, time, clock = None, None, None
    if line.startswith("[pid "):
        text, bracket, line = line[5:].partition("] ")
        text = text.strip(" ").partition("<")[0]
        if not bracket or not text.isdecimal():
            raise BadLineError("no pid in [pid ...]")
        pid, line = number(text), line.lstrip(" ")
    elif (mark := COMMAND.match(line)) and int(mark[1]) <= PIDS:
        pid, line = int(mark[1]), line[mark.end() :].lstrip(" ")
    elif (word := line.lstrip(" ").partition(" ")[0]).isdecimal() and int(word) <= PIDS:
        pid, line = int(word), line.lstrip(" ").partition(" ")[2].lstrip(" ")
    word, _, rest = line.lstrip(" ").partition(" ")
    if word[:1] in DIGITS and word:
        time, clock = moment(word)
        line = rest.lstrip(" ")
        if line.startswith("(+"):
            line = line.partition(")")[2].lstrip(" ")
    return Leader(pid, time, clock, line)


def moment(word: str) -> tuple[int, str]:
    """A time stamp and its kind."""
    if ":" in word:
        hours, minutes, seconds = [*word.split(":"), "", ""][:3]
        if word.count(":") != 2 or not all(
            len(part) == 2 for part in (hours, minutes, seconds[:2])
        ):
            raise BadLineError(f"not a time: {word!r}")
        if not hours.isdecimal() or not minutes.isdecimal() or seconds[2:3] not in ("", "."):
            raise BadLineError(f"not a time: {word!r}")
        if int(hours) > 23 or int(minutes) > 59 or seconds[:2] > "60":
            raise BadLineError(f"not a time: {word!r}")
        return (int(hours) * 60 + int(minutes)) * 60 * 10**9 + nanoseconds(seconds), "day"
    time = nanoseconds(word)
    return time, "epoch" if time > PIDS * 10**9 else "step"


@dataclass(frozen=True)
class Result:
    """What stands after ``=``."""

    value: int | None
    error: str | None
    duration: int | None = None
    has_duration: bool = False
    """Does the log say, or say that it is unavailable?"""


def result(text: str) -> Result:
    """Read the part of a call after its closing bracket.

    >>> result("   = -1 ENOENT (No such file or directory) <0.000007>").error
    'ENOENT'
    """
    text = text.lstrip(" ")
    if not text.startswith("="):
        raise BadLineError("no result")
    whole = text[1:].strip(" ")
    text, duration = cut_duration(whole)
    word = text[: result_end(text)]
    error, rest = None, text[len(word) :].strip(" ")
    outside, rest = translated(rest)
    symbol = rest.partition(" ")[0]
    if symbol[:1] == "E" and symbol.replace("_", "").isalnum():
        error, rest = symbol, rest[len(symbol) :].strip(" ")
    elif word == "-1" and rest.startswith("(errno ") and rest.endswith(")"):
        error = rest[1:-1]  # One that strace has no name for.
    if rest and not (rest.startswith("(") and rest.endswith(")")):
        raise BadLineError(f"not a result: {whole!r}")
    value = None
    if word != "?":
        digits, named, _ = word.partition("<")
        behind = word[after_name(word, len(digits)) :] if named else ""
        if behind not in ("", "(deleted)"):
            raise BadLineError(f"cut off: {word!r}")
        value = number(digits)
    value = outside or value
    if error is not None and value != -1 and value is not None:
        raise BadLineError(f"not a result: {whole!r}")
    return Result(None if error else value, error, duration, text != whole)


def translated(text: str) -> tuple[int | None, str]:
    """The number that strace knows a process by, behind the one that the call returned.

    >>> translated("/* 12 in strace's PID NS */ (x)")
    (12, '(x)')
    """
    if not text.startswith("/* ") or " in strace's PID NS */" not in text:
        return None, text
    pid, _, rest = text[3:].partition(" in strace's PID NS */")
    if number(pid) <= 0:
        raise BadLineError(f"not a process: {pid}")
    return number(pid), rest.strip(" ")


def result_end(text: str) -> int:
    """Where the first word of a result ends; a name in it may hold spaces."""
    at = 0
    while at < len(text) and text[at] != " ":
        if text[at] == "<" and begins_name(text, at):
            at = after_name(text, at)
        else:
            at += 1
    if text[at:].startswith(" ") or at == len(text):
        return at
    raise BadLineError("no result")


def cut_duration(text: str) -> tuple[str, int | None]:
    """Take ``<0.000012>`` off the end."""
    text = text.rstrip(" ")
    if not text.endswith(">") or " <" not in text:
        return text, None
    at = text.rindex(" <")
    inside = text[at + 2 : -1]
    if inside == "unavailable":
        return text[:at].rstrip(" "), None
    if inside[:1] not in DIGITS and "." in inside[:2]:
        raise BadLineError(f"not a duration: {inside!r}")
    return text[:at].rstrip(" "), nanoseconds(inside)


def member(text: str | None, key: str) -> str | None:
    """The value of ``key=`` in ``{...}``, at its top level or one below (``[{...}]``)."""
    if text is None or len(text) < 2 or text[0] not in "[{":
        return None
    end = text.rfind(CLOSED[OPEN.index(text[0])])
    for part in split(text[1 : end if end > 0 else None]):
        if part.startswith(key + "="):
            return part[len(key) + 1 :]
    return None


def vector_bytes(text: str | None) -> int | None:
    """Sum of ``iov_len`` in ``[{iov_base=..., iov_len=N}, ...]``; None if not all are shown."""
    if text is None or not text.startswith("[") or not text.endswith("]"):
        return None
    total = 0
    for part in split(text[1:-1]):
        size = maybe_number(member(part, "iov_len"))
        if size is None:
            return None
        total += size
    return total


HEADINGS = {"%", "time", "seconds", "shortest", "longest", "usecs/call", "calls", "errors"} | {
    "syscall"
}


def is_output(text: str) -> bool:
    """Is this a line that the program wrote, with nothing of strace?"""
    marks = ("(", "= ", "<", "[pid", "+++", "---")
    shown = re.sub("[\x07-\x0d\x1b]", " ", text)
    number = shown.lstrip()[:1].isdigit()
    return shown.isprintable() and not number and not any(m in text for m in marks)


def table_line(text: str) -> str | None:
    """Which line of the table of ``-C`` this may be.

    >>> [table_line(line) for line in ("% time  calls", "----- ---", "0.1 5 read", "1 read(3)")]
    ['head', 'rule', 'row', None]
    """
    words = text.split()
    if text.startswith("System call usage summary for ") and text.endswith(" mode:"):
        return "title"
    if not all(re.fullmatch(r"[\w.?#%/-]+", word, re.ASCII) for word in words):
        return None
    if words and HEADINGS.issuperset(words):
        return "head"
    if words and all(word[0] + word[-1] == "--" for word in words):
        return "rule"
    names = [word for word in words if not re.fullmatch(r"[0-9.]+", word)]
    return "row" if words and len(names) <= 1 else None
