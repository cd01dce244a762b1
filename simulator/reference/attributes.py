"""What clients know of files' attributes: until when, and in which version of the file.

``docs/composition.md``, "Attributes".
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.plan.codes import (
    CHANGING,
    CREATE,
    LOOKUP,
    OPEN,
    OPEN_ASKS,
    OPEN_CACHED,
    STAT,
)

if TYPE_CHECKING:
    from simulator.plan.paths import PathPlan

Client = tuple[int, int]
"""A group of nodes and a member of it."""


@dataclass(slots=True)
class Known:
    """What a client knows of a file, or of a name that is absent in it."""

    version: int
    """Of the file, when the server was asked last."""
    life_ns: int
    until_ns: int = 0


class Attributes:
    """The versions of all files, and what all clients know of them."""

    def __init__(self) -> None:
        self._versions: defaultdict[int, int] = defaultdict(int)
        self._known: dict[tuple[Client, int, int], Known] = {}

    def answer(
        self, path: PathPlan, client: Client, file: int, kind: int, name: int, now: int
    ) -> bool:
        """Return whether a client answers an operation itself; ``name`` is 0 for the file."""
        if kind not in (STAT, LOOKUP) and not (kind == OPEN and path.opening == OPEN_CACHED):
            return False
        known = self._known.get((client, file, name))
        return known is not None and now < known.until_ns

    def answered(
        self, path: PathPlan, client: Client, file: int, kind: int, name: int, now: int
    ) -> bool:
        """Take in the server's answer; return whether the client's clean blocks have to go."""
        if kind in CHANGING:
            self.changed(client, file)
        if kind not in (STAT, LOOKUP, OPEN, CREATE):
            return False
        version, usual = self._versions[file], path.attributes_min_ns
        key = (client, file, name)
        known = self._known.setdefault(key, Known(version, usual))
        dropped = False
        if kind == CREATE:
            known.life_ns = usual
        elif known.version != version:
            known.life_ns = usual
            dropped = path.opening != OPEN_ASKS and not name
        elif 0 < known.until_ns <= now:
            known.life_ns = min(2 * known.life_ns, path.attributes_max_ns)
        known.version, known.until_ns = version, now + known.life_ns
        return dropped

    def changed(self, client: Client, file: int) -> None:
        """A client has changed a file; it knows that version if it knew the one before."""
        version = self._versions[file]
        self._versions[file] = version + 1
        known = self._known.get((client, file, 0))
        if known is not None and known.version == version:
            known.version = version + 1
