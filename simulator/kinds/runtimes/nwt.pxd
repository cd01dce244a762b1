cimport cython
from libc.stdint cimport int64_t

from simulator.runtime.streamtable cimport StreamTable

cdef int64_t MARK, READ, SEEK, WRITE
cdef int64_t _NEW, _LEAD, _DATA, _TRAIL, _BACK, _FIX, _FORTH, _DONE

@cython.locals(part=int64_t)
cdef int64_t next_write(StreamTable table, int64_t row, int64_t predicted) noexcept nogil
@cython.locals(records=int64_t)
cdef void _put_whole_records(StreamTable table, int64_t row) noexcept nogil
@cython.locals(moved=int64_t)
cdef void _put(StreamTable table, int64_t row) noexcept nogil
@cython.locals(part=int64_t, right=int64_t)
cdef void _end_part(StreamTable table, int64_t row, int64_t predicted) noexcept nogil
@cython.locals(start=int64_t, size=int64_t)
cdef int64_t _write_buffer(StreamTable table, int64_t row) noexcept nogil
@cython.locals(part=int64_t, lead=int64_t, start=int64_t)
cdef int64_t _rewrite(StreamTable table, int64_t row) noexcept nogil
cdef void _end_record(StreamTable table, int64_t row) noexcept nogil

cdef int64_t next_read(StreamTable table, int64_t row) noexcept nogil
@cython.locals(records=int64_t)
cdef void _take_whole_records(StreamTable table, int64_t row) noexcept nogil
@cython.locals(part=int64_t)
cdef void _go_to_next_part(StreamTable table, int64_t row) noexcept nogil
@cython.locals(at=int64_t)
cdef int64_t _read_buffer(StreamTable table, int64_t row) noexcept nogil
@cython.locals(moved=int64_t)
cdef void _take(StreamTable table, int64_t row) noexcept nogil
