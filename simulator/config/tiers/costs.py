"""What metadata operations of each kind take at a part that works on them."""

from __future__ import annotations

from simulator.config.quantities import Time
from simulator.config.section import Section
from simulator.plan.codes import METADATA, OPERATIONS


class Costs(Section):
    """Times of metadata operations by kind; those left out take the part's own time."""

    synonyms = {"delete": "unlink", "remove": "unlink", "getdents": "readdir", "chmod": "setattr"}

    open: Time | None = None
    """Open a file that is there."""
    create: Time | None = None
    """Create a file, or a link."""
    close: Time | None = None
    """Close a file."""
    stat: Time | None = None
    """Look up the attributes of a file."""
    lookup: Time | None = None
    """Look for a name that is not there."""
    unlink: Time | None = None
    """Remove a file."""
    rename: Time | None = None
    """Rename a file."""
    mkdir: Time | None = None
    """Create a directory."""
    rmdir: Time | None = None
    """Remove a directory."""
    readdir: Time | None = None
    """One call that lists entries of a directory."""
    setattr: Time | None = None
    """Change the mode, the owner, the times or the length of a file."""

    @property
    def by_kind(self) -> tuple[int, ...]:
        """The times in the order of ``METADATA``; ns, -1 for the part's own."""
        times = (getattr(self, OPERATIONS[kind]) for kind in METADATA)
        return tuple(-1 if time is None else int(time) for time in times)
