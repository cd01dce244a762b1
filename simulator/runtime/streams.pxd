cimport cython
from libc.stdint cimport int64_t

from simulator.kinds.runtimes cimport flang, gfortran, nwt, posix
from simulator.runtime.lengthtable cimport LengthTable
from simulator.runtime.streamtable cimport StreamTable

cdef int64_t MARK, NO_LIMIT, LARGEST_FILE, READ, WRITE
cdef int64_t _PREDICTED, _GFORTRAN, _FLANG
cdef int64_t _ENDLESS, _LISTED, _CELLS

@cython.final
cdef class RecordStreams(StreamTable):
    cdef int64_t[::1] _calls
    cdef int64_t[::1] _first
    cdef dict _listings
    cdef object _all_calls
    cdef object _firsts
    @cython.locals(most=int64_t, marks=int64_t)
    cpdef void restart(
        self,
        int64_t row,
        int64_t policy,
        int64_t write,
        int64_t buffer,
        int64_t request,
        int64_t lengths_row,
    ) noexcept nogil
    cpdef int64_t step(self, int64_t row) noexcept nogil
    @cython.locals(calls=int64_t)
    @cython.locals(reads=int64_t, read=int64_t, writes=int64_t, written=int64_t, end=int64_t, size=int64_t)
    cpdef tuple add_up(self, int64_t row)
    @cython.locals(at=int64_t)
    cdef int64_t _listed(self, int64_t row) noexcept nogil
    cdef int64_t _write(self, int64_t row, int64_t policy) noexcept nogil
    cdef int64_t _read(self, int64_t row, int64_t policy) noexcept nogil
