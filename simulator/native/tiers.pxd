cimport cython
from libc.stdint cimport int64_t
from simulator.native.clock cimport Clock
from simulator.native.codes cimport (
    A_PLACE_COUNT, A_PLACES, W_CHILD, W_COUNT, W_EACH, W_HOW, W_LEAD, W_NODE, W_OF, W_ROWS,
    ACTOR, AFTER, AT, BELOW, BLOCKED, BRANCH, BUSY, BYTES, DISK, DOWN, ENTRY, FILE, FORKED, FRESH,
    GO, HIGH, K_END, K_HOLD, K_REQUEST, K_STRIPE, K_WORK, L_BASE, L_LEAD, L_ROWS, LOW, OP, OPEN,
    P_COLUMN, P_FIRST, P_KIND, P_SHARE, P_SERVERS, PARENT, PARENT_SLOT, PLACES, R_READ,
    R_SYNC, R_WRITE, REQUESTS, SHARED, SINCE, STATE, T_ALIGNED, T_BY, T_BY_COUNT, T_CHILD_COUNT, T_CHILDREN,
    T_COUNT, T_DOWN, T_DOWN_A, T_DOWN_B, T_DOWNS, T_EACH, T_ENTRY, T_HEADER, T_KIND, T_NEXT,
    T_PIECES, T_SIZE, T_SLOT, T_UP, T_UP_A, T_UP_B, T_UPS, T_WIDTH, T_WINDOW, T_WITHIN, TIER, UP,
    WAITING,
)
from simulator.native.frames cimport Frames
from simulator.native.parts cimport Parts
from simulator.native.sharing cimport Sharing

cdef int64_t part_below(int64_t offset, int64_t unit, int64_t width, int64_t index) noexcept nogil


@cython.final
cdef class Tiers:
    cdef public Frames frames
    cdef public Clock clock
    cdef public Parts parts
    cdef public Sharing sharing
    cdef public int64_t[::1] frame
    cdef public int64_t[::1] actor
    cdef public int64_t[::1] tier
    cdef public int64_t[::1] hold_part
    cdef public int64_t[::1] hold_slot
    cdef public int64_t[::1] child
    cdef public int64_t[::1] file
    cdef public int64_t[::1] path
    cdef public int64_t[::1] where
    cdef public int64_t[::1] pool
    cdef public int64_t[::1] shares
    cdef public int64_t[::1] chosen
    cdef public int64_t held
    cdef public int64_t slowest
    cdef public int64_t first_branch
    cdef public int64_t width

    cdef int64_t step(self, int64_t slot, int64_t at, int64_t kind) noexcept nogil
    cdef int64_t go_below(self, int64_t at) noexcept nogil
    cdef int64_t stage(self, int64_t slot, int64_t at) noexcept nogil
    cdef int64_t load(self, int64_t at, int64_t tier, int64_t op) noexcept nogil
    @cython.locals(first=int64_t, count=int64_t, one=int64_t, other=int64_t)
    cdef int64_t way(self, int64_t slot, int64_t at, int64_t tier, int64_t down, int64_t size, int64_t low, int64_t high) noexcept nogil
    cdef int64_t instance(self, int64_t at, int64_t hold) noexcept nogil
    @cython.locals(start=int64_t, end=int64_t, more=int64_t, i=int64_t)
    cdef int64_t route(self, int64_t slot, int64_t at, int64_t first, int64_t count, int64_t size, int64_t low, int64_t high) noexcept nogil
    cdef int64_t seek(self, int64_t at, int64_t part, int64_t instance, int64_t low, int64_t high, int64_t spread) noexcept nogil
    cdef int64_t lead(self, int64_t at) noexcept nogil
    @cython.locals(used=int64_t, base=int64_t, volume=int64_t, fixed=bint, end=int64_t, begin=int64_t, held=int64_t, slowest=int64_t)
    cdef int64_t deal(self, int64_t slot, int64_t at, int64_t tier, int64_t first, int64_t count, int64_t size, int64_t low, int64_t high) noexcept nogil
    @cython.locals(disk=bint, step=int64_t, instance=int64_t, end=int64_t, begin=int64_t, volume=int64_t, more=int64_t)
    cdef int64_t deal_one(self, int64_t slot, int64_t at, int64_t tier, int64_t hold, int64_t used, int64_t spread, int64_t lead, int64_t base, int64_t low, int64_t high) noexcept nogil
    @cython.locals(start=int64_t, end=int64_t, more=int64_t, hold=int64_t)
    cdef int64_t piece(self, int64_t at, int64_t tier, int64_t first, int64_t count, int64_t member, int64_t size, int64_t low, int64_t high, int64_t spread) noexcept nogil
    cdef int64_t dealt(self, int64_t at, int64_t tier, int64_t hold, int64_t member) noexcept nogil
    @cython.locals(volume=int64_t, carried=int64_t, piece=int64_t, _=int64_t, spread=int64_t)
    cdef int64_t divide(self, int64_t size, int64_t stripes, int64_t used) noexcept nogil
    cdef int64_t work(self, int64_t slot, int64_t at) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t)
    cdef int64_t pool_step(self, int64_t slot, int64_t at) noexcept nogil
    cdef void hand_over(self, int64_t at, int64_t instance, int64_t row) noexcept nogil
    @cython.locals(whole=bint)
    cdef int64_t request(self, int64_t slot, int64_t at) noexcept nogil
    cdef int64_t cut(self, int64_t tier, int64_t low, int64_t size) noexcept nogil
    cdef void next_piece(self, int64_t slot, int64_t at, int64_t tier, int64_t size) noexcept nogil
    cdef int64_t open_window(self, int64_t slot, int64_t at, int64_t tier, int64_t size) noexcept nogil
    cdef int64_t branch(self, int64_t slot, int64_t at, int64_t index) noexcept nogil
    cdef int64_t end_branch(self, int64_t slot) noexcept nogil
    @cython.locals(place=int64_t, member=int64_t)
    cdef void place(self, int64_t at, int64_t path, int64_t node) noexcept nogil
    @cython.locals(number=int64_t)
    cdef void decide(self, int64_t at, int64_t tier, int64_t member) noexcept nogil
    cdef int64_t target(self, int64_t at, int64_t tier, int64_t index) noexcept nogil
    cdef int64_t forward(self, int64_t at) noexcept nogil
    @cython.locals(unit=int64_t, width=int64_t, low=int64_t, high=int64_t, index=int64_t, sync=bint, one=bint)
    cdef int64_t stripe(self, int64_t slot, int64_t at) noexcept nogil
