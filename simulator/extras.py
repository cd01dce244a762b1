"""Which large packages a command needs, and how to install those that are missing."""

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
"""Package -> the extra of pyproject.toml that installs it, and what it is for.

Those of no extra come with nwtsim, and are missing only where it was installed without them.
"""


class MissingExtraError(InputError):
    """A package that is not installed."""


def need(*packages: str, purpose: str = "") -> None:
    """Return if all of these packages are installed.

    Raises MissingExtraError, which says what to install, for the first that is not. ``purpose``:
    what they are needed for here, if that is not what they mostly are.
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
    """State what a package is needed for, and how to install it.

    >>> print(missing("pandas"))
    pandas, needed for data frames, is not installed; install it with: pip install '...'
    """
    extra, mostly = EXTRAS[package]
    how = f"pip install 'nwtsim[{extra}]'" if extra else f"pip install {package}"
    return f"{package}, needed for {purpose or mostly}, is not installed; install it with: {how}"
