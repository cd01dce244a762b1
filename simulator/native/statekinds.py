"""What each number and table of an engine is to a run whose state repeats; decisions/0054.

A cell is one of six: it has to be the same in both states (``SAME``); it is only added to
(``SUM``); it is a time. Of times, one that has passed is as good as another where they say when
something is free (``FREE``), and one is only subtracted from a later one where they say since when
(``SINCE``): such a time moves with the clock, or was not looked at in between. The time of the last
of many (``LAST``) and an extreme (``MOST``) are results that nothing looks at. ``LOOSE`` is what is
set before each use, and what says the same in another way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.native import codes as c

SAME, SUM, FREE, SINCE, LAST, MOST, LOOSE = range(7)


@dataclass(frozen=True)
class Rows:
    """A table with rows of so many cells, of which not all are to be the same."""

    width: int
    kinds: tuple[int, ...]


def rows(width: int, **fields: tuple[int, ...]) -> Rows:
    """Return rows of which some columns, given by their kinds' names, are no state."""
    kinds = [SAME] * width
    for name, columns in fields.items():
        for column in columns:
            kinds[column] = KINDS[name]
    return Rows(width, tuple(kinds))


KINDS = {"sum": SUM, "free": FREE, "since": SINCE, "last": LAST, "most": MOST, "loose": LOOSE}

CONSTANT, ALIAS, BY_HAND = "constant", "alias", "by hand"
"""No event changes it; another owner has the same table; a function of its own compares it."""

Rule = int | Rows | str

PROCESS_SUMS = (
    *(c.X_COMPUTED, c.X_IDLE, c.X_READ_BYTES, c.X_READ_NS, c.X_WRITE_BYTES, c.X_WRITE_NS),
    *(c.X_READ_BESIDE, c.X_WRITE_BESIDE),
)
COUNTS = tuple(range(c.C_HITS, c.I_ROWS))
UNIT_SUMS = (*range(c.U_HITS, c.U_DISK_HITS + 1),)


def process_rows(width: int) -> Rows:
    """Return the kinds of a process's row, which has as many cells as its places need."""
    return rows(
        width,
        sum=(*PROCESS_SUMS, c.X_NAMED_READ, c.X_NAMED_WRITTEN),
        since=(c.X_BEGAN, c.X_CALLED, c.X_ARRIVED, c.X_NAMED_SINCE),
        free=(c.X_ROUND_BEGAN,),
        last=(c.X_READ_LAST, c.X_WRITE_LAST, c.X_OPENED),
        loose=(c.X_ROUND, c.X_PASSES, c.X_WATCH),
    )


UNITS = rows(
    c.U_ROWS,
    sum=UNIT_SUMS,
    free=(c.U_DISK_FREE, c.U_BUS_FREE, c.U_SAFE),
)
SLOTS = rows(c.J_ROWS, free=(c.J_READY, c.J_CLEAN))
STABLE = rows(c.STABLE_ROWS, sum=(c.STABLE_BYTES,), last=(c.STABLE_LAST,))
INSTANCES = rows(
    c.I_ROWS,
    sum=COUNTS,
    loose=(
        *range(c.I_CLEAN, c.I_AGAIN_LAST + 1),
        *(c.I_GHOST1, c.I_GHOST1_LAST, c.I_GHOST2, c.I_GHOST2_LAST),
        *(c.I_ROOM, c.I_ROOM_LAST, c.I_LIMIT, c.I_LIMIT_LAST),
    ),
)
"""Rings and queues are compared by what stands in them."""
LATENCIES = rows(
    c.Q_ROWS,
    sum=(c.Q_COUNT, *range(c.Q_BINS, c.Q_ROWS)),
    most=(c.Q_MOST, c.Q_LEAST),
    loose=(c.Q_SUM, c.Q_CARRY),
)
WIDE_OF_NAMED = (c.PH_TIME, c.PH_READ, c.PH_WRITTEN)
"""Sums with a carry behind them."""
NAMED = rows(
    c.PH_ROWS,
    sum=(c.PH_PASSES,),
    last=(c.PH_END,),
    most=(c.PH_BEGIN,),
    loose=(*WIDE_OF_NAMED, *(cell + 1 for cell in WIDE_OF_NAMED)),
)

RULES: dict[str, Rule] = {
    **{f"Clock.{name}": BY_HAND for name in ("now", "alarm")},
    "Clock.alarms": SUM,
    "Clock.over": SAME,
    **{
        f"Clock.{name}": LOOSE
        for name in (
            *("short", "over_by", "top", "days", "shift", "day", "evening"),
            *("period", "left", "began", "slots", "left_to_look"),
        )
    },
    "Engine.left_off": BY_HAND,
    **{f"Frames.{name}": BY_HAND for name in ("actor", "frame")},
    **{f"Frames.{name}": LOOSE for name in ("free", "free_count", "slots")},
    **{f"Frames.{name}": CONSTANT for name in ("depth", "places", "stride", "margin")},
    **{f"Parts.{name}": BY_HAND for name in ("state", "busy", "kept", "spent")},
    **{
        f"Parts.{name}": CONSTANT
        for name in (
            *("spec", "rate", "own", "run_factor", "table", "key", "factors", "columns"),
            *("timing", "spans", "span_count", "span_margin"),
        )
    },
    **{
        f"Parts.{name}": LOOSE
        for name in ("started", "begin", "size", "file", "address", "span", "spread")
    },
    "Sharing.rings": SUM,
    **{
        f"Sharing.{name}": BY_HAND
        for name in (
            *("share", "goal", "behind", "child", "sibling", "began", "service", "size"),
            "writes",
        )
    },
    **{f"Sharing.{name}": CONSTANT for name in ("speeds", "first_timer", "count")},
    "Tiers.stable": STABLE,
    "Tiers.needless": SUM,
    "Tiers.pool": BY_HAND,
    **{f"Tiers.{name}": LOOSE for name in ("chosen", "held", "slowest", "shares")},
    **{
        f"Tiers.{name}": CONSTANT
        for name in (
            *("tier", "hold_part", "hold_slot", "hold_leads", "child", "cost", "file", "path"),
            *("where", "order", "message", "first_branch", "width", "ask_tier", "hop_tier"),
        )
    },
    **{f"Blocks.{name}": BY_HAND for name in ("block", "written", "frow")},
    "Blocks.inst": INSTANCES,
    "Blocks.file_count": SAME,
    **{
        f"Blocks.{name}": LOOSE
        for name in (
            *("dirty_sum", "blocks", "free", "free_count", "used_rows", "chain", "chains"),
            *("files", "file_chain", "file_chains"),
        )
    },
    **{f"Blocks.{name}": CONSTANT for name in ("store", "margin")},
    # Of plans with stores that look for old blocks, or slow writers, nothing is carried on.
    "Blocks.since": SAME,
    "WriteBack.exists": SAME,
    "WriteBack.worker": BY_HAND,
    **{f"Stores.{name}": CONSTANT for name in ("first_reader", "files")},
    **{f"Clients.{name}": BY_HAND for name in ("process", "phase", "rounds", "arrivals", "known")},
    "Clients.version": BY_HAND,
    **{f"Clients.{name}": BY_HAND for name in ("latency", "named")},
    "Clients.shared": SUM,
    **{
        f"Clients.{name}": SAME
        for name in (
            *("drain", "passed", "mark_waiters", "lock", "barrier", "channel", "awaited"),
            *("known_count", "uses", "used", "used_bytes"),
        )
    },
    **{f"Clients.{name}": LOOSE for name in ("known_heads", "turned")},
    **{
        f"Clients.{name}": CONSTANT
        for name in (
            *("path", "first_copier", "kind", "file", "offset", "size", "gap", "column"),
            *("file_path", "copy_ns_per_byte", "others_column", "lock_column", "barrier_column"),
            *("arrival_times", "arrival_keys", "factors", "latency_row", "recording", "log"),
            *("log_count", "draw", "draw_key", "meta_place", "holdings", "cut"),
        )
    },
    "Buffers.unit": UNITS,
    "Buffers.slot": SLOTS,
    "Buffers.cell": SAME,
    "Buffers.ends": SAME,
    **{f"Buffers.{name}": SAME for name in ("cell_count", "slot_count")},
    **{f"Buffers.{name}": LOOSE for name in ("cells", "chain", "chains")},
    # Nothing is compared while there are moments (periods.py).
    **{
        f"Buffers.{name}": LOOSE
        for name in ("moment", "moments", "moments_left", "moment_free", "moments_made")
    },
    **{f"Buffers.{name}": CONSTANT for name in ("rate", "of", "low", "high", "stored", "margin")},
    "Asking.come": SAME,
    "Asking.latest": BY_HAND,
    **{
        f"Asking.{name}": CONSTANT
        for name in (
            *("node", "size", "pieces", "group", "first", "count", "members", "group_size"),
            *("more", "group_first", "group_count", "merging_column"),
        )
    },
    # Of plans with events or arrays nothing is carried on; else none of this ever changes.
    **{
        f"Calendars.{name}": SAME
        for name in (
            *("began", "count", "delayed", "edges", "first", "lost", "missed", "rows", "until"),
            "given_up",
        )
    },
    **{f"Parts.{name}": SAME for name in ("failed", "gave_up", "give_up", "lost", "watched")},
    "Clients.failed": SAME,
    "Tiers.missed": SAME,
    **{
        f"Arrays.{name}": SAME
        for name in ("begun", "disk", "end", "first", "own", "part", "reader", "row")
    },
    "Locks.lock": BY_HAND,
    **{f"Locks.{name}": SAME for name in ("cell", "rows", "cells", "free")},
    **{f"Locks.{name}": LOOSE for name in ("chain", "chains")},
    "Locks.margin": CONSTANT,
}
"""Of each number and table, by its owner's class and its name; aliases are left out."""
ALIASES = {
    "actor": "Frames.actor",
    "frame": "Frames.frame",
    "tier": "Tiers.tier",
    "inst": "Blocks.inst",
    "store": "Blocks.store",
    "exists": "WriteBack.exists",
    "path": "Tiers.path",
}
"""Tables that several owners have: the name of the one that counts."""


def unknown(cells: list[tuple[Any, str, Any]]) -> list[str]:
    """Return what of an engine's numbers and tables stands nowhere here: then nothing repeats."""
    names = [f"{type(owner).__name__}.{name}" for owner, name, _ in cells if name not in ALIASES]
    return [name for name in names if name not in RULES]
