"""Each identity of curves notices its own defect."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.result.curves import StoreCurve
from simulator.result.result import Result
from simulator.verification.identities import check_identities
from simulator.verification.sums import IdentityError
from tests.reference.test_stores import kept

MB = 1_000_000


def a_plan() -> Plan:
    """10 MB are written and read again; 4 blocks stay dirty."""
    hand = kept(size=10 * MB, slots=20, block=MB, triggers=frozenset(("mark",)), high=4, low=4)
    calls = [(name, "f", MB * one, MB) for name in ("write", "read") for one in range(10)]
    hand.process("p", hand.listed(*calls))
    return hand.plan()


def _of(change: Callable[[StoreCurve], None]) -> Callable[[Result], None]:
    return lambda result: change(result.curves["pages"])


def _set(path: str, by: int) -> Callable[[Result], None]:
    def change(curve: StoreCurve) -> None:
        *inner, name = path.split(".")
        one = getattr(curve, inner[0]) if inner else curve
        setattr(one, name, getattr(one, name) + by)

    return _of(change)


def _moved(curve: StoreCurve) -> None:
    """What was dirty in one bin was so in another."""
    curve.dirty.sums[0] -= curve.dirty.most * curve.width_ns
    curve.dirty.sums[1] += curve.dirty.most * curve.width_ns


def _read(result: Result) -> None:
    assert result.call_curve is not None
    result.call_curve.read[-1] += 1


def _written(result: Result) -> None:
    assert result.call_curve is not None
    result.call_curve.written.pop()


DOCTORED: dict[str, tuple[Callable[[Result], None], str]] = {
    "no curve": (lambda result: result.curves.clear(), r"curves of \[\], where \['pages'\]"),
    "end": (_set("end_ns", -1), "pages: a curve until"),
    "width": (_set("width_ns", -1), "pages: bins of 1048575 ns, not 1048576"),
    "last": (_set("used.last", 1), "pages: 10000001 B in use, 10 blocks resident"),
    "capacity": (_set("capacity", -11 * MB), "pages: 10000000 B in use of 9000000 B"),
    "dirty": (_set("dirty.last", -1), "pages: 3999999 B dirty, 4000000 B in its blocks"),
    "left": (_set("left", 1), "pages: 4000001 B dirty of 4000000 B"),
    "moment": (_set("used.moment", 1), "pages: used for .* B ns in its bins"),
    "a bin less": (_of(lambda curve: curve.used.sums.pop() and None), "pages: used in 19 bins of"),
    "bins": (_of(_moved), "pages: dirty is above its maximum, or below 0, in a bin"),
    "when": (_set("used.most_ns", -(10**9)), "pages: used is at its maximum at -"),
    "read": (_read, "10000001 B read in the bins, 10000000 B by calls"),
    "written": (_written, "bytes of calls in 20 and 19 bins of 20"),
}


def test_they_hold_for_a_run() -> None:
    check_identities(a_plan(), run_native(a_plan(), samples=512, record=True))


@pytest.mark.parametrize("what", DOCTORED)
def test_a_doctored_curve_fails(what: str) -> None:
    change, said = DOCTORED[what]
    result = run_native(a_plan(), samples=512, record=True)
    change(result)
    with pytest.raises(IdentityError, match=said):
        check_identities(a_plan(), result)
