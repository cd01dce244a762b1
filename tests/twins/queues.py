"""The queues of the naive twin: ``simpy.Resource``, held for as long as a request is served."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import simpy

from simulator.kinds.parts.disk.spec import DiskSpec

Steps = Generator[simpy.Event, Any, None]


class Tie(Exception):  # noqa: N818 - not an error: an input that says nothing
    """Who comes first is a matter of the engine's rule for ties."""


class Queue:
    """A resource that notices ties, if it is ``strict``."""

    def __init__(self, env: simpy.Environment, strict: bool, servers: int = 1) -> None:
        self.env = env
        self.strict = strict
        self.resource = simpy.Resource(env, servers)
        self.last = (-1, -1)

    def come(self, number: int) -> simpy.Event:
        self.act(number)
        return self.resource.request()

    def act(self, number: int) -> None:
        now, before = self.last
        if self.strict and self.env.now == now and number < before:
            raise Tie
        self.last = (int(self.env.now), number)


@dataclass
class Volume:
    """A disk: its queue, where its head will be, and what it has done."""

    queue: Queue
    spec: DiskSpec
    head: int = -1
    requests: int = 0
    bytes: int = 0
    busy_ns: int = 0


def hold(
    env: simpy.Environment, number: int, queues: Sequence[Queue], times: Sequence[int]
) -> Steps:
    """Take several queues at once, each for its own time, until the longest is over."""
    turns = [queue.come(number) for queue in queues]
    yield simpy.AllOf(env, turns)
    for queue, turn, time in zip(queues, turns, times, strict=True):
        env.process(_give_back(queue, turn, time))
    yield env.timeout(max(times))


def serve(env: simpy.Environment, number: int, requests: Sequence[tuple[Queue, int]]) -> Steps:
    """Have several requests served, each when its own turn comes, until the last is done."""
    turns = [(queue, queue.come(number), time) for queue, time in requests]
    yield simpy.AllOf(env, [env.process(_one(*turn)) for turn in turns])


def _one(queue: Queue, turn: simpy.Event, time: int) -> Steps:
    yield turn
    yield from _give_back(queue, turn, time)


def _give_back(queue: Queue, turn: simpy.Event, time: int) -> Steps:
    yield queue.env.timeout(time)
    queue.resource.release(turn)
