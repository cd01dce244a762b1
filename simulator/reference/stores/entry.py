"""The entry of a store: the stages directly above, passed by each extent of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.reference.actor import Steps
    from simulator.reference.tiers.tier import Request


def pass_down(request: Request) -> Steps:
    """Bring bytes that are written into the store, and the answer up."""
    for stage in request.entry:
        yield from stage.ask(request, request.size)
    for stage in reversed(request.entry):
        yield from stage.answer(request)


def pass_up(request: Request) -> Steps:
    """Bring bytes that are read up, after the request for them."""
    for stage in request.entry:
        yield from stage.ask(request)
    for stage in reversed(request.entry):
        yield from stage.answer(request, request.size)
