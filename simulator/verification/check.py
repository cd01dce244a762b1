"""Checks of every result before an engine returns it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.verification.sums import check_sums

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


def check(plan: Plan, result: Result, *, debug: bool) -> None:
    """Raise IdentityError if a result is impossible; ``debug``: check all identities of the run."""
    if debug:
        from simulator.verification.identities import check_identities

        check_identities(plan, result)
    else:
        check_sums(result)
