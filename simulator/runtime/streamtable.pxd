cimport cython
from libc.stdint cimport int64_t

from simulator.runtime.lengthtable cimport LengthTable

cdef int64_t MARK
cdef int64_t _CELLS, LOOK

cdef class StreamTable:
    cdef readonly int64_t rows
    cdef public int64_t left_to_look
    cdef public int64_t ended
    cdef public object look
    cdef public object stopped
    cdef readonly int64_t subrecord
    cdef readonly LengthTable lengths
    cdef readonly int64_t[::1] op
    cdef readonly int64_t[::1] offset
    cdef readonly int64_t[::1] size
    cdef readonly int64_t[::1] copied
    cdef readonly int64_t[::1] records
    cdef int64_t[::1] policy
    cdef int64_t[::1] write
    cdef int64_t[::1] buffer
    cdef int64_t[::1] request
    cdef int64_t[::1] lengths_row
    cdef int64_t[::1] count
    cdef int64_t[::1] record
    cdef int64_t[::1] length
    cdef int64_t[::1] part
    cdef int64_t[::1] left
    cdef int64_t[::1] start
    cdef int64_t[::1] fill
    cdef int64_t[::1] out
    cdef int64_t[::1] end
    cdef int64_t[::1] at
    cdef int64_t[::1] place
    cdef int64_t[::1] file_end
    cdef int64_t[::1] piece
    cdef int64_t[::1] rest
    cdef int64_t[::1] run
    cdef int64_t[::1] straight
    cdef int64_t[::1] straight_at
    cdef int64_t[::1] arrived
    cdef int64_t[::1] want
    cdef int64_t[::1] prediction
    cdef readonly int64_t[::1] cells

    @cython.final
    @cython.locals(column=int64_t)
    cdef void clear(self, int64_t row) noexcept nogil
    @cython.final
    cdef int64_t call(self, int64_t row, int64_t op, int64_t offset, int64_t size) noexcept nogil
    @cython.final
    cdef void look_up(self) noexcept with gil
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
