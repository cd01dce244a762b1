cimport cython
from libc.stdint cimport int64_t
from simulator.native.codes cimport (
    A_CLOSE, A_META, A_TOP, ACTOR, AT_ARRIVED, AT_AWAITED, AT_CALLED, AT_CLOSED, AT_COMPUTED,
    AT_CROSSED, AT_FLUSHED, AT_FLUSHED_LISTED, AT_LISTED, AT_LISTED_CALLED, AT_LISTED_ENDED,
    AT_LOCKED, AT_MET, AT_META, AT_MOVED, AT_OPENED, AT_PACKED, AT_PUMP, AT_RECEIVING, AT_SENT, AT_START,
    AT_SYNC, AT_SYNCED, AT_SYNCED_LISTED, AT_SYNCED_LISTED, BLOCKED, BY_FLUSH, BY_QUEUE, GO, H_BUFFER, H_COMPUTE,
    H_COUNT, H_DRAIN, H_FILE, H_FIRST, H_KIND, H_LENGTHS, H_PATH, H_POLICY, H_ROWS, H_WRITE,
    INDEX, MARK, N_COUNT, N_FROM, N_ROWS, N_TO, N_TOP, N_WAITING, O_BARRIER, O_CLOSE, O_JOB,
    O_JOIN, O_LOCK, O_OPEN, O_PASS, O_PAUSE, O_READ, O_RECEIVE, O_SEEK, O_SEND, O_START, O_STAT,
    O_SYNC, O_UNLOCK, O_WAIT, O_WRITE, P_BITS, P_CALL, P_RECORD, P_TURN, POSIX, R_META, R_READ,
    R_SYNC, R_WRITE, READY, W_COMPUTE, W_LISTED, X_AFTER, X_ARRIVALS, X_ARRIVED, X_ASLEEP,
    X_BEGAN, X_CALLED, X_COMPUTED, X_COUNTED, X_CPU, X_DRAIN_COUNT, X_DRAINS, X_ENDED,
    X_EXCHANGE, X_FILE, X_FIRST_PHASE, X_INSTANCE, X_JOINERS, X_MORE, X_MOVED, X_NODE, X_NODES,
    X_PATH, X_PENDING, X_PHASE, X_PHASES, X_PLACE, X_RANK, X_READ_BYTES, X_READ_NS, X_REPEAT,
    X_ROUND, X_ROW, X_ROW_END, X_SHARE, X_SHARES, X_STARTED, X_WRITE_BYTES, X_WRITE_NS, Z_BYTES,
    Z_FILE, Z_PATH, Z_ROWS,
)
from simulator.native.processes cimport Processes

cdef int64_t NO_LIMIT


@cython.final
cdef class Clients(Processes):
    cdef int64_t step(self, int64_t slot) noexcept nogil
    cdef int64_t step_listed(self, int64_t slot, int64_t x, int64_t place) noexcept nogil
    cpdef int64_t begin(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(phase=int64_t)
    cdef int64_t next_phase(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t end_round(self, int64_t slot, int64_t x) noexcept nogil
    cdef void end(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t catch_up(self, int64_t x, int64_t place) noexcept nogil
    cdef int64_t catch_up_stream(self, int64_t x, int64_t place) noexcept nogil
    cdef void call(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t call_meta(self, int64_t slot, int64_t x, int64_t after) noexcept nogil
    @cython.locals(transfer=int64_t)
    cdef int64_t copy_ns(self, int64_t cpu, int64_t size, int64_t records) noexcept nogil
    @cython.locals(service=int64_t)
    cdef int64_t copy(self, int64_t slot, int64_t x, int64_t member, int64_t size) noexcept nogil
    @cython.locals(more=int64_t, copied=int64_t)
    cdef int64_t pump(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(moves=bint, whole=int64_t, service=int64_t)
    cdef bint call_stream(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(low=int64_t, size=int64_t)
    cdef void end_call(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(number=int64_t, file=int64_t, path=int64_t)
    cdef void note_written(self, int64_t x, int64_t end) noexcept nogil
    cdef int64_t flush(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t close_stream(self, int64_t slot, int64_t x) noexcept nogil
    cdef bint close_written(self, int64_t slot, int64_t x, int64_t after) noexcept nogil
    cdef int64_t close_meta(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t closed(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(rank=int64_t)
    cdef bint exchange(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t packed(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t crossed(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t take_listed(self, int64_t slot, int64_t x) noexcept nogil
    cdef bint is_free(self, int64_t x, int64_t kind) noexcept nogil
    cdef int64_t do_listed(self, int64_t slot, int64_t x, int64_t row, int64_t kind) noexcept nogil
    cdef int64_t do_start(self, int64_t slot, int64_t x, int64_t target, int64_t kind) noexcept nogil
    cdef int64_t do_meta(self, int64_t slot, int64_t x, int64_t row, int64_t kind) noexcept nogil
    cdef int64_t block(self, int64_t x, int64_t place) noexcept nogil
    cdef void end_listed(self, int64_t x) noexcept nogil
