cimport cython
from libc.stdint cimport int64_t, uint64_t
from simulator.mixing cimport pick
from simulator.native.clock cimport NEVER, Clock
from simulator.native.frames cimport Frames
from simulator.native.parts cimport Parts
from simulator.native.tiers cimport Tiers
from simulator.native.wide cimport stretched, times
from simulator.native.writeback cimport WriteBack
from simulator.runtime.streams cimport RecordStreams

@cython.locals(shift=int64_t, high=int64_t, step=int64_t)
cpdef int64_t bin_of(int64_t value) noexcept nogil


cdef class Processes:
    cdef public Tiers tiers
    cdef public WriteBack back
    cdef public Frames frames
    cdef public Clock clock
    cdef public Parts parts
    cdef public RecordStreams streams
    cdef public int64_t[::1] frame
    cdef public int64_t[::1] actor
    cdef public int64_t[::1] process
    cdef public int64_t[::1] phase
    cdef public int64_t[::1] path
    cdef public int64_t[::1] drain
    cdef public int64_t first_copier
    cdef public signed char[::1] kind
    cdef public int[::1] file
    cdef public int64_t[::1] offset
    cdef public int64_t[::1] size
    cdef public int64_t[::1] gap
    cdef public short[::1] column
    cdef public int64_t[::1] file_path
    cdef public double[::1] copy_ns_per_byte
    cdef public int64_t[::1] shared
    cdef public int64_t[::1] failed
    cdef public int64_t[::1] passed
    cdef public int64_t[::1] mark_waiters
    cdef public int64_t[::1] lock
    cdef public int64_t[::1] barrier
    cdef public int64_t[::1] channel
    cdef public int64_t others_column
    cdef public int64_t lock_column
    cdef public int64_t barrier_column
    cdef public int64_t[::1] arrivals
    cdef public int64_t[::1] arrival_times
    cdef public uint64_t[::1] arrival_keys
    cdef public int64_t[::1] factors
    cdef public int64_t[::1] latency_row
    cdef public int64_t[::1] latency
    cdef public int64_t recording
    cdef public int64_t[::1] log
    cdef public int64_t log_count

    @cython.locals(place=int64_t)
    cdef inline int64_t request(self, int64_t slot, int64_t x, int64_t tier, int64_t op, int64_t low, int64_t high) noexcept nogil
    # Callable from Python too, so that no compiler puts it into ``request``, which is to be small.
    @cython.locals(place=int64_t)
    cpdef void find_places(self, int64_t q, int64_t x, int64_t file, int64_t path) noexcept nogil
    @cython.locals(expected=int64_t, how=int64_t)
    cdef inline void move(self, int64_t slot, int64_t x, int64_t op, int64_t low, int64_t high, int64_t bits) noexcept nogil
    cdef void message(self, int64_t slot, int64_t tier, int64_t where, int64_t places, int64_t source, int64_t target, int64_t size) noexcept nogil
    cdef void ask(self, int64_t slot, int64_t x, int64_t op, int64_t first, int64_t count) noexcept nogil
    @cython.locals(size=int64_t)
    cdef int64_t fail(self, int64_t slot, int64_t q) noexcept nogil
    cdef void note(self, int64_t x, int64_t kind, int64_t offset, int64_t size) noexcept nogil
    cdef void write_log(self, int64_t x, int64_t kind, int64_t file, int64_t offset, int64_t size) noexcept nogil
    cdef void count_latency(self, int64_t kind, int64_t value) noexcept nogil
    @cython.locals(count=int64_t, total=int64_t)
    cdef void count_in(self, int64_t row, int64_t value) noexcept nogil
    cdef void more_bytes(self, int64_t slot, int64_t row, int64_t size) noexcept nogil
    cdef void pend(self, int64_t slot, int64_t x, int64_t more) noexcept nogil
    cdef void reach_to(self, int64_t x, int64_t first, int64_t begin, int64_t end) noexcept nogil
    cdef void widen(self, int64_t x, int64_t first, int64_t begin, int64_t end) noexcept nogil
    cdef void count_response(self, int64_t x, int64_t value) noexcept nogil
    @cython.locals(slot=int64_t)
    cdef void wake_all(self, int64_t first) noexcept nogil
    cdef void pass_by(self, int64_t mark) noexcept nogil
    cdef void wait_for_mark(self, int64_t slot, int64_t mark) noexcept nogil
    cdef bint take_lock(self, int64_t slot, int64_t lock) noexcept nogil
    cdef void leave_lock(self, int64_t lock) noexcept nogil
    cdef bint meet(self, int64_t slot, int64_t barrier) noexcept nogil
    cdef void deliver(self, int64_t channel) noexcept nogil
    cdef void wait_for_end(self, int64_t slot, int64_t other) noexcept nogil
    @cython.locals(time=int64_t, gap=int64_t)
    cdef int64_t next_arrival(self, int64_t slot, int64_t x) noexcept nogil
    @cython.locals(row=int64_t)
    cdef void start_copier(self, int64_t x) noexcept nogil
    cdef bint copy_next(self, int64_t slot) noexcept nogil
