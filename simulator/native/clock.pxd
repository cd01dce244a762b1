cimport cython
from libc.stdint cimport int64_t

cdef int64_t NEVER, LINE, LINE_BYTES, MAPPED
cdef int64_t LOOK
cdef int64_t FIRST_DAYS, FIRST_PERIOD, LONGEST_PERIOD


@cython.final
cdef class Clock:
    cdef public int64_t now
    cdef public int64_t alarms
    cdef public int64_t short
    cdef public int64_t over
    cdef public int64_t over_by
    cdef public int64_t left_to_look
    cdef public object look
    cdef public object stopped
    cdef public int64_t slots
    cdef public int64_t days
    cdef public int64_t shift
    cdef public int64_t day
    cdef public int64_t evening
    cdef public int64_t period
    cdef public int64_t left
    cdef public int64_t began
    cdef public int64_t[::1] alarm
    cdef public int64_t[::1] top

    cdef void exceed(self, int64_t what, int64_t by) noexcept nogil
    cdef void tick(self) noexcept nogil
    cdef void look_up(self) noexcept with gil
    cdef int64_t within(self, int64_t value, int64_t what, int64_t by) noexcept nogil
    @cython.locals(transfer=double, whole=int64_t)
    cdef int64_t transfer(self, int64_t overhead, int64_t size, double rate, int64_t what, int64_t by) noexcept nogil
    @cython.locals(row=int64_t, rest=int64_t)
    cpdef int64_t next_actor(self) noexcept nogil
    @cython.locals(row=int64_t, first=int64_t)
    cpdef int64_t go_on(self, int64_t slot, int64_t time) noexcept nogil
    cdef void advance(self, int64_t time) noexcept nogil
    cpdef void at(self, int64_t slot, int64_t time) noexcept nogil
    cpdef void wake(self, int64_t slot) noexcept nogil
    cpdef void stop(self, int64_t slot) noexcept nogil
    @cython.locals(row=int64_t)
    cpdef void play(self, int64_t slot, int64_t time) noexcept nogil
    @cython.locals(day=int64_t, top=int64_t)
    cdef void put(self, int64_t row, int64_t time) noexcept nogil
    @cython.locals(first=int64_t, second=int64_t)
    cdef bint is_before(self, int64_t one, int64_t other) noexcept nogil
    @cython.locals(child=int64_t)
    cdef int64_t linked(self, int64_t one, int64_t other) noexcept nogil
    @cython.locals(pairs=int64_t, other=int64_t, after=int64_t, whole=int64_t)
    cpdef int64_t merged(self, int64_t child) noexcept nogil
    @cython.locals(time=int64_t, before=int64_t, after=int64_t)
    cdef void take_out(self, int64_t row) noexcept nogil
    @cython.locals(row=int64_t, length=int64_t)
    cdef int64_t next_day(self) noexcept nogil
    @cython.locals(row=int64_t, first=int64_t, day=int64_t)
    cpdef int64_t next_year(self) noexcept nogil
    @cython.locals(number=int64_t)
    cdef void begin_day(self, int64_t time) noexcept nogil
    @cython.locals(gap=int64_t, shift=int64_t)
    cpdef void tune(self) noexcept nogil
    @cython.locals(day=int64_t, slot=int64_t, row=int64_t)
    cpdef void rebuild(self, int64_t shift) noexcept nogil
