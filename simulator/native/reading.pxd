cimport cython
from libc.stdint cimport int64_t
from simulator.native.blocks cimport Blocks
from simulator.native.clock cimport Clock
from simulator.native.frames cimport Frames
from simulator.native.tiers cimport Tiers
from simulator.native.writeback cimport WriteBack


cdef class Reading:
    cdef public Tiers tiers
    cdef public Frames frames
    cdef public Clock clock
    cdef public WriteBack back
    cdef public Blocks blocks
    cdef public int64_t[::1] tier
    cdef public int64_t[::1] inst
    cdef public int64_t[::1] store
    cdef public int64_t[::1] exists
    cdef public int64_t[::1] frame
    cdef public int64_t[::1] actor
    cdef public int64_t first_reader
    cdef public int64_t files

    @cython.final
    cdef void begin(self, int64_t q) noexcept nogil
    @cython.final
    @cython.locals(block=int64_t, stop=int64_t)
    cdef void first_block(self, int64_t q, int64_t store) noexcept nogil
    @cython.final
    cdef bint next_extent(self, int64_t q, int64_t store) noexcept nogil
    @cython.final
    @cython.locals(down=bint, passed=int64_t, stage=int64_t, step=int64_t)
    cdef int64_t enter(self, int64_t slot, int64_t q, int64_t low, int64_t high, int64_t until) noexcept nogil
    @cython.final
    @cython.locals(down=bint)
    cdef int64_t pass_entry(self, int64_t slot, int64_t q, int64_t low, int64_t high) noexcept nogil
    @cython.final
    @cython.locals(last=bint)
    cdef int64_t read(self, int64_t slot, int64_t q) noexcept nogil
    @cython.final
    cdef int64_t look(self, int64_t slot, int64_t q, int64_t at, int64_t store) noexcept nogil
    @cython.final
    cdef int64_t goes_on(self, int64_t q, int64_t index, int64_t store) noexcept nogil
    @cython.final
    cdef void count(self, int64_t q, int64_t at, int64_t index, int64_t b) noexcept nogil
    @cython.final
    @cython.locals(index=int64_t, b=int64_t, before=int64_t)
    cdef int64_t fetch_row(self, int64_t slot, int64_t q, int64_t at, int64_t store) noexcept nogil
    @cython.final
    cdef void begin_fetch(self, int64_t b, int64_t store, int64_t f, int64_t flags, int64_t before) noexcept nogil
    @cython.final
    @cython.locals(low=int64_t, high=int64_t)
    cdef bint fetch_below(self, int64_t slot, int64_t q, int64_t store, int64_t f, int64_t first, int64_t last) noexcept nogil
    @cython.final
    cdef void end_read(self, int64_t q, int64_t at) noexcept nogil
    @cython.final
    @cython.locals(_=int64_t, b=int64_t, after=int64_t)
    cdef void end_fetch(self, int64_t at, int64_t f, int64_t first, int64_t last) noexcept nogil
    @cython.final
    cdef void arrive(self, int64_t f, int64_t b) noexcept nogil
    @cython.final
    @cython.locals(index=int64_t, last=int64_t, b=int64_t, before=int64_t)
    cdef void read_ahead(self, int64_t q, int64_t at, int64_t store) noexcept nogil
    @cython.final
    cdef int64_t end_reader(self, int64_t slot) noexcept nogil
