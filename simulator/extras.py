"""Optional packages of commands, compiled modules, and what to do where one is missing or old."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from simulator.errors import InputError

EXTRAS = {
    "matplotlib": ("", "plots"),
    "pandas": ("frames", "data frames"),
    "xarray": ("grids", "grids with named dimensions"),
    "pyarrow": ("", "reading traces"),
    "duckdb": ("", "reports on traces"),
    "darshan": ("darshan", "reading a Darshan log"),
    "distributed": ("dask", "running on a Dask cluster"),
    "optuna": ("search", "sampling very many combinations"),
    "scipy": ("", "fits and sweeps of assumptions"),
}
"""Package -> the extra of pyproject.toml that installs it, and its purpose. Packages without an
extra come with nwtsim, and are missing only where it was installed without dependencies.
"""
ROOT = Path(__file__).resolve().parents[1]
"""The checkout, or the folder where the package is installed."""


class MissingExtraError(InputError):
    """A package that is not installed."""


def need(*packages: str, purpose: str = "") -> None:
    """Check that all of these packages are installed.

    Raises MissingExtraError with installation instructions for the first missing one. ``purpose``:
    their purpose here, if it is not the usual one.
    """
    for package in packages:
        if not _is_there(package):
            raise MissingExtraError(missing(package, purpose))


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def missing(package: str, purpose: str = "") -> str:
    """Return a message on the purpose of a missing package and its installation.

    >>> print(missing("pandas"))
    pandas, needed for data frames, is not installed; install it with: pip install '...'
    """
    extra, mostly = EXTRAS[package]
    how = f"pip install 'nwtsim[{extra}]'" if extra else f"pip install {package}"
    return f"{package}, needed for {purpose or mostly}, is not installed; install it with: {how}"


def outdated(root: Path = ROOT) -> str:
    """Name a compiled module that is older than a source beside it; empty if none is.

    ``root``: a checkout; for an installed package, which has no setup.py beside it, always empty.
    """
    if not (root / "setup.py").is_file():
        return ""
    sources = (path for end in ("hpp", "cpp") for path in root.glob(f"simulator/**/*.{end}"))
    newest = max(sources, key=lambda path: path.stat().st_mtime)
    for compiled in sorted(root.glob("simulator/**/*.so")):
        if compiled.stat().st_mtime < newest.stat().st_mtime:
            names = [path.relative_to(root) for path in (compiled, newest)]
            return "{} is older than {}; run: make setup".format(*names)
    return ""
