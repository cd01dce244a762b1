cimport cython
from libc.stdint cimport int64_t
from simulator.native.stages cimport Stages

cdef int64_t part_below(int64_t offset, int64_t unit, int64_t width, int64_t index) noexcept nogil


@cython.final
cdef class Tiers(Stages):
    cdef public int64_t[::1] needless

    cdef int64_t step(self, int64_t slot, int64_t at, int64_t kind) noexcept nogil
    cdef int64_t export(self, int64_t slot, int64_t at) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t)
    cdef int64_t pool_step(self, int64_t slot, int64_t at) noexcept nogil
    cdef void hand_over(self, int64_t at, int64_t part, int64_t instance, int64_t row) noexcept nogil
    @cython.locals(whole=bint, low=int64_t, high=int64_t)
    cdef int64_t request(self, int64_t slot, int64_t at) noexcept nogil
    cdef int64_t cut(self, int64_t tier, int64_t low, int64_t size) noexcept nogil
    cdef void next_piece(self, int64_t slot, int64_t at, int64_t tier, int64_t size) noexcept nogil
    cdef int64_t open_window(self, int64_t slot, int64_t at, int64_t tier, int64_t size) noexcept nogil
    cdef int64_t branch(self, int64_t slot, int64_t at, int64_t index) noexcept nogil
    cdef int64_t end_branch(self, int64_t slot) noexcept nogil
    cdef int64_t fail_branch(self, int64_t slot) noexcept nogil
    cdef void let_go_of(self, int64_t at) noexcept nogil
    @cython.locals(place=int64_t, member=int64_t)
    cdef void place(self, int64_t at, int64_t path, int64_t node) noexcept nogil
    @cython.locals(place=int64_t, member=int64_t)
    cdef void place_two(self, int64_t at, int64_t first, int64_t count, int64_t one, int64_t other) noexcept nogil
    @cython.locals(number=int64_t)
    cdef void decide(self, int64_t at, int64_t tier, int64_t member) noexcept nogil
    cdef int64_t target(self, int64_t at, int64_t tier, int64_t index) noexcept nogil
    cdef int64_t forward(self, int64_t at) noexcept nogil
    @cython.locals(unit=int64_t, width=int64_t, low=int64_t, high=int64_t, index=int64_t, sync=bint, one=bint)
    cdef int64_t stripe(self, int64_t slot, int64_t at) noexcept nogil
