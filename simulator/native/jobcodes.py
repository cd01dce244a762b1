"""Numbers of jobs: phases, processes, locks, messages, and operations."""

from __future__ import annotations

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
H_CUT, H_NAMED = H_LENGTHS, H_WATCH
"""H_CUT, of a list, stands where streams have their lengths; H_NAMED where loops, which have no
name, have what is watched. So rows are as wide as a call's arithmetic with them likes it."""
# Where a named phase begins within a list: the number of an operation, and the row of the phase; -1
# at the end of the list.
CUT_AT, CUT_NAMED = range(2)
CUT_ROWS = 2
# A named phase: what its processes hold, how often it began; its first begin and last end; sums of
# time, and of bytes read and written, each with its carry.
(
    PH_HOLDING,
    PH_PASSES,
    PH_BEGIN,
    PH_END,
    PH_TIME,
    PH_TIME_CARRY,
    PH_READ,
    PH_READ_CARRY,
    PH_WRITTEN,
    PH_WRITTEN_CARRY,
) = range(10)
PH_ROWS = 10

# Operations that are drawn: the first, the one after the last, calls, places, base, step, and how
# many operations a call has; where they end if places are taken in turn, or 0.
D_FIRST, D_END, D_COUNT, D_PLACES, D_BASE, D_STEP, D_EACH, D_STOP = range(8)
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
    X_NAMED,
    X_NAMED_SINCE,
    X_NAMED_READ,
    X_NAMED_WRITTEN,
    X_CUT,
) = range(53)
"""X_HOLDING: the row of what it holds in memory, or 0 for nothing; HO_GROUP: the group of nodes.
X_NAMED: the row of the named phase that it is in, or -1; since when, and what it had read and
written then. X_CUT: where in a list the next one begins.
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
    X_PLAIN,
    X_PLACES,
) = range(53, 74)
"""X_PLAIN: whether its stream's calls go to the system as they are, and nothing beside them counts:
``Clients.is_plain``."""

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
    O_LOOKUP,
    O_UNLINK,
    O_RENAME,
) = range(25)
KIND_BITS = 31
DIRECT, SYNCED = 32, 64
"""Bits of the kind of a listed read or write, beside those of its number; of a stream (H_BITS)."""
NOT_TURNED, A_ROUND = -1, -2
"""What a process begins again beside a loop, whose row is named: nothing; all its phases, or the
next job."""
W_COMPUTE, W_STREAM, W_LISTED, W_LOOP = 0, 1, 2, 5
BY_QUEUE, BY_FLUSH, BY_REPLACED = 1, 2, 3
EMPTIED = 2
"""The size of a listed close of a file that was emptied before it was written."""
POSIX = 4
MARK = 4
"""Bytes of a record length."""
STREAM = 32
"""Cells of a stream's row: ROW of ``simulator/runtime/streamtable.py``,"""
(
    ST_OP,
    ST_OFFSET,
    ST_SIZE,
    ST_COPIED,
    ST_RECORDS,
    ST_POLICY,
    ST_WRITE,
    ST_LENGTHS,
    ST_COUNT,
    ST_RECORD,
    ST_LENGTH,
    ST_PART,
    ST_LEFT,
    ST_AT,
    ST_ARRIVED,
) = range(15)
"""and the first of them: its columns in their order."""
