"""The data cache's formula against page frames given out at random."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.kinds.parts.processor.datacache import CacheSpec

PAGE, LINE = 4096, 16


def cache(pages: int) -> CacheSpec:
    return CacheSpec(size=pages * PAGE, line=LINE, line_ns=100, page=PAGE)


@pytest.mark.parametrize(("places", "pages"), [(8, 4), (8, 8), (16, 40), (128, 60)])
def test_pages_that_are_alone_in_their_place_stay(places: int, pages: int) -> None:
    rng = np.random.default_rng(1992)
    runs, alone = 4000, []
    for _ in range(runs):
        counts = np.bincount(rng.integers(0, places, pages), minlength=places)
        alone.append((counts == 1).sum() / pages)
    error = np.std(alone) / runs**0.5
    assert cache(places).hit_share(pages * PAGE) == pytest.approx(np.mean(alone), abs=4.5 * error)


@given(st.integers(1, 200), st.integers(1, 10**7), st.integers(1, 10**7))
def test_more_data_never_wait_less(places: int, size: int, more: int) -> None:
    spec = cache(places)
    assert spec.sweep_ns(size) <= spec.sweep_ns(size + more)
    assert 0 <= spec.hit_share(size) <= 1


def test_no_line_is_missing_in_one_page_and_all_in_very_many() -> None:
    assert cache(4).sweep_ns(PAGE) == 0
    assert cache(4).sweep_ns(10**6 * PAGE) == 10**6 * PAGE // LINE * 100
