"""Which calls a report is about: by file, by call, and by time."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """What a user chose; nothing chosen is everything.

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
    """Whether a name has ``*`` or ``?`` in it."""
    return "*" in name or "?" in name


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
