cimport cython
from libc.stdint cimport int64_t, uint64_t
from simulator.mixing cimport mix, pick
from simulator.native.calendars cimport Calendars
from simulator.native.clock cimport NEVER, Clock
from simulator.native.wide cimport stretched

cdef int64_t DRAW_BITS


@cython.final
cdef class Parts:
    cdef public Clock clock
    cdef public int64_t[::1] spec
    cdef public double[::1] rate
    cdef public int64_t[::1] state
    cdef public int64_t[::1] busy
    cdef public int64_t[::1] own
    cdef public int64_t[::1] kept
    cdef public int64_t[::1] run_factor
    cdef public int64_t[::1] table
    cdef public uint64_t[::1] key
    cdef public int64_t[::1] factors
    cdef public int64_t columns
    cdef public int64_t[::1] spent
    cdef public int64_t started
    cdef public int64_t begin
    cdef public int64_t size
    cdef public int64_t file
    cdef public int64_t address
    cdef public int64_t span
    cdef public int64_t spread
    cdef public Calendars calendars
    cdef public int64_t lost
    cdef public int64_t give_up
    cdef public int64_t failed
    cdef public int64_t gave_up
    cdef public int64_t watched
    cdef public int64_t timing
    cdef public int64_t[::1] spans
    cdef public int64_t span_count
    cdef public int64_t span_margin

    @cython.locals(one=int64_t)
    cpdef int64_t touched(self, int64_t first, int64_t end) noexcept
    cdef void charge(self, int64_t slot, int64_t column, int64_t wait, int64_t service) noexcept nogil
    cdef void clear_account(self, int64_t slot) noexcept nogil
    cdef void add_account(self, int64_t slot, int64_t other) noexcept nogil
    cdef void note(self, int64_t instance, int64_t start, int64_t service, int64_t size) noexcept nogil
    @cython.locals(at=int64_t)
    cdef void book(self, int64_t part, int64_t instance, int64_t size, int64_t service) noexcept nogil
    cdef int64_t stretch(self, int64_t part, int64_t instance, int64_t service) noexcept nogil
    cdef int64_t stretch_nth(self, int64_t part, int64_t instance, int64_t service, int64_t number) noexcept nogil
    cdef int64_t plain_ns(self, int64_t part, int64_t size) noexcept nogil
    @cython.locals(best=int64_t, server=int64_t, least=int64_t, free=int64_t)
    cdef int64_t first_server(self, int64_t part, int64_t instance) noexcept nogil
    @cython.locals(at=int64_t, moved=int64_t, busy=int64_t)
    cdef int64_t hold_plain(self, int64_t part, int64_t instance, int64_t server, int64_t start, int64_t size, int64_t service) noexcept nogil
    cdef int64_t hold(self, int64_t part, int64_t instance, int64_t server, int64_t start, int64_t size, int64_t service) noexcept nogil
    # Callable from Python too, so that no compiler puts it into ``hold``, which is to be small.
    cpdef int64_t hold_watched(self, int64_t part, int64_t instance, int64_t server, int64_t start, int64_t size, int64_t service) noexcept nogil
    @cython.locals(begun=int64_t, served=int64_t, left=int64_t)
    cdef int64_t let_go(self, int64_t part, int64_t instance, int64_t server, int64_t start, int64_t gone) noexcept nogil
    @cython.locals(start=int64_t)
    cdef int64_t queue(self, int64_t part, int64_t instance, int64_t size, int64_t service) noexcept nogil
    cdef int64_t spend(self, int64_t slot, int64_t part, int64_t instance, int64_t service, int64_t size) noexcept nogil
    @cython.locals(row=int64_t, at=int64_t, now=int64_t, begin=int64_t, end=int64_t, number=int64_t, service=int64_t)
    cdef int64_t commit(self, int64_t slot, int64_t part, int64_t instance) noexcept nogil
    cdef int64_t start(self, int64_t part, int64_t instance) noexcept nogil
    cdef int64_t kept_at(self, int64_t part, int64_t instance, int64_t width) noexcept nogil
    cdef int64_t free_at(self, int64_t instance) noexcept nogil
    cdef int64_t sum_of(self, int64_t part, int64_t one, int64_t other) noexcept nogil
    cdef int64_t transfer(self, int64_t part, int64_t size, double ns_per_byte) noexcept nogil
    @cython.locals(bits=uint64_t, key=uint64_t)
    cdef double draw(self, int64_t part, int64_t instance) noexcept nogil
