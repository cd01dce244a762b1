"""Small numbers with a name that several modules of the engine use. Not compiled itself."""

from __future__ import annotations

READY, BLOCKED, ENDED = -1, -2, -3
"""What a step returns where it returns no time: go on at once, wait for somebody, no more."""
