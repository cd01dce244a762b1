"""Which optional packages a command needs, and how to install those that are missing."""

from __future__ import annotations

from importlib.util import find_spec

from simulator.errors import InputError

EXTRAS = {
    "matplotlib": ("plots", "plots"),
    "scipy": ("calibrate", "calibration"),
    "pyarrow": ("traces", "reading traces"),
    "duckdb": ("traces", "reports on traces"),
    "darshan": ("traces,darshan", "reading a Darshan log"),
}
"""Package -> the extra of pyproject.toml that installs it, and what it is for."""


class MissingExtraError(InputError):
    """An optional package that is not installed."""


def need(*packages: str) -> None:
    """Return if all of these optional packages are installed.

    Raises MissingExtraError, which says what to install, for the first that is not.
    """
    for package in packages:
        if not _is_there(package):
            raise MissingExtraError(f"{EXTRAS[package][1]} requires {missing(package)}")


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def missing(package: str) -> str:
    """Say how to install an optional package that is not there.

    >>> print(missing("scipy"))
    scipy, which is not installed; install it with: pip install 'nwtsim[calibrate]'
    """
    how = f"pip install 'nwtsim[{EXTRAS[package][0]}]'"
    return f"{package}, which is not installed; install it with: {how}"
