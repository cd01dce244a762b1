"""Identities of curves over time: their ends, and their integrals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.plan.codes import READ, WRITE, plain
from simulator.result.curves import widths

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.curves import CallCurve, Level, StoreCurve
    from simulator.result.result import CallLog, Result


def broken_curves(plan: Plan, result: Result) -> Iterator[str]:
    """Yield a sentence for each violated identity of the curves, if there are any."""
    if result.call_curve is None:
        return
    stores = {store.name: store for store in plan.stores}
    used = [name for name, one in result.stores.items() if one.store in stores]
    if [*result.curves] != used:
        yield f"curves of {[*result.curves]}, where {used} were used"
        return
    for name, curve in result.curves.items():
        yield from _levels(name, curve, result)
        counts, store = result.stores[name].counts, stores[curve.store]
        if curve.used.last != counts["resident"] * store.block:
            yield f"{name}: {curve.used.last} B in use, {counts['resident']} blocks resident"
        if curve.used.most > curve.capacity:
            yield f"{name}: {curve.used.most} B in use of {curve.capacity} B"
        if curve.dirty.last != curve.left:
            yield f"{name}: {curve.dirty.last} B dirty, {curve.left} B in its blocks"
        if curve.left > counts["dirty_bytes"] or (not curve.left and counts["dirty_bytes"]):
            yield f"{name}: {curve.left} B dirty of {counts['dirty_bytes']} B"
    yield from _calls(result.call_curve, result)


def _levels(name: str, curve: StoreCurve, result: Result) -> Iterator[str]:
    """Check the bins of both levels, and their sums by another formula."""
    if curve.end_ns != result.end_ns:
        yield f"{name}: a curve until {curve.end_ns} ns of {result.end_ns}"
    if result.call_curve and curve.width_ns != result.call_curve.width_ns:
        yield f"{name}: bins of {curve.width_ns} ns, not {result.call_curve.width_ns}"
    lengths = widths(curve.width_ns, curve.end_ns)
    for what, level in (("used", curve.used), ("dirty", curve.dirty)):
        yield from _integral(f"{name}: {what}", level, curve.end_ns)
        if len(level.sums) != len(lengths):
            yield f"{name}: {what} in {len(level.sums)} bins of {len(lengths)}"
            continue
        pairs = zip(level.sums, lengths, strict=True)
        if not all(0 <= one <= level.most * length for one, length in pairs):
            yield f"{name}: {what} is above its maximum, or below 0, in a bin"
        if not 0 <= level.most_ns <= curve.end_ns:
            yield f"{name}: {what} is at its maximum at {level.most_ns} ns"


def _integral(name: str, level: Level, end_ns: int) -> Iterator[str]:
    """Check that a change lasts from its time to the end of the run.

    The integral is the sum of all changes, each times (end - time).
    """
    whole, changes = sum(level.sums), level.last * end_ns - level.moment
    if whole != changes:
        yield f"{name} for {whole} B ns in its bins, {changes} B ns by its changes"


def _calls(curve: CallCurve, result: Result) -> Iterator[str]:
    """Check that bins have the bytes of all calls, if these are recorded."""
    bins = len(widths(curve.width_ns, curve.end_ns))
    if curve.end_ns and not len(curve.read) == len(curve.written) == bins:
        yield f"bytes of calls in {len(curve.read)} and {len(curve.written)} bins of {bins}"
    if result.calls is not None:
        for what, kind, found in (("read", READ, curve.read), ("written", WRITE, curve.written)):
            size = _size(result.calls, kind)
            if sum(found) != size:
                yield f"{sum(found)} B {what} in the bins, {size} B by calls"


def _size(calls: CallLog, kind: int) -> int:
    pairs = zip(calls.kind, calls.size, strict=True)
    return sum(size for one, size in pairs if plain(one) == kind)
