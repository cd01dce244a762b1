"""How long reads and writes are: in powers of two, and length by length.

A bin has the lengths from 2^n + 1 to 2^(n+1), as IO-Dock has them (SS-ken, appendix 3, 5.3); 0 and
1 have bins of their own. A length is what the call returned, or what it asked for.
"""

from __future__ import annotations

from typing import Any

from simulator.traces.reports.counters import Counters
from simulator.traces.reports.opened import Opened
from simulator.traces.reports.table import BINS, LENGTHS, Report, Table

MOST_BITS = 63


def sizes(trace: Opened, top: int | None = None, *, requested: bool = False) -> Report:
    """Count reads and writes by their length."""
    if trace.darshan is not None and not requested:
        return Counters(trace).sizes(top, lengths=_lengths(trace, "returned", top))
    trace.need_single_calls("sizes --requested") if requested else None
    column = "requested" if requested else "returned"
    exact = _lengths(trace, column, top)
    edges = ", ".join(f"({low}, {high})" for low, high in bins())
    found = trace.rows(
        "SELECT low, high, sum(reads)::BIGINT, sum(writes)::BIGINT,"
        " sum(length::HUGEINT * reads)::HUGEINT, sum(length::HUGEINT * writes)::HUGEINT"
        f" FROM lengths JOIN (VALUES {edges}) AS bins(low, high)"
        " ON length BETWEEN low AND high GROUP BY 1, 2 ORDER BY 1"
    )
    return Report([Table("bins", BINS, _without_gaps(found)), exact], trace.unknown)


def bins() -> list[tuple[int, int]]:
    """Return the first and last length of each bin.

    >>> bins()[:5], len(bins())
    ([(0, 0), (1, 1), (2, 2), (3, 4), (5, 8)], 65)
    """
    powers = [(2**n + 1, min(2 ** (n + 1), 2**63 - 1)) for n in range(MOST_BITS)]
    return [(0, 0), (1, 1), *powers]


def _lengths(trace: Opened, column: str, top: int | None) -> Table:
    """Count each length; the counts stay behind as the relation ``lengths``."""
    trace.keep(
        "lengths",
        f"SELECT {column} AS length,"
        f" count(*) FILTER ({trace.reads}) AS reads, count(*) FILTER ({trace.writes}) AS writes"
        f" FROM calls WHERE {trace.moves} AND {column} >= 0 AND error IS NULL GROUP BY 1",
    )
    (count,) = trace.row("SELECT count(*) FROM lengths")
    limit = f" LIMIT {top}" if top is not None else ""
    found = trace.rows(
        "SELECT length, reads, writes, length::HUGEINT * reads, length::HUGEINT * writes"
        f" FROM lengths ORDER BY reads + writes DESC, length{limit}"
    )
    return Table("lengths", LENGTHS, found, more=count - len(found))


def _without_gaps(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Insert empty bins between bins with calls."""
    if not found:
        return []
    known = {line[0]: line for line in found}
    first, last = found[0][0], found[-1][0]
    return [known.get(low, (low, high, 0, 0, 0, 0)) for low, high in bins() if first <= low <= last]
