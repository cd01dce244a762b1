"""Numbers with a name: what is where in a row of each table, states, and kinds.

A table is one array of whole numbers. A row begins at a multiple of the table's width, and its
fields stand at fixed places behind. For the compiler they become an enumeration (merging.py). Not
compiled itself.
"""

from __future__ import annotations

GO, READY, CLOSE_RUN, BLOCKED, PHASE_OVER = -1, -2, -3, -4, -5
"""What a step gives instead of a time: act again at once; the block is there; close the run
first; wait for another actor; the phase has ended."""

OF_PART, OF_ACTOR, OF_FILE, OF_UNIT, OF_BYTES = 0, 1, 2, 3, 4
"""What goes further than a run may: a time or (``OF_BYTES`` more) a size, of a part,
an actor, a file or a buffer cache."""

# What an actor is.
PROCESS, WORKER, COPIER, TIMER, READER, BRANCH, FLUSHER = range(7)

# An actor.
ROLE, INDEX, TOP, BOTTOM, PARENT, PARENT_SLOT, AFTER, ACTIVE = range(8)
ACTOR = 8

# An alarm, in a heap: its first child, the next one of the same parent, and that before it there.
ALARM_TIME, ALARM_NUMBER, ALARM_CHILD, ALARM_NEXT, ALARM_BEFORE = range(5)
ALARM = 8

# A frame: one request at one tier. Its places follow from PLACES on.
(
    TIER,
    STATE,
    OP,
    SEQUENTIAL,
    FILE,
    LOW,
    HIGH,
    AT,
    STOP,
    BLOCK,
    RUN,
    COUNTED,
    WAITED,
    SINCE,
    COLUMN,
    STEP,
    FROW,
    STORE_AT,
    ENTRY,
    OPEN,
    PLACES,
) = range(21)

IN_ORDER, PAST, OF_CALL, WAITS = 1, 2, 4, 8
"""Bits of SEQUENTIAL: it is; it goes past the stores of the process's node (it is direct); it has
bytes of a process's call as that made it: no store chose them; it waits for a part that has failed
also where those of calls give up."""

# Operations of requests.
R_READ, R_WRITE, R_SYNC, R_META = range(4)
"""R_META is the highest: a metadata request has R_META + its place in METADATA."""
CHANGING = 0b10111100010
"""A bit for each place in METADATA of an operation that changes something."""

# States of frames.
FRESH, DOWN, BELOW, UP, WAITING, FETCHING, LOOKING, PASSING, HELD_ON, FORKED, SLOWED = range(11)

# A tier. Kinds are those of simulator/plan/codes.py.
(
    T_KIND,
    T_NEXT,
    T_DOWN,
    T_DOWNS,
    T_UP,
    T_UPS,
    T_HEADER,
    T_PIECES,
    T_SIZE,
    T_WINDOW,
    T_WIDTH,
    T_SLOT,
    T_BY,
    T_ROW,
    T_ENTRY,
    T_CHILDREN,
    T_CHILD_COUNT,
    T_DOWN_A,
    T_DOWN_B,
    T_UP_A,
    T_UP_B,
    T_COUNT,
    T_WITHIN,
    T_EACH,
    T_BY_COUNT,
    T_PATH,
    T_ALIGNED,
    T_ASK,
    T_GROW,
    T_COLUMN,
    T_COSTS,
    T_PACKETS,
    T_ORDER,
    T_DIVISOR,
    T_STABLE,
    T_GUARDED,
) = range(36)
T_ROWS = 36
K_STAGE, K_WORK, K_HOLD, K_REQUEST, K_STRIPE, K_FORWARD, K_STORE, K_BUFFERS, K_END = range(9)
K_COMMIT, K_EXPORT, K_LOCKS = 9, 10, 11
K_ASK = 16
"""A tier behind all others, which is no plan's: where a process asks."""
K_HOP = 17
"""The next one: where a message of packets is on its way to the next part of its stage."""
K_FAILED, K_GUARDED = 18, 19
"""And where a request comes back unserved. A tier of a path that gives up is K_GUARDED, unless it
is a stage, and its own kind is T_GUARDED; so is the last tier, which is K_HOP for such paths."""
FAILED_HERE, GUARDED_HERE = 36, 72
"""How far such tiers are behind that of K_HOP: rows of T_ROWS."""
IS_PACKETS, IS_GUARDED = 1, 2
"""Bits of T_PACKETS."""
FIRST_ASKED = -2
"""The file of asked request 0; that of request n is less by n. A message has file -1."""

# A part. Each has a second row for what writes it; P_WRITES of the first is where that is, if it
# has a service of its own, else 0; that of the second is -1 less where the first is, or 0.
(
    P_KIND,
    P_SERVERS,
    P_FIRST,
    P_COLUMN,
    P_OVERHEAD,
    P_NOISE,
    P_SERVER,
    P_OWN,
    P_SPEED,
    P_SPEEDS,
    P_SHARE,
    P_CALL,
    P_TURN,
    P_RECORD,
    P_VARIES,
    P_LATENCY,
    P_CPU,
    P_WRITES,
    P_UNIT,
    P_KEPT,
    P_HOOK,
    P_DRAWS,
) = range(22)
P_ROWS = 32
P_BITS = 5
STATION, CPU, JOURNAL, CORE, SHARED, ARRAY = range(6)
"""What the engine does with a part: it is a STATION with P_SERVERS servers (0: nothing queues) and
the methods of its kind (P_HOOK; -1: none), or one of the others. A ``core`` part is a STATION where
nothing can wait for a core."""

# An instance of a part.
FREE, REQUESTS, BYTES, BUSY = range(4)

# What an instance of a journal keeps: the begin of its last commit, and how many there were.
COMMIT_BEGIN, COMMITS = range(2)

# A shared instance: root of its heap, transfers, virtual time, since when, its timer's slot, its
# part, its number, how many of its transfers write, and for how long any was under way.
S_ROOT, S_COUNT, S_VIRTUAL, S_SINCE, S_TIMER, S_PART, S_INSTANCE, S_WRITING = range(8)
S_ACTIVE, S_BEHIND = 8, 9
S_ROWS = 10

# Something that happens to an instance: its begin and end, the end of the one before, its number,
# the mean time between two (0: it is the only one), how long it lasts, its speed, the stream's key.
EV_BEGIN, EV_END, EV_BEFORE, EV_NUMBER, EV_MEAN, EV_LASTS, EV_SPEED, EV_KEY = range(8)
EV_ROWS = 8

# An array: its first disk, the disk that is rebuilt, what its next step does (0: read, 1: write),
# when that is, when the step began, when the last rebuild ended, since when not all disks have all
# data; and its counters.
(
    AR_DISK,
    AR_TARGET,
    AR_STEP,
    AR_STEP_AT,
    AR_BEGUN,
    AR_IDLE,
    AR_DEGRADED,
    AR_FAILURES,
    AR_REBUILDS,
    AR_DEGRADED_NS,
    AR_REBUILT,
    AR_REBUILD_READ,
    AR_RECONSTRUCTED,
    AR_READ,
    AR_WRITTEN,
    AR_LOSSES,
    AR_FIRST_LOSS,
) = range(17)
AR_ROWS = 24

# A disk of an array: when it is free, where its head is, up to where its data are right, when it is
# replaced, when it fails next; what a request reads of it, reads of the last row, and writes.
(
    DK_FREE,
    DK_HEAD,
    DK_VALID,
    DK_BACK,
    DK_FAILS,
    DK_LOW,
    DK_HIGH,
    DK_LAST_LOW,
    DK_LAST_HIGH,
    DK_WRITE_LOW,
    DK_WRITE_HIGH,
    DK_NEAREST,
) = range(12)
DK_ROWS = 16

# The numbers of an array's specification, and where in a row of them its disks are.
(
    AS_DISKS,
    AS_PARITIES,
    AS_UNIT,
    AS_CAPACITY,
    AS_OVERHEAD,
    AS_SEEK,
    AS_ROTATION,
    AS_STEP_SIZE,
    AS_REBUILD,
) = range(9)

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
    I_COUNTS,
) = range(32)
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
) = range(32, 54)
I_ROWS = 54

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
WRITING, FETCHED_NOW, WRITTEN, WHOLE, AHEAD, USED_AGAIN, AWAITED = 1, 2, 4, 8, 16, 32, 64
"""Flags: under write-back; being fetched; counts against the quota; last written from end to end
by one call; read ahead and not used yet; used again, for policies; somebody waits for it."""
ROOM, LIMIT = 1, 2
"""What one that was woken has waited for, if not for a block."""
NODE_BITS = 24
"""Of a block it is known where its last write came from: the tier below, above these bits node."""
# A worker of a store: its slot, and the blocks that it writes back.
V_SLOT, V_FROW, V_INDEX, V_COUNT, V_SIZE = range(5)
V_ROWS = 8
KEEP, RELEASE_WHOLE, RELEASE_FULL = range(3)

# A path, a place of it, a file.
(
    A_TOP,
    A_META,
    A_DRAIN,
    A_CLOSE,
    A_STORE,
    A_PLACES,
    A_PLACE_COUNT,
    A_ASKED,
    A_CALL,
    A_CALL_COLUMN,
    A_LIFE,
    A_MOST,
    A_OPENING,
    A_REMEMBERS,
    A_GIVE_UP,
) = range(15)
A_ROWS = 16
W_HOW, W_COUNT, W_OF, W_EACH, W_DIVISOR, W_ORDER = range(6)
W_ROWS = 6
W_NODE, W_ONE, W_LEAD, W_CHILD = range(4)
"""How a place is found: it is the process's node, the only member, by the file's lead, or within
the member of another place by the file's number within nodes."""
CHILD_PLACE, CHILD_OF, CHILD_EACH, CHILD_DIVISOR = range(4)
CHILD_ROWS = 4
"""How a place follows from another one that has been decided: it is a member within that by the
file's number within nodes; or with divisor 0 the member around it."""
L_PATH, L_BASE, L_LEAD, L_ROOM, L_WITHIN = range(5)
L_ROWS = 5

# What of a file is on stable storage: bytes, and when the last of them came; and the job that wrote
# the file (from 1 on), 0 if none has, -1 if several have.
STABLE_BYTES, STABLE_LAST, STABLE_JOB = range(3)
STABLE_ROWS = 4

# What a client knows of a file (name 0), or of an absent name in it.
R_CLIENT, R_FILE, R_NAME, R_VERSION, R_LIFE, R_UNTIL, R_CHAIN = range(7)
R_ROWS = 8
M_OPEN, M_CREATE, M_STAT, M_LOOKUP = 0, 1, 3, 4
"""Places in METADATA."""
OPEN_ASKS, OPEN_CACHED = 0, 2

# A phase.
(
    H_KIND,
    H_COMPUTE,
    H_WRITE,
    H_FILE,
    H_PATH,
    H_POLICY,
    H_BUFFER,
    H_LENGTHS,
    H_FIRST,
    H_COUNT,
    H_DRAIN,
    H_SIZE,
    H_BITS,
    H_PASSES,
    H_DRAW,
    H_WATCH,
) = range(16)
H_ROWS = 16

# Operations that are drawn: the first, the one after the last, calls, places, base, step, and how
# many operations a call has.
D_FIRST, D_END, D_COUNT, D_PLACES, D_BASE, D_STEP, D_EACH = range(7)
D_ROWS = 8

# A process: what a call does not look at, then what it does, and the places of its last request.
(
    X_EXCHANGE,
    X_PHASES,
    X_REPEAT,
    X_ROUND,
    X_BEGAN,
    X_RANK,
    X_SHARE,
    X_ROW,
    X_ROW_END,
    X_COUNTED,
    X_STARTED,
    X_ENDED,
    X_COMPUTED,
    X_IDLE,
    X_READ_BYTES,
    X_READ_NS,
    X_WRITE_BYTES,
    X_WRITE_NS,
    X_ARRIVALS,
    X_ARRIVED,
    X_DRAINS,
    X_DRAIN_COUNT,
    X_JOINERS,
    X_SHARES,
    X_NUMBER,
    X_ASLEEP,
    X_WHERE,
    X_WHERE_COUNT,
    X_ASKED,
    X_CLIENT,
    X_OWN,
    X_OFFSET,
    X_SIZE,
    X_PASSES,
    X_UNTIL,
    X_ROUND_BEGAN,
    X_READ_FIRST,
    X_READ_LAST,
    X_WRITE_FIRST,
    X_WRITE_LAST,
    X_READ_BESIDE,
    X_WRITE_BESIDE,
    X_READ_FILE,
    X_OPENED,
    X_OPENED_FILE,
    X_JOB,
    X_WATCH,
    X_HOLDING,
) = range(48)
"""X_HOLDING: the row of what it holds in memory, or 0 for nothing; HO_GROUP: the group of nodes.
X_WATCH, and H_WATCH of a loop: the number of events from which on the run is left when that
begins again; 0: never."""
(
    X_PLACE,
    X_CPU,
    X_INSTANCE,
    X_NODE,
    X_NODES,
    X_FIRST_PHASE,
    X_PHASE,
    X_PENDING,
    X_CALLED,
    X_MOVED,
    X_MORE,
    X_AFTER,
    X_FILE,
    X_PATH,
    X_LAST_FILE,
    X_LAST_END,
    X_PLACED_FILE,
    X_PLACED_PATH,
    X_CROWDED,
    X_PLACES,
) = range(48, 68)

HO_BYTES, HO_GROUP = range(2)
HO_ROWS = 2

# Where a process goes on: in a stream, and from AT_LISTED on in a list.
(
    AT_START,
    AT_COMPUTED,
    AT_OPENED,
    AT_CALLED,
    AT_MOVED,
    AT_PACKED,
    AT_CROSSED,
    AT_FLUSHED,
    AT_SYNCED,
    AT_CLOSED,
    AT_PUMP,
    AT_BEGUN,
    AT_STOPPED,
    AT_LISTED,
    AT_LISTED_CALLED,
    AT_LISTED_ENDED,
    AT_AWAITED,
    AT_META,
    AT_SYNC,
    AT_ARRIVED,
    AT_RECEIVING,
    AT_SENT,
    AT_LOCKED,
    AT_MET,
    AT_FLUSHED_LISTED,
    AT_SYNCED_LISTED,
    AT_ANSWERED,
    AT_ENDLESS,
) = range(28)
"""Of a listed operation: it is due, its request is (``_CALLED``), it has ended (``_ENDED``)."""

# What of a process's requests came back unserved: how many, the first and the last time, and the
# bytes of its reads and writes; and whether it ends then.
FL_COUNT, FL_FIRST, FL_LAST, FL_READ, FL_WRITE, FL_STOPS = range(6)
FL_ROWS = 8

# Who waits for a lock (holder or -1, first and last that wait), at a barrier, for a message.
K_HOLDER, K_FIRST, K_LAST = range(3)
K_MEMBERS, K_COME, K_WAITERS = range(3)
N_TOP, N_FROM, N_TO, N_TARGET, N_COUNT, N_WAITING, N_WHERE, N_PLACES = range(8)
N_ROWS = 8
G_KIND, G_COUNT, G_GAP, G_FIRST, G_TAKEN, G_LAST, G_TIMES = range(7)
G_ROWS = 8

# A lock of a file or unit: the slot that is first in line and those behind it, whether the first
# waits for requests that use it, and its chain; of a whole file, whether that is divided.
(
    LK_FILE,
    LK_NUMBER,
    LK_EXCLUSIVE,
    LK_USED,
    LK_CELLS,
    LK_HEAD,
    LK_FIRST,
    LK_LAST,
    LK_AWAITED,
    LK_CHAIN,
) = range(10)
LK_ROWS = 10
IS_DIVIDING, IS_DIVIDED = 1, 2
# A node that has a lock, and the instance of the store that it protects.
CELL_NODE, CELL_STORE, CELL_NEXT = range(3)
CELL_ROWS = 3
LOCK_WHOLE, LOCK_DIVIDE, LOCK_SYNCED, LOCK_UNITS, LOCK_FIRST, LOCK_BACK = range(6)
"""What a request does next for its locks."""

# Drained files: file, tier of the copy, bytes written.
Z_FILE, Z_TIER, Z_BYTES, Z_PATH = range(4)
Z_ROWS = 4

# Rows of the log of calls, and of latencies.
Y_PROCESS, Y_KIND, Y_FILE, Y_OFFSET, Y_SIZE, Y_BEGIN, Y_END = range(7)
Y_ROWS = 8
Q_COUNT, Q_SUM, Q_MOST, Q_LEAST, Q_CARRY, Q_BINS = range(6)
Q_ROWS = 3654

# A list of slots in a unit's row: the slot used longest ago, the last one, how many there are, and
# can be.
RING_LAST, RING_COUNT, RING_MOST = 1, 2, 3

# A unit: a buffer cache and its RAID unit. Counters follow from U_HITS on.
(
    U_SLOTS,
    U_DISK_SLOTS,
    U_BLOCK,
    U_BLOCKS,
    U_AHEAD,
    U_STORED,
    U_STORED_END,
    U_COLUMN,
    U_REQUEST_NS,
    U_PIECE_NS,
    U_COPY_NS,
    U_PAUSE_NS,
    U_SEEK_NS,
    U_BUS_NS,
    U_RATES,
    U_ENDS,
    U_DISK_FREE,
    U_BUS_FREE,
    U_HEAD,
    U_HITS,
    U_MISSES,
    U_READ_AHEAD,
    U_USED_AHEAD,
    U_EVICTED,
    U_ACCEPTED_BYTES,
    U_OVERWRITTEN_BYTES,
    U_DISK_READS,
    U_DISK_WRITES,
    U_DISK_READ_BYTES,
    U_DISK_WRITTEN_BYTES,
    U_DISK_BUSY,
    U_BUS_BUSY,
    U_DISK_HITS,
    U_SAFE,
    U_DIRTIES,
) = (0, 4, *range(8, 41))
U_ROWS = 48

# A cell, and a slot.
E_UNIT, E_BLOCK, E_STORED, E_SLOT, E_DISK_SLOT, E_CHAIN = range(6)
E_ROWS = 8
J_CELL, J_READY, J_CLEAN, J_DIRTY, J_EARLY, J_NEXT, J_PREV = range(7)
J_ROWS = 8

# Operations, and what closing a file does; those of simulator/plan/codes.py. Runtimes.
(
    O_SEEK,
    O_READ,
    O_WRITE,
    O_OPEN,
    O_CLOSE,
    O_PASS,
    O_WAIT,
    O_PAUSE,
    O_STAT,
    O_SYNC,
    O_LOCK,
    O_UNLOCK,
    O_BARRIER,
    O_SEND,
    O_RECEIVE,
    O_ASK_READ,
    O_ASK_WRITE,
    O_START,
    O_JOIN,
    O_JOB,
    O_CALL,
    O_CREATE,
) = range(22)
KIND_BITS = 31
DIRECT, SYNCED = 32, 64
"""Bits of the kind of a listed read or write, beside those of its number; of a stream (H_BITS)."""
NOT_TURNED, A_ROUND = -1, -2
"""What a process begins again beside a loop, whose row is named: nothing; all its phases, or the
next job."""
W_COMPUTE, W_STREAM, W_LISTED, W_LOOP = 0, 1, 2, 5
BY_QUEUE, BY_FLUSH = 1, 2
POSIX = 4
MARK = 4
"""Bytes of a record length."""
STREAM = 32
"""Cells of a stream's row: ROW of ``simulator/runtime/streamtable.py``."""
