cimport cython
from libc.stdint cimport int64_t, uint8_t
from simulator.traces.bytesearch cimport find_byte
from simulator.traces.names cimport Names
from simulator.traces.text cimport Text
from simulator.traces.codes cimport *

cdef int64_t NULL, PASSED, SECOND, MOST_SECONDS, MOST_PID, MOST_LWP
cdef const uint8_t[::1] BASE_HEAD, ERR_HEAD, SLEEPING, WAITING, AS_CHILD, ARGC, KILLED, SIZE_FIELD, REGULAR


@cython.final
cdef class TrussScanner:
    cdef public Text text
    cdef public Names names
    cdef public int64_t capacity
    cdef public int64_t[::1] tokens
    cdef public int64_t at, stop, lines, holes, steps, pid, base, numbers
    cdef public int64_t[::1] specs

    cpdef void begin(self, int64_t start, int64_t stop) noexcept nogil
    @cython.locals(n=int64_t, row=int64_t, end=int64_t, kind=int64_t)
    cpdef int64_t scan(self) noexcept nogil
    cdef int64_t bad(self, int64_t row, int64_t damage) noexcept nogil
    @cython.locals(start=int64_t)
    cdef int64_t line(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(k=int64_t)
    cdef int64_t who(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(k=int64_t, value=int64_t, wrong=int64_t, fraction=int64_t)
    cdef int64_t times(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t after_blanks(self, int64_t i, int64_t end) noexcept nogil
    cdef int64_t is_of_name(self, int64_t c) noexcept nogil
    @cython.locals(start=int64_t, close=int64_t, k=int64_t)
    cdef int64_t call(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(found=int64_t, value=int64_t)
    cdef int64_t moves(self, int64_t call) noexcept nogil
    @cython.locals(depth=int64_t, n=int64_t, start=int64_t, c=int64_t)
    cdef int64_t split(self, int64_t i, int64_t end, int64_t moves) noexcept nogil
    cdef int64_t after_shown_bytes(self, int64_t i, int64_t end) noexcept nogil
    cdef int64_t after_name(self, int64_t i, int64_t end) noexcept nogil
    cdef int64_t result(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t error(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t continued(self, int64_t i, int64_t end, int64_t row) noexcept nogil


@cython.locals(count=int64_t)
cpdef int64_t run_truss(TrussScanner scanner)
