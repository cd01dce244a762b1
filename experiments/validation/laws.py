"""Laws of means: waits by queueing theory, and the statistical error of a mean of many.

Times are in any unit, the same for all arguments; nothing here uses the simulator. Results from
Markov chains are in :mod:`experiments.validation.laws_systems`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from .chains import Floats, Law
from .theory import d_m_1_root

# -- values that do not depend on each other ------------------------------------------------------


def chance(share: float) -> Law:
    """Return the law of the frequency of an event with constant probability."""
    return Law(share, share * (1 - share))


def uniform(low: float, high: float) -> Law:
    """Return the law of uniformly distributed values."""
    return Law((low + high) / 2, (high - low) ** 2 / 12)


def last_of(count: int, mean: float) -> Law:
    """Return the law of the largest of ``count`` exponential times: H_n and its like."""
    ranks = np.arange(1, count + 1)
    return Law(mean * float((1 / ranks).sum()), mean**2 * float((1 / ranks**2).sum()))


def random_seeks(span: float) -> Law:
    """Return the law of distances between successive uniform positions: |U1 - U2|, |U2 - U3|, ...

    Variance 1/18; successive distances have the covariance 1/180.
    """
    return Law(span / 3, span**2 * (1 / 18 + 2 / 180))


# -- one server, Poisson arrivals -----------------------------------------------------------------


def exponential_moments(mean: float, most: int = 6) -> list[float]:
    """Return E[S^0], E[S^1], ... of an exponential time."""
    return [math.factorial(k) * mean**k for k in range(most + 1)]


def fixed_moments(*weighted: tuple[float, float], most: int = 6) -> list[float]:
    """Return moments of a discrete time: (probability, value), ...

    >>> fixed_moments((0.9, 1.0), (0.1, 11.0))[1:3]
    [2.0, 13.0]
    """
    return [round(math.fsum(p * x**k for p, x in weighted), 12) for k in range(most + 1)]


def uniform_moments(low: float, high: float, most: int = 6) -> list[float]:
    """Return moments of a uniformly distributed time."""
    return [(high ** (k + 1) - low ** (k + 1)) / ((k + 1) * (high - low)) for k in range(most + 1)]


def wait_moments(rate: float, service: Sequence[float], most: int) -> list[float]:
    """Return E[W^0], E[W^1], ... of M/G/1 (Takacs, 1962).

    >>> wait_moments(0.8, exponential_moments(1.0), 2)
    [1.0, 4.0, 40.0]
    """
    moments = [1.0]
    for k in range(1, most + 1):
        terms = [
            math.comb(k, i) * service[i + 1] / (i + 1) * moments[k - i] for i in range(1, k + 1)
        ]
        moments.append(round(rate * math.fsum(terms) / (1 - rate * service[1]), 9))
    return moments


def m_g_1_wait(rate: float, service: Sequence[float], power: int = 1) -> Law:
    """Return the law of waits in M/G/1, or of their squares.

    ``service`` are E[S^0] to E[S^6]. The wait is the workload V found by an arrival. A polynomial
    h(V) solves Poisson's equation of V^k, so that each arrival adds the jump
    X = rate (h(V + S) - h(V)) + V^k - E[V^k], and the variance is E[X^2]. For M/M/1 it is
    Blomqvist's (1967):

    >>> round(m_g_1_wait(0.8, exponential_moments(1.0)).variance, 6)
    1976.0
    """
    waits = wait_moments(rate, service, 2 * power)
    return Law(waits[power], _mean_square(_wait_jump(rate, service, power), waits, service))


def _wait_jump(rate: float, service: Sequence[float], power: int) -> Floats:
    """Return the coefficients of V^i S^j of X."""
    left = 1 - rate * service[1]
    if power == 1:
        future = {2: 1 / (2 * left)}
    elif power == 2:
        cubed = 1 / (3 * left)
        future = {3: cubed, 2: 3 * rate * service[2] * cubed / (2 * left)}
    else:
        raise ValueError(f"power {power} is neither 1 nor 2")
    jump = np.zeros((power + 2, power + 2))
    for degree, factor in future.items():
        for i in range(1, degree + 1):
            jump[degree - i, i] += rate * factor * math.comb(degree, i)
    jump[power, 0] += 1
    jump[0, 0] -= wait_moments(rate, service, power)[power]
    return jump


def _mean_square(jump: Floats, first: Sequence[float], second: Sequence[float]) -> float:
    """Compute E[(sum of jump[i, j] V^i S^j)^2] of independent V and S from their moments."""
    terms = [(i, j, jump[i, j]) for i, j in np.argwhere(jump).tolist()]
    return math.fsum(a * b * first[i + k] * second[j + m] for i, j, a in terms for k, m, b in terms)


def m_g_1_time(rate: float, service: Sequence[float]) -> Law:
    """Return the law of waits and services together in M/G/1: its jump is S - E[S] more."""
    jump = _wait_jump(rate, service, 1)
    jump[0, 1] += 1
    jump[0, 0] -= service[1]
    waits = wait_moments(rate, service, 2)
    return Law(waits[1] + service[1], _mean_square(jump, waits, service))


def m_d_1_wait(rate: float, service: float) -> Law:
    """Return the law of waits in M/D/1.

    >>> m_d_1_wait(0.8, 1.0).mean
    2.0
    """
    return m_g_1_wait(rate, fixed_moments((1.0, service)))


def m_g_1_idle(rate: float, service: Sequence[float]) -> Law:
    """Return the law of whether an arrival at M/G/1 does not wait; h(V) = V."""
    load = rate * service[1]
    return Law(1 - load, rate**2 * service[2] + load * (1 - load))


@cache
def d_m_1_wait(gap: float, mean: float, steps: int = 8) -> Law:
    """Return the law of waits in D/M/1: the mean exactly, the variance on a lattice.

    Waits are W' = max(0, W + S - gap), with whole numbers of ``gap / steps``.
    """
    step, most = gap / steps, 40 * steps
    stay = math.exp(-step / mean)
    # A geometric time that is exponential on the lattice, rounded to its nearest point.
    chances = np.array(
        [1 - math.sqrt(stay), *(math.sqrt(stay) * (1 - stay) * stay**k for k in range(most))]
    )
    matrix = np.zeros((most + 1, most + 1))
    for work in range(most + 1):
        ends = np.clip(work + np.arange(len(chances)) - steps, 0, most)
        np.add.at(matrix[work], ends, chances)
    matrix /= matrix.sum(axis=1, keepdims=True)
    found = variance_in_steps(matrix, step * np.arange(most + 1.0))
    return Law(d_m_1_mean(gap, mean), found)


def d_m_1_mean(gap: float, mean: float) -> float:
    """Compute the mean wait in D/M/1.

    >>> round(d_m_1_mean(1.25, 1.0), 6)
    1.692731
    """
    root = d_m_1_root(mean / gap)
    return mean * root / (1 - root)


def variance_in_steps(matrix: Floats, values: Floats) -> float:
    """Compute the variance of the mean of a function of a discrete-time chain, times its length."""
    count = len(values)
    system = np.eye(count) - matrix.T
    system[-1] = 1.0
    right = np.zeros(count)
    right[-1] = 1.0
    shares = np.linalg.solve(system, right)
    centred = values - shares @ values
    future = np.linalg.solve(np.eye(count) - matrix + np.outer(np.ones(count), shares), centred)
    return float(shares @ (2 * centred * future - centred**2))


# -- trials ---------------------------------------------------------------------------------------


def geometric_gaps(step: float, share: float) -> Law:
    """Return the law of gaps between successful trials."""
    return Law(step / share, step**2 * (1 - share) / share**2)


def geometric_squares(step: float, share: float, centre: float) -> Law:
    """Return the law of the squared distances of these gaps from a centre."""
    tries = range(1, math.ceil(60 / share))
    squares = [(step * k - centre) ** 2 for k in tries]
    chances = [share * (1 - share) ** (k - 1) for k in tries]
    mean = math.fsum(p * x for p, x in zip(chances, squares, strict=True))
    moment = math.fsum(p * x**2 for p, x in zip(chances, squares, strict=True))
    return Law(mean, moment - mean**2)


@cache
def geo_d_1_wait(share: float, slots: int, most: int = 400) -> Law:
    """Return the law of waits in Geo/D/1, in slots, with a chance of an arrival in each."""
    matrix = np.zeros((most + 1, most + 1))
    gaps = [share * (1 - share) ** (k - 1) for k in range(1, 4 * most)]
    gaps[-1] += 1 - math.fsum(gaps)
    for work in range(most + 1):
        ends = np.clip(work + slots - np.arange(1, len(gaps) + 1), 0, most)
        np.add.at(matrix[work], ends, gaps)
    return Law(geo_d_1_mean(share, slots), variance_in_steps(matrix, np.arange(most + 1.0)))


def geo_d_1_mean(share: float, slots: int) -> float:
    """Compute the mean wait in Geo/D/1 (Meisling, 1958): p S (S - 1) / (2 (1 - p S))."""
    return share * slots * (slots - 1) / (2 * (1 - share * slots))


# -- polls ----------------------------------------------------------------------------------------


def polled_work(work: float, poll: float, interval: float) -> Law:
    """Return the law of the time of work beside polls, begun at a uniformly distributed time.

    ``work`` is n + f times the time that polls leave free of an interval. Begun there, it meets n
    polls, or n + 1 with probability f; begun in a poll, the rest of that one and n.

    >>> round(polled_work(250, 0.2, 10).mean, 6), round(polled_work(16.1, 2, 10).mean, 6)
    (255.102, 20.32)
    """
    free = interval - poll
    whole = math.ceil(work / free) - 1
    part, within = work / free - whole, poll / interval
    more = (1 - within) * poll * part + within * poll / 2
    square = (1 - within) * poll**2 * part + within * poll**2 / 3
    return Law(work + whole * poll + more, square - more**2)
