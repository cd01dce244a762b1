"""Machine and workload files, by path or by name, with settings -> typed sections."""

from __future__ import annotations

import errno
import io
import os
import re
from collections.abc import Callable, Iterable
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from simulator.config.errors import ConfigError, Fault, Problem
from simulator.config.reader import NodeCache, Reader
from simulator.config.settings import Setting, apply_settings
from simulator.config.sources import Document
from simulator.config.yamltree import Mapping, Node, Scalar, read_tree
from simulator.errors import did_you_mean, nearby
from simulator.inputfile import KindError, Source, Text, marked_encoding, open_input
from simulator.shipped import shipped_root
from simulator.units import shown

LARGEST_FILE = 1_000_000
"""Bytes of the largest file that is read."""

_REASONS = {
    errno.ENOENT: "there is no such file",
    errno.EISDIR: "this is a folder; name a file",
    errno.EACCES: "this file may not be read; look at its permissions",
    errno.ELOOP: "this is a symbolic link to itself; name the file",
    errno.ENAMETOOLONG: "this name is too long for a file",
    errno.ENOTDIR: "there is no such file: a part of its path is not a folder",
}
_FOREIGN = {"shift_jis": "Shift_JIS", "euc_jp": "EUC-JP", "iso2022_jp": "ISO-2022-JP"}


def read_text(path: Path) -> str:
    """Read a file of at most 1 MB in UTF-8 (with or without a mark); ConfigError if it is none."""
    name = str(path)
    try:
        content = _content(path)
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror or "it cannot be read")
        reason += nearby(path) if error.errno == errno.ENOENT else ""
        raise _refused(name, reason) from error
    except ValueError as error:  # A NUL in the name.
        raise _refused(name, f"this is no name of a file: {error}") from error
    return decode(content, name)


def _content(path: Path) -> bytes:
    """Read a file, of one that is too large a little more than the most; OSError, ConfigError."""
    try:
        with io.BufferedReader(open_input(path)) as whole:
            return whole.read(LARGEST_FILE + 1)
    except KindError as error:
        raise _refused(str(path), str(error).removeprefix(f"{path}: ")) from None


def decode(content: bytes, name: str) -> str:
    """Decode UTF-8, or what a mark names; ConfigError guesses the encoding of other bytes."""
    if len(content) > LARGEST_FILE:
        raise _refused(name, f"larger than {LARGEST_FILE} bytes, which no such file should be")
    encoding = marked_encoding(content) or "utf-8"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding not in ("utf-8", "utf-8-sig"):
            marked = f"this file begins as {encoding.upper()} does, and is not"
            raise _refused(name, f"{marked} ({error.reason}); save it as UTF-8") from error
        before = content[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        column = len(before[-1].decode("utf-8", "replace")) + 1
        byte = f"the byte 0x{content[error.start]:02X} is not UTF-8"
        message = f"{byte}{_guess(content)}; save the file as UTF-8"
        raise ConfigError([Problem(name, len(before), column, "", message)]) from error


def _guess(content: bytes) -> str:
    for codec, encoding in _FOREIGN.items():
        try:
            content.decode(codec)
        except UnicodeDecodeError:
            continue
        return f" (it may be {encoding})"
    return ""


def _refused(name: str, message: str) -> ConfigError:
    return ConfigError([Problem(name, 0, 0, "", message)])


def written_format(name_or_path: str | Path, noun: str) -> str | None:
    """Return the format that a file, or the shipped one of that name, states; None without one."""
    path = Path(name_or_path)
    shipped = shipped_root("configs") / f"{noun}s" / f"{name_or_path}.yaml"
    for one in (path, shipped):
        try:
            return format_in(_content(one).decode("utf-8", "replace"))
        except (OSError, ValueError, ConfigError):  # ValueError: a NUL in the name.
            continue
    return None


def format_in(text: str) -> str | None:
    r"""The format that a file's text begins with, as far as one line of it can tell.

    >>> format_in("# a machine\nformat: machine/2\nname: nwt\n")
    'machine/2'
    """
    found = re.search(r"^\ufeff?(?:\{ *)?format: *['\"]?([\w-]+/\d+)", text, re.MULTILINE)
    return found[1] if found else None


File = TypeVar("File", bound=Document)


FORMATS = {
    "machine": "machine/2",
    "workload": "workload/2",
    "fit": "fit/1",
    "requirement": "requirement/1",
}
"""Formats of files that users write, by what they are; those of other files are versions 1."""


@dataclass(frozen=True)
class Kind(Generic[File]):
    """One kind of files."""

    noun: str
    """What it is to a run: ``machine`` or ``workload``."""
    section: type[File]
    names: Callable[[AnyMapping[str, Any]], Iterable[Fault]] = lambda _values: ()
    """Names that stand for nothing, found in values of which some may be wrong."""
    checks: Callable[[File], Iterable[Fault]] = lambda _section: ()
    """What is wrong with a section whose values are right each by itself."""

    @property
    def format(self) -> str:
        """Return what such a file begins with."""
        return FORMATS.get(self.noun, f"{self.noun}/1")

    def parse(
        self, text: str, name: str, settings: Iterable[Setting]
    ) -> tuple[File, Mapping, NodeCache]:
        """Return a text's section, its tree with the settings applied, and what was made of it."""
        if len(text) > LARGEST_FILE:
            raise ConfigError([Problem(name, 0, 0, "", f"larger than {LARGEST_FILE} characters")])
        node, problems = read_tree(text.removeprefix("\ufeff"), name)
        return self.read(_of_kind(self, node), name, settings, problems=problems)

    def read(
        self,
        tree: Mapping,
        name: str,
        settings: Iterable[Setting],
        *,
        problems: Iterable[Problem] = (),
        known: NodeCache | None = None,
    ) -> tuple[File, Mapping, NodeCache]:
        """Return them of the tree of a text; ``known`` is what was made of its nodes before."""
        tree, wrong = apply_settings(tree, self.section, self.noun, settings)
        reader = Reader(name, tree, known)
        values = reader.read(tree, self.section)
        reader.check_fits()
        found = [*problems, *wrong, *reader.problems]
        if isinstance(values, self.section) and not found:
            faults = [*self.checks(values)]
            if not faults:
                values.remember(reader.origin)
                return values, tree, reader.made
            faults = [*self.names(vars(values))] or faults
        else:
            named = vars(values) if isinstance(values, self.section) else values
            faults = [*self.names(named), *reader.faults()]
        raise ConfigError([*found, *(reader.origin.problem(*one) for one in faults)])

    def shipped(self) -> dict[str, Path]:
        """Return the files that come with the program, by name."""
        return _shipped(self.noun)


def _shipped(noun: str) -> dict[str, Path]:
    paths = sorted((shipped_root("configs") / f"{noun}s").glob("*.yaml"))
    return {path.stem: path for path in paths}


def read_file(kind: Kind[Any], source: Source) -> Text:
    """Return the text of a file, and what messages call it."""
    if isinstance(source, Text):
        return source
    path = _find(kind, source)
    return Text(read_text(path), str(path))


def load_file(kind: Kind[File], source: Source, settings: Iterable[Setting] = ()) -> File:
    """Read a file of some kind, or by its name one that comes with the program."""
    section: File = parsed(kind, read_file(kind, source), tuple(settings))[0]
    return section


@lru_cache(maxsize=2)
def parsed(
    kind: Kind[File], text: Text, settings: tuple[Setting, ...]
) -> tuple[File, Mapping, NodeCache]:
    """Parse a text, as the kind does; once for a run and for those that say what limits it."""
    return kind.parse(*text, settings)


def _find(kind: Kind[Any], name_or_path: str | Path) -> Path:
    """Return the path of a file that is there, or of the shipped one of that name."""
    name = str(name_or_path)
    like_a_path = isinstance(name_or_path, Path) or "/" in name or os.sep in name
    if like_a_path or _is(name, Path.is_file) or name.endswith((".yaml", ".yml")):
        return Path(name)
    shipped = kind.shipped()
    if name in shipped:
        return shipped[name]
    if name == "-":
        raise ConfigError([Problem(name, 0, 0, "", "standard input is not read; name a file")])
    if _is(name, Path.exists):
        return Path(name)
    about = f"there is no such file, and no {kind.noun} of that name comes with the program"
    for other in FORMATS:
        if other != kind.noun and name in _shipped(other):
            about = f"this is a {other}, not a {kind.noun}"
    near = did_you_mean(name, shipped)
    if not near.startswith("did"):
        near = nearby(Path(name)).removeprefix("; ") or near
    offered = f"{near} (shipped: {', '.join(shipped)})" if near.startswith("did") else near
    raise ConfigError([Problem(name, 0, 0, "", f"{about}; {offered}")])


def _is(name: str, what: Callable[[Path], bool]) -> bool:
    """Return whether a name is that of a file, or of anything: a folder, a pipe."""
    try:
        return bool(name) and what(Path(name))
    except (OSError, ValueError):  # A name too long for a file, a folder that may not be read.
        return False


def _of_kind(kind: Kind[Any], tree: Node) -> Mapping:
    """Refuse at once what is no file of this kind: its other mistakes would mislead."""
    if not isinstance(tree, Mapping):
        empty = isinstance(tree, Scalar) and tree.plain and not tree.text
        about = "the file is empty or has only comments" if empty else "the file has no keys"
        about = f"{about}; begin it with 'format: {kind.format}'"
        raise ConfigError([tree.place.problem("", about)])
    written = tree.entries.get("format")
    if isinstance(written, Scalar) and written.text != kind.format:
        about = f"{shown(written.text)} is unknown to this version; write {kind.format}"
        for other, format_ in FORMATS.items():
            if written.text == format_ != kind.format:
                about = f"this file is a {other}; name a {kind.noun} here"
        raise ConfigError([written.place.problem("format", about)])
    return tree
