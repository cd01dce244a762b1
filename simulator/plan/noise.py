"""Service times that vary: a factor for each request, drawn by counting, not by order.

The factor of a request is a function of (seed, part, number of the request at that
part). Two engines, any number of threads and any added part therefore draw alike.
Factors are fixed-point integers (``ONE`` is 1.0), so that every engine comes to the same
nanosecond.

Not modelled: correlation between parts, or between one request and the next, beyond the
run factor that all requests of a run at one part share.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from dataclasses import dataclass
from functools import lru_cache

from simulator.mixing import TABLE_BITS, mix, pick

ONE_BITS = 20
ONE = 1 << ONE_BITS
"""The factor 1.0."""


def stream_key(seed: int, run: int, part: str) -> int:
    """The 64-bit key of one part's stream in one run."""
    text = f"{seed}/{run}/{part}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


@lru_cache(maxsize=64)
def factor_table(deviation: float) -> tuple[int, ...]:
    """The quantiles of a lognormal factor of mean 1 and log-deviation ``deviation``.

    2**TABLE_BITS equally likely fixed-point factors, or none when nothing varies.
    """
    if deviation <= 0:
        return ()
    size = 1 << TABLE_BITS
    from statistics import NormalDist  # Its import takes longer than most runs.

    normal = NormalDist()
    raw = [math.exp(deviation * normal.inv_cdf((i + 0.5) / size)) for i in range(size)]
    scale = ONE * size / math.fsum(raw)
    return tuple(round(value * scale) for value in raw)


@lru_cache(maxsize=1)
def exponential_table() -> tuple[int, ...]:
    """The quantiles of an exponential factor of mean 1: equally likely fixed-point factors."""
    size = 1 << TABLE_BITS
    raw = [-math.log1p(-(i + 0.5) / size) for i in range(size)]
    scale = ONE * size / math.fsum(raw)
    return tuple(round(value * scale) for value in raw)


def _place(key: int, run: int, runs: int) -> float:
    """Return the point in [0, 1) of the distribution at which a run's factor is drawn.

    Runs that belong together are stratified: each takes the middle of another of ``runs``
    equal parts of the distribution, in random order, so that a handful of them has its mean
    and spread (McKay, Beckman, Conover, 1979). A run that stands alone is drawn freely.
    """
    if run >= runs:
        return mix(key, -run - 1) / 2**64
    return (_order(key, runs)[run] + 0.5) / runs


@lru_cache(maxsize=1024)
def _order(key: int, runs: int) -> array[int]:
    """Return the equal part of the distribution that each run takes."""
    return array("q", sorted(range(runs), key=lambda one: mix(key, one)))


@lru_cache(maxsize=4096)
def run_factor(seed: int, run: int, part: str, deviation: float, runs: int = 0) -> int:
    """The factor of all requests of a run at one part: known before the run; see ``Noise.of``."""
    table = factor_table(deviation)
    if not table:
        return ONE
    return table[int(_place(stream_key(seed, -1, part), run, runs) * len(table))]


@dataclass(frozen=True, slots=True)
class Noise:
    """Variation of the service times of one part in one run."""

    key: int = 0
    run_factor: int = ONE
    """Fixed-point factor of every request of the run."""
    table: tuple[int, ...] = ()
    """Equally likely fixed-point factors of single requests; empty for none."""

    @classmethod
    def of(
        cls, seed: int, run: int, part: str, *, run_sd: float, request_sd: float, runs: int = 0
    ) -> Noise:
        """The noise of one part: log-deviations of the run and of single requests.

        ``run`` is the number of this run, from 0, out of ``runs`` that belong together; with no
        ``runs`` it stands alone.
        """
        factor = run_factor(seed, run, part, run_sd, runs)
        return cls(stream_key(seed, run, part), factor, factor_table(request_sd))

    @classmethod
    def exponential(cls, seed: int, run: int, part: str) -> Noise:
        """The noise of a part whose service times are exponentially distributed."""
        return cls(stream_key(seed, run, part), ONE, exponential_table())

    @property
    def varies(self) -> bool:
        """Return whether any service time differs from its specification."""
        return self.run_factor != ONE or bool(self.table)

    def stretch(self, service_ns: int, number: int) -> int:
        """The service time of request ``number`` (from 1) at this part, in ns."""
        service_ns = (service_ns * self.run_factor) >> ONE_BITS
        if self.table:
            factor = self.table[pick(self.key, number)]
            service_ns = (service_ns * factor) >> ONE_BITS
        return service_ns


SILENT = Noise()
"""No variation at all."""
