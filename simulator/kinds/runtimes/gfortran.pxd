cimport cython
from libc.stdint cimport int64_t

from simulator.runtime.streamtable cimport StreamTable

cdef int64_t MARK, MAX_TRANSFER, READ, SEEK, WRITE
cdef int64_t _NEW, _LEAD, _DATA, _LEAD_AGAIN, _TRAIL, _END, _DONE

cdef int64_t next_write(StreamTable table, int64_t row) noexcept nogil
@cython.locals(part=int64_t, at=int64_t)
cdef void _write_part(StreamTable table, int64_t row) noexcept nogil
@cython.locals(length=int64_t, extent=int64_t, fill=int64_t, half=int64_t, records=int64_t)
cdef void _put_whole_records(StreamTable table, int64_t row) noexcept nogil
@cython.locals(piece=int64_t)
cdef void _begin_subrecord(StreamTable table, int64_t row) noexcept nogil
@cython.locals(at=int64_t, room=int64_t, asked=int64_t)
cdef void _put_data(StreamTable table, int64_t row) noexcept nogil
@cython.locals(request=int64_t, asked=int64_t)
cdef int64_t _asked(StreamTable table, int64_t row, int64_t room) noexcept nogil
cdef void _count_request(StreamTable table, int64_t row, int64_t size) noexcept nogil
@cython.locals(fill=int64_t, end=int64_t)
cdef int64_t _put(StreamTable table, int64_t row, int64_t at, int64_t size) noexcept nogil
cdef void _end_subrecord(StreamTable table, int64_t row) noexcept nogil
@cython.locals(at=int64_t, size=int64_t)
cdef int64_t _write_buffer(StreamTable table, int64_t row) noexcept nogil
@cython.locals(at=int64_t, size=int64_t)
cdef int64_t _write_straight(StreamTable table, int64_t row) noexcept nogil
cdef int64_t _seek(StreamTable table, int64_t row, int64_t at) noexcept nogil

cdef int64_t next_read(StreamTable table, int64_t row) noexcept nogil
@cython.locals(length=int64_t, there=int64_t, records=int64_t)
cdef void _take_whole_records(StreamTable table, int64_t row) noexcept nogil
cdef void _take(StreamTable table, int64_t row, int64_t size) noexcept nogil
@cython.locals(piece=int64_t)
cdef void _go_to_next_part(StreamTable table, int64_t row) noexcept nogil
cdef void _step_over(StreamTable table, int64_t row) noexcept nogil
@cython.locals(at=int64_t)
cdef int64_t _read(StreamTable table, int64_t row) noexcept nogil
@cython.locals(at=int64_t, size=int64_t)
cdef int64_t _read_straight(StreamTable table, int64_t row) noexcept nogil
