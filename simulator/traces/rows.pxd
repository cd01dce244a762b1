cimport cython
from libc.stdint cimport int32_t, int64_t
from simulator.traces.names cimport Names
from simulator.traces.used cimport Used

cdef int64_t ABSENT


@cython.final
cdef class Rows:
    cdef public Used files, to_files
    cdef public int64_t capacity
    cdef public list arrays
    cdef public int64_t count
    cdef public int64_t[::1] time, duration, offset, to_offset, requested, returned
    cdef public int32_t[::1] pid, process, call, fd, kind, file, to_file, error, flags

    @cython.locals(row=int64_t)
    cdef int64_t add(self, int64_t time, int64_t duration, int64_t pid, int64_t process, int64_t call, int64_t fd, int64_t kind, int64_t file, int64_t to_file, int64_t offset, int64_t to_offset, int64_t requested, int64_t returned, int64_t error, int64_t flags) except -2
