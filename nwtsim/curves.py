"""Curves over time of a run, if it kept them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.report.outcome import Outcome
    from simulator.result.curves import CallCurve, StoreCurve


class Sampled:
    """The part of a result that has curves."""

    _outcome: Outcome

    @property
    def curves(self) -> dict[str, StoreCurve]:
        """The contents of each store over time, by the name of the instance.

        Each has ``begins_s()``, ``used_bytes()`` and ``dirty_bytes()``: the begin of each interval
        of equal length, and means; ``capacity``, and the maxima ``used.most`` and ``dirty.most``.
        ValueError without curves; run it with ``curves=True``.
        """
        self._check_sampled()
        return self._outcome.result.curves

    @property
    def call_curve(self) -> CallCurve:
        """Bytes that calls of processes ``read`` and have ``written`` in each interval.

        Their begins are ``begins_s()``. ValueError without curves; run it with ``curves=True``.
        """
        return self._check_sampled()

    def _check_sampled(self) -> CallCurve:
        curve = self._outcome.result.call_curve
        if curve is None:
            raise ValueError("the run kept no curves; run it with curves=True")
        return curve
