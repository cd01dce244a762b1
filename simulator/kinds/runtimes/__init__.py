"""The runtimes, a module each; see :mod:`simulator.kinds` and docs/extending.md.

One of a user is a :class:`simulator.runtime.library.Library`, which engines take as a list of
calls; the native one only if it has no ``.hpp`` of it. Those of nwtsim are functions on a table of
streams, and have numbers (:mod:`simulator.runtime.policies`).
"""

from __future__ import annotations

from simulator.kinds import places

__path__ = places("runtimes")
