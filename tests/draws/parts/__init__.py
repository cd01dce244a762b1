"""Kinds of parts. A module has what is needed of:

- ``ROLES``: where a machine of a plan may have one, and how often against the other kinds there;
- ``plan(dice)``: the fields of its ``PartPlan`` beside those that all parts have;
- ``section(dice)``: the keys of its section of a machine file; drawn from the section's own
  definition if there is no such function.
"""

from __future__ import annotations

from tests.draws.registry import places

__path__ = places("parts")
