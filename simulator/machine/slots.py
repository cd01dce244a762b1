"""The states of the SSU's slots, and when written units are given away: words for numbers.

They stand apart from ``cache.py``, which may be compiled: there they are numbers only.
"""

from __future__ import annotations

CLEAN, DIRTY, QUEUED, BUSY, FREE = range(5)
"""See ``cache.py``; the first three are rings of slots as well."""

KEEP, RELEASE_WHOLE, RELEASE_FULL = range(3)
"""Which written units of a file that has outgrown its share go once they are on disk: none,
those written whole by one call, or all that are full."""
