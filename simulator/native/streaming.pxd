cimport cython
from libc.stdint cimport int64_t
from simulator.native.listed cimport Listed
from simulator.native.wide cimport divided, times

cdef int64_t NO_LIMIT


cdef class Streaming(Listed):
    cdef public int64_t uses
    cdef public int64_t used
    cdef public int64_t used_bytes

    cdef int64_t step_stream(self, int64_t slot, int64_t x, int64_t place) noexcept nogil
    cdef int64_t begin_stream(self, int64_t slot, int64_t x, int64_t row) noexcept nogil
    @cython.locals(own=int64_t, time=int64_t)
    cdef int64_t begin_call(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t catch_up_stream(self, int64_t slot, int64_t x, int64_t place) noexcept nogil
    @cython.locals(handling=int64_t, rate=double)
    cdef int64_t copy_ns(self, int64_t cpu, int64_t size, int64_t records) noexcept nogil
    @cython.locals(cpu=int64_t, instance=int64_t, number=int64_t)
    cdef inline int64_t use(self, int64_t slot, int64_t x, int64_t service, int64_t size) noexcept nogil
    @cython.locals(cpu=int64_t, instance=int64_t)
    cdef inline void settle(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(stream=int64_t, size=int64_t, records=int64_t)
    cdef inline void copy_user(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(service=int64_t)
    cdef int64_t copy(self, int64_t slot, int64_t x, int64_t member, int64_t size, int64_t records) noexcept nogil
    @cython.locals(write=int64_t)
    cdef bint begin_exchange(self, int64_t slot, int64_t x, int64_t more) noexcept nogil
    @cython.locals(stream=int64_t, more=int64_t, copied=int64_t)
    cdef int64_t pump(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(stream=int64_t, size=int64_t, moves=bint, whole=int64_t, service=int64_t, path=int64_t, more=int64_t, turns=int64_t, pending=int64_t, low=int64_t)
    cdef inline bint call_stream(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(unit=int64_t)
    cdef int64_t turns(self, int64_t cpu, int64_t low, int64_t size) noexcept nogil
    @cython.locals(bits=int64_t, stream=int64_t, low=int64_t, op=int64_t)
    cdef void move_stream(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(stream=int64_t, op=int64_t, low=int64_t, size=int64_t)
    cdef void end_call(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t flush(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t close_stream(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t close_meta(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t closed(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(after=int64_t, row=int64_t)
    cdef int64_t stopped(self, int64_t slot, int64_t x) noexcept nogil
    cdef void end_transfer(self, int64_t slot, int64_t x, int64_t row) noexcept nogil
    @cython.locals(rank=int64_t, before=int64_t, share=int64_t)
    cdef bint exchange(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(row=int64_t)
    cdef void share_out(self, int64_t slot, int64_t x, int64_t rank, int64_t service) noexcept nogil
    cdef int64_t packed(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t crossed(self, int64_t slot, int64_t x) noexcept nogil
