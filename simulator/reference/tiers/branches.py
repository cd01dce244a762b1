"""Branches: parts of a request that are under way at one time, each an actor of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from simulator.reference.actor import Actor

if TYPE_CHECKING:
    from simulator.reference.actor import Steps
    from simulator.reference.machine import Machine


def fork(
    machine: Machine, parent: Actor, branches: Sequence[tuple[int, Callable[[Actor], Steps]]]
) -> Steps:
    """Begin branches, each with its number; done when all have ended.

    What the last of them spent, the parent did.
    """
    first = machine.plan.first_branch + parent.number * machine.width
    under_way: list[Actor] = []

    def go(actor: Actor, work: Callable[[Actor], Steps]) -> Steps:
        yield actor.until(actor.now)
        yield from work(actor)
        under_way.remove(actor)
        if not under_way:
            parent.charge_all(actor)
            parent.wake()

    for number, work in branches:
        actor = Actor(machine.clock, first + number, f"{parent.name}/{number}")
        under_way.append(actor)
        machine.clock.process(go(actor, work))
    yield parent.blocked(lambda: _reasons(under_way))


def _reasons(actors: Sequence[Actor]) -> str:
    """Return what branches wait for, each once."""
    actors = sorted(actors, key=lambda actor: actor.number)
    return " and ".join(dict.fromkeys(actor.waits_for() for actor in actors if actor.waits_for))
