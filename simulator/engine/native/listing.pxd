cimport cython
from libc.stdint cimport int64_t
from simulator.engine.native.clock cimport Clock


@cython.final
cdef class Listing:
    cdef public Clock clock
    cdef public signed char[::1] kind
    cdef public int[::1] file
    cdef public int64_t[::1] offset
    cdef public int64_t[::1] size
    cdef public int64_t[::1] gap
    cdef public int64_t[::1] at
    cdef public int64_t[::1] end
    cdef public int64_t[::1] counted
    cdef public int64_t[::1] called
    cdef public signed char[::1] passed
    cdef public int64_t[::1] waiting
    cdef public int64_t[::1] after
    cdef public bint recording
    cdef public int64_t[::1] next_row
    cdef public signed char[::1] log_kind
    cdef public int[::1] log_file
    cdef public int64_t[::1] log_offset
    cdef public int64_t[::1] log_size
    cdef public int64_t[::1] log_begin
    cdef public int64_t[::1] log_end

    @cython.locals(row=int64_t)
    cpdef void note(
        self, int64_t c, int64_t kind, int64_t file, int64_t offset, int64_t size, int64_t end
    ) noexcept nogil
    cpdef void begin(self, int64_t c, int64_t first, int64_t calls) noexcept nogil
    cpdef void wait(self, int64_t c, int64_t mark) noexcept nogil
    @cython.locals(client=int64_t)
    cpdef void pass_by(self, int64_t mark) noexcept nogil
