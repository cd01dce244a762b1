"""The kinds of services beside the storage, a folder each; see :mod:`simulator.kinds`.

``nwtsim`` itself has none: message servers are beside the study of Orion, numerical servers beside
that of Ninf.
"""

from __future__ import annotations

from simulator.kinds import places

__path__ = places("services")
