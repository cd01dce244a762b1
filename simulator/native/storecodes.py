"""Numbers of stores: their rows, of instances, of files in them, of blocks and workers."""

from __future__ import annotations

# A store.
(
    M_FIRST,
    M_SLOTS,
    M_BLOCK,
    M_EXTENT,
    M_POLICY,
    M_BACK,
    M_LIMIT,
    M_QUOTA,
    M_RELEASE,
    M_MARK,
    M_EAGER,
    M_CLOSE,
    M_REWRITE,
    M_HIGH,
    M_LOW,
    M_WORKERS,
    M_AHEAD,
    M_FIRST_WORKER,
    M_CACHE_COLUMN,
    M_BACK_COLUMN,
    M_EXISTS,
    M_WORKER_ROW,
    M_EXTENT_BLOCKS,
    M_SHIFT,
    M_GROUP,
    M_ELASTIC,
    M_EXPIRE,
    M_INTERVAL,
    M_FLUSHER,
    M_SLOW,
    M_SPAN,
) = range(31)
M_ROWS = 32

# An instance of a store. Rings: first and last of clean, dirty, queued, and again clean blocks.
(
    I_STORE,
    I_NUMBER,
    I_USED,
    I_CLEAN,
    I_CLEAN_LAST,
    I_DIRTY,
    I_DIRTY_LAST,
    I_QUEUED,
    I_QUEUED_LAST,
    I_AGAIN,
    I_AGAIN_LAST,
    I_DIRTIES,
    I_CLEANS,
    I_HELD,
    I_ROOM,
    I_ROOM_LAST,
    I_LIMIT,
    I_LIMIT_LAST,
    I_IDLE,
    I_TARGET,
    I_GHOST1,
    I_GHOST1_LAST,
    I_GHOST1S,
    I_GHOST2,
    I_GHOST2_LAST,
    I_GHOST2S,
    I_AGAINS,
    I_SPACE,
    I_HOLDS,
    I_LOOKS,
    I_SLOWED,
    I_MOST_DIRTY,
    I_HIGH,
    I_LOW,
) = range(34)
(
    C_HITS,
    C_MISSES,
    C_FETCHED,
    C_READ_BACK,
    C_WRITTEN_BACK,
    C_RELEASED,
    C_REWRITES_WAITED,
    C_PRESTAGED,
    C_CREATED,
    C_EVICTED,
    C_ACCEPTED_BYTES,
    C_OVERWRITTEN_BYTES,
    C_FETCHED_BYTES,
    C_READ_BACK_BYTES,
    C_WRITTEN_BACK_BYTES,
    C_PRESTAGED_BYTES,
    C_READ_AHEAD,
    C_USED_AHEAD,
    C_LIMIT_WAITS,
    C_SYNCS,
    C_INVALIDATED,
    C_CALLED_BACK,
) = range(34, 56)
I_ROWS = 56

# A file in an instance of a store.
(
    F_STORE_AT,
    F_FILE,
    F_WRITTEN,
    F_OUTGROWN,
    F_CLEAN,
    F_CLEAN_LAST,
    F_DIRTY,
    F_DIRTY_LAST,
    F_ROOM,
    F_ROOM_LAST,
    F_CHAIN,
    F_READER,
    F_PENDING,
    F_SYNCS,
    F_RUN,
    F_RUN_END,
) = range(16)
F_ROWS = 16
F_BITS = 4

# A block.
(
    B_FROW,
    B_INDEX,
    B_STATE,
    B_FLAGS,
    B_VALID,
    B_NEXT,
    B_PREV,
    B_CHAIN,
) = range(8)
B_ROWS = 8
# And, in a table of its own with rows as long, what only blocks with WRITTEN have; but for
# B_WAITERS, which those with AWAITED have.
B_SUM, B_FROM, B_USERS, B_LOW, B_HIGH, B_FILE_NEXT, B_FILE_PREV, B_WAITERS = range(8)
S_CLEAN, S_DIRTY, S_QUEUED, S_AGAIN, S_BUSY, S_FREE, S_GONE1, S_GONE2 = range(8)
"""States of a block. A clean one is in the first or the second ring; only keys are kept of the last
two, for policies."""
WRITING, FETCHED_NOW, WRITTEN, WHOLE = 1, 2, 4, 8
AHEAD, USED_AGAIN, AWAITED, UNREAD = 16, 32, 64, 128
"""Flags: under write-back; being fetched; counts against the quota; last written from end to end
by one call; read ahead and not used yet; used again, for policies; somebody waits for it; it came
by a write and has not been read yet."""
ROOM, LIMIT = 1, 2
"""What one that was woken has waited for, if not for a block."""
NODE_BITS = 24
"""Of a block it is known where its last write came from: the tier below, above these bits node."""
# A worker of a store: its slot, and the blocks that it writes back.
V_SLOT, V_FROW, V_INDEX, V_COUNT, V_SIZE = range(5)
V_ROWS = 8
KEEP, RELEASE_WHOLE, RELEASE_FULL = range(3)
