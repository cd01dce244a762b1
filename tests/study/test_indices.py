"""Sobol indices against functions whose indices are known."""

import math

import numpy as np
import pytest

from simulator.study.sample import Index, indices


def saltelli_of(function, dimensions: int, count: int) -> list[float]:
    qmc = pytest.importorskip("scipy.stats.qmc")  # It takes a second: not where none of this runs.
    drawn = qmc.Sobol(2 * dimensions, scramble=True, rng=1).random(count)
    a, b = drawn[:, :dimensions], drawn[:, dimensions:]
    values = [*function(a), *function(b)]
    for i in range(dimensions):
        mixed = a.copy()
        mixed[:, i] = b[:, i]
        values += [*function(mixed)]
    return values


def ishigami(points):
    x = (2 * points - 1) * math.pi
    return np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def test_ishigami_function():
    # Ishigami and Homma (1990), a = 7, b = 0.1; analytic.
    found = indices(saltelli_of(ishigami, 3, 4096), 4096)
    for one, first, total in zip(
        found, (0.3139, 0.4424, 0.0), (0.5576, 0.4424, 0.2437), strict=True
    ):
        assert one.first == pytest.approx(first, abs=0.015)
        assert one.total == pytest.approx(total, abs=0.015)
        assert one.first_interval[0] < first < one.first_interval[1]
        assert one.total_interval[0] < total < one.total_interval[1]


def test_shift_and_scale_change_nothing():
    values = saltelli_of(ishigami, 3, 256)
    moved = indices([1e9 + 1e-3 * one for one in values], 256)
    for a, b in zip(indices(values, 256), moved, strict=True):
        assert (a.first, a.total) == pytest.approx((b.first, b.total), rel=1e-4)


def test_sum_of_values_is_explained_by_their_variances():
    found = indices(saltelli_of(lambda x: 3 * x[:, 0] + 4 * x[:, 1], 2, 1024), 1024)
    assert [one.first for one in found] == pytest.approx([0.36, 0.64], abs=0.02)
    assert [one.total for one in found] == pytest.approx([0.36, 0.64], abs=0.02)
    assert found[1].left == pytest.approx(0.6, abs=0.02)


def test_value_alone_explains_all():
    values = saltelli_of(lambda x: x[:, 0] ** 3, 1, 16)
    assert [(one.first, one.total) for one in indices(values, 16)] == [(1.0, 1.0)]


def test_figure_that_does_not_vary_has_none():
    assert indices([5.0] * 40, 8) == []


def test_noise_of_an_estimate_leaves_no_more_than_all():
    assert Index(-0.1, (-0.2, 0.1), 0.0, (0.0, 0.0)).left == 1
    assert Index(1.2, (0.9, 1.4), 1.0, (0.9, 1.1)).left == 0
