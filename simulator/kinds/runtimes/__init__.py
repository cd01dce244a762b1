"""The runtimes, a module each; see :mod:`simulator.kinds` and docs/extending.md.

One of a user is a :class:`simulator.runtime.library.Library`, which both engines take as a list of
calls. Those that are compiled have numbers (:mod:`simulator.runtime.policies`).
"""

from __future__ import annotations

from simulator.kinds import places

__path__ = places("runtimes")
