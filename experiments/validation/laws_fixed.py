"""Laws of systems with deterministic work: processor sharing, or a server for each.

Their means are insensitive to the distribution of work; the statistical error of a mean is not.
Times are in any unit, the same for all arguments; nothing here uses the simulator.

Not modelled: closed networks, and several servers, for works of several lengths. Rows of these
have the variance of exponential works (:mod:`experiments.validation.laws_systems`);
``tests/properties/test_laws_fixed.py`` compares it with that of many runs of naive systems.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from .chains import Chain, Floats, Law, Move
from .laws_systems import m_m_c_time, plus, shared_mean
from .theory import erlang_b

# -- one link or PE that is shared by time --------------------------------------------------------


@dataclass(frozen=True)
class SharedWorks:
    """A fair link or PE for classes of deterministic work (M/G/1 with processor sharing).

    A sum over all pairs of works present, ``h = sum g(k, x; l, y)`` with ``x`` and ``y`` the
    remaining works of the classes ``k`` and ``l``, solves Poisson's equation of the number of works
    of the counted classes: each of ``n`` works present proceeds at the rate ``1 / n``, so that

        (d/dx + d/dy) g(k, x; l, y) = (c_k + c_l) / 2 + rate (E g(k, x; S) + E g(l, y; S)),

    where ``c`` is 1 for classes that are counted, ``S`` is the next work, and g is 0 where x or y
    is 0. With ``G_k(x)`` the integral of ``E g(k, x; S)`` from 0 to x this is, for x <= y,

        g(k, x; l, y) = x (c_k + c_l) / 2 + rate (G_k(x) + G_l(y) - G_l(y - x)).

    Its mean over S is a linear equation of G, which is solved on a lattice (trapezoids).
    """

    rates: tuple[float, ...]
    works: tuple[int, ...]
    counted: tuple[bool, ...]
    steps: int = 20
    """Lattice points per unit of the works' greatest common divisor."""

    @property
    def _step(self) -> float:
        return math.gcd(*self.works) / self.steps

    @property
    def _lengths(self) -> list[int]:
        """Return the works, in steps of the lattice."""
        return [round(work / self._step) for work in self.works]

    @property
    def _points(self) -> int:
        return max(self._lengths) + 1

    def _row(self, one: int, x: int, other: int, y: int) -> tuple[Floats, float]:
        """Return g as a function of all values of G: its coefficients, and a constant."""
        row = np.zeros(len(self.works) * self._points)
        rate = sum(self.rates)
        later, more = (other, y - x) if x <= y else (one, x - y)
        row[one * self._points + x] += rate
        row[other * self._points + y] += rate
        row[later * self._points + more] -= rate
        return row, min(x, y) * self._step * (self.counted[one] + self.counted[other]) / 2

    @cached_property
    def _integrals(self) -> Floats:
        """Return G of each class at each point of the lattice; shape (classes * points,)."""
        classes, points = range(len(self.works)), self._points
        size = len(self.works) * points
        slopes, constants = np.zeros((size, size)), np.zeros(size)
        for one in classes:
            for x in range(points):
                for other in classes:
                    share = self.rates[other] / sum(self.rates)
                    row, constant = self._row(one, x, other, self._lengths[other])
                    slopes[one * points + x] += share * row
                    constants[one * points + x] += share * constant
        # G(x) - G(x - step) is step times the mean of both slopes; G(0) is 0.
        begins = np.arange(size) % points == 0
        system = np.eye(size) - np.eye(size, k=-1)
        system -= self._step / 2 * (slopes + np.roll(slopes, 1, axis=0))
        right = self._step / 2 * (constants + np.roll(constants, 1))
        system[begins], right[begins] = np.eye(size)[begins], 0.0
        return np.asarray(np.linalg.solve(system, right), dtype=np.float64)

    def pair(self, one: int, x: int, other: int, y: int) -> float:
        """Compute g of two works, with the remaining steps of each."""
        row, constant = self._row(one, x, other, y)
        return float(row @ self._integrals) + constant

    def variance(self) -> float:
        """Compute the variance of the times of the counted classes.

        Every run has the same number of works of each class, so that each time is compared with the
        mean of its class. An arrival adds ``X = 2 sum g(its work, what it finds) + g(itself) - its
        mean time``, and the variance is E[X^2]. It finds ``n`` works with the chance ``(1 - load)
        load^n``; the class of each is distributed by share of the load, its remaining work
        uniformly.
        """
        means = [rate * work for rate, work in zip(self.rates, self.works, strict=True)]
        load = sum(means)
        found, pairs = load / (1 - load), 2 * (load / (1 - load)) ** 2
        total = 0.0
        for one, (rate, length) in enumerate(zip(self.rates, self._lengths, strict=True)):
            first = second = 0.0
            for other, (mean, most) in enumerate(zip(means, self._lengths, strict=True)):
                jumps = np.array([2 * self.pair(other, x, one, length) for x in range(most + 1)])
                first += mean / load * _average(jumps)
                second += mean / load * _average(jumps**2)
            own = self.pair(one, length, one, length)
            own -= self.works[one] / (1 - load) if self.counted[one] else 0.0
            total += rate * (own**2 + (2 * own * first + second) * found + first**2 * pairs)
        return total / sum(
            rate for rate, counted in zip(self.rates, self.counted, strict=True) if counted
        )


def _average(values: Floats) -> float:
    """Return the mean of a function between the first and the last point of a lattice."""
    return float((values[1:] + values[:-1]).sum() / 2 / (len(values) - 1))


@cache
def shared_time(rates: tuple[float, float], works: tuple[int, int], one: int | None) -> Law:
    """Return the law of the times of one class, or of both, at a fair link or PE.

    With one length it is that of the work V in M/D/1: the variance is 4 E[V^2] / (1 - load)^2.

    >>> round(shared_time((0.25, 0.25), (1, 1), None).variance, 1)
    13.3
    """
    counted = (one in (None, 0), one in (None, 1))
    variance = SharedWorks(rates, works, counted).variance()
    return Law(shared_mean(rates, (float(works[0]), float(works[1])), one), variance)


# -- several servers: works in more and more phases -----------------------------------------------


@cache
def in_phases(
    offered: float, servers: int, room: int, phases: int, *, shared: bool
) -> Chain[tuple[int, ...]]:
    """Return M/G/c with works, 1 on average, of a number of exponential phases: "in", "on", "out".

    At most ``room`` are present. The servers are time-shared, or there is one for each work. A
    state is the number in each phase.
    """

    def moves(state: tuple[int, ...]) -> Iterable[Move[tuple[int, ...]]]:
        there = sum(state)
        if there < room:
            yield offered, plus(state, 0, 1), "in"
        speed = min(1.0, servers / there) if shared and there else 1.0
        for phase, count in enumerate(state):
            if count:
                less, last = plus(state, phase, -1), phase + 1 == phases
                target = less if last else plus(less, phase + 1, 1)
                yield count * speed * phases, target, "out" if last else "on"

    return Chain((0,) * phases, moves)


def without_end(values: Sequence[float], phases: Sequence[int]) -> float:
    """Return the limit of a figure for infinitely many phases: a polynomial of 1 / phases.

    >>> without_end([3.0, 2.0], [1, 2])
    1.0
    """
    weights = [math.prod(one / (one - other) for other in phases if other != one) for one in phases]
    return math.fsum(weight * value for weight, value in zip(weights, values, strict=True))


@cache
def fixed_pause_share(gap: float, room: int, phases: tuple[int, ...] = (1, 2, 4, 6)) -> Law:
    """Return the law of :func:`~experiments.validation.laws_systems.pause_share` in M/D/c/c.

    Services take 1, and there is one for each of ``room`` places; values are one ``gap``.
    """
    laws = [
        in_phases(1 / gap, room, room, one, shared=False).ratio(
            lambda state: float(sum(state) == room), lambda _: 1.0
        )
        for one in phases
    ]
    variance = without_end([law.variance for law in laws], phases) / gap
    return Law(erlang_b(room, 1 / gap), variance)


@cache
def fixed_time(
    servers: int, offered: float, room: int = 24, phases: tuple[int, ...] = (1, 2)
) -> Law:
    """Return the law of the time of works of 1 at time-shared PEs (M/D/c).

    At most ``room`` are present.
    """
    laws = [
        in_phases(offered, servers, room, one, shared=True).ratio(
            lambda state: float(sum(state)), "in"
        )
        for one in phases
    ]
    variance = without_end([law.variance for law in laws], phases)
    return Law(m_m_c_time(servers, offered).mean, variance)


@cache
def closed_in_phases(
    demands: tuple[float, ...], think: float, clients: int, phases: int
) -> Chain[tuple[int, ...]]:
    """Return clients that think and visit time-shared stations in turn.

    Thinking is exponential, the works of each station have a number of phases; "out" ends a cycle.
    A state is the number in each phase of each station.
    """
    places = len(demands) * phases

    def moves(state: tuple[int, ...]) -> Iterable[Move[tuple[int, ...]]]:
        thinking = clients - sum(state)
        if thinking:
            yield thinking / think, plus(state, 0, 1), "in"
        for place, count in enumerate(state):
            if count:
                station, last = place // phases, place + 1 == places
                here = sum(state[station * phases : (station + 1) * phases])
                less = plus(state, place, -1)
                target = less if last else plus(less, place + 1, 1)
                rate = phases / demands[station] * count / here
                yield rate, target, "out" if last else "on"

    return Chain((0,) * places, moves)


@cache
def fixed_closed(
    demands: tuple[float, ...], think: float, clients: int, phases: tuple[int, ...] = (1, 2)
) -> tuple[Law, Law]:
    """Return the laws of the time between ends of cycles, and of visits to all stations.

    All visits to a station need the same work.
    """
    chains = [closed_in_phases(demands, think, clients, one) for one in phases]
    cycles = [chain.ratio(lambda _: 1.0, "out") for chain in chains]
    visits = [chain.ratio(lambda state: float(sum(state)), "out") for chain in chains]
    cycle, visit = (
        Law(laws[0].mean, without_end([law.variance for law in laws], phases))
        for laws in (cycles, visits)
    )
    return cycle, visit
