cimport cython
from libc.stdint cimport int64_t, uint64_t
from simulator.mixing cimport mix, pick
from simulator.native.clock cimport NEVER, Clock
from simulator.native.codes cimport (
    BUSY, BYTES, COMMITS, COMMIT_BEGIN, DISK, D_CAPACITY, D_DRAWN, D_FULL, D_MOUNT, D_SEEK,
    D_TRACK, D_TURN, FREE, P_BITS, P_COLUMN, P_DISK, P_FIRST, P_KIND, P_NOISE, P_OVERHEAD,
    P_SERVER, P_SERVERS, REQUESTS, OF_ACTOR, OF_BYTES, OF_PART,
)
from simulator.native.wide cimport stretched

cdef int64_t DRAW_BITS


@cython.final
cdef class Parts:
    cdef public Clock clock
    cdef public int64_t[::1] spec
    cdef public double[::1] rate
    cdef public int64_t[::1] state
    cdef public int64_t[::1] busy
    cdef public int64_t[::1] disk
    cdef public int64_t[::1] heads
    cdef public int64_t[::1] run_factor
    cdef public int64_t[::1] table
    cdef public uint64_t[::1] key
    cdef public int64_t[::1] factors
    cdef public int64_t columns
    cdef public int64_t[::1] spent
    cdef public int64_t started
    cdef public int64_t timing
    cdef public int64_t[::1] spans
    cdef public int64_t span_count
    cdef public int64_t span_margin

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
    cdef int64_t hold(self, int64_t part, int64_t instance, int64_t server, int64_t start, int64_t size, int64_t service) noexcept nogil
    @cython.locals(start=int64_t)
    cdef int64_t queue(self, int64_t part, int64_t instance, int64_t size, int64_t service) noexcept nogil
    cdef int64_t spend(self, int64_t slot, int64_t part, int64_t instance, int64_t service, int64_t size) noexcept nogil
    @cython.locals(row=int64_t, at=int64_t, now=int64_t, begin=int64_t, end=int64_t, number=int64_t, service=int64_t)
    cdef int64_t commit(self, int64_t slot, int64_t part, int64_t instance) noexcept nogil
    @cython.locals(more=int64_t, turned=int64_t)
    cdef int64_t position(self, int64_t part, int64_t instance, int64_t file, int64_t address, int64_t size, int64_t spread) noexcept nogil
    @cython.locals(more=int64_t, fraction=double)
    cdef int64_t seek_ns(self, int64_t row, int64_t distance) noexcept nogil
    @cython.locals(bits=uint64_t, key=uint64_t, draw=double, delay=int64_t)
    cdef int64_t rotation_ns(self, int64_t row, int64_t part, int64_t instance) noexcept nogil
