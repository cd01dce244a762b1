"""How far the reading of a file is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(total: int, wanted: bool | None) -> Iterator[Callable[[int], None]]:
    """Show rate and time left on standard error; gives what to call with the bytes read so far.

    ``wanted`` None: if that is a terminal.
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda _at: None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit="B", unit_scale=True, file=sys.stderr, leave=False) as shown:

        def advance(at: int) -> None:
            shown.update(at - shown.n)

        yield advance
