"""What is wrong with a text that is not YAML, found in its lines.

PyYAML says where it could not go on, which may be far from the mistake, and in terms of its
grammar. Here the lines around are looked at as their author sees them: columns, colons, quotes,
brackets. What is not recognised keeps PyYAML's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml

from simulator.unit_names import shown

LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")

# No pattern here has two repeats that can take the same characters: a text of 1 MB may be one line.
_KEY = re.compile(r"""(?:("[^"]*"|'[^']*')\s*|([^"'\[\]{}#&*!|>%@`,][^#]*?)):(?=\s|$)\s*(.*)""")
_COMMENT = re.compile(r"(^|\s)#")
_DASH = re.compile(r"-(\s+|$)")
_CLOSER = {"{": "}", "[": "]"}
_LIKE = "{a: 1, b: 2}"
_WITHOUT_BRACKETS = re.compile(r"""(^|\s)#.*|"[^"]*"|'[^']*'""")
"""Comments and texts in quotes."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong, and where: line and column from 0."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class _Place:
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class _Line:
    """A line as its author sees it."""

    number: int
    dashes: tuple[int, ...]
    """The columns of the '- ' that it begins with."""
    column: int
    """Where what follows them begins."""
    text: str
    """What follows them, without a comment."""
    key: str | None
    value: str

    @property
    def start(self) -> int:
        """The column of its first character."""
        return self.dashes[0] if self.dashes else self.column


@dataclass(frozen=True, slots=True)
class _Level:
    """A section or a list that is open, and where its keys or dashes begin."""

    column: int
    number: int
    name: str
    dash: bool = False


def find_mistake(text: str, error: yaml.MarkedYAMLError) -> Mistake:
    """Say what is wrong with ``text``, which PyYAML has refused with ``error``."""
    lines = LINE_END.split(text)
    mark = _place(error.problem_mark or error.context_mark, lines)
    start = _place(error.context_mark or error.problem_mark, lines)
    problem, context = error.problem or "", error.context or ""
    char = _at(lines, mark)
    found: Mistake | None = None
    if "quoted scalar" in context:
        found = _open_quote(start.line, start.column, _at(lines, start))
    elif quote := _quote_to(lines, mark.line):
        found = quote
    elif "cannot start any token" in problem:
        found = Mistake(mark.line, mark.column, _bad_start(char))
    elif "flow" in context and (opened := _last_open(lines, mark)) is not None:
        found = _in_brackets(lines, opened, mark)
    elif char and char in "]}":
        found = Mistake(mark.line, mark.column, f"{char!r} closes nothing here; leave it out")
    elif "mapping values are not allowed" in problem:
        found = _second_colon(lines, mark)
    elif "expected ':'" in problem:
        found = _no_colon(lines, start.line)
    elif "expected" in problem:
        found = _wrong_column(lines, mark)
    return found or Mistake(mark.line, mark.column, _plainly(error))


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
            mark = token[0][-1:]
            if not quote:
                if token[0].lstrip()[:1] == "#":
                    break
                if token[0] in "\"'" and _before(line, token.start()) in ":-[{,?":
                    quote, place = mark, (number, token.start())
            elif token[0] == quote:
                if number == last > place[0]:
                    return _open_quote(*place, quote)
                quote = ""
    return None


def _bad_start(char: str) -> str:
    if char == "\t":
        return "a tab is here; write spaces"
    return f"a text cannot begin with {char!r}; put it in quotes"


def _last_open(lines: list[str], mark: _Place) -> _Place | None:
    """Find the innermost bracket that is open at a mark."""
    stack: list[_Place] = []
    for number, line in enumerate(lines[: mark.line + 1]):
        bare = _WITHOUT_BRACKETS.sub(_blank, line)
        for column, char in enumerate(bare[: mark.column] if number == mark.line else bare):
            if char in "{[" and (stack or _before(bare, column) in ("", ":", "-")):
                stack.append(_Place(number, column))
            elif char in "}]" and stack:
                stack.pop()
    return stack[-1] if stack else None


def _in_brackets(lines: list[str], start: _Place, mark: _Place) -> Mistake:
    opener, char = _at(lines, start), _at(lines, mark)
    closer = _CLOSER[opener]
    where = f"of column {start.column + 1}"
    if start.line != mark.line:
        where = f"{where} in line {start.line + 1}"
    if char and char in "]}" and char != closer:
        about = f"{char!r} is here, but the {opener!r} {where} is still open"
        about = f"{about}; write {closer!r} before it, or leave it out"
        return Mistake(mark.line, mark.column, about)
    if not _is_closed(lines, start, opener, closer):
        about = f"this {opener!r} is not closed; write {closer!r} after its last value"
        return Mistake(start.line, start.column, about)
    about = (
        f"a comma is missing before this, inside of the {opener!r} {where}; write it like {_LIKE}"
    )
    if opener == "[":
        about = about.replace(_LIKE, "[a, b]")
    return Mistake(mark.line, mark.column, about)


def _is_closed(lines: list[str], start: _Place, opener: str, closer: str) -> bool:
    depth = 0
    for number, line in enumerate(lines[start.line :]):
        bare = _WITHOUT_BRACKETS.sub(_blank, line)
        for char in bare if number else bare[start.column :]:
            depth += (char == opener) - (char == closer)
            if not depth:
                return True
    return False


def _before(line: str, column: int) -> str:
    """Return the last character before a column that is no space; empty if there is none."""
    at = column - 1
    while at >= 0 and line[at].isspace():
        at -= 1
    return line[at] if at >= 0 else ""


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


# -- colons and columns -------------------------------------------------------------------------


def _second_colon(lines: list[str], mark: _Place) -> Mistake | None:
    """Explain a ': ' where none can be."""
    this = _read(lines[mark.line], mark.line)
    if this.key is not None and this.column + len(this.key) < mark.column:
        if re.search(r",\s", lines[mark.line][this.column + len(this.key) : mark.column]):
            about = f"a second key is in this line; write each in a line of its own, or {_LIKE}"
        else:
            about = "': ' is here for the second time in this line; put the whole text in quotes,"
            about = f"{about} or write the second key in a line of its own"
        return Mistake(mark.line, mark.column, about)
    above = _above(lines, mark.line)
    if above is None:
        return None
    if above.key is None or above.text.startswith("-"):
        return _no_colon(lines, above.number)
    about = f"this line is indented below {shown(above.key)} (line {above.number + 1}), which has"
    about = (
        f"{about} a value already; write it in column {above.column + 1}, or take that value out"
    )
    return Mistake(mark.line, this.start, about)


def _no_colon(lines: list[str], number: int) -> Mistake:
    """Explain a line that should be a key and its value."""
    line = _read(lines[number], number)
    text, what, right = line.text, "this line has no ': ' after its key", ""
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
            return Mistake(number, line.column, f"{what}; write {shown(key + ':')} and its value")
        right = f"{key}: {value}"
    if not right:
        return Mistake(number, line.start, f"{what}; write it like 'key: value'")
    return Mistake(number, line.column, f"{what}; write {shown(right.rstrip())}")


def _wrong_column(lines: list[str], mark: _Place) -> Mistake | None:
    """Explain a line that begins where none can."""
    if lines[mark.line][: mark.column].strip(" -"):
        about = "this follows a text in quotes, or a list or mapping, that has ended; put all of it"
        return Mistake(mark.line, mark.column, f"{about} in quotes, or leave this out")
    if not lines[mark.line].strip():
        return None
    this = _read(lines[mark.line], mark.line)
    if this.text.startswith(":"):
        return Mistake(mark.line, this.column, "there is no key before this ':'; write one")
    levels = _levels(lines, mark.line)
    here = next((one for one in levels if one.column == this.start), None)
    others = [one for one in levels if one.column != this.start]
    if here is not None and this.dashes and not here.dash:
        above = [one for one in levels if one.dash][-1:]
        place = f"write it in column {above[0].column + 1}" if above else "put the list under a key"
        about = f"'- ' begins an item of a list, but in this column are keys, like {_named(here)};"
        return Mistake(mark.line, this.start, f"{about} leave the '- ' out, or {place}")
    if here is not None and here.dash and not this.dashes:
        about = f"in this column are items of a list, like {_named(here)}; write '- ' before it"
        return Mistake(mark.line, this.start, about)
    lower = [one for one in others if one.column < this.start][-1:]
    higher = [one for one in others if one.column > this.start][:1]
    near = [f"{one.column + 1} like {_named(one)}" for one in (*higher, *lower)]
    if not near:
        return None
    about = (
        f"this line begins in column {this.start + 1}, where no section does; write it in column"
    )
    return Mistake(mark.line, this.start, f"{about} {', or in column '.join(near)}")


def _named(level: _Level) -> str:
    name = "the '- '" if level.dash else shown(level.name, 30)
    return f"{name} in line {level.number + 1}"


def _levels(lines: list[str], end: int) -> list[_Level]:
    """List the sections and lists that are open before line ``end``, outermost first."""
    levels: list[_Level] = []
    for line in _block_lines(lines[:end]):
        while levels and levels[-1].column > line.start:
            levels.pop()
        new = [_Level(column, line.number, "", dash=True) for column in line.dashes]
        if line.key is not None:
            new.append(_Level(line.column, line.number, line.key))
        for level in new:
            while levels and levels[-1].column >= level.column:
                levels.pop()
            levels.append(level)
    return levels


def _block_lines(lines: list[str]) -> Iterable[_Line]:
    """Read the lines that are neither empty nor inside of brackets or of a text of many lines."""
    depth, inside = 0, -1
    for number, raw in enumerate(lines):
        line = _read(raw, number)
        if not line.text and not line.dashes:
            continue
        if inside >= 0 and line.start > inside:
            continue
        inside = -1
        if depth == 0:
            yield line
        if re.fullmatch(r"[|>][-+0-9]*", line.value):
            inside = line.start
        elif depth or (line.value or line.text)[:1] in ("{", "["):
            bare = re.sub(r""""[^"]*"|'[^']*'""", "", line.text)
            depth += sum(bare.count(one) for one in "{[") - sum(bare.count(one) for one in "}]")
            depth = max(depth, 0)


def _above(lines: list[str], number: int) -> _Line | None:
    """Read the next line above that says something."""
    for before in range(number - 1, -1, -1):
        line = _read(lines[before], before)
        if line.text:
            return line
    return None


def _read(raw: str, number: int) -> _Line:
    column = len(raw) - len(raw.lstrip(" "))
    dashes = []
    while match := _DASH.match(raw, column):
        dashes.append(column)
        column = match.end()
    rest = raw[column:]
    comment = _COMMENT.search(rest)
    text = (rest[: comment.start()] if comment else rest).rstrip()
    key = _KEY.match(text)
    return _Line(
        number,
        tuple(dashes),
        column,
        text,
        (key[1] or key[2].rstrip()) if key else None,
        key[3] if key else "",
    )


def _place(mark: Any, lines: list[str]) -> _Place:
    """Return the place of a PyYAML mark, which may be beyond the last line."""
    if mark is None:
        return _Place(0, 0)
    line = min(mark.line, len(lines) - 1)
    return _Place(
        line, min(mark.column, len(lines[line])) if line == mark.line else len(lines[line])
    )


def _at(lines: list[str], place: _Place) -> str:
    return lines[place.line][place.column : place.column + 1]
