"""One part of a sweep, for a job of a job array: the K-th of N parts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from simulator.errors import InputError

MOST_PARTS = 100_000


class ShardError(InputError):
    """A ``--shard`` that cannot be read."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The K-th of N parts: every N-th point, so that neighbours of like cost are spread evenly."""

    number: int
    """K, from 1 to N."""
    of: int
    """N."""

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def part(self, size: int) -> range:
        """Return the numbers of the points, of a sweep of so many; none if it has fewer than K.

        >>> list(Shard(2, 3).part(8))
        [1, 4, 7]
        """
        return range(self.number - 1, size, self.of)


def read_shard(text: str) -> Shard:
    """Read ``K/N``; ShardError if it is no part.

    >>> read_shard("3/16")
    Shard(number=3, of=16)
    """
    match = re.fullmatch(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", text)
    if match is None:
        raise ShardError(f"{text!r} is no part of a sweep; write K/N, like 3/16")
    number, of = map(int, match.groups())
    if not 1 <= of <= MOST_PARTS:
        raise ShardError(f"{text!r} has {of} parts; write a number from 1 to {MOST_PARTS:,}")
    if not 1 <= number <= of:
        about = " (in Slurm: --array=1-" + f"{of})" if number == 0 else ""
        raise ShardError(f"{text!r} is no part of a sweep; write 1/{of} to {of}/{of}{about}")
    return Shard(number, of)
