"""Results of runs that a process has made, by their plans: no plan is carried out twice.

A fit moves one value after the other, and most of a study's runs do not depend on each of them.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from simulator.plan.plan import Plan

Made = TypeVar("Made")


class KnownRuns(Generic[Made]):
    """What came of the plans that were carried out last; it must not be changed."""

    def __init__(self, most: int) -> None:
        """``most``: results that are kept."""
        self._most = most
        self._kept: OrderedDict[bytes, Made] = OrderedDict()

    def result(self, plan: Plan, run: Callable[[Plan], Made]) -> Made:
        """Return what ``run`` makes of a plan, or has made of an equal one.

        Plans are equal if all but the digest of their input is: values of the machine that a
        workload does not use are in the digest only.
        """
        key = hashlib.sha256(pickle.dumps(replace(plan, digest=""))).digest()
        if key not in self._kept:
            self._kept[key] = run(plan)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]
