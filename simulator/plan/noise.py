"""Variation of service times: a random factor for each request, independent of their order.

The factor of a request is a function of (seed, resource, number of the request at that resource).
Two engines therefore draw the same, with any number of threads and any added resource. Factors are
fixed-point integers (``ONE`` is 1.0), so that all engines agree to the nanosecond.

Not modelled: correlation between resources, or between successive requests, other than the run
factor that all requests of a run at one resource share.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from simulator.mixing import TABLE_BITS, mix, pick

if TYPE_CHECKING:
    from simulator.plan.parts import NoisePlan

ONE_BITS = 20
ONE = 1 << ONE_BITS
"""The factor 1.0."""


def stream_key(seed: int, run: int, part: str) -> int:
    """Return the 64-bit key of one resource's random stream in one run."""
    text = f"{seed}/{run}/{part}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


@lru_cache(maxsize=64)
def factor_table(deviation: float) -> tuple[int, ...]:
    """Return the quantiles of a lognormal factor of mean 1 and log-deviation ``deviation``.

    2**TABLE_BITS equally likely fixed-point factors, or none if the deviation is 0.
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
    """Return the quantiles of an exponential factor of mean 1, as fixed-point numbers."""
    size = 1 << TABLE_BITS
    raw = [-math.log1p(-(i + 0.5) / size) for i in range(size)]
    scale = ONE * size / math.fsum(raw)
    return tuple(round(value * scale) for value in raw)


def _quantile_point(key: int, run: int, runs: int) -> float:
    """Return the point in [0, 1) of the distribution at which a run's factor is taken.

    Runs of a series are stratified: each takes the midpoint of another of ``runs`` equal intervals
    of the distribution, in random order, so that a few of them have its mean and spread (McKay,
    Beckman, Conover, 1979). The point of a single run is uniform.
    """
    if run >= runs:
        return mix(key, -run - 1) / 2**64
    return (_order(key, runs)[run] + 0.5) / runs


@lru_cache(maxsize=1024)
def _order(key: int, runs: int) -> array[int]:
    """Return the interval of the distribution for each run."""
    return array("q", sorted(range(runs), key=lambda one: mix(key, one)))


@lru_cache(maxsize=4096)
def run_factor(seed: int, run: int, part: str, deviation: float, runs: int = 0) -> int:
    """Return the factor of all requests of a run at one resource; see ``Noise.of``."""
    table = factor_table(deviation)
    if not table:
        return ONE
    return table[int(_quantile_point(stream_key(seed, -1, part), run, runs) * len(table))]


@dataclass(frozen=True, slots=True)
class Noise:
    """Variation of the service times of one resource in one run."""

    key: int = 0
    run_factor: int = ONE
    """Fixed-point factor of all requests of the run."""
    table: tuple[int, ...] = ()
    """Equally likely fixed-point factors of single requests; empty if they do not vary."""

    @classmethod
    def of(
        cls, seed: int, run: int, part: str, *, run_sd: float, request_sd: float, runs: int = 0
    ) -> Noise:
        """Return the noise of one resource, from the log-deviations of run and requests.

        ``run`` is the number of this run, from 0, in a series of ``runs``; 0 ``runs``: a single
        run.
        """
        return _noise(seed, run, part, run_sd, request_sd, runs)

    @classmethod
    def exponential(cls, seed: int, run: int, part: str) -> Noise:
        """Return the noise of a resource with exponentially distributed service times."""
        return cls(stream_key(seed, run, part), ONE, exponential_table())

    @property
    def varies(self) -> bool:
        """Return whether any service time differs from its specification."""
        return self.run_factor != ONE or bool(self.table)

    def stretch(self, service_ns: int, number: int) -> int:
        """Return the service time of request ``number`` (from 1) at this resource, in ns."""
        service_ns = (service_ns * self.run_factor) >> ONE_BITS
        if self.table:
            factor = self.table[pick(self.key, number)]
            service_ns = (service_ns * factor) >> ONE_BITS
        return service_ns


@lru_cache(maxsize=1 << 14)  # Runs of many machines have the same draws.
def _noise(seed: int, run: int, part: str, run_sd: float, request_sd: float, runs: int) -> Noise:
    factor = run_factor(seed, run, part, run_sd, runs)
    return Noise(stream_key(seed, run, part), factor, factor_table(request_sd))


NO_NOISE = Noise()
"""No variation."""


class Drawing(NamedTuple):
    """What the random streams of a run depend on, beside their names."""

    seed: int
    run: int
    runs: int
    noisy: bool


def noise_of(spec: NoisePlan, drawing: Drawing, stream: str) -> Noise:
    """Return the noise of an instance of a resource, of the random stream of a name."""
    seed, run, runs, noisy = drawing
    if spec.exponential:
        return Noise.exponential(seed, run, stream)
    if not noisy:
        return NO_NOISE
    return Noise.of(seed, run, stream, run_sd=spec.run_sd, request_sd=spec.request_sd, runs=runs)
