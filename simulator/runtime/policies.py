"""The runtimes, by name and by number. Not compiled itself."""

from __future__ import annotations

POLICY_NAMES = ("nwt", "nwt-predicted", "gfortran", "flang", "posix")
"""The name of each policy; its place is the policy's number."""

NWT, PREDICTED, GFORTRAN, FLANG, POSIX = range(len(POLICY_NAMES))
"""``POSIX`` is the only one without a buffer."""
