cimport cython
from libc.stdint cimport int64_t, uint8_t
from simulator.traces.bytesearch cimport digits, digits_end, find_byte, same_bytes
from simulator.traces.codes cimport *
from simulator.traces.text cimport Text

cdef int64_t SECOND, MOST_PID, MOST_STEP
cdef const uint8_t[::1] PID_HEAD, MODE_HEAD


@cython.final
cdef class Leader:
    cdef Text text
    cdef int64_t[::1] tokens
    cdef int64_t steps, known_at, known_size, known_pid, known_time, known_clock, number_at
    cdef int64_t second_at, second_size

    cdef void forget(self) noexcept nogil
    cdef int64_t read(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(c=int64_t)
    cdef int64_t prefix(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(value=int64_t, start=int64_t, c=int64_t, fraction=int64_t)
    cdef int64_t prefix_number(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(size=int64_t, at=int64_t, fraction=int64_t)
    cdef int64_t known(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(size=int64_t)
    cdef int64_t is_known_second(self, int64_t i, int64_t end) noexcept nogil
    cdef void know(self, int64_t dot, int64_t row, int64_t time, int64_t clock) noexcept nogil
    @cython.locals(hour=int64_t, minute=int64_t, second=int64_t, time=int64_t, fraction=int64_t)
    cdef int64_t wall_clock(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(a=int64_t, b=int64_t)
    cdef int64_t two(self, int64_t i) noexcept nogil
    @cython.locals(point=int64_t, fraction=int64_t)
    cdef int64_t seconds(self, int64_t value, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t bracketed_pid(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(c=int64_t)
    cdef int64_t bracketed(self, int64_t i, int64_t end) noexcept nogil
