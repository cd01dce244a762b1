cimport cython
from libc.stdint cimport int64_t
from simulator.native.arraylines cimport ArrayLines
from simulator.native.calendars cimport NO_END
from simulator.native.wide cimport divided

cdef int64_t REBUILT_IN


@cython.final
cdef class Arrays(ArrayLines):
    @cython.locals(row=int64_t, writes=int64_t, reader=int64_t, end=int64_t)
    cdef int64_t request(self, int64_t slot, int64_t part, int64_t instance, int64_t size, int64_t low) noexcept nogil
    @cython.locals(row=int64_t)
    cdef int64_t rewrite(self, int64_t slot, int64_t part, int64_t instance, int64_t size, int64_t low, int64_t reader) noexcept nogil
    @cython.locals(disk=int64_t)
    cdef int64_t reads(self) noexcept nogil
    @cython.locals(now=int64_t, end=int64_t, waited=int64_t, first=int64_t, last=int64_t, disk=int64_t, field=int64_t, low=int64_t, high=int64_t, again=int64_t, ended=int64_t, took=int64_t, track=int64_t)
    cdef int64_t pass_all(self, int64_t slot, int64_t row, int64_t instance, int64_t reader, int64_t writes) noexcept nogil
    @cython.locals(row=int64_t)
    cpdef int64_t finish(self, int64_t part, int64_t instance, int64_t end) noexcept
    @cython.locals(failing=int64_t, fails=int64_t, step=int64_t)
    cdef void advance(self, int64_t row, int64_t now) noexcept nogil
    @cython.locals(best=int64_t, disk=int64_t, counts=bint)
    cdef int64_t earliest(self, int64_t field, int64_t waiting) noexcept nogil
    @cython.locals(now=int64_t, number=int64_t, back=int64_t)
    cdef void fail(self, int64_t row, int64_t disk) noexcept nogil
    @cython.locals(number=int64_t, other=int64_t)
    cdef bint is_lost(self, int64_t failed) noexcept nogil
    @cython.locals(found=int64_t, disk=int64_t)
    cdef int64_t broken(self) noexcept nogil
    @cython.locals(disk=int64_t)
    cdef void lose(self, int64_t row, int64_t now) noexcept nogil
    cdef void give_up(self, int64_t row) noexcept nogil
    cdef void whole(self, int64_t row, int64_t now) noexcept nogil
    @cython.locals(first=int64_t)
    cdef int64_t next_step(self, int64_t row) noexcept nogil
    @cython.locals(target=int64_t, low=int64_t, size=int64_t, count=int64_t, service=int64_t, period=int64_t, sources=int64_t, last=int64_t, left=int64_t, disk=int64_t)
    cdef int64_t leap(self, int64_t row, int64_t now, int64_t until) noexcept nogil
    @cython.locals(left=int64_t, found=int64_t, disk=int64_t)
    cdef int64_t goes_on(self, int64_t target, int64_t now, int64_t low) noexcept nogil
    @cython.locals(number=int64_t)
    cdef int64_t source(self, int64_t target) noexcept nogil
    cdef bint is_at(self, int64_t disk, int64_t now, int64_t low) noexcept nogil
    @cython.locals(target=int64_t, low=int64_t, high=int64_t, last=int64_t, left=int64_t, disk=int64_t)
    cdef void read_step(self, int64_t row, int64_t now) noexcept nogil
    @cython.locals(disk=int64_t, low=int64_t, high=int64_t, ended=int64_t, pace=int64_t)
    cdef void write_step(self, int64_t row, int64_t now) noexcept nogil
