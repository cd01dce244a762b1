"""The replacement policies that the native engine has, a module with a class each.

A policy in ``simulator/reference/policies`` that has no module here runs on the reference engine.
To add one: its module, with a ``.pxd`` that declares its methods; see docs/extending.md.
"""

from __future__ import annotations

from simulator.kinds import places

__path__ = places("native/policies")
