"""How long a client knows the attributes of files without asking the server."""

from __future__ import annotations

from typing import Annotated, Literal

from simulator.config.quantities import Time
from simulator.config.section import Called, Earlier, Section, check
from simulator.units import Nanoseconds, format_time

FOR_EVER_NS = 2**61
Kept = Annotated[Literal["kept"], Called("kept")]


class Attributes(Section):
    """Times as of NFS; 'kept' alone: for the whole run, as on a file system of one node."""

    shorthand = {"text": "kept"}
    synonyms = {"acregmin": "min", "acregmax": "max", "actimeo": "min"}

    kept: Kept | None = None
    """'kept', if a client asks once only."""
    min: Time = Nanoseconds(3 * 10**9)
    """For how long after it has found a file changed."""
    max: Time = Nanoseconds(60 * 10**9)
    """For how long at most: the time doubles each time that a file is found unchanged."""

    @check("max", always=True)
    @classmethod
    def _in_order(cls, most: Nanoseconds, earlier: Earlier) -> Nanoseconds:
        least = earlier.get("min")
        if least is not None and most < least:
            about = f"{format_time(most)} is less than 'min', {format_time(least)}; write as much"
            raise ValueError(about)
        return most

    @property
    def times_ns(self) -> tuple[int, int]:
        """The least time and the most."""
        return (FOR_EVER_NS, FOR_EVER_NS) if self.kept else (self.min, self.max)
