"""Clients of numerical servers: what calls cost the nodes that make them."""

from __future__ import annotations

from typing import Literal

from simulator.config.quantities import Name, Rate
from simulator.config.services import Service

from ..numerical_server.section import Library


class NumericalClient(Service):
    """What calls of numerical servers cost the nodes that make them."""

    unchanged = frozenset({"libraries"})

    kind: Literal["numerical-client"]
    """Which kind of service this is."""
    site: Name | None = None
    """Where they are, by its name in ``sites``, unless the workload says otherwise."""
    conversion: Rate
    """Bytes that a node converts to and from the network's format."""
    libraries: dict[str, Library] = {}
    """What a node could compute with itself, by name; calls do not use it."""
