"""Actors that use parts directly, without a plan: one process for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import simpy

from simulator.machine.actor import Actor, Steps
from simulator.machine.station import Station

Life = Callable[[Actor], Steps]


def act(*lives: Life, env: simpy.Environment | None = None) -> list[Actor]:
    """Let actors 0, 1, ... live to their ends; ``actor.now`` is when each ended."""
    env = env or simpy.Environment()
    actors = [Actor(env, number, f"actor{number}") for number in range(len(lives))]
    for life, actor in zip(lives, actors, strict=True):
        env.process(life(actor))
    env.run()
    return actors


def visit(station: Station, size: int, *, at: int = 0) -> Life:
    """Come to a station at a time, and stay until served."""

    def life(actor: Actor) -> Steps:
        yield actor.until(at)
        yield actor.until(station.take(actor, size))

    return life


def ends(actors: Sequence[Actor]) -> list[int]:
    return [actor.now for actor in actors]
