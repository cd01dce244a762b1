"""The runtimes, by name and by number. Not compiled itself."""

from __future__ import annotations

from simulator.kinds import names

POLICY_NAMES = ("nwt", "nwt-predicted", "gfortran", "flang", "posix")
"""The name of each policy that is compiled; its place is the policy's number."""

NWT, PREDICTED, GFORTRAN, FLANG, POSIX = range(len(POLICY_NAMES))
"""``POSIX`` is the only one without a buffer."""


UNBUFFERED = ("posix", "flang")
"""Policies that have no buffer whose size one could choose."""


def all_names() -> tuple[str, ...]:
    """Return the names of all policies, the libraries of ``runtime/libraries`` last."""
    return (*POLICY_NAMES, *names("runtime/libraries"))
