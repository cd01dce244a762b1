cimport cython
from libc.stdint cimport int64_t

from simulator.runtime.streamtable cimport StreamTable

cdef int64_t MARK, MAX_TRANSFER, READ, WRITE
cdef int64_t _GROWTH
cdef int64_t _NEW, _LEAD, _DATA, _TRAIL, _DONE

cdef int64_t next_write(StreamTable table, int64_t row) noexcept nogil
@cython.locals(part=int64_t, length=int64_t)
cdef void _put_part(StreamTable table, int64_t row) noexcept nogil
@cython.locals(records=int64_t)
cdef void _put_whole_records(StreamTable table, int64_t row) noexcept nogil
cdef void _make_room(StreamTable table, int64_t row, int64_t size) noexcept nogil
cdef void _grow(StreamTable table, int64_t row, int64_t size) noexcept nogil
@cython.locals(start=int64_t, size=int64_t)
cdef int64_t _write_buffer(StreamTable table, int64_t row) noexcept nogil

cdef int64_t next_read(StreamTable table, int64_t row) noexcept nogil
@cython.locals(before=int64_t, records=int64_t)
cdef void _take_whole_records(StreamTable table, int64_t row) noexcept nogil
cdef int64_t _before(StreamTable table, int64_t row) noexcept nogil
@cython.locals(before=int64_t, length=int64_t)
cdef void _go_to_next_part(StreamTable table, int64_t row) noexcept nogil
cdef void _make_frame(StreamTable table, int64_t row, int64_t want) noexcept nogil
@cython.locals(start=int64_t, room=int64_t)
cdef int64_t _read(StreamTable table, int64_t row) noexcept nogil
