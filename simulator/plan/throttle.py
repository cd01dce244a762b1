"""Throttling of writers: Linux's ``balance_dirty_pages``, in integers.

Below the mean of background threshold and limit, writers are not throttled. Above it, all of them
together dirty blocks at the rate of the write-back times a *position ratio*, which is 1 at the
setpoint, half-way from there to the limit, more below and less above: dirty data settle near the
setpoint. The ratio is that of ``wb_position_ratio`` in mm/page-writeback.c for one device: a cubic
of the distance from the setpoint, times a line that falls to 0 within eight seconds' write-back
above it. A writer pauses for the target time of dirtying its blocks less the time taken; credit for
earlier slowness is limited to a second.

Not modelled: the estimates of the device's rate and of the rate of each writer, which Linux
converges to within about a second (here the first is a value of the machine, and writers queue for
the second); several devices behind one cache; ``strictlimit``.
"""

from __future__ import annotations

ONE = 1 << 10
"""The ratio at the setpoint."""
MOST_WORK = 1 << 50
LONGEST_NS = 200_000_000
"""Maximum pause of a writer per call: ``MAX_PAUSE``."""
CREDIT_NS = 1_000_000_000
"""Maximum credit for time in which writers were slower than allowed."""
SPAN_S = 8


def position_ratio(dirty: int, free: int, limit: int, span: int) -> int:
    """Return the position ratio, in 1/1024, for a number of dirty blocks; at least 1.

    ``free``: dirty blocks below which writers are not throttled; ``span``: blocks written back in
    eight seconds.

    >>> [position_ratio(dirty, 100, 200, 50) for dirty in (100, 125, 150, 175, 200)]
    [4096, 1728, 1024, 448, 1]
    """
    setpoint = (free + limit) // 2
    distance = min(ONE, (abs(setpoint - dirty) << 10) // max(1, limit - setpoint))
    cube = ((distance * distance >> 10) * distance) >> 10
    ratio = ONE + cube if dirty <= setpoint else ONE - cube
    left = setpoint + span - dirty
    ratio = ratio * left // span if 4 * left > span else ratio // 4
    return max(1, ratio)


def period_ns(blocks: int, slow_ns: int, ratio: int) -> int:
    """Return the target time for dirtying a number of blocks.

    ``slow_ns``: write-back time of one block.

    >>> period_ns(2, 1000, 1024), period_ns(2, 1000, 4096), period_ns(2, 1000, 1)
    (2000, 500, 2048000)
    """
    return min(LONGEST_NS, min(blocks * slow_ns, MOST_WORK) * ONE // ratio)
