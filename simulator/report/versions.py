"""Versions of the programs that made a result."""

from __future__ import annotations

import sys

from simulator import __version__
from simulator.native import has_kernel
from simulator.study.program import version_of


def versions() -> dict[str, str]:
    """Return the versions that can change a result, by name."""
    return {
        "nwtsim": __version__,
        "python": sys.version.split()[0],
        "simpy": version_of("simpy"),
        "numpy": version_of("numpy"),
    }


def version_line() -> str:
    """State in one line what is installed, for ``--version``."""
    found = versions()
    native = "native (compiled)" if has_kernel() else "native (not compiled)"
    engines = f"{native}, reference (SimPy {found['simpy']})"
    return f"nwtsim {found['nwtsim']} (engines: {engines}; Python {found['python']})"
