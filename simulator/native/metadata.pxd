cimport cython
from libc.stdint cimport int64_t
from simulator.native.codes cimport (
    AT_ANSWERED, AT_LISTED_ENDED, AT_META, AT_SYNCED_LISTED, A_CLOSE, A_LIFE, A_META, A_MOST,
    A_OPENING, A_REMEMBERS, A_STORE, A_TOP, BLOCKED, BY_FLUSH, BY_QUEUE, CHANGING, GO, I_ROWS, K_FORWARD,
    K_STRIPE, M_CREATE, M_FIRST, M_LOOKUP, M_OPEN, M_STAT, OPEN_ASKS, OPEN_CACHED, O_CLOSE,
    O_PAUSE, PLACES, P_CALL, READY, R_CHAIN, R_CLIENT, R_FILE, R_LIFE, R_META, R_NAME, R_ROWS,
    R_SYNC, R_UNTIL, R_VERSION, R_WRITE, STABLE_JOB, STABLE_ROWS, TIER, T_KIND, T_NEXT, T_ROW,
    T_SLOT, T_WIDTH, X_AFTER, X_ASKED, X_CLIENT, X_COMPUTED, X_CPU, X_CROWDED, X_FILE, X_INSTANCE, X_JOB, X_PATH,
    X_PENDING, X_PLACE, X_ROW,
)
from simulator.native.processes cimport Processes
from simulator.native.sharing cimport Sharing
from simulator.native.wide cimport FEW_BITS


cdef class Metadata(Processes):
    cdef public Sharing sharing
    cdef public int64_t[::1] meta_place
    cdef public int64_t[::1] version
    cdef public int64_t[::1] known
    cdef public int64_t[::1] known_heads
    cdef public int64_t known_count

    @cython.locals(pending=int64_t, cpu=int64_t)
    cdef int64_t catch_up(self, int64_t slot, int64_t x, int64_t place) noexcept nogil
    @cython.locals(cpu=int64_t)
    cdef int64_t compute(self, int64_t slot, int64_t x, int64_t time, int64_t place) noexcept nogil
    cdef void call(self, int64_t slot, int64_t x) noexcept nogil
    cdef bint has_metadata(self, int64_t x) noexcept nogil
    cdef bint is_free(self, int64_t x, int64_t kind) noexcept nogil
    cdef int64_t call_meta(self, int64_t slot, int64_t x, int64_t kind, int64_t after) noexcept nogil
    cdef int64_t ask_meta(self, int64_t slot, int64_t x) noexcept nogil
    cpdef int64_t head_of(self, int64_t client, int64_t file, int64_t name) noexcept nogil
    cpdef void chain_known(self, int64_t row) noexcept nogil
    @cython.locals(row=int64_t)
    cdef int64_t find_known(self, int64_t client, int64_t file, int64_t name) noexcept nogil
    cdef int64_t name_of(self, int64_t x) noexcept nogil
    cdef bint is_known(self, int64_t x) noexcept nogil
    cdef int64_t answered(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(row=int64_t, gone=bint, twice=int64_t)
    cdef bint learn(self, int64_t x, int64_t asked) noexcept nogil
    cdef void change(self, int64_t x) noexcept nogil
    @cython.locals(job=int64_t)
    cdef void note_change(self, int64_t x) noexcept nogil
    cdef int64_t do_meta(self, int64_t slot, int64_t x, int64_t row, int64_t kind) noexcept nogil
    cdef bint close_written(self, int64_t slot, int64_t x, int64_t after) noexcept nogil
    cdef void tell_store(self, int64_t slot, int64_t x, int64_t drop) noexcept nogil
    @cython.locals(tier=int64_t, kind=int64_t, index=int64_t, row=int64_t, member=int64_t)
    cdef void tell_below(self, int64_t q, int64_t store, int64_t file, int64_t drop) noexcept nogil
