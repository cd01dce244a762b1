"""Records of a Darshan log as those that calls are drawn from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from simulator.traces.darshan_records import STREAMS
from simulator.traces.sampled.streams import Counted


def records_in(found: Iterable[dict[str, Any]]) -> list[Counted]:
    """Return the records of files, in an order that does not depend on the log's.

    STDIO counts no order and no sizes: its calls are taken for consecutive ones of equal size.
    """
    records = []
    for one in found:
        counts = {name: int(value) for name, value in one["counts"].items() if name[:2] != "F_"}
        seconds = {name: float(value) for name, value in one["counts"].items() if name[:2] == "F_"}
        if one["file"] in STREAMS or not counts:
            continue
        if one["module"] == "STDIO":
            counts = _of_streams(counts)
        records.append(Counted(one["rank"], one["file"], counts, seconds))
    return sorted(records, key=lambda one: (one.file, one.rank))


def _of_streams(counts: dict[str, int]) -> dict[str, int]:
    """Return the counters of a file of STDIO with the order that streams mostly have."""
    more: dict[str, int] = {}
    for way, past in (("READ", "READ"), ("WRITE", "WRITTEN")):
        many = counts.get(f"{way}S", 0)
        if many:
            more |= {f"CONSEC_{way}S": many - 1, f"SEQ_{way}S": many - 1}
            more[f"MAX_BYTE_{past}"] = max(0, counts.get(f"BYTES_{past}", 0) - 1)
    return counts | more
