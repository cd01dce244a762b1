"""The page cache before a run: files that leave it, by ``posix_fadvise``, which needs no rights."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from simulator.errors import InputError
from simulator.measure.facts import drop

_PAGE = 4096


def data_of(words: Sequence[str], named: Sequence[Path]) -> list[Path]:
    """Return files and folders that a command reads: those ``named``, or words of the command.

    InputError if there is none.
    """
    found = list(named) or [Path(word) for word in words[1:] if os.path.lexists(word)]
    if not found:
        raise InputError(
            "--cache drop: no word of the command is a file or a folder; say with --data which"
            " files are to leave the page cache"
        )
    for one in found:
        if not one.exists():
            raise InputError(f"--data {one}: there is no such file or folder")
    return found


def evict(data: Sequence[Path]) -> int:
    """Write files to their device and drop their pages; return how many files there were.

    InputError if one cannot be opened, or stays in memory.
    """
    count = 0
    for path in _files(data):
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise InputError(f"--cache drop: {path}: {error.strerror}") from None
        try:
            drop(descriptor)
            stays = _stays(descriptor)
            drop(descriptor)
        finally:
            os.close(descriptor)
        if stays:
            raise InputError(
                f"--cache drop: {path} stays in the page cache: it is mapped by a process, or its"
                " file system is in memory; write --cache as-is"
            )
        count += 1
    return count


def _stays(descriptor: int) -> bool:
    """Return whether a file is still in memory: its last page, after which nothing is read ahead.

    To ask for a page without waiting has Linux read it, and what comes after it.
    """
    size = os.fstat(descriptor).st_size
    if not size or not hasattr(os, "RWF_NOWAIT"):
        return False
    try:
        last = (size - 1) // _PAGE * _PAGE
        return os.preadv(descriptor, [bytearray(1)], last, os.RWF_NOWAIT) > 0
    except OSError:
        return False


def _files(data: Sequence[Path]) -> Iterator[Path]:
    for one in data:
        if one.is_dir():
            for folder, _, names in os.walk(one):
                yield from (Path(folder, name) for name in sorted(names) if _plain(folder, name))
        elif one.is_file():
            yield one


def _plain(folder: str, name: str) -> bool:
    path = Path(folder, name)
    return path.is_file() and not path.is_symlink()
