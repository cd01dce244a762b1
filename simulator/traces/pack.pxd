cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from simulator.traces.bytesearch cimport difference, put_number

cdef int64_t ABSENT, NULL, SPARE, BLOCK, MINIBLOCK, WIDEST, WHOLE


@cython.final
cdef class Packer:
    cdef public int64_t[::1] values
    cdef public int64_t[::1] steps
    cdef public uint8_t[::1] out
    cdef public int64_t at
    cdef public int64_t count
    cdef public int64_t levels

    cdef void begin(self, int64_t count) noexcept nogil
    @cython.locals(n=int64_t, i=int64_t, bits=int64_t, k=int64_t, value=int64_t, there=int64_t)
    cpdef void take_wide(self, int64_t[::1] numbers, int64_t count) noexcept nogil
    @cython.locals(n=int64_t, i=int64_t, bits=int64_t, k=int64_t, value=int64_t, there=int64_t)
    cpdef void take_narrow(self, int32_t[::1] numbers, int64_t count) noexcept nogil
    @cython.locals(i=int64_t)
    cpdef void take_all(self, int32_t[::1] numbers, int64_t count) noexcept nogil
    cdef void end_levels(self, int64_t n, int64_t count) noexcept nogil
    @cython.locals(i=int64_t)
    cpdef void codes(self, int64_t width) noexcept nogil
    @cython.locals(i=int64_t)
    cpdef void deltas(self) noexcept nogil
    @cython.locals(least=int64_t, before=int64_t, k=int64_t, value=int64_t, step=int64_t, at=int64_t, width=int64_t)
    cdef void block(self, int64_t start, int64_t count) noexcept nogil
    @cython.locals(low=uint64_t, above=uint64_t, bits=uint64_t, width=int64_t, k=int64_t)
    cdef int64_t width(self, int64_t start, int64_t least) noexcept nogil
    @cython.locals(held=uint64_t, low=uint64_t, above=uint64_t, bits=int64_t, at=int64_t, k=int64_t)
    cdef void pack(self, int64_t[::1] numbers, int64_t start, int64_t count, int64_t least, int64_t width) noexcept nogil
    cdef void varint(self, uint64_t value) noexcept nogil
    @cython.locals(code=uint64_t, sign=uint64_t)
    cdef void zigzag(self, int64_t value) noexcept nogil
