"""Optional packages of commands, and instructions for installing missing ones."""

from __future__ import annotations

from importlib.util import find_spec

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
