"""Points that fill a box evenly: a scrambled Sobol sequence, from SciPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.extras import need

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def sobol_points(count: int, dimensions: int, seed: int) -> NDArray[np.float64]:
    """Return ``count`` points in [0, 1)^dimensions, one in each row.

    More points of the same seed begin with the fewer ones. The first 2^k points are balanced: each
    half of each dimension, and each quarter, has as many. MissingExtraError without SciPy.
    """
    need("scipy")
    from scipy.stats.qmc import Sobol

    powers = max(0, count - 1).bit_length()
    drawn: NDArray[np.float64] = Sobol(dimensions, scramble=True, rng=seed).random_base2(powers)
    return drawn[:count]
