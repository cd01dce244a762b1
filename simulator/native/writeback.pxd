cimport cython
from libc.stdint cimport int64_t
from simulator.native.clock cimport NEVER
from simulator.native.turns cimport Turns

cdef int64_t ONE, MOST_WORK, LONGEST_NS, CREDIT_NS


@cython.final
cdef class WriteBack(Turns):
    @cython.locals(size=int64_t, there=int64_t)
    cpdef int64_t valid_bytes(self, int64_t store, int64_t file, int64_t index) noexcept nogil
    cdef int64_t work(self, int64_t slot) noexcept nogil
    @cython.locals(high=int64_t, count=int64_t, before=int64_t, expires=bint)
    cdef void begin_run(self, int64_t slot, int64_t at, int64_t row, int64_t b) noexcept nogil
    cdef int64_t next_of_run(self, int64_t store, int64_t f, int64_t index, int64_t end) noexcept nogil
    @cython.locals(b=int64_t, after=int64_t)
    cdef void end_run(self, int64_t at, int64_t row) noexcept nogil
    @cython.locals(gone=bint)
    cdef void written_back(self, int64_t at, int64_t f, int64_t b) noexcept nogil
    cdef void queue_more(self, int64_t at) noexcept nogil
    cdef void ask_for(self, int64_t at, int64_t f, int64_t b) noexcept nogil
    cdef bint is_wanted(self, int64_t store, int64_t at, int64_t f, int64_t b) noexcept nogil
    cdef void look_at_marks(self, int64_t store, int64_t at) noexcept nogil
    @cython.locals(store=int64_t, member=int64_t)
    cdef void grow_old(self, int64_t at, int64_t b) noexcept nogil
    @cython.locals(at=int64_t, store=int64_t, interval=int64_t, b=int64_t, due=int64_t)
    cdef int64_t flush_old(self, int64_t slot) noexcept nogil
    @cython.locals(store=int64_t, slow=int64_t, dirty=int64_t, limit=int64_t, free=int64_t, ratio=int64_t, work=int64_t, now=int64_t, until=int64_t)
    cdef int64_t slow_down(self, int64_t at, int64_t fresh) noexcept nogil
    @cython.locals(setpoint=int64_t, distance=int64_t, cube=int64_t, ratio=int64_t, left=int64_t)
    cdef int64_t position_ratio(self, int64_t dirty, int64_t free, int64_t limit, int64_t span) noexcept nogil
    @cython.locals(store=int64_t, member=int64_t)
    cdef void hold(self, int64_t group, int64_t node, int64_t nodes, int64_t size) noexcept nogil
    @cython.locals(store=int64_t, block=int64_t, held=int64_t)
    cdef void hold_in(self, int64_t at, int64_t size) noexcept nogil
    cdef void queue_all(self, int64_t f) noexcept nogil
    cdef void close(self, int64_t at, int64_t file) noexcept nogil
    cdef void drop(self, int64_t at, int64_t file) noexcept nogil
    @cython.locals(lowest=int64_t, other=int64_t, store=int64_t, workers=int64_t, first=int64_t, row=int64_t)
    cdef int64_t on_its_way(self, int64_t at, int64_t f, int64_t b) noexcept nogil
    cdef int64_t lower(self, int64_t lowest, int64_t index) noexcept nogil
