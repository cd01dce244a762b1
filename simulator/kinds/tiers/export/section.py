"""The tier that answers syncs and changes of metadata before data are on a device."""

from __future__ import annotations

from typing import Annotated, Literal

from simulator.config.errors import Path
from simulator.config.lowering.walk import Walk
from simulator.config.section import Called
from simulator.config.tier import Tier
from simulator.plan.codes import EXPORT

Mode = Annotated[Literal["async", "sync"], Called("export")]


class Export(Tier):
    """Where syncs and changes of metadata are answered, before data are on a device."""

    rank = 11

    export: Mode
    """async: they are answered here, as by an NFS server with that export option, or by a
    controller whose cache has a battery; sync: they go on, as without this tier."""

    def lower(self, walk: Walk, at: Path) -> None:
        """Answer them here if it is asynchronous."""
        del at
        if self.export == "async":
            walk.add(EXPORT)
