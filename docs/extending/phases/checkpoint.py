"""A checkpoint: each process writes its data, and goes on when all data are on their devices."""

from collections.abc import Sequence
from typing import Literal

from simulator.config.phase import Phase
from simulator.config.quantities import Name, Size
from simulator.kinds.phases.barrier import Barrier
from simulator.kinds.phases.sync import Sync
from simulator.kinds.phases.transfer import Transfer


class Checkpoint(Phase):
    """Write a file, wait until it is on its device, and for all other processes."""

    do: Literal["checkpoint"]
    """What it does."""
    file: Name
    """The file, by its name in ``files``."""
    size: Size | None = None
    """How much of it; all of it if left out."""

    @property
    def inner(self) -> Sequence[Phase]:
        return (
            Transfer(do="write", file=self.file, size=self.size),
            Sync(do="sync", file=self.file),
            Barrier(do="barrier"),
        )
