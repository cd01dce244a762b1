"""Gaps between calls whose sum is known: what of each is the program's, and what the tracer's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.replay.arrays import Numbers, starts_of

if TYPE_CHECKING:
    from simulator.replay.replay import Replay
    from simulator.workload.traced import Traced

UNSURE = 0.25
"""Part by which the price of a traced call may be wrong: it follows what else the host does."""
UNKNOWN = 2**62
"""What is usual of few gaps."""
_DEAREST, _HALVINGS = 2**20, 50
"""How many times the price of a call is tried, and how often that is made finer."""
_LOW, _ALIKE = 0.1, 50
"""A tenth of at least so many gaps between the same calls are quicker, and as many are slower, than
what is usual of them."""


def usual_of(gap: Numbers, alike: Numbers) -> tuple[Numbers, Numbers]:
    """Return a low and a high quantile of the gaps that are ``alike``, for each gap.

    What is below one is no price of a call: it was quicker. What is above the other is likely the
    host's, which let the program or its tracer wait. Both are ``UNKNOWN`` of few gaps.
    """
    order = np.lexsort((gap, alike))
    first = starts_of(alike[order])
    many = np.diff(first, append=len(order))
    found = []
    for part in (_LOW, 1 - _LOW):
        at = order[first + (part * (many - 1)).astype(np.int64)]
        of_each = np.where(many >= _ALIKE, gap[at], UNKNOWN)
        spread = np.empty(len(gap), np.int64)
        spread[order] = np.repeat(of_each, many)
        found.append(spread)
    return found[0], found[1]


def settled(gap: Numbers, usual: Numbers, price: Numbers, computing: float) -> Numbers:
    """Return what is left of gaps so that its sum is given: of what is usual, if that has it.

    Else the price is taken from what is usual as far as it is sure, and what lacks is had from what
    is more.
    """
    sure = np.maximum(usual - (1 - UNSURE) * price, 0.0)
    lacks, more = computing - float(sure.sum()), gap - usual
    if lacks <= 0:
        return shared(usual, price, computing)
    if lacks <= float(more.sum()):
        return np.asarray(sure + more * (lacks / float(more.sum())))
    return shared(gap, price, computing)


def shared(gap: Numbers, lost: Numbers, computing: float) -> Numbers:
    """Return what is left of gaps so that its sum is given, which is less than the gaps have.

    >>> shared(np.array([90, 110, 1000]), np.array([50, 50, 50]), 910).round().tolist()
    [0.0, 10.0, 900.0]
    """
    low, high = 0.0, 1.0
    while np.maximum(gap - high * lost, 0.0).sum() > computing and high < _DEAREST:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if np.maximum(gap - middle * lost, 0.0).sum() > computing:
            low = middle
        else:
            high = middle
    left: Numbers = np.maximum(gap - high * lost, 0.0)
    whole = float(left.sum())
    # Of some gaps no call's price is a part.
    return left * (max(computing, 0.0) / whole) if whole > computing and whole else left


def with_surplus(done: Replay) -> Traced:
    """Return a program whose libraries' prices have what its calls took of the system in addition.

    That is the system's time without the tracer, but for what the replayed calls take, pages that
    are touched first, and programs that start; the log has it between the calls. At most as much
    counts as the calls take. It goes with each call that goes.
    """
    traced, record = done.placed.traced, done.record
    if record is None or record.untraced is None or not len(traced.table):
        return traced
    untraced, waiting = record.untraced, done.plan.columns[done.plan.others_column]
    spent = [item for one in done.result.masters() for item in one.spent.items()]
    served = sum(service for column, (_, service) in spent if column != waiting)
    besides = untraced.faults * record.fault_ns + done.observed.spent.starts * record.start_ns
    more = min(untraced.system_ns - served - besides, served)
    each = max(round(more / len(traced.table)), 0)
    clients = []
    for one in traced.clients:
        call, opens, stat = (own + each for own in one.library[:3])
        library = one.library._replace(call=call, open=opens + each, stat=stat)
        clients.append(replace(one, library=library))
    return replace(traced, clients=tuple(clients))
