"""Runtime libraries besides those of ``simulator/runtime``: a module with a class each.

To add one: a module here with a :class:`simulator.runtime.library.Library`, which both engines
take; see docs/extending.md.
"""

from __future__ import annotations

from simulator.kinds import places

__path__ = places("runtime/libraries")
