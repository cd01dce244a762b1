"""Stores: blocks of files in memory, their replacement, and the actors that wait for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.stores.arc import Arc
from simulator.reference.stores.fifo import Fifo
from simulator.reference.stores.lru import Lru

if TYPE_CHECKING:
    from simulator.reference.stores.policy import Policy

POLICIES: dict[str, type[Policy]] = {"lru": Lru, "fifo": Fifo, "arc": Arc}
"""The replacement policies, by name."""
