cimport cython
from libc.stdint cimport int64_t, uint8_t
from simulator.traces.bytesearch cimport find_byte, move_bytes
from simulator.traces.leader cimport Leader
from simulator.traces.names cimport Names
from simulator.traces.outcome cimport Outcome
from simulator.traces.text cimport Text
from simulator.traces.codes cimport *

cdef int64_t NULL, HEADINGS_SIZE, PASSED
cdef const uint8_t[::1] UNFINISHED_MARK, DETACHED_MARK, CHANGED_MARK, RESUMED_MARK, RESUMED_HEAD, SIGNAL_HEAD, EXITED_HEAD, KILLED_HEAD, SUPERSEDED_HEAD, MODE_HEAD, STRACE_HEAD, PROCESS_HEAD, ATTACHED_TAIL, ATTACHED_HEAD, HEADINGS, TITLE_HEAD, TITLE_TAIL


@cython.final
cdef class Scanner:
    cdef public Text text
    cdef public Names names
    cdef public int64_t capacity
    cdef public int64_t[::1] tokens, of_name
    cdef public int64_t at, stop, lines, holes, steps
    cdef int64_t[::1] is_fork
    cdef readonly int64_t[::1] ends
    cdef readonly int64_t end_count
    cdef Leader leader
    cdef Outcome outcome

    cpdef void begin(self, int64_t start, int64_t stop) noexcept nogil
    @cython.locals(n=int64_t, row=int64_t, end=int64_t, kind=int64_t, steps=int64_t, start=int64_t)
    cpdef int64_t scan(self) noexcept nogil
    @cython.locals(following=int64_t, k=int64_t)
    cdef int64_t rejoined(self, int64_t start, int64_t end) noexcept nogil
    cdef int64_t bad(self, int64_t row, int64_t damage) noexcept nogil
    @cython.locals(c=int64_t)
    cdef int64_t line(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t is_aside(self, int64_t i, int64_t end) noexcept nogil
    @cython.locals(start=int64_t, unfinished=int64_t, close=int64_t, wrong=int64_t)
    cdef int64_t call(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(k=int64_t)
    cdef void keep_args(self, int64_t row, int64_t end) noexcept nogil
    @cython.locals(k=int64_t)
    cdef int64_t unfinished_at(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t before_blank(self, int64_t i, int64_t end) noexcept nogil
    @cython.locals(start=int64_t, unfinished=int64_t, close=int64_t, wrong=int64_t)
    cdef int64_t resumed(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t ended(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(what=int64_t)
    cdef int64_t of_summary(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(heading=int64_t, rule=int64_t, names=int64_t, words=int64_t, first=int64_t, is_name=int64_t, c=int64_t)
    cdef int64_t words_of_summary(self, int64_t i, int64_t end) noexcept nogil
    @cython.locals(i=int64_t, at=int64_t)
    cdef int64_t is_heading(self, int64_t start, int64_t end) noexcept nogil
    @cython.locals(start=int64_t)
    cdef int64_t message(self, int64_t i, int64_t end, int64_t row) noexcept nogil


@cython.locals(count=int64_t)
cpdef int64_t run_scan(Scanner scanner)
