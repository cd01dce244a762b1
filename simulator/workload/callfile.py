"""Listed calls as a CSV file that a person can edit: what a workload file names under ``traced``.

The columns are ``client,do,file,offset,size,gap_ns``; empty cells count as 0 or nothing. What a
client does stands in its order; rows of several clients may be mixed. ``do`` is

- ``file``: a file, its bytes before the job in ``offset`` and its size in ``size`` (without such a
  row both follow from the calls on it);
- ``start``: the client starts ``gap_ns`` after the job; its PE may stand in ``offset``;
- ``open``, ``close``, ``read``, ``write``, ``seek``, ``sync``, ``stat``, ``create``, ``lookup`` (of
  a name that is absent), ``unlink``, ``rename``, ``mkdir``, ``rmdir``, ``readdir``, ``setattr``: a
  call, after computing for ``gap_ns``;
- ``write-sync`` (O_SYNC), ``read-direct``, ``write-direct`` (O_DIRECT), ``write-direct-sync``: such
  reads and writes;
- ``fork``: start the client named in ``file`` here; ``wait``: wait for its end;
- ``await``: wait until somebody has come to the ``wake`` with the same number in ``offset``;
- ``take``: wait until a ``post`` with the same number in ``offset`` is left, and take it; only one
  client takes those of a number;
- ``pause``: nothing but the gap;
- ``idle``: after the gap, nothing for ``size`` ns, without a processor: a sleep, or a wait for
  somebody who is no client.
- ``close``: with ``size`` 1 of a file that was written, 2 of one that was emptied before;
- ``stat``, ``open``, ``create``, ``lookup`` and others on names: with ``size`` 1 in their other
  state, if the machine says what that costs (``others``).

``wake`` lets those go on that ``await`` the same number, all and from then on; ``post`` lets one
``take`` go on.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from simulator.csvtext import CsvWriter, text_of
from simulator.errors import InputError
from simulator.inputfile import MARK, marked_encoding, open_input
from simulator.runtime.listed import DURABLE, KINDS, CallTable
from simulator.runtime.operations import PASS, PAUSE, PLAIN, READ, RECEIVE, SEND, WAIT, WRITE
from simulator.runtime.records import LARGEST_FILE
from simulator.workload.extents import Extents
from simulator.workload.traced import Meetings, Traced, TracedClient, TracedFile, digest_of

HEAD = ("client", "do", "file", "offset", "size", "gap_ns")
_NAMES = {**KINDS, **DURABLE}
_ON_FILES = {name: kind for kind, name in _NAMES.items() if kind not in (PASS, WAIT, PAUSE)}
_COUNTS = {"post": SEND, "take": RECEIVE}
_NUMBERED = ("wake", "await", *_COUNTS)
DOES = ("file", "start", *_ON_FILES, "fork", "wait", *_NUMBERED, "pause", "idle", "stripes")
MOST_TOLD = 20
"""Mistakes that are told of one file."""


class CallFileError(InputError):
    """A file of calls with mistakes in it: one for each line."""


# -- writing ------------------------------------------------------------------------------------


def write_calls(traced: Traced, to: TextIO) -> None:
    """Write a traced job."""
    out = CsvWriter(to)
    out.writerow(HEAD)
    for file in traced.files:
        out.writerow(("", "file", file.name, file.length, file.size, ""))
        if file.stripes[0]:
            out.writerow(("", "stripes", file.name, *file.stripes, ""))
    born = {one.born: one.name for one in traced.clients if one.born >= 0}
    ends: dict[int, str] = {}
    table = traced.table
    for client in traced.clients:
        last = client.first + client.calls - 1
        if client.calls and table.kind[last] == PASS and table.offset[last] not in born:
            ends[table.offset[last]] = client.name
    for client in traced.clients:
        start = "" if client.born >= 0 else client.start_ns
        out.writerow((client.name, "start", "", client.place, "", start))
        for row in range(client.first, client.first + client.calls):
            if line := _line(traced, row, born, ends):
                out.writerow((client.name, *line))


def _line(
    traced: Traced, row: int, born: dict[int, str], ends: dict[int, str]
) -> tuple[object, ...]:
    table = traced.table
    kind, gap = table.kind[row], table.gap[row] or ""
    mark = table.offset[row]
    if kind == PASS:
        if mark in born:
            return ("fork", born[mark], "", "", gap)
        if mark not in ends:
            return ("wake", "", mark, "", gap)
        return ("pause", "", "", "", gap) if gap else ()
    if kind == WAIT:
        return ("wait", ends[mark], "", "", gap) if mark in ends else ("await", "", mark, "", gap)
    if kind == PAUSE:
        idle = table.size[row]
        return ("idle" if idle else "pause", "", "", idle or "", gap)
    if kind in _COUNTS.values():
        return ("post" if kind == SEND else "take", "", mark, "", gap)
    name = traced.files[table.file[row]].name
    return (_NAMES[kind], name, mark or "", table.size[row] or "", gap)


# -- reading ------------------------------------------------------------------------------------


@dataclass
class _Client:
    name: str
    line: int
    start_ns: int | None = None
    place: int = -1
    parent: str = ""
    rows: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    """Kind, file, offset, size, gap; of a fork and a wait the offset is the line's number."""


class _Reader:
    """What has been read of a file, and what is wrong with it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.wrong: list[str] = []
        self.clients: dict[str, _Client] = {}
        self.files: dict[str, int] = {}
        self.given: dict[int, tuple[int, int]] = {}
        self.stripes: dict[int, tuple[int, int]] = {}
        self.extents = Extents()
        self.others: dict[int, tuple[str, str, str]] = {}
        """Line -> (who, fork or wait, whom); who is waked by number is named by that."""

    def read(self, lines: Iterator[list[str]]) -> None:
        """Take in all lines."""
        for line, cells in enumerate(lines, 1):
            if line == 1:
                if tuple(cells) != HEAD:
                    raise CallFileError(
                        f"{self.name}:1: the first line is {','.join(cells)!r}; write"
                        f" {','.join(HEAD)!r}"
                    )
            elif cells and len(self.wrong) < MOST_TOLD:
                self._take(line, cells)

    def _say(self, line: int, about: str) -> None:
        self.wrong.append(f"{self.name}:{line}: {about}")

    def _take(self, line: int, cells: list[str]) -> None:
        if len(cells) != len(HEAD):
            self._say(line, f"{len(cells)} cells; write {len(HEAD)}: {','.join(HEAD)}")
            return
        who, do, file, *numbers = cells
        who, file = text_of(who), text_of(file)
        if do not in DOES:
            self._say(line, f"do is {do!r}; write one of {', '.join(DOES)}")
            return
        offset, size, gap = (
            self._number(line, key, text) for key, text in zip(HEAD[3:], numbers, strict=True)
        )
        if do == "file":
            self.given[self._file(file)] = (offset, size)
            return
        if do == "stripes":
            if not (offset > 0 and size > 0):
                self._say(line, "stripes: write how many under 'offset', and bytes under 'size'")
            self.stripes[self._file(file)] = (offset, size)
            return
        if not who:
            self._say(line, "no client; write its name")
            return
        client = self.clients.setdefault(who, _Client(who, line))
        if do == "start":
            client.place = offset if numbers[0] else -1
            client.start_ns = gap if numbers[2] else None
        elif do in _ON_FILES:
            self._call(line, client, do, file, (offset, size, gap))
        elif do in ("pause", "idle"):
            client.rows.append((PAUSE, -1, 0, size if do == "idle" else 0, gap))
        else:
            numbered = do in _NUMBERED
            if not file and not numbered:
                self._say(line, f"{do} whom? write a client under 'file'")
            self.others[line] = (who, do, str(offset) if numbered else file)
            kind = _COUNTS.get(do, PASS if do in ("fork", "wake") else WAIT)
            client.rows.append((kind, -1, line, 0, gap))

    def _call(
        self, line: int, client: _Client, do: str, file: str, numbers: tuple[int, int, int]
    ) -> None:
        if not file:
            self._say(line, f"{do} of what? write a name under 'file'")
            return
        offset, size, gap = numbers
        if offset + size > LARGEST_FILE:
            self._say(line, f"ends at byte {offset + size}; a file has {LARGEST_FILE} at most")
            return
        number = self._file(file)
        kind = _ON_FILES[do]
        if kind & PLAIN in (READ, WRITE) and number not in self.given:
            self.extents.grow(len(self.files))
            self.extents.add_one(kind & PLAIN, number, offset, size)
        client.rows.append((kind, number, offset, size, gap))

    def _file(self, name: str) -> int:
        return self.files.setdefault(name, len(self.files))

    def _number(self, line: int, key: str, text: str) -> int:
        if not text:
            return 0
        if text.isascii() and text.isdigit() and len(text) <= 19 and int(text) < 2**62:
            return int(text)
        self._say(line, f"{key} is {text!r}; write a whole number, 0 or more, without a unit")
        return 0

    def finish(self, name: str) -> Traced:
        """Tie the clients together; CallFileError tells what is wrong."""
        wakes = {whom for _, do, whom in self.others.values() if do == "wake"}
        for line, (who, do, whom) in self.others.items():
            if do in ("wake", "await"):
                if whom not in wakes:
                    self._say(line, f"nothing wakes {whom}; write a row with 'wake' and {whom}")
            elif whom and do not in _COUNTS and whom not in self.clients:
                self._say(line, f"{whom!r} has no rows; write what it does, or 'start'")
            elif do == "fork" and whom:
                child = self.clients[whom]
                if child.parent or child.start_ns is not None or whom == who:
                    self._say(line, f"{whom!r} starts elsewhere as well; write one of the two")
                child.parent = who
        self._check_counts()
        for one in self.clients.values():
            if one.start_ns is None and not one.parent:
                about = f"nothing starts {one.name!r}; write a row '{one.name},start,,,,0' for it"
                self._say(one.line, f"{about}, or the 'fork' of another client")
        if not self.clients:
            self._say(1, "no client does anything; write rows")
        if self.wrong:
            raise CallFileError("\n".join(self.wrong[:MOST_TOLD]))
        return self._weave(name)

    def _check_counts(self) -> None:
        """Report what is taken and not posted, or not as often, or taken by two clients."""
        posts = Counter(number for _, do, number in self.others.values() if do == "post")
        takes = Counter(number for _, do, number in self.others.values() if do == "take")
        takers: dict[str, str] = {}
        for line, (who, do, number) in self.others.items():
            if do == "post" and number not in takes:
                self._say(line, f"nothing takes {number}; write a row with 'take' and {number}")
            elif do == "take" and takers.setdefault(number, who) != who:
                about = f"{takers[number]!r} takes {number} too; write another number for one"
                self._say(line, about)
            elif do == "take" and takes[number] > posts[number]:
                about = f"{number} is taken {takes[number]} times and posted {posts[number]} times"
                self._say(line, f"{about}; write more rows with 'post'")
                posts[number] = takes[number]

    def _weave(self, name: str) -> Traced:
        marks: dict[int, int] = {}
        born: dict[str, int] = {}
        ends: dict[str, int] = {}
        count = 0
        woken: dict[str, int] = {}
        counters: dict[str, int] = {}
        takers: dict[str, str] = {}
        for line, (who, do, whom) in self.others.items():
            if do in _COUNTS:
                marks[line] = counters.setdefault(whom, len(counters))
                takers |= {whom: who} if do == "take" else {}
                continue
            known = {"fork": born, "wait": ends}.get(do, woken)
            if whom not in known:
                known[whom] = count
                count += 1
            marks[line] = known[whom]
        table = CallTable(marks=count)
        clients = []
        for place, one in enumerate(self.clients.values()):
            first = len(table)
            for kind, file, offset, size, gap in one.rows:
                at = marks[offset] if kind in (PASS, WAIT, SEND, RECEIVE) else offset
                table.add(kind, file, at, size, gap=gap)
            if one.name in ends:
                table.add(PASS, offset=ends[one.name])
            clients.append(
                TracedClient(
                    name=one.name,
                    start_ns=one.start_ns or 0,
                    born=born.get(one.name, -1),
                    first=first,
                    calls=len(table) - first,
                    place=place if one.place < 0 else one.place,
                )
            )
        self.extents.grow(len(self.files))
        lengths = zip(self.extents.length, self.extents.reach, strict=True)
        files = [
            TracedFile(file, *self.given.get(number, found), self.stripes.get(number, (0, 0)))
            for (file, number), found in zip(self.files.items(), lengths, strict=True)
        ]
        place_of = {one: place for place, one in enumerate(self.clients)}
        meetings = Meetings(counters=tuple(place_of[takers[one]] for one in counters))
        return Traced(name, table, tuple(clients), tuple(files), digest_of(table), meetings)


def read_calls(path: Path, name: str) -> Traced:
    """Read a file of calls; CallFileError tells every mistake with its line."""
    reader = _Reader(str(path))
    try:
        content = io.BufferedReader(open_input(path))
        encoding = marked_encoding(content.peek(MARK)) or "utf-8"
        with io.TextIOWrapper(content, encoding=encoding, newline="") as file:
            reader.read(csv.reader(file))
    except UnicodeDecodeError as error:
        raise CallFileError(
            f"{path}: not {encoding.upper()} at byte {error.start}; save it so"
        ) from None
    except csv.Error as error:
        raise CallFileError(f"{path}: no CSV ({error})") from None
    return reader.finish(name)
