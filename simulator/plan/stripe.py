"""Striping: how a transfer is divided over volumes.

The NWT's ``vfl`` file system divides one transfer into 32 pieces, which go to several
volumes at the same time (NWT paper, section 3). Pieces of one transfer that fall on one
volume travel as one request. No clock: this is arithmetic.
"""

from __future__ import annotations


def pieces(size: int, *, stripes: int, volumes: int, first: int = 0) -> list[tuple[int, int]]:
    """Divide ``size`` bytes into ``stripes`` nearly equal pieces, dealt out to volumes.

    Returns (volume, bytes) for each volume that gets any, in the order of the pieces; the
    first piece goes to volume ``first``. The bytes add up to ``size``.

    >>> pieces(100, stripes=4, volumes=2)
    [(0, 50), (1, 50)]
    >>> pieces(10, stripes=1, volumes=4, first=3)
    [(3, 10)]
    """
    used = min(stripes, volumes)
    if used == 1:
        return [(first % volumes, size)]
    shares = [0] * used
    for i in range(stripes):
        shares[i % used] += size * (i + 1) // stripes - size * i // stripes
    return [((first + i) % volumes, share) for i, share in enumerate(shares) if share]
