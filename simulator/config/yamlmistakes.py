"""Mistakes in a text that is not YAML, found in its lines.

PyYAML says where it could not go on, which may be far from the mistake, and in terms of its
grammar. Here the lines around are looked at as their author sees them: columns, colons, quotes,
brackets. What is not recognised keeps PyYAML's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from simulator.units import shown

LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")

# No pattern here has two repeats that can take the same characters: a text of 1 MB may be one line.
_KEY = re.compile(r"""(?:("[^"]*"|'[^']*')\s*|([^"'\[\]{}#&*!|>%@`,][^#]*?)):(?=\s|$)""")
_COMMENT = re.compile(r"(^|\s)#")
_DASH = re.compile(r"-(\s+|$)")
_CLOSER = {"{": "}", "[": "]"}
_LIKE = {"{": "{a: 1, b: 2}", "[": "[a, b]"}
_WITHOUT_BRACKETS = re.compile(r"""(^|\s)#.*|"[^"]*"|'[^']*'""")
"""Comments and texts in quotes."""


class Mistake(NamedTuple):
    """What is wrong, and where: line and column from 0."""

    line: int
    column: int
    message: str


class _Line(NamedTuple):
    """A line as its author sees it."""

    number: int
    dashes: tuple[int, ...]
    """The columns of the '- ' that it begins with."""
    column: int
    """Where what follows them begins."""
    text: str
    """What follows them, without a comment."""
    key: str | None

    @property
    def start(self) -> int:
        """The column of its first character."""
        return self.dashes[0] if self.dashes else self.column


class _Level(NamedTuple):
    """A section or a list that is open, and where its keys or dashes begin."""

    column: int
    number: int
    key: str | None
    """A key of it; None for a list."""

    def __str__(self) -> str:
        name = "the '- '" if self.key is None else shown(self.key, 30)
        return f"{name} in line {self.number + 1}"


def find_mistake(text: str, error: yaml.MarkedYAMLError) -> Mistake:
    """Return what is wrong with ``text``, which PyYAML has refused with ``error``."""
    lines = LINE_END.split(text)
    line, column = _place(error.problem_mark or error.context_mark, lines)
    start = _place(error.context_mark or error.problem_mark, lines)
    problem, context = error.problem or "", error.context or ""
    char = lines[line][column : column + 1]
    found: Mistake | None = None
    if "quoted scalar" in context:
        found = _open_quote(*start, lines[start[0]][start[1]])
    elif quote := _quote_to(lines, line):
        found = quote
    elif "cannot start any token" in problem:
        tab = "a tab is here; write spaces"
        about = f"a text cannot begin with {char!r}; put it in quotes"
        found = Mistake(line, column, tab if char == "\t" else about)
    elif "flow" in context and (opened := _last_open(lines, line, column)):
        found = _in_brackets(lines, opened, line, column)
    elif char and char in "]}":
        found = Mistake(line, column, f"{char!r} closes nothing here; leave it out")
    elif "mapping values are not allowed" in problem:
        found = _second_colon(lines, line, column)
    elif "expected ':'" in problem:
        found = _no_dash(lines, start[0]) or _no_colon(_read(lines, start[0]))
    elif "expected" in problem:
        found = _wrong_column(lines, line, column)
    return found or Mistake(line, column, _plainly(error))


def _place(mark: Any, lines: list[str]) -> tuple[int, int]:
    """Return the line and column of a PyYAML mark, which may be beyond the last line."""
    if mark is None:
        return 0, 0
    line = min(mark.line, len(lines) - 1)
    end = len(lines[line])
    return line, min(mark.column, end) if line == mark.line else end


def _plainly(error: yaml.MarkedYAMLError) -> str:
    """Put PyYAML's message on one line."""
    problem = (error.problem or error.context or "no reason given").replace("\n", " ")
    context = ""
    if error.context and error.context_mark and error.context != problem:
        context = f" {error.context}, from line {error.context_mark.line + 1} on"
    return f"this is not YAML: {problem}{context}"


# -- quotes and brackets ------------------------------------------------------------------------


def _open_quote(line: int, column: int, quote: str) -> Mistake:
    about = f"the text that begins with {quote} here has no end; write {quote} after its last word"
    return Mistake(line, column, about)


def _quote_to(lines: list[str], last: int) -> Mistake | None:
    """Find a quote that is not closed in its line, so that it ends in line ``last`` by accident."""
    quote, place = "", (0, 0)
    for number, line in enumerate(lines[: last + 1]):
        for token in re.finditer(r"""(?:(?<=[\s\[{,:])|^)["']|\s#.*|\\.|''|["']""", line):
            if not quote:
                if token[0].lstrip()[:1] == "#":
                    break
                if token[0] in "\"'" and _before(line, token.start()) in ":-[{,?":
                    quote, place = token[0], (number, token.start())
            elif token[0] == quote:
                if number == last > place[0]:
                    return _open_quote(*place, quote)
                quote = ""
    return None


def _brackets(lines: list[str]) -> Iterator[tuple[int, int, str, str]]:
    """Yield each bracket outside of quotes and comments, and what is before it in its line."""
    for number, line in enumerate(lines):
        bare = _WITHOUT_BRACKETS.sub(lambda text: " " * len(text[0]), line)
        for found in re.finditer(r"[\[\]{}]", bare):
            yield number, found.start(), found[0], bare


def _last_open(lines: list[str], line: int, column: int) -> tuple[int, int] | None:
    """Find the innermost bracket that is open at a place."""
    stack: list[tuple[int, int]] = []
    for number, at, char, bare in _brackets(lines[: line + 1]):
        if (number, at) >= (line, column):
            break
        if char in "]}":
            del stack[-1:]
        elif stack or _before(bare, at) in ("", ":", "-"):
            stack.append((number, at))
    return stack[-1] if stack else None


def _in_brackets(lines: list[str], start: tuple[int, int], line: int, column: int) -> Mistake:
    opener, char = lines[start[0]][start[1]], lines[line][column : column + 1]
    closer = _CLOSER[opener]
    where = f"the {opener!r} of column {start[1] + 1}"
    if start[0] != line:
        where = f"{where} in line {start[0] + 1}"
    if char and char in "]}" and char != closer:
        about = f"{char!r} is here, but {where} is still open; write {closer!r} before it, or leave"
        return Mistake(line, column, f"{about} it out")
    depth = 0
    for number, at, bracket, _ in _brackets(lines[start[0] :]):
        if number or at >= start[1]:
            depth += (bracket == opener) - (bracket == closer)
            if not depth:
                about = f"a comma is missing before this, inside of {where}; write it like"
                return Mistake(line, column, f"{about} {_LIKE[opener]}")
    about = f"this {opener!r} is not closed; write {closer!r} after its last value"
    return Mistake(*start, about)


def _before(line: str, column: int) -> str:
    """Return the last character before a column that is no space; empty if there is none."""
    at = column - 1
    while at >= 0 and line[at].isspace():
        at -= 1
    return line[at] if at >= 0 else ""


# -- colons and columns -------------------------------------------------------------------------


def _second_colon(lines: list[str], number: int, column: int) -> Mistake | None:
    """Explain a ': ' where none can be."""
    this = _read(lines, number)
    if this.key is not None and this.column + len(this.key) < column:
        if re.search(r",\s", lines[number][this.column + len(this.key) : column]):
            about = "a second key is in this line; write each in a line of its own, or"
            return Mistake(number, column, f"{about} {_LIKE['{']}")
        about = "': ' is here for the second time in this line; put the whole text in quotes, or"
        return Mistake(number, column, f"{about} write the second key in a line of its own")
    above = next((one for one in _above(lines, number) if one.text), None)
    if above is None:
        return None
    if above.key is None or above.text.startswith("-"):
        return _no_colon(above)
    about = f"this line is indented below {shown(above.key)} (line {above.number + 1}), which has"
    about = f"{about} a value already; write it in column {above.column + 1}, or take that value"
    return Mistake(number, this.start, f"{about} out")


def _no_dash(lines: list[str], number: int) -> Mistake | None:
    """Explain a line in the column of the items of a list that is no item."""
    this = _read(lines, number)
    here = next((one for one in _levels(lines, number) if one.column == this.start), None)
    if here is None or here.key is not None or this.text.startswith("-") or this.dashes:
        return None
    about = f"in this column are items of a list, like {here}; write '- ' before it"
    return Mistake(number, this.start, about)


def _no_colon(line: _Line) -> Mistake:
    """Explain a line that should be a key and its value."""
    text, what = line.text, "this line has no ': ' after its key"
    if match := re.fullmatch(r"-([^\s-].*)", text):
        what, right = "a space is missing after the '-'", f"- {match[1]}"
    elif match := re.fullmatch(r"([^\s:]+):(\S.*)", text):
        what, right = "a space is missing after the ':'", f"{match[1]}: {match[2]}"
    elif match := re.fullmatch(r"([^:=]*?)(=|\uff1a|\ufe55|\ua789)(.*)", text):
        what = f"{match[2]!r} stands here for ':'"
        right = f"{match[1].rstrip()}: {match[3].lstrip()}"
    elif line.key is None:
        key, _, value = text.partition(" ")
        if not value:
            about = f"{what}; write {shown(key + ':')} and its value"
            return Mistake(line.number, line.column, about)
        right = f"{key}: {value}"
    else:
        return Mistake(line.number, line.start, f"{what}; write it like 'key: value'")
    return Mistake(line.number, line.column, f"{what}; write {shown(right.rstrip())}")


def _wrong_column(lines: list[str], number: int, column: int) -> Mistake | None:
    """Explain a line that begins where none can."""
    if lines[number][:column].strip(" -"):
        about = "this follows a text in quotes, or a list or mapping, that has ended; put all of it"
        return Mistake(number, column, f"{about} in quotes, or leave this out")
    if not lines[number].strip():
        return None
    this = _read(lines, number)
    if this.text.startswith(":"):
        return Mistake(number, this.column, "there is no key before this ':'; write one")
    levels = _levels(lines, number)
    here = next((one for one in levels if one.column == this.start), None)
    if here is not None and this.dashes and here.key is not None:
        above = next((one for one in levels if one.key is None), None)
        place = "put the list under a key"
        if above is not None:
            place = f"write it in column {above.column + 1}"
        about = f"'- ' begins an item of a list, but in this column are keys, like {here};"
        return Mistake(number, this.start, f"{about} leave the '- ' out, or {place}")
    if no_dash := _no_dash(lines, number):
        return no_dash
    lower = [one for one in levels if one.column < this.start][:1]
    higher = [one for one in levels if one.column > this.start][-1:]
    if not lower and not higher:
        return None
    near = ", or in column ".join(f"{one.column + 1} like {one}" for one in (*higher, *lower))
    about = f"this line begins in column {this.start + 1}, where no section does"
    return Mistake(number, this.start, f"{about}; write it in column {near}")


def _levels(lines: list[str], end: int) -> list[_Level]:
    """List the sections and lists that are open before line ``end``, innermost first.

    A text or brackets of many lines are taken for what they look like.
    """
    levels: list[_Level] = []
    for line in _above(lines, end):
        found = [_Level(column, line.number, None) for column in line.dashes]
        if line.key is not None:
            found.append(_Level(line.column, line.number, line.key))
        for level in reversed(found):
            if not levels or level.column < levels[-1].column:
                levels.append(level)
    return levels


def _above(lines: list[str], number: int) -> Iterator[_Line]:
    """Read the lines above one, upwards."""
    return (_read(lines, before) for before in range(number - 1, -1, -1))


def _read(lines: list[str], number: int) -> _Line:
    raw = lines[number]
    column = len(raw) - len(raw.lstrip(" "))
    dashes = []
    while match := _DASH.match(raw, column):
        dashes.append(column)
        column = match.end()
    rest = raw[column:]
    comment = _COMMENT.search(rest)
    text = (rest[: comment.start()] if comment else rest).rstrip()
    key = _KEY.match(text)
    name = (key[1] or key[2].rstrip()) if key else None
    return _Line(number, tuple(dashes), column, text, name)
