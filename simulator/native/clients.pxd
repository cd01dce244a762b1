cimport cython
from libc.stdint cimport int64_t
from simulator.native.codes cimport (
    O_WRITE, ACTOR, AT_BEGUN, AT_CALLED, AT_CLOSED, AT_COMPUTED, AT_CROSSED, AT_ENDLESS, AT_FLUSHED, AT_LISTED, AT_MOVED,
    AT_OPENED, AT_PACKED, AT_PUMP, AT_START, AT_SYNC, AT_SYNCED, A_CALL, A_CALL_COLUMN, GO,
    H_BITS, H_BUFFER, H_COMPUTE, H_COUNT, H_DRAIN, H_FILE, H_FIRST, H_KIND, H_LENGTHS, H_PASSES, H_PATH,
    H_POLICY, H_ROWS, H_SIZE, H_WRITE, INDEX, MARK, O_CLOSE, O_OPEN, O_READ, O_SEEK, PHASE_OVER,
    POSIX, P_BITS, P_CALL, P_RECORD, P_TURN, P_UNIT, R_READ, R_WRITE, SYNCED, W_COMPUTE, W_LISTED, W_LOOP,
    X_AFTER, X_BEGAN, X_CALLED, X_COUNTED, X_CPU, X_CROWDED, X_EXCHANGE, X_FILE, X_FIRST_PHASE,
    X_INSTANCE, X_MORE, X_MOVED, X_NODE, X_NODES, X_OWN, X_PASSES, X_PATH, X_PENDING, X_PHASE, X_PHASES, X_PLACE,
    X_RANK, X_READ_BYTES, X_READ_FILE, X_READ_FIRST, X_READ_NS, X_REPEAT, X_ROUND, X_ROUND_BEGAN, X_ROW, X_ROW_END, X_SHARE, X_SHARES,
    X_STARTED, X_UNTIL, X_WHERE, X_WHERE_COUNT, X_WRITE_BYTES, X_WRITE_FIRST, X_WRITE_NS, Z_BYTES, Z_ROWS,
)
from simulator.native.listed cimport Listed

cdef int64_t NO_LIMIT


@cython.final
cdef class Clients(Listed):
    @cython.locals(time=int64_t)
    cdef int64_t step(self, int64_t slot) noexcept nogil
    cdef int64_t begin_stream(self, int64_t slot, int64_t x, int64_t row) noexcept nogil
    @cython.locals(phase=int64_t, last=bint, time=int64_t)
    cdef int64_t next_phase(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(own=int64_t)
    cdef int64_t begin_call(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t catch_up_stream(self, int64_t slot, int64_t x, int64_t place) noexcept nogil
    cdef void go_back(self, int64_t x, int64_t row) noexcept nogil
    @cython.locals(began=int64_t)
    cdef bint takes_no_time(self, int64_t x) noexcept nogil
    @cython.locals(transfer=int64_t)
    cdef int64_t copy_ns(self, int64_t cpu, int64_t size, int64_t records) noexcept nogil
    @cython.locals(fortran=int64_t)
    cdef void copy_user(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(service=int64_t)
    cdef int64_t copy(self, int64_t slot, int64_t x, int64_t member, int64_t size, int64_t records) noexcept nogil
    @cython.locals(more=int64_t, copied=int64_t)
    cdef int64_t pump(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(moves=bint, whole=int64_t, service=int64_t, path=int64_t, more=int64_t)
    cdef bint call_stream(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(unit=int64_t)
    cdef int64_t turns(self, int64_t cpu, int64_t low, int64_t size) noexcept nogil
    @cython.locals(bits=int64_t, low=int64_t, op=int64_t)
    cdef void move_stream(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(low=int64_t, size=int64_t)
    cdef void end_call(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t flush(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t close_stream(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t close_meta(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t closed(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(rank=int64_t)
    cdef bint exchange(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t packed(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t crossed(self, int64_t slot, int64_t x) noexcept nogil
    cpdef int64_t begin(self, int64_t slot, int64_t x) noexcept nogil
