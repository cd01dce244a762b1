cimport cython
from libc.stdint cimport int64_t, uint64_t
from simulator.mixing cimport mix
from simulator.native.metadata cimport Metadata


cdef class Listed(Metadata):
    cdef public int64_t[::1] draw
    cdef public uint64_t[::1] draw_key
    cdef public int64_t[::1] rounds
    cdef public int64_t awaited
    cdef public int64_t turned

    cdef inline void turn(self, int64_t watch, int64_t what) noexcept nogil
    @cython.locals(kind=int64_t, op=int64_t, low=int64_t, end=int64_t)
    cdef int64_t step_listed(self, int64_t slot, int64_t x, int64_t place) noexcept nogil
    cdef int64_t begin_arrivals(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t end_round(self, int64_t slot, int64_t x) noexcept nogil
    cdef void end(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(path=int64_t, more=int64_t)
    cdef void call_file(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(number=int64_t, file=int64_t, path=int64_t)
    cdef void note_written(self, int64_t x, int64_t end) noexcept nogil
    @cython.locals(kind=int64_t)
    cdef int64_t take_listed(self, int64_t slot, int64_t x) noexcept nogil
    cdef bint is_seen(self, int64_t x, int64_t kind) noexcept nogil
    @cython.locals(number=int64_t, draw=int64_t, each=int64_t, call=int64_t, part=int64_t, places=uint64_t, drawn=uint64_t, place=int64_t, step=int64_t, other=int64_t, stop=int64_t, low=int64_t)
    cdef void find_place(self, int64_t x, int64_t row) noexcept nogil
    @cython.locals(row=int64_t, done=int64_t)
    cdef bint goes_on(self, int64_t x) noexcept nogil
    cdef int64_t end_list(self, int64_t slot, int64_t x) noexcept nogil
    cdef int64_t do_listed(self, int64_t slot, int64_t x, int64_t row, int64_t kind) noexcept nogil
    cdef int64_t do_start(self, int64_t slot, int64_t x, int64_t target, int64_t kind) noexcept nogil
    cdef int64_t block(self, int64_t x, int64_t place) noexcept nogil
    @cython.locals(whole=bint, kind=int64_t, size=int64_t, low=int64_t)
    cdef void end_listed(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(file=int64_t)
    cdef void end_beside(self, int64_t x, int64_t kind, int64_t size, int64_t begin, int64_t end) noexcept nogil
