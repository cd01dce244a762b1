cimport cython
from libc.stdint cimport int64_t
from simulator.native.phasetimes cimport PhaseTimes
from simulator.native.sharing cimport Sharing
from simulator.native.wide cimport FEW_BITS


cdef class Metadata(PhaseTimes):
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
    cdef bint is_other(self, int64_t x) noexcept nogil
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
    @cython.locals(size=int64_t)
    cdef int64_t do_meta(self, int64_t slot, int64_t x, int64_t row, int64_t kind) noexcept nogil
    cdef void replace(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(path=int64_t, close=int64_t)
    cdef bint close_written(self, int64_t slot, int64_t x, int64_t size, int64_t after) noexcept nogil
    cdef void tell_store(self, int64_t slot, int64_t x, int64_t drop) noexcept nogil
    @cython.locals(tier=int64_t, kind=int64_t, index=int64_t, row=int64_t, member=int64_t)
    cdef void tell_below(self, int64_t q, int64_t store, int64_t file, int64_t drop) noexcept nogil
