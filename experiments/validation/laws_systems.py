"""Laws of several servers, networks and systems with finite room, from their Markov chains.

Times are in any unit, the same for all arguments; nothing here uses the simulator.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from .chains import Chain, Floats, Law, Move
from .laws import variance_in_steps

# -- several servers, and queues that are shared by time ------------------------------------------

CUT = 1e-9
"""Probability that an unbounded queue would be beyond its truncation."""


@cache
def m_m_c(servers: int, offered: float) -> Chain[int]:
    """Return M/M/c with services of 1 on average: "starts", "waits", "ends"."""
    most = servers + math.ceil(math.log(CUT) / math.log(offered / servers)) + 20

    def moves(there: int) -> Iterable[Move[int]]:
        if there < most:
            yield offered, there + 1, "waits" if there >= servers else "starts"
        if there:
            yield float(min(there, servers)), there - 1, "ends"

    return Chain(0, moves)


def m_m_c_wait(servers: int, offered: float) -> Law:
    """Return the law of waits in M/M/c, in mean services.

    >>> round(m_m_c_wait(4, 3.2).mean, 6)
    0.745541
    """
    chain = m_m_c(servers, offered)
    return chain.ratio(lambda there: max(0, there - servers), ("waits", "starts"))


def m_m_c_waits(servers: int, offered: float) -> Law:
    """Return the law of whether an arrival at M/M/c waits (Erlang C).

    >>> round(m_m_c_waits(4, 3.2).mean, 6)
    0.596432
    """
    return m_m_c(servers, offered).ratio("waits", ("waits", "starts"))


def m_m_c_time(servers: int, offered: float) -> Law:
    """Return the law of the time in M/M/c; time-shared PEs have the same."""
    return m_m_c(servers, offered).ratio(float, ("waits", "starts"))


def m_m_c_looks(servers: int, offered: float, every: float) -> Law:
    """Return the law of the number in M/M/c, sampled at intervals."""
    chain = m_m_c(servers, offered)
    states = np.array(chain.states, dtype=np.float64)
    # exp(Q t) by squaring; Q t / 2^k is small, and its series short.
    halvings = 20
    part = chain.generator * every / 2**halvings
    step = np.eye(len(states)) + part + part @ part / 2
    for _ in range(halvings):
        step = step @ step
    return Law(chain.rate(float), variance_in_steps(step, states))


def plus(state: tuple[int, ...], place: int, more: int) -> tuple[Any, ...]:
    """Return a state with a number added at one position."""
    return (*state[:place], state[place] + more, *state[place + 1 :])


def shared_mean(rates: tuple[float, float], means: tuple[float, float], one: int | None) -> float:
    """Compute the mean time of one class, or of both, at a fair link or PE (Kelly, 1979).

    It is the work over the remaining capacity, for any distribution of works.
    """
    load = rates[0] * means[0] + rates[1] * means[1]
    return (load / sum(rates) if one is None else means[one]) / (1 - load)


# -- two stations in a row, or side by side -------------------------------------------------------


@cache
def tandem_time(rate: float, means: tuple[float, float], most: tuple[int, int] = (20, 30)) -> Law:
    """Return the law of the time in two queues, one after the other."""

    def moves(state: tuple[int, int]) -> Iterable[Move[tuple[int, int]]]:
        first, second = state
        if first < most[0]:
            yield rate, (first + 1, second), "in"
        if first and second < most[1]:
            yield 1 / means[0], (first - 1, second + 1), "on"
        if second:
            yield 1 / means[1], (first, second - 1), "out"

    found = Chain((0, 0), moves).ratio(lambda state: float(sum(state)), "in")
    return found.moved(tandem_mean(rate, means))


def tandem_mean(rate: float, means: tuple[float, float]) -> float:
    """Compute the mean of the time in two queues, one after the other (Jackson, 1957)."""
    return math.fsum(1 / (1 / mean - rate) for mean in means)


@cache
def both_time(load: float, most: int = 28) -> Law:
    """Return the law of the time until both parts are served, each at a queue of its own."""

    def moves(state: tuple[int, int]) -> Iterable[Move[tuple[int, int]]]:
        if max(state) < most:
            yield load, (state[0] + 1, state[1] + 1), "in"
        for one in (0, 1):
            if state[one]:
                yield 1.0, plus(state, one, -1), "out"

    # Parts are served in order: so many wait for their first or their second one.
    found = Chain((0, 0), moves).ratio(lambda state: float(max(state)), "in")
    return found.moved(both_mean(load))


def both_mean(load: float) -> float:
    """Compute the mean of that time, in mean services (Nelson and Tantawi, 1988)."""
    return (12 - load) / 8 / (1 - load)


# -- closed systems, and systems with finite room -------------------------------------------------


@cache
def closed_chain(demands: tuple[float, ...], think: float, clients: int) -> Chain[tuple[int, ...]]:
    """Return clients that think and visit queues in turn; exponential times; "out" ends a cycle."""

    def moves(state: tuple[int, ...]) -> Iterable[Move[tuple[int, ...]]]:
        thinking = clients - sum(state)
        if thinking:
            yield thinking / think, plus(state, 0, 1), "in"
        for one, demand in enumerate(demands):
            if state[one]:
                less = plus(state, one, -1)
                last = one + 1 == len(demands)
                yield 1 / demand, less if last else plus(less, one + 1, 1), "out" if last else "on"

    return Chain((0,) * len(demands), moves)


def closed_cycle(demands: tuple[float, ...], think: float, clients: int) -> Law:
    """Return the law of the time between two ends of cycles."""
    return closed_chain(demands, think, clients).ratio(lambda _: 1.0, "out")


def closed_response(demands: tuple[float, ...], think: float, clients: int) -> Law:
    """Return the law of the time that a client's visit to all queues takes."""
    return closed_chain(demands, think, clients).ratio(lambda state: float(sum(state)), "out")


@cache
def limited(gap: float, mean: float, room: int, servers: int = 1) -> Chain[int]:
    """Return servers with limited room: a source adds one every ``gap`` while there is room."""

    def moves(there: int) -> Iterable[Move[int]]:
        if there < room:
            yield 1 / gap, there + 1, "in"
        if there:
            yield min(there, servers) / mean, there - 1, "out"

    return Chain(0, moves)


def pause_share(gap: float, mean: float, room: int, servers: int = 1) -> Law:
    """Return the law of the share of time in which a source is blocked: values are one ``gap``.

    A memoryless source that continued would lose this share of its requests (Erlang B, M/M/1/K).
    """
    chain = limited(gap, mean, room, servers)
    found = chain.ratio(lambda there: float(there == room), lambda _: 1.0)
    return Law(found.mean, found.variance / gap)


@cache
def two_buffers_gap(means: tuple[float, float, float], rooms: tuple[int, int]) -> Law:
    """Return the law of the time between blocks that enter three stages with two buffers.

    A stage begins once there is room for its block in the next buffer, and its block occupies the
    previous buffer until it has ended: blocking before service (Perros, Queueing Networks with
    Blocking, 1994).
    """

    def moves(state: tuple[int, int]) -> Iterable[Move[tuple[int, int]]]:
        first, second = state
        if first < rooms[0]:
            yield 1 / means[0], (first + 1, second), "in"
        if first and second < rooms[1]:
            yield 1 / means[1], (first - 1, second + 1), "on"
        if second:
            yield 1 / means[2], (first, second - 1), "out"

    return Chain((0, 0), moves).ratio(lambda _: 1.0, "in")


@cache
def admitted(
    think: float, means: tuple[float, float], threads: int, clients: int
) -> Chain[tuple[int, int]]:
    """Return clients that think, and wait for a thread for two stages; state: (asking, at second).

    There is no product form: clients waiting outside are at neither stage.
    """

    def moves(state: tuple[int, int]) -> Iterable[Move[tuple[int, int]]]:
        asking, second = state
        first = min(asking, threads) - second
        if asking < clients:
            yield (clients - asking) / think, (asking + 1, second), "in"
        if first:
            yield 1 / means[0], (asking, second + 1), "on"
        if second:
            yield 1 / means[1], (asking - 1, second - 1), "out"

    return Chain((0, 0), moves)


# -- hits of an LRU cache --------------------------------------------------------------------------


def lru_hits(weights: Floats, slots: float) -> Law:
    """Return the law of hits in an LRU cache with independent references.

    A page referenced again after t (an exponential time) hits if fewer than ``slots`` others were
    referenced since: a sum of independent indicators, whose distribution is approximated as normal
    with its skewness (Edgeworth). The variance is that of Poisson streams for each page that hit if
    referenced again within a fixed time (Che's).
    """
    rates = weights / weights.sum()
    # Gauss-Legendre over the shares 0 to 1 of times that have passed, on the scale of the cache.
    life = _fill_time(rates, slots)
    nodes, widths = np.polynomial.legendre.leggauss(120)
    times, widths = (nodes + 1) * 2 * life, widths * 2 * life
    gone = -np.expm1(-np.outer(times, rates))
    # Of all others: the page's own chance is taken out again.
    mean = gone.sum(axis=1, keepdims=True) - gone
    single = gone * (1 - gone)
    deviation = np.sqrt(single.sum(axis=1, keepdims=True) - single)
    third = single * (1 - 2 * gone)
    skew = (third.sum(axis=1, keepdims=True) - third) / deviation**3
    stay = _edgeworth((slots - 0.5 - mean) / deviation, skew)
    again = rates * np.exp(-np.outer(times, rates))
    hits = (widths[:, None] * again * stay).sum(axis=0)
    share = float(rates @ hits)
    return Law(share, _hits_variance(rates, life, share))


def _fill_time(rates: Floats, slots: float) -> float:
    low, high = 0.0, 1e9
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if -np.expm1(-rates * middle).sum() < slots else (low, middle)
    return low


def _edgeworth(x: Floats, skew: Floats) -> Floats:
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    normal = 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    found: Floats = normal - density * skew / 6 * (x**2 - 1)
    return found


def _hits_variance(rates: Floats, life: float, share: float) -> float:
    """Compute sum of p E[(1{g < T} - h - (h_p - h) p g)^2] over exponential gaps g of pages."""
    hits = -np.expm1(-rates * life)
    ahead = hits - share
    scaled = rates * life
    # E[p g 1{g < T}] = 1 - (1 + p T) exp(-p T); E[(p g)^2] = 2.
    early = 1 - (1 + scaled) * np.exp(-scaled)
    squares = hits * (1 - 2 * share) + share**2 + 2 * ahead**2
    return float(rates @ (squares - 2 * ahead * (early - share)))
