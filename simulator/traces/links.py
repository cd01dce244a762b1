"""Symbolic links that a log makes: which name another one leads to. Not compiled itself.

Few logs make any, so that this is asked for seldom. Not known here: links from before the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.traces.machine import Names

MOST_HOPS = 40
"""Links that Linux follows in one name."""


class Links:
    """The symbolic links of a log, by their names."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._texts: dict[str, tuple[str, int]] = {}
        self._found: dict[tuple[int, int, bool], int] = {}

    def forget(self) -> None:
        """Another log begins, of another world."""
        self._texts = {}
        self._found = {}

    def add(self, name: int, text: int, moves: int) -> None:
        """A name is a link to a text; known until files are moved (``moves`` counts that)."""
        self._texts[self._names.text(name)] = (self._names.text(text), moves)
        self._found = {}

    def is_link(self, name: int, moves: int) -> bool:
        """Say whether a name is known to be a link."""
        return self._texts.get(self._names.text(name), ("", -1))[1] == moves

    def copy(self, name: int, to_name: int, moves: int) -> None:
        """A second name is the link that the first one is."""
        text, _ = self._texts[self._names.text(name)]
        self._texts[self._names.text(to_name)] = (text, moves)
        self._found = {}

    def remove(self, name: int) -> None:
        """A name is no link any more."""
        if self._texts.pop(self._names.text(name), None):
            self._found = {}

    def resolve(self, name: int, root: int, follow: bool, moves: int) -> int:
        """Return the name that a name leads to; ``follow``: its last part may be a link, too.

        ``root`` is the process's root directory, or -1.
        """
        key = (name, root, follow)
        if key not in self._found:
            top = self._names.text(root) if root >= 0 else ""
            path = self._follow(self._names.text(name), top, follow, moves)
            self._found[key] = self._names.word(path.encode())
        return self._found[key]

    def _follow(self, path: str, top: str, follow: bool, moves: int) -> str:
        for _ in range(MOST_HOPS):
            ends = [at for at in range(1, len(path)) if path[at] == "/"]
            for end in (*ends, *([len(path)] if follow else [])):
                text, known = self._texts.get(path[:end], ("", -1))
                if known == moves:
                    where = top if text.startswith("/") else path[:end].rpartition("/")[0]
                    path = _plain(f"{where}/{text}{path[end:]}", top, path.startswith("/"))
                    break
            else:
                break
        return path


def _plain(path: str, top: str, absolute: bool) -> str:
    """Take ``.``, ``..`` and ``//`` out of a path, which cannot go up from ``top``."""
    parts: list[str] = []
    for part in path.split("/"):
        if part != "..":
            parts += [part] if part not in ("", ".") else []
        elif ("/" if absolute else "") + "/".join(parts) != top:
            if parts and parts[-1] != "..":
                parts.pop()
            elif not absolute:
                parts.append(part)
    plain = "/".join(parts)
    return "/" + plain if absolute else plain or "."
