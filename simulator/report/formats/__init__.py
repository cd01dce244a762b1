"""The reports of a run: what ``nwtsim run --format`` offers, a module with a class each.

To add one: a module here with a :class:`simulator.report.report.Report`; see docs/extending.md.
"""

from __future__ import annotations

from simulator.kinds import places

__path__ = places("report/formats")
