"""The identity of this program: one digest, under which its results are kept.

Of the package's files, compiled ones too, of the plugins, and of the versions of Python and of the
libraries that compute: all that can change a result beside what is simulated.
"""

from __future__ import annotations

import functools
import hashlib
import platform
from collections.abc import Iterator
from pathlib import Path

from simulator import IMPORTED, __version__
from simulator.errors import InputError
from simulator.kinds import plugins

_CODE = {".py", ".so", ".pyd", ".json", ".yaml"}


CHANGED = "has changed since this process began, so that it can use no store; start it again"


class ProgramError(InputError):
    """A process whose code is not that of its files any more."""


@functools.cache
def program() -> str:
    """Return the digest; it takes some 20 ms, once.

    ProgramError if files have changed since this process began, whose results would be kept
    as those of another program.
    """
    digest = hashlib.sha256()
    for word in (__version__, platform.python_version(), *map(version_of, ("numpy", "simpy"))):
        digest.update(f"{word}\n".encode())
    for path, name in sorted(_files(), key=lambda one: one[1]):
        if path.stat().st_ctime > IMPORTED:
            raise ProgramError(f"{path} {CHANGED}")
        digest.update(f"{name}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _files() -> Iterator[tuple[Path, str]]:
    """Find the files of the package and of the plugins; what is shipped is data of the runs."""
    package = Path(__file__).resolve().parent.parent
    for path in package.rglob("*"):
        inside = path.relative_to(package)
        if path.suffix in _CODE and inside.parts[0] != "shipped_files":
            yield path, inside.as_posix()
    for name, folder in plugins().items():
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path, f"{name}/{path.relative_to(folder).as_posix()}"


def version_of(package: str) -> str:
    """Return the version of an installed package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:  # Copied without its metadata, as some bundles are.
        return "unknown"
