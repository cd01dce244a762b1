cimport cython
from libc.stdint cimport int64_t

from simulator.runtime.lengthtable cimport LengthTable

cdef int64_t MARK
cdef int64_t _COLUMNS

cdef class StreamTable:
    cdef readonly int64_t rows
    cdef readonly int64_t subrecord
    cdef readonly LengthTable lengths
    cdef readonly int64_t[:] op
    cdef readonly int64_t[:] offset
    cdef readonly int64_t[:] size
    cdef readonly int64_t[:] copied
    cdef readonly int64_t[:] records
    cdef int64_t[:] policy
    cdef int64_t[:] write
    cdef int64_t[:] buffer
    cdef int64_t[:] request
    cdef int64_t[:] lengths_row
    cdef int64_t[:] count
    cdef int64_t[:] record
    cdef int64_t[:] length
    cdef int64_t[:] part
    cdef int64_t[:] left
    cdef int64_t[:] start
    cdef int64_t[:] fill
    cdef int64_t[:] out
    cdef int64_t[:] end
    cdef int64_t[:] at
    cdef int64_t[:] place
    cdef int64_t[:] file_end
    cdef int64_t[:] piece
    cdef int64_t[:] rest
    cdef int64_t[:] run
    cdef int64_t[:] straight
    cdef int64_t[:] straight_at
    cdef int64_t[:] arrived
    cdef int64_t[:] want
    cdef int64_t[:] prediction
    cdef readonly int64_t[::1] cells

    @cython.final
    @cython.locals(column=int64_t)
    cdef void clear(self, int64_t row) noexcept nogil
    @cython.final
    cdef int64_t call(self, int64_t row, int64_t op, int64_t offset, int64_t size) noexcept nogil
    @cython.final
    cdef void go_on(self, int64_t row, int64_t records) noexcept nogil
    @cython.final
    cdef void take_whole(self, int64_t row, int64_t records) noexcept nogil
    @cython.final
    @cython.locals(extent=int64_t, alike=int64_t)
    cdef int64_t fitting(self, int64_t row, int64_t room) noexcept nogil
    @cython.final
    cdef int64_t alike(self, int64_t row) noexcept nogil
    @cython.final
    cdef int64_t within_file(self, int64_t row, int64_t end) noexcept nogil
