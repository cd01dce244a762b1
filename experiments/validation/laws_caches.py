"""Law of the hits of an LRU cache whose pages are asked for independently of each other."""

from __future__ import annotations

import math

import numpy as np

from .chains import Floats, Law


def lru_hits(weights: Floats, slots: float) -> Law:
    """Return the law of hits in an LRU cache whose pages are asked for independently.

    A page that comes again after t (an exponential time) hits if fewer than ``slots`` others have
    come since: a sum of independent chances, whose distribution is taken as normal with its
    skewness (Edgeworth). The variance is that of Poisson streams for each page that
    hit if they come again within a fixed time (Che's): what the number of hits adds up to beyond
    the share of all.
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
