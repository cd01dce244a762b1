cimport cython
from libc.stdint cimport int64_t, uint64_t
from simulator.mixing cimport mix
from simulator.native.codes cimport (
    ACTOR, AT_ANSWERED, AT_ARRIVED, AT_AWAITED, AT_FLUSHED_LISTED, AT_LISTED, AT_LISTED_CALLED,
    AT_LISTED_ENDED, AT_LOCKED, AT_MET, AT_META, AT_RECEIVING, AT_SENT, AT_SYNC, AT_SYNCED_LISTED,
    A_CALL, A_CALL_COLUMN, A_TOP, BLOCKED, D_BASE, D_COUNT, D_EACH, D_END,
    D_FIRST, D_PLACES, D_ROWS, D_STEP, GO, H_DRAW, H_ROWS, H_WRITE, INDEX, KIND_BITS, N_COUNT, N_FROM,
    N_PLACES, N_ROWS, N_TO, N_TOP, N_WAITING, N_WHERE, O_ASK_READ, O_ASK_WRITE, O_BARRIER,
    O_CLOSE, O_CREATE, O_JOB, O_JOIN, O_LOCK, O_OPEN, O_PASS, O_READ, O_RECEIVE, O_SEEK, O_SEND,
    O_START, O_SYNC, O_UNLOCK, O_WAIT, O_WRITE, PHASE_OVER, READY, R_READ, R_SYNC, R_WRITE,
    SYNCED, X_AFTER, X_ARRIVALS, X_ARRIVED, X_ASLEEP, X_BEGAN, X_CALLED, X_COMPUTED, X_COUNTED,
    X_CROWDED, X_DRAINS, X_DRAIN_COUNT, X_ENDED, X_FILE, X_FIRST_PHASE, X_JOINERS, X_MOVED, X_OFFSET, X_OPENED,
    X_OPENED_FILE, X_PASSES, X_PATH, X_PENDING, X_PHASE, X_PLACE, X_READ_BESIDE, X_READ_BYTES, X_READ_FILE, X_READ_FIRST,
    X_READ_LAST, X_READ_NS, X_ROUND, X_ROW, X_ROW_END, X_SIZE, X_UNTIL, X_WRITE_BESIDE, X_WRITE_BYTES, X_WRITE_FIRST,
    X_WRITE_LAST, X_WRITE_NS, Z_BYTES, Z_FILE, Z_PATH, Z_ROWS,
)
from simulator.native.metadata cimport Metadata


cdef class Listed(Metadata):
    cdef public int64_t[::1] draw
    cdef public uint64_t[::1] draw_key
    cdef public int64_t[::1] rounds
    cdef public int64_t awaited

    @cython.locals(kind=int64_t, op=int64_t, low=int64_t, end=int64_t)
    cdef int64_t step_listed(self, int64_t slot, int64_t x, int64_t place) noexcept nogil
    cdef int64_t begin_arrivals(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t end_round(self, int64_t slot, int64_t x) noexcept nogil
    cdef void end(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(path=int64_t, more=int64_t)
    cdef void call_file(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(number=int64_t, file=int64_t, path=int64_t)
    cdef void note_written(self, int64_t x, int64_t end) noexcept nogil
    @cython.locals(kind=int64_t)
    cdef int64_t take_listed(self, int64_t slot, int64_t x) noexcept nogil
    cdef bint is_seen(self, int64_t x, int64_t kind) noexcept nogil
    @cython.locals(number=int64_t, draw=int64_t, each=int64_t, call=int64_t, part=int64_t, places=uint64_t, drawn=int64_t, place=int64_t, step=int64_t, other=int64_t)
    cdef void find_place(self, int64_t x, int64_t row) noexcept nogil
    @cython.locals(row=int64_t, done=int64_t)
    cdef bint goes_on(self, int64_t x) noexcept nogil
    cdef int64_t end_list(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t do_listed(self, int64_t slot, int64_t x, int64_t row, int64_t kind) noexcept nogil
    cdef int64_t do_start(self, int64_t slot, int64_t x, int64_t target, int64_t kind) noexcept nogil
    cdef int64_t block(self, int64_t x, int64_t place) noexcept nogil
    @cython.locals(whole=bint, kind=int64_t, size=int64_t, low=int64_t)
    cdef void end_listed(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(file=int64_t)
    cdef void end_beside(self, int64_t x, int64_t kind, int64_t size, int64_t begin, int64_t end) noexcept nogil
