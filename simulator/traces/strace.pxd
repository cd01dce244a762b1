cimport cython
from libc.stdint cimport int64_t, uint8_t
from simulator.traces.bytesearch cimport digits, digits_end, find_byte, move_bytes, same_bytes, six_digits
from simulator.traces.names cimport Names
from simulator.traces.text cimport Text
from simulator.traces.codes cimport A_NUMBER, AN_ERROR, ARG, ARGS, ARGS_END, ATTACHED, BAD_DURATION, CALL, CLOCK, COUNT, DAMAGED, DURATION, END, ENDED, EPOCH, ERROR, ERROR_END, HOLE, KIND, LWP, MOST_ARGS, NAME, NAME_END, NO_CLOCK, NOTHING, NUMBER, OTHER, PID, RESULT, RESUMED, SIGNAL, START, STEPS, SUMMARY, SUPERSEDED, TABLE_HEAD, TABLE_ROW, TABLE_RULE, TABLE_TITLE, TIME, TOO_LARGE, UNFINISHED, UNREADABLE, VALUE, VALUE_AT, WALL, WHICH, WIDTH

cdef int64_t NULL, HEADINGS_SIZE, PASSED, SECOND, MOST_PID, MOST_STEP
cdef const uint8_t[::1] UNFINISHED_MARK, DETACHED_MARK, CHANGED_MARK, RESUMED_MARK, RESUMED_HEAD, EXITED_HEAD, KILLED_HEAD, SUPERSEDED_HEAD, PID_HEAD, MODE_HEAD, ERRNO_HEAD, STRACE_HEAD, PROCESS_HEAD, ATTACHED_TAIL, ATTACHED_HEAD, NO_DURATION, PID_NOTE, PID_NOTE_TAIL, HEADINGS, TITLE_HEAD, TITLE_TAIL


@cython.final
cdef class Scanner:
    cdef public Text text
    cdef public Names names
    cdef public int64_t capacity
    cdef public int64_t[::1] tokens
    cdef public int64_t[::1] of_name
    cdef public int64_t at
    cdef public int64_t stop
    cdef public int64_t lines
    cdef public int64_t damage
    cdef public int64_t holes
    cdef public int64_t steps
    cdef public int64_t pid
    cdef public int64_t state
    cdef public int64_t known_at
    cdef public int64_t known_size
    cdef public int64_t known_pid
    cdef public int64_t known_time
    cdef public int64_t known_clock
    cdef public int64_t number_at
    cdef public int64_t second_at
    cdef public int64_t second_size

    cpdef void begin(self, int64_t start, int64_t stop) noexcept nogil
    @cython.locals(n=int64_t, row=int64_t, end=int64_t, kind=int64_t, steps=int64_t, start=int64_t)
    cpdef int64_t scan(self) noexcept nogil
    @cython.locals(following=int64_t, k=int64_t)
    cdef int64_t rejoined(self, int64_t start, int64_t end) noexcept nogil
    cdef int64_t bad(self, int64_t row, int64_t damage) noexcept nogil
    @cython.locals(c=int64_t)
    cdef int64_t line(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t is_aside(self, int64_t i, int64_t end) noexcept nogil
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
    @cython.locals(start=int64_t, unfinished=int64_t, close=int64_t)
    cdef int64_t call(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t is_of_name(self, int64_t c) noexcept nogil
    @cython.locals(k=int64_t)
    cdef void keep_args(self, int64_t row, int64_t end) noexcept nogil
    @cython.locals(k=int64_t)
    cdef int64_t unfinished_at(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t before_blank(self, int64_t i, int64_t end) noexcept nogil
    @cython.locals(start=int64_t, unfinished=int64_t, close=int64_t)
    cdef int64_t resumed(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(found=int64_t)
    cdef int64_t result(self, int64_t i, int64_t end, int64_t row, int64_t kind) noexcept nogil
    cdef int64_t explanation(self, int64_t i, int64_t end, int64_t row, int64_t kind) noexcept nogil
    @cython.locals(k=int64_t, found=int64_t, value=int64_t, fraction=int64_t)
    cdef int64_t duration(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    @cython.locals(value=int64_t, fraction=int64_t)
    cdef int64_t short_duration(self, int64_t i) noexcept nogil
    cdef int64_t is_of_duration(self, int64_t c) noexcept nogil
    cdef int64_t ends_with_unavailable(self, int64_t i, int64_t end) noexcept nogil
    cdef int64_t ended(self, int64_t i, int64_t end, int64_t row) noexcept nogil
    cdef int64_t after_pid_note(self, int64_t i, int64_t end, int64_t row) noexcept nogil
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
