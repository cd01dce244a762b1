"""The kinds of tiers. To add one: a module with its section here, and its class in ``AnyTier``."""

from __future__ import annotations

from typing import Annotated

from simulator.config.section import ByKey
from simulator.config.tiers.durable import Commit, Export
from simulator.config.tiers.layout import Forward, Pieces, Stripe
from simulator.config.tiers.locks import Locks
from simulator.config.tiers.stage import Keep, Request, Route, Stage, Work
from simulator.config.tiers.use import Use

AnyTier = Annotated[
    Use
    | Stage
    | Route
    | Work
    | Keep
    | Stripe
    | Pieces
    | Forward
    | Request
    | Commit
    | Export
    | Locks,
    ByKey(),
]
"""A tier of any kind; the key that only it has tells which."""
