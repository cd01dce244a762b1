"""Numbers of parts: rows, instances, events, arrays, and units of I/O nodes."""

from __future__ import annotations

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

TRACK_BITS = 40
"""On the timeline: an instance, and above these bits which of its queues, from 1 on; 0: itself."""

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
# data; its counters; and how many requests have read.
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
    AR_READERS,
) = range(18)
AR_ROWS = 24

# A disk of an array: when it is free, where its head is, up to where its data are right, when it is
# replaced, when it fails next; what a request reads of it, reads of the last row, and writes; its
# twin that is read; and the number of the request that its last access was a read for.
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
    DK_READER,
) = range(13)
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

# A list of slots in a unit's row: the slot used longest ago, the last one, how many there are, and
# can be.
RING_LAST, RING_COUNT, RING_MOST = 1, 2, 3

# A unit: a buffer cache and its RAID unit. Counters follow from U_HITS on; last are the instance of
# the RAID unit, and the first of its moments that are not known.
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
    U_INSTANCE,
    U_MOMENT,
) = (0, 4, *range(8, 43))
U_ROWS = 48
TO_DISK, OVER_BUS = 1, 2
"""The queues of a unit; and where in its rates theirs stand."""

# When a request of a unit has ended that joins a queue (0: none) later: when it is looked at, the
# time, or what it is not before; whether it is known; the two times that it waits for; what joins;
# its number; and how many tables name it. Those that are not known stand in a heap, others in the
# list of free rows.
(
    MO_AT,
    MO_END,
    MO_KNOWN,
    MO_ONE,
    MO_OTHER,
    MO_QUEUE,
    MO_BLOCK,
    MO_SIZE,
    MO_NUMBER,
    MO_USERS,
    MO_NEXT,
    MO_CHILD,
) = range(12)
MO_ROWS = 12

# A cell, and a slot.
E_UNIT, E_BLOCK, E_STORED, E_SLOT, E_DISK_SLOT, E_CHAIN = range(6)
E_ROWS = 8
J_CELL, J_READY, J_CLEAN, J_DIRTY, J_EARLY, J_NEXT, J_PREV = range(7)
J_ROWS = 8
