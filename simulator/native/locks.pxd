cimport cython
from libc.stdint cimport int64_t
from simulator.native.filelocks cimport FileLocks


@cython.final
cdef class Locks(FileLocks):
    @cython.locals(unit=int64_t, time=int64_t)
    cdef int64_t step(self, int64_t slot, int64_t q) noexcept nogil
    cdef int64_t take(self, int64_t slot, int64_t q) noexcept nogil
    @cython.locals(file=int64_t, unit=int64_t, number=int64_t)
    cdef void give_back(self, int64_t q) noexcept nogil
    @cython.locals(row=int64_t, node=int64_t, exclusive=int64_t, free=int64_t)
    cdef int64_t take_unit(self, int64_t slot, int64_t q) noexcept nogil
    cdef void use(self, int64_t q, int64_t row) noexcept nogil
    @cython.locals(node=int64_t, at=int64_t, exclusive=int64_t, more=int64_t, file=int64_t, number=int64_t, behind=int64_t)
    cdef void grant_units(self, int64_t q, int64_t row) noexcept nogil
    @cython.locals(c=int64_t, at=int64_t, f=int64_t, first=int64_t, index=int64_t, b=int64_t)
    cdef int64_t first_in_line(self, int64_t slot, int64_t q) noexcept nogil
    @cython.locals(slot=int64_t)
    cdef void next_in_line(self, int64_t row) noexcept nogil
    @cython.locals(size=int64_t, unit=int64_t)
    cdef int64_t first_block(self, int64_t q, int64_t at, int64_t further) noexcept nogil
    @cython.locals(end=int64_t, b=int64_t, column=int64_t)
    cdef int64_t call_back(self, int64_t slot, int64_t q) noexcept nogil
    cdef bint is_changed(self, int64_t b) noexcept nogil
