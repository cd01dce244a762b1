"""What can go wrong while an engine carries out a plan."""

from __future__ import annotations


class SimulationError(Exception):
    """A run that cannot end, for instance with processes that wait for each other."""
