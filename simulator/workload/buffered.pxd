cimport cython
from libc.stdint cimport int64_t

cdef int64_t CLOSE, OPEN, PASS, PAUSE, STAT
cdef int64_t READ, SEEK, WRITE
cdef int64_t NONE, CLEAN, DIRTY


@cython.final
cdef class Gatherer:
    cdef public signed char[::1] old_kind
    cdef public int[::1] old_file
    cdef public int64_t[::1] old_offset
    cdef public int64_t[::1] old_size
    cdef public int64_t[::1] old_gap
    cdef public bint ordered
    cdef public int64_t[::1] sizes
    cdef public int64_t[::1] reach
    cdef public int64_t[::1] owner
    cdef public int64_t[::1] state
    cdef public int64_t[::1] low
    cdef public int64_t[::1] high
    cdef public int64_t[::1] chained
    cdef public int64_t[::1] next_dirty
    cdef public int64_t first_dirty
    cdef public int64_t pending
    cdef public int64_t rows
    cdef public signed char[::1] kind
    cdef public int[::1] file
    cdef public int64_t[::1] offset
    cdef public int64_t[::1] size
    cdef public int64_t[::1] gap
    cdef public int64_t[::1] cause

    cpdef room(self)
    @cython.locals(row=int64_t)
    cpdef put(self, int64_t cause, int64_t kind, int64_t file, int64_t offset, int64_t size)
    @cython.locals(row=int64_t, last=int64_t)
    cpdef gather(self, int64_t client, int64_t first, int64_t end)
    @cython.locals(kind=int64_t, file=int64_t, offset=int64_t, size=int64_t)
    cpdef take(self, int64_t client, int64_t row)
    cpdef buffered(
        self,
        int64_t client,
        int64_t row,
        int64_t kind,
        int64_t file,
        int64_t offset,
        int64_t size,
    )
    cpdef own(self, int64_t client, int64_t file)
    @cython.locals(end=int64_t, low=int64_t, high=int64_t, touches=bint)
    cpdef write(self, int64_t client, int64_t row, int64_t file, int64_t offset, int64_t size)
    @cython.locals(end=int64_t, at=int64_t, length=int64_t, buffer=int64_t)
    cpdef read(self, int64_t row, int64_t file, int64_t offset, int64_t size)
    cpdef flush(self, int64_t row, int64_t file)
    @cython.locals(file=int64_t)
    cpdef flush_all(self, int64_t row)

