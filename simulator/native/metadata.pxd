cimport cython
from libc.stdint cimport int64_t
from simulator.native.codes cimport (
    AT_LISTED_ENDED, AT_META, AT_SYNCED_LISTED, A_CLOSE, A_META, A_TOP, BY_FLUSH, BY_QUEUE, GO,
    O_CLOSE, O_PAUSE, P_CALL, READY, R_META, R_SYNC, X_AFTER, X_ASKED, X_CPU, X_INSTANCE,
    X_PATH, X_PENDING, X_PLACE,
)
from simulator.native.processes cimport Processes


cdef class Metadata(Processes):
    cdef public int64_t[::1] meta_place

    cdef int64_t catch_up(self, int64_t x, int64_t place) noexcept nogil
    cdef void call(self, int64_t slot, int64_t x) noexcept nogil
    cdef bint has_metadata(self, int64_t x) noexcept nogil
    cdef bint is_free(self, int64_t x, int64_t kind) noexcept nogil
    cdef int64_t call_meta(self, int64_t slot, int64_t x, int64_t kind, int64_t after) noexcept nogil
    cdef int64_t ask_meta(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t do_meta(self, int64_t slot, int64_t x, int64_t row, int64_t kind) noexcept nogil
    cdef bint close_written(self, int64_t slot, int64_t x, int64_t after) noexcept nogil
