"""Links that transfers over several of them share by max-min fairness. No tier can name them."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import Part
from simulator.config.quantities import Rate, Time
from simulator.config.section import default
from simulator.config.sources import FREE
from simulator.kinds.parts.link.spec import LinkSpec
from simulator.units import Nanoseconds


class Link(Part):
    """A link that calls of services share by max-min fairness, each over several links."""

    uses = frozenset()
    synonyms = {"overhead": "latency"}
    what = "link shared by transfers"
    order = "own"
    usable = False
    single = True
    directed = False
    spec = LinkSpec

    kind: Literal["link"]
    """Which kind of part this is."""
    rate: Rate
    """Rate of all transfers together."""
    latency: Time = default(Nanoseconds(0), FREE)
    """Until the first byte has crossed it."""

    def row(self) -> dict[str, Any]:
        """Return its specification."""
        return {"spec": LinkSpec(self.rate, self.latency)}
