"""Inodes that names lead to at a time: names are made, renamed, linked and removed.

A file that is made by one name and renamed to another is one file; two that are made one after the
other by the same name are two. Known from the calls of a log alone: an open that makes its file, a
rename, a link, a removal. Not known: what other programs do to the same names, and what renaming a
folder does to the names in it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Name = TypeVar("Name", bound=Hashable)

MADE, OPENED, RENAMED, LINKED, REMOVED = range(5)
"""What a call does to a name; an open may have made its file anew if the name was gone."""


class Inodes(Generic[Name]):
    """The inodes of a log, by the names that lead to them.

    >>> events = [(1, MADE, "t", ""), (3, RENAMED, "t", "a"), (5, MADE, "t", "")]
    >>> sorted((*one, inodes.home[one[2]]) for inodes in [Inodes(events)] for one in inodes.begins)
    [('a', 0, 2, 'a'), ('a', 3, 1, 'a'), ('t', 0, 0, 't'), ('t', 1, 1, 'a'), ('t', 5, 3, 't')]
    """

    def __init__(self, events: Iterable[tuple[int, int, Name, Name]]) -> None:
        """``events``: in order, place, what is done, the name, and the second name."""
        self.home: list[Name] = []
        """Inode -> the last name that it had."""
        self.begins: list[tuple[Name, int, int]] = []
        """From which place on a name leads to which inode."""
        self._now: dict[Name, int] = {}
        self._gone: set[Name] = set()
        for place, what, name, to_name in events:
            self._take(place, what, name, to_name)

    def _take(self, place: int, what: int, name: Name, to_name: Name) -> None:
        self._leads(name)
        if what == MADE or (what == OPENED and name in self._gone):
            self._begin(name, place, self._new(name))
        elif what in (RENAMED, LINKED):
            self._leads(to_name)
            inode = self._now[name]
            self.home[inode] = to_name
            self._begin(to_name, place, inode)
        if what in (RENAMED, REMOVED):  # Who has it open still has that inode.
            self._gone.add(name)

    def _leads(self, name: Name) -> None:
        """Assign an inode to a name from the beginning, if it has none."""
        if name not in self._now:
            self._begin(name, 0, self._new(name))

    def _new(self, name: Name) -> int:
        self.home.append(name)
        return len(self.home) - 1

    def _begin(self, name: Name, place: int, inode: int) -> None:
        self._now[name] = inode
        self._gone.discard(name)
        self.begins.append((name, place, inode))
