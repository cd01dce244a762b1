"""A way to a server: requests, stages one after the other, and the server's work."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated

from simulator.config.errors import Fault, Path
from simulator.config.quantities import Count, Name, Size, SmallSize
from simulator.config.section import FULL, Section, default
from simulator.config.tier import Step, Tier
from simulator.kinds.tiers.request.section import Request
from simulator.kinds.tiers.stage.section import StageItems, stage_step
from simulator.kinds.tiers.work.section import add_work


class StageList(Section):
    """The parts of one stage, as a list; or the name of a single one."""

    shorthand = {"list": "stage", "text": "stage"}

    stage: StageItems
    """Parts that data pass together."""


class Route(Tier):
    """A way to a server: requests of a size, stages one after the other, and the server's work."""

    rank = 3
    synonyms = {"size": "request", "message": "header", "stages": "route", "work": "server"}
    naming = {"server": "server"}

    route: Annotated[tuple[StageList, ...], FULL]
    """Stages; each is passed when the one before has ended (store-and-forward)."""
    request: Size | None = None
    """Bytes of one request at most; as the program asks if left out."""
    window: Count = default(1, "neutral: one request after the other")
    """Requests of one call that are out at one time."""
    header: SmallSize | None = None
    """Bytes of each message beside its data: with it, requests and answers travel too."""
    server: Name | None = None
    """What works on each request at the other end: a part, or a pool of threads that are kept."""

    def misplaced(self, role: str, stores: Collection[str]) -> Iterator[Fault]:
        """Find a window of calls that are not cut."""
        yield from super().misplaced(role, stores)
        if self.window > 1 and self.request is None:
            about = "has no effect where calls are not cut; write 'request: 1 MB' too, or leave it"
            yield ("window",), f"{about} out"

    def steps(self, at: Path) -> Iterator[Step]:
        """Return a request, the stages, and the work."""
        if self.request is not None:
            yield from Request(request=self.request, window=self.window).steps(at)
        for index, one in enumerate(self.route):
            yield stage_step(one.stage, self.header, (*at, "route", index, "stage"))
        if self.server is not None:
            name, there = self.server, (*at, "server")
            yield Step([name], lambda walk: add_work(walk, name, there))
