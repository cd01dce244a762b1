"""Closed forms of queueing theory for queues, networks, caches and polls.

Times are in any unit, the same for all arguments; nothing here uses the simulator.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

# -- open queues ------------------------------------------------------------------------------


def d_m_1_root(load: float) -> float:
    """Return the root below 1 of s = exp(-(1 - s) / load), by iteration.

    >>> round(d_m_1_root(0.8), 6)
    0.62863
    """
    root = 0.5
    for _ in range(500):
        root = math.exp(-(1 - root) / load)
    return root


def erlang_b(servers: int, offered: float) -> float:
    """Return the probability that a request is lost in M/G/c/c.

    >>> round(erlang_b(4, 3), 6)
    0.206107
    """
    blocked = 1.0
    for k in range(1, servers + 1):
        blocked = offered * blocked / (k + offered * blocked)
    return blocked


def erlang_c(servers: int, offered: float) -> float:
    """Return the probability that a request waits in M/M/c.

    >>> round(erlang_c(4, 3.2), 6)
    0.596432
    """
    blocked = erlang_b(servers, offered)
    return servers * blocked / (servers - offered * (1 - blocked))


def mm1k_loss(load: float, room: int) -> float:
    """Return the share of requests that M/M/1 with ``room`` places in the system loses.

    >>> round(mm1k_loss(0.8, 5), 6), round(mm1k_loss(1.0, 5), 6)
    (0.088819, 0.166667)
    """
    if load == 1:
        return 1 / (room + 1)
    return (1 - load) * load**room / (1 - load ** (room + 1))


# -- closed networks ---------------------------------------------------------------------------


def mean_values(demands: Sequence[float], think: float, clients: int) -> tuple[float, float]:
    """Return throughput and response of a closed network, by exact mean value analysis.

    >>> throughput, response = mean_values([5, 20], 100, 8)
    >>> round(throughput * 1000, 4), round(response, 3)
    (45.69, 75.093)
    """
    queues = [0.0] * len(demands)
    throughput = response = 0.0
    for present in range(1, clients + 1):
        responses = [demand * (1 + queue) for demand, queue in zip(demands, queues, strict=True)]
        response = sum(responses)
        throughput = present / (think + response)
        queues = [throughput * one for one in responses]
    return throughput, response


def asymptotic_bound(demands: Sequence[float], think: float, clients: int) -> float:
    """Return the maximum throughput of a closed network: min(N / (D + Z), 1 / Dmax).

    >>> asymptotic_bound([5, 20], 100, 4), asymptotic_bound([5, 20], 100, 8)
    (0.032, 0.05)
    """
    return min(clients / (sum(demands) + think), 1 / max(demands))


# -- caches ------------------------------------------------------------------------------------


def che(weights: Sequence[float], slots: int) -> float:
    """Return the hit ratio of an LRU with independent references, in Che's approximation.

    >>> round(che([rank**-0.8 for rank in range(1, 1001)], 100), 5)
    0.37779
    """
    total = math.fsum(weights)
    chances = [weight / total for weight in weights]
    low, high = 0.0, 1e9
    for _ in range(100):
        middle = (low + high) / 2
        if math.fsum(-math.expm1(-chance * middle) for chance in chances) < slots:
            low = middle
        else:
            high = middle
    return math.fsum(chance * -math.expm1(-chance * low) for chance in chances)


def write_behind_s(size: float, rate_in: float, rate_out: float, room: float) -> float:
    """Return the time until a burst is in a cache of ``room`` with concurrent write-back (fluid).

    >>> round(write_behind_s(512, 240, 15, 64), 6)
    29.866667
    """
    if size * (1 - rate_out / rate_in) <= room:
        return size / rate_in
    full = room / (rate_in - rate_out)
    return full + (size - rate_in * full) / rate_out


def write_behind_blocks_s(
    size: float, rate_in: float, rate_out: float, room: float, block: float
) -> float:
    """Return the time until a burst is in a cache of ``room`` with write-back block by block.

    A block enters once there is room for it, and frees its room when all of it has been written.

    >>> round(write_behind_blocks_s(512, 240, 15, 64, 8), 6)
    29.933333
    """
    fits, come = round(room / block), 0.0
    written: list[float] = []
    for one in range(round(size / block)):
        begin = max(come, written[one - fits]) if one >= fits else come
        come = begin + block / rate_in
        written.append(max(come, written[-1] if written else 0.0) + block / rate_out)
    return come


# -- polling -----------------------------------------------------------------------------------


def polled_loop(work: float, poll: float, interval: float) -> float:
    """Return the time of a loop of work and one detection with polls: W / (1 - c / tau) + tau / 2.

    It is the mean over lengths of work around W. At one length the whole number of polls matters:
    :func:`~experiments.validation.laws.polled_work`, which is within c^2 / (2 tau) of it.

    >>> round(polled_loop(250, 0.2, 10), 3)
    260.102
    """
    return work / (1 - poll / interval) + interval / 2


def best_interval(work: float, poll: float) -> float:
    """Return the interval at which :func:`polled_loop` is minimal: c + sqrt(2 W c).

    >>> round(best_interval(250, 0.2), 6)
    10.2
    """
    return poll + math.sqrt(2 * work * poll)
