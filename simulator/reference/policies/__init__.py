"""Replacement policies, a module with a class each. All that there are: engines may lack some.

To add one: a module here with a :class:`simulator.reference.policy.Policy`; see docs/extending.md.
"""

from __future__ import annotations

from simulator.kinds import places

__path__ = places("reference/policies")
