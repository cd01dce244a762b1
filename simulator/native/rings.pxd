cimport cython
from libc.stdint cimport int32_t, int64_t
from simulator.mixing cimport pick_of
from simulator.native.clock cimport Clock

cdef int64_t FIRST_FILES, GOLDEN, LOW_HALF


cdef int64_t place(int64_t f, int64_t index, int64_t chains) noexcept nogil


cdef class Rings:
    cdef public Clock clock
    cdef public int64_t[::1] inst
    cdef public int64_t[::1] store
    cdef public int64_t dirty_sum
    cdef public int64_t margin
    cdef public int64_t blocks
    cdef public int64_t free
    cdef public int64_t free_count
    cdef public int64_t used_rows
    cdef public list given
    cdef public int32_t[::1] block
    cdef public int64_t[::1] written
    cdef public int64_t[::1] since
    cdef public int32_t[::1] chain
    cdef public int64_t chains
    cdef public int64_t files
    cdef public int64_t file_count
    cdef public int64_t[::1] frow
    cdef public int64_t[::1] file_chain
    cdef public int64_t file_chains

    @cython.final
    @cython.locals(b=int64_t, row=int64_t)
    cdef void chain_blocks(self) noexcept nogil
    @cython.final
    cdef void chain_file(self, int64_t f) noexcept nogil
    @cython.final
    @cython.locals(f=int64_t, number=int64_t)
    cdef int64_t known_file(self, int64_t at, int64_t file) noexcept nogil
    @cython.final
    @cython.locals(f=int64_t)
    cdef int64_t file_row(self, int64_t at, int64_t file) noexcept nogil
    @cython.final
    cdef int64_t look(self, int64_t f, int64_t index) noexcept nogil
    @cython.final
    cdef int64_t find(self, int64_t f, int64_t index) noexcept nogil
    @cython.final
    cdef int64_t new_block(self, int64_t f, int64_t index) noexcept nogil
    @cython.final
    cdef void remember(self, int64_t b) noexcept nogil
    @cython.final
    cdef void forget(self, int64_t b) noexcept nogil
    @cython.final
    cdef void append(self, int64_t b, int64_t ring) noexcept nogil
    @cython.final
    cdef void put_first(self, int64_t b, int64_t ring) noexcept nogil
    @cython.final
    cdef void remove(self, int64_t b, int64_t ring) noexcept nogil
    @cython.final
    cdef void join(self, int64_t b, int64_t state, int64_t first) noexcept nogil
    @cython.final
    cdef void leave(self, int64_t b) noexcept nogil
    @cython.final
    cdef void append_to_file(self, int64_t b, int64_t ring) noexcept nogil
    @cython.final
    cdef void remove_from_file(self, int64_t b, int64_t ring) noexcept nogil
