cimport cython
from libc.stdint cimport int64_t
from simulator.native.blocks cimport Blocks
from simulator.native.clock cimport NEVER, Clock
from simulator.native.frames cimport Frames
from simulator.native.parts cimport Parts
from simulator.native.tiers cimport Tiers

cdef int64_t ONE, MOST_WORK, LONGEST_NS, CREDIT_NS


@cython.final
cdef class WriteBack:
    cdef public Tiers tiers
    cdef public Frames frames
    cdef public Clock clock
    cdef public Parts parts
    cdef public Blocks blocks
    cdef public int64_t[::1] inst
    cdef public int64_t[::1] store
    cdef public int64_t[::1] frame
    cdef public int64_t[::1] actor
    cdef public int64_t[::1] exists
    cdef public int64_t[::1] worker

    @cython.locals(size=int64_t, there=int64_t)
    cpdef int64_t valid_bytes(self, int64_t store, int64_t file, int64_t index) noexcept nogil
    @cython.locals(row=int64_t, number=int64_t)
    cdef void call_worker(self, int64_t at) noexcept nogil
    cdef int64_t work(self, int64_t slot) noexcept nogil
    @cython.locals(high=int64_t, count=int64_t, before=int64_t)
    cdef void begin_run(self, int64_t slot, int64_t at, int64_t row, int64_t b) noexcept nogil
    cdef int64_t next_of_run(self, int64_t store, int64_t f, int64_t index, int64_t end) noexcept nogil
    @cython.locals(b=int64_t, after=int64_t)
    cdef void end_run(self, int64_t at, int64_t row) noexcept nogil
    @cython.locals(gone=bint)
    cdef void written_back(self, int64_t at, int64_t f, int64_t b) noexcept nogil
    cdef void ask_for(self, int64_t at, int64_t f, int64_t b) noexcept nogil
    cdef bint is_wanted(self, int64_t store, int64_t at, int64_t f, int64_t b) noexcept nogil
    @cython.locals(low=int64_t)
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
    @cython.locals(b=int64_t)
    cdef void queue_oldest(self, int64_t at, int64_t f) noexcept nogil
    cdef void queue_all(self, int64_t f) noexcept nogil
    cdef void close(self, int64_t at, int64_t file) noexcept nogil
    cdef void drop(self, int64_t at, int64_t file) noexcept nogil
    @cython.locals(lowest=int64_t, other=int64_t, store=int64_t, workers=int64_t, first=int64_t, row=int64_t)
    cdef int64_t on_its_way(self, int64_t at, int64_t f, int64_t b) noexcept nogil
    cdef int64_t lower(self, int64_t lowest, int64_t index) noexcept nogil
    cdef int64_t wait(self, int64_t slot, int64_t request, int64_t column, int64_t kind) noexcept nogil
    cdef void resume(self, int64_t slot, int64_t request) noexcept nogil
    cdef int64_t wait_for_block(self, int64_t slot, int64_t request, int64_t b, int64_t column) noexcept nogil
    @cython.locals(slot=int64_t)
    cdef void wake_block(self, int64_t b) noexcept nogil
    @cython.locals(slot=int64_t)
    cdef void wake_syncs(self, int64_t f) noexcept nogil
    @cython.locals(again=bint)
    cdef int64_t wait_for_room(self, int64_t slot, int64_t request, int64_t at, int64_t f) noexcept nogil
    @cython.locals(again=bint)
    cdef int64_t wait_for_limit(self, int64_t slot, int64_t request, int64_t at) noexcept nogil
    cdef void stand(self, int64_t slot, int64_t queue, int64_t again) noexcept nogil
    cdef void pass_turn(self, int64_t request, int64_t at, int64_t f) noexcept nogil
    cdef void offer_room(self, int64_t f) noexcept nogil
    cdef void offer_to(self, int64_t at, int64_t f) noexcept nogil
    cdef void offer_any_room(self, int64_t at) noexcept nogil
    cdef void offer_limit(self, int64_t at) noexcept nogil
