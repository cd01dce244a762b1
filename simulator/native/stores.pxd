cimport cython
from libc.stdint cimport int64_t
from simulator.native.blocks cimport Blocks
from simulator.native.clock cimport Clock
from simulator.native.codes cimport (
    ACTOR, AFTER, AHEAD, AT, B_FLAGS, B_INDEX, B_SUM, B_VALID, BELOW, BLOCK, BLOCKED,
    C_ACCEPTED_BYTES, C_CREATED, C_FETCHED, C_FETCHED_BYTES, C_HITS, C_MISSES, C_READ_AHEAD,
    C_READ_BACK, C_READ_BACK_BYTES, C_REWRITES_WAITED, C_SYNCS, CLOSE_RUN, COUNTED, DOWN, ENTRY,
    F_FILE, F_PENDING, F_READER, F_RUN, F_RUN_END, F_STORE_AT, F_SYNCS, FETCHED_NOW, FETCHING,
    FILE, FRESH, FROW, GO, HIGH, I_HELD, I_NUMBER, I_ROWS, I_STORE, INDEX, LIMIT, LOOKING, LOW,
    NODE_BITS, M_AHEAD, M_BACK, M_BACK_COLUMN, M_BLOCK, M_CACHE_COLUMN, M_EXISTS, M_EXTENT, M_FIRST, M_LIMIT,
    M_REWRITE, M_SHIFT, OP, PASSING, PLACES, R_READ, R_SYNC, R_WRITE, READER, READY, ROOM, RUN,
    SEQUENTIAL, STATE, STEP, STOP, STORE_AT, T_HEADER, T_NEXT, T_ROW, T_ROWS, T_SLOT, TIER, UP,
    WAITED, WAITING, WRITING,
)
from simulator.native.frames cimport Frames
from simulator.native.tiers cimport Tiers
from simulator.native.writeback cimport WriteBack


@cython.final
cdef class Stores:
    cdef public Tiers tiers
    cdef public Frames frames
    cdef public Clock clock
    cdef public WriteBack back
    cdef public Blocks blocks
    cdef public int64_t[::1] tier
    cdef public int64_t[::1] inst
    cdef public int64_t[::1] store
    cdef public int64_t[::1] exists
    cdef public int64_t[::1] frame
    cdef public int64_t[::1] actor
    cdef public int64_t first_reader
    cdef public int64_t files

    cdef int64_t step(self, int64_t slot, int64_t q) noexcept nogil
    cdef void begin(self, int64_t q) noexcept nogil
    @cython.locals(block=int64_t, stop=int64_t)
    cdef void first_block(self, int64_t q, int64_t store) noexcept nogil
    cdef bint next_extent(self, int64_t q, int64_t store) noexcept nogil
    @cython.locals(down=bint, passed=int64_t, stage=int64_t, step=int64_t)
    cdef int64_t enter(self, int64_t slot, int64_t q, int64_t low, int64_t high, int64_t until) noexcept nogil
    @cython.locals(down=bint)
    cdef int64_t pass_entry(self, int64_t slot, int64_t q, int64_t low, int64_t high) noexcept nogil
    cdef int64_t read(self, int64_t slot, int64_t q) noexcept nogil
    cdef int64_t look(self, int64_t slot, int64_t q, int64_t at, int64_t store) noexcept nogil
    cdef void count(self, int64_t q, int64_t at, int64_t index, int64_t b) noexcept nogil
    @cython.locals(index=int64_t)
    cdef int64_t fetch_row(self, int64_t slot, int64_t q, int64_t at, int64_t store) noexcept nogil
    cdef void begin_fetch(self, int64_t b, int64_t store, int64_t f, int64_t flags) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t)
    cdef bint fetch_below(self, int64_t slot, int64_t q, int64_t store, int64_t f, int64_t first, int64_t last) noexcept nogil
    cdef void end_read(self, int64_t q, int64_t at) noexcept nogil
    @cython.locals(index=int64_t)
    cdef void end_fetch(self, int64_t at, int64_t f, int64_t first, int64_t last) noexcept nogil
    cdef void arrive(self, int64_t f, int64_t b) noexcept nogil
    @cython.locals(index=int64_t, last=int64_t)
    cdef void read_ahead(self, int64_t q, int64_t at, int64_t store) noexcept nogil
    cdef int64_t end_reader(self, int64_t slot) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t)
    cdef int64_t write(self, int64_t slot, int64_t q) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t, run=bint, full=bint, partial=bint)
    cdef int64_t open_block(self, int64_t slot, int64_t q, int64_t at, int64_t store) noexcept nogil
    cdef int64_t source(self, int64_t q) noexcept nogil
    @cython.locals(awaited=int64_t, column=int64_t)
    cdef int64_t free_block(self, int64_t slot, int64_t q, int64_t at, int64_t store, int64_t b, int64_t run, int64_t low, int64_t high) noexcept nogil
    cdef int64_t reach_limit(self, int64_t slot, int64_t q, int64_t at, int64_t f) noexcept nogil
    cdef int64_t want_room(self, int64_t slot, int64_t q, int64_t at, int64_t f) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t, index=int64_t)
    cdef void close_run(self, int64_t q, int64_t at, int64_t store) noexcept nogil
    cdef int64_t write_through(self, int64_t slot, int64_t q) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t, index=int64_t, begin=int64_t, end=int64_t)
    cdef bint end_through(self, int64_t q, int64_t at, int64_t store) noexcept nogil
    cdef int64_t sync(self, int64_t slot, int64_t q) noexcept nogil
