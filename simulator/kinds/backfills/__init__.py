"""The backfills of queues, a folder each; see :mod:`simulator.kinds` and docs/composition.md."""

from __future__ import annotations

from simulator.kinds import places

__path__ = places("backfills")
