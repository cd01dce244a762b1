"""Sizes of records of a sequential unformatted file, and of the calls that move them.

A record is its length in 4 bytes, its data, and its length again. A runtime library turns
records into calls of the operating system: seeks, reads and writes.
"""

from __future__ import annotations

MARK = 4
"""Bytes of one record length; the default of every modelled compiler."""

MAX_TRANSFER = 2_147_479_552
"""Maximum bytes of one read or write in Linux; see read(2)."""

NO_LIMIT = 2**63 - 1
"""More bytes than any file holds."""

LARGEST_FILE = 2**61
"""Bytes of the longest file; offsets, and sums of a few, stay whole numbers of 64 bits."""
