cimport cython
from libc.stdint cimport int64_t, uint8_t
from simulator.traces.bytesearch cimport find_byte, six_digits
from simulator.traces.codes cimport *
from simulator.traces.text cimport Text

cdef int64_t NULL, SECOND, LONGEST
cdef const uint8_t[::1] ERRNO_HEAD, PID_NOTE, PID_NOTE_TAIL, NO_DURATION


@cython.final
cdef class Outcome:
    cdef Text text
    cdef int64_t[::1] tokens

    @cython.locals(found=int64_t)
    cdef int64_t read(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t explanation(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(k=int64_t, found=int64_t, value=int64_t, fraction=int64_t)
    cdef int64_t duration(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(value=int64_t, fraction=int64_t)
    cdef int64_t short_duration(self, int64_t i) noexcept nogil
    cdef int64_t is_of_duration(self, int64_t c) noexcept nogil
    cdef int64_t ends_with_unavailable(self, int64_t i, int64_t end) noexcept nogil
    cdef int64_t after_pid_note(self, int64_t i, int64_t end, int64_t row) noexcept nogil
