"""The runtimes, by name and by number."""

from __future__ import annotations

from simulator.kinds import class_of, names, runtimes
from simulator.runtime.library import Runtime

POLICY_NAMES = ("nwt", "nwt-predicted", "gfortran", "flang", "posix")
"""Policies that are functions on a table of streams, by number."""

NWT, PREDICTED, GFORTRAN, FLANG, POSIX = range(len(POLICY_NAMES))


def all_names() -> tuple[str, ...]:
    """Return the names of all policies, those whose calls are listed last."""
    listed = (name for name in names("runtimes") if name not in POLICY_NAMES)
    return (*POLICY_NAMES, *listed)


def runtime_of(name: str) -> type[Runtime]:
    """Return the properties of a policy."""
    return class_of(runtimes, name, Runtime)
