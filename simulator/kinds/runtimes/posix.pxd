cimport cython
from libc.stdint cimport int64_t

from simulator.runtime.streamtable cimport StreamTable

cdef int64_t MAX_TRANSFER, READ, WRITE
cdef int64_t _NEW, _DATA, _DONE

@cython.locals(at=int64_t, size=int64_t)
cdef int64_t next_write(StreamTable table, int64_t row) noexcept nogil
@cython.locals(at=int64_t, size=int64_t)
cdef int64_t next_read(StreamTable table, int64_t row) noexcept nogil
cdef int64_t _has_more(StreamTable table, int64_t row) noexcept nogil
@cython.locals(size=int64_t)
cdef int64_t _next_size(StreamTable table, int64_t row) noexcept nogil
