"""Links that transfers over several of them share by max-min fairness. No tier can name them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from simulator.config.part import BOTH, Part, Row
from simulator.config.quantities import Rate, Time
from simulator.config.sources import FREE
from simulator.kinds.parts.link.spec import LinkSpec
from simulator.units import Nanoseconds


class Link(Part):
    """A link that calls of services share by max-min fairness, each over several links."""

    uses = frozenset()
    synonyms = {"bandwidth": "rate", "overhead": "latency"}
    what = "link shared by transfers"
    order = "own"
    usable = False
    directed = False
    spec = LinkSpec
    reasons = {
        "latency": FREE,
    }

    kind: Literal["link"]
    """Which kind of part this is."""
    rate: Rate
    """Rate of all transfers together."""
    latency: Time = Nanoseconds(0)
    """Until the first byte has crossed it."""

    def rows(self) -> Iterator[Row]:
        """Return one row."""
        yield Row(BOTH, "link", {"spec": LinkSpec(self.rate, self.latency)})
