"""A file's text, from files that may be anything: missing, huge, a device, or not UTF-8."""

from __future__ import annotations

import errno
import io
import re
from pathlib import Path

from simulator.config.errors import ConfigError, Problem
from simulator.inputfile import KindError, open_input
from simulator.shipped import shipped_root

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
    """Decode UTF-8; ConfigError names the encoding that the bytes are probably in."""
    if len(content) > LARGEST_FILE:
        raise _refused(name, f"larger than {LARGEST_FILE} bytes, which no such file should be")
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise _refused(name, "this file is UTF-16; save it as UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
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
    """What a file, or the shipped one of that name, says it is; None if it cannot be told."""
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
