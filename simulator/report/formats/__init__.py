"""Reports of a run that a user adds: a module with a :class:`simulator.report.report.Report` each.

See docs/extending.md; those that nwtsim has are in :mod:`simulator.report.report`.
"""

from __future__ import annotations

from simulator.kinds import places

__path__ = places("report/formats")
