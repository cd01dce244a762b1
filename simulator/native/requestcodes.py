"""Numbers of requests: actors, alarms, frames, tiers, paths, what is known of files."""

from __future__ import annotations

GO, READY, CLOSE_RUN, BLOCKED, PHASE_OVER = -1, -2, -3, -4, -5
"""What a step gives instead of a time: act again at once; the block is there; close the run
first; wait for another actor; the phase has ended."""

OF_PART, OF_ACTOR, OF_FILE, OF_UNIT, OF_BYTES = 0, 1, 2, 3, 4
OF_EVENT, OF_INTERRUPT = 8, 9
"""What goes further than a run may: a time or (``OF_BYTES`` more) a size, of a part, an actor, a
file or a buffer cache; or how often an event happens."""

# What an actor is.
PROCESS, WORKER, COPIER, TIMER, READER, BRANCH, FLUSHER = range(7)

# An actor.
ROLE, INDEX, TOP, BOTTOM, PARENT, PARENT_SLOT, AFTER, ACTIVE = range(8)
ACTOR = 8

# An alarm, in a heap: its first child, the next one of the same parent, and that before it there.
ALARM_TIME, ALARM_NUMBER, ALARM_CHILD, ALARM_NEXT, ALARM_BEFORE = range(5)
ALARM = 8
ALARM_BITS = 3
NONE, IDLE = -1, -2
"""No alarm; what is before one that is not set."""

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
"""R_META is the highest: a metadata request has R_META + its place in METADATA, and KINDS more if
it is in its other state."""
KINDS = 11
"""Kinds of metadata requests."""
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
is a stage, and its own kind is T_GUARDED; so is the last tier but one, which is K_HOP for such
paths."""
K_REWRITE = 20
"""The last one: where a request waits for what an array reads before it writes."""
FAILED_HERE, GUARDED_HERE, REWRITE_HERE = 36, 72, 108
"""How far such tiers are behind that of K_HOP: rows of T_ROWS."""
IS_PACKETS, IS_GUARDED = 1, 2
"""Bits of T_PACKETS."""
FIRST_ASKED = -2
"""The file of asked request 0; that of request n is less by n. A message has file -1."""

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
    A_COPIED,
) = range(16)
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
M_OPEN, M_CREATE, M_CLOSING, M_STAT, M_LOOKUP = range(5)
"""Places in METADATA."""
OPEN_ASKS, OPEN_CACHED = 0, 2
