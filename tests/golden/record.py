"""What is kept of a result: all that has a meaning in time, bytes or counts.

Not kept: the engine's name, the digest of the input and the number of events, which may change
without any change of a model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

MOST_ROWS = 16
"""Longer lists of rows are packed."""
SHOWN = 3
"""Rows of a packed list at either end that are kept as they are."""
BLOCKS = 16
"""Parts of a packed list that have a digest each, so that one sees where a list differs."""


def packed(rows: Iterable[Sequence[Any]]) -> Any:
    """A list of rows as it is, or of a long one its length, its ends, and digests.

    >>> packed([(1, 2), (3, 4)])
    [[1, 2], [3, 4]]
    >>> sorted(packed([[n] for n in range(100)]))
    ['blocks', 'count', 'first', 'last', 'rows_in_block', 'sha256']
    """
    listed = [list(row) for row in rows]
    if len(listed) <= MOST_ROWS:
        return listed
    size = -(-len(listed) // BLOCKS)
    return {
        "count": len(listed),
        "first": listed[:SHOWN],
        "last": listed[-SHOWN:],
        "sha256": _digest(listed),
        "rows_in_block": size,
        "blocks": [_digest(listed[i : i + size])[:8] for i in range(0, len(listed), size)],
    }


def _digest(rows: list[list[Any]]) -> str:
    """The SHA-256 of the rows as JSON without spaces."""
    text = json.dumps(rows, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
