"""Windows of transfers: what several processes moved together, and what of it came to storage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from simulator.result.result import Stable, Transfer, per_second


def together(transfers: Iterable[Transfer]) -> Transfer:
    """Return what several processes moved: in a window that has all of theirs in it.

    Its times in calls, and in calls, syncs and closes, are each the longest of one process.
    """
    made = [one for one in transfers if one.begin_ns >= 0]
    if not made:
        return Transfer()
    calls = max(one.calls_ns for one in made)
    return Transfer(
        bytes=sum(one.bytes for one in made),
        calls_ns=calls,
        begin_ns=min(one.begin_ns for one in made),
        end_ns=max(one.end_ns for one in made),
        beside_ns=max(one.io_ns for one in made) - calls,
    )


@dataclass(frozen=True, slots=True)
class Reached:
    """What of the written data has come to stable storage."""

    bytes: int
    elapsed_ns: int
    """From the begin of the writing until the last of it was there; 0 if nothing came."""

    @property
    def rate(self) -> float:
        """Bytes per second; 0 for nothing."""
        return per_second(self.bytes, self.elapsed_ns)

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs; the rate in MB (10^6 bytes) per second."""
        return {
            "bytes": self.bytes,
            "elapsed_ns": self.elapsed_ns,
            "rate_MBps": round(self.rate / 1e6, 6),
        }


def reached(written: Transfer, stable: Iterable[Stable]) -> Reached:
    """Return what came to stable storage of what was written in a window."""
    came = [one for one in stable if one.bytes]
    last = max((one.last_ns for one in came), default=written.begin_ns)
    return Reached(sum(one.bytes for one in came), last - written.begin_ns)
