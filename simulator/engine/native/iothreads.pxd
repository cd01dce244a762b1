cimport cython
from libc.stdint cimport int64_t
from simulator.engine.native.clock cimport Clock
from simulator.machine.buffercache cimport BufferCache

cdef int64_t AT_BARRIER, BARRIER, CROSSBAR, DISKS, FILE_LOCK, LATER, LOCK, MERGING, NODES
cdef int64_t READ, SEND, START, UNLOCK, WAIT, WRITE
cdef int64_t BLOCKED, ENDED, READY
cdef int64_t BEGIN, NEXT, ACT, LOCKED, MET, AWAITED
cdef int64_t IDLE, SENT, HANDLED, MERGED, ARRIVED, COPIED, REPLIED
cdef int64_t KINDS_OF_TIME


@cython.final
cdef class Network:
    cdef public Clock clock
    cdef public int64_t servers
    cdef public int64_t overhead
    cdef public double ns_per_byte
    cdef public int64_t nodes
    cdef public int64_t[::1] port_free
    cdef public int64_t[::1] port_bytes
    cdef public int64_t[::1] messages
    cdef public int64_t[::1] server_free
    cdef public int64_t[::1] requests
    cdef public int64_t[::1] busy
    cdef public int64_t[::1] spent

    @cython.locals(place=int64_t)
    cpdef void charge(self, int64_t actor, int64_t part, int64_t wait, int64_t service) noexcept
    @cython.locals(place=int64_t, at=int64_t)
    cpdef void clear(self, int64_t actor) noexcept
    @cython.locals(place=int64_t, there=int64_t, at=int64_t)
    cpdef void hand_over(self, int64_t actor, int64_t other) noexcept
    @cython.locals(into=int64_t, start=int64_t, end=int64_t)
    cpdef int64_t cross(self, int64_t actor, int64_t sender, int64_t receiver, int64_t size) noexcept
    @cython.locals(best=int64_t, server=int64_t, start=int64_t)
    cpdef int64_t work(self, int64_t actor, int64_t node, int64_t service) noexcept


@cython.final
cdef class IoEngine:
    cdef public Clock clock
    cdef public Network network
    cdef public list caches
    cdef public int64_t nodes
    cdef public int64_t header
    cdef public int64_t request_ns
    cdef public int64_t piece_ns
    cdef public double copy_ns
    cdef public int64_t[::1] kind
    cdef public int64_t[::1] think
    cdef public int64_t[::1] part
    cdef public int64_t[::1] first
    cdef public int64_t[::1] requests_of
    cdef public int64_t[::1] node
    cdef public int64_t[::1] size
    cdef public int64_t[::1] message
    cdef public int64_t[::1] pieces
    cdef public int64_t[::1] group
    cdef public int64_t[::1] extent
    cdef public int64_t[::1] extents
    cdef public int64_t[::1] group_members
    cdef public int64_t[::1] group_size
    cdef public int64_t[::1] group_more
    cdef public int64_t[::1] group_extent
    cdef public int64_t[::1] group_extents
    cdef public int64_t[::1] gathered
    cdef public int64_t[::1] latest
    cdef public int64_t[::1] home
    cdef public int64_t[::1] row
    cdef public int64_t[::1] end
    cdef public int64_t threads
    cdef public int64_t[::1] place
    cdef public int64_t[::1] since
    cdef public int64_t[::1] open
    cdef public int64_t[::1] started
    cdef public int64_t[::1] ended
    cdef public int64_t[::1] waiter
    cdef public int64_t[::1] request
    cdef public int64_t[::1] writes
    cdef public int64_t[::1] stage
    cdef public int64_t[::1] before
    cdef public int64_t held
    cdef public int64_t[::1] queue
    cdef public int64_t queued
    cdef public int64_t served
    cdef public int64_t members
    cdef public int64_t[::1] here
    cdef public int64_t met

    @cython.locals(actor=int64_t, time=int64_t)
    cpdef bint loop(self, int64_t events) noexcept
    @cython.locals(now=int64_t, place=int64_t, row=int64_t, time=int64_t)
    cpdef int64_t step(self, int64_t thread) noexcept
    cpdef int64_t finish(self, int64_t thread) noexcept
    @cython.locals(kind=int64_t, first=int64_t)
    cpdef int64_t act(self, int64_t thread, int64_t row) noexcept
    cpdef int64_t pause(self, int64_t thread, int64_t place) noexcept
    cpdef void release(self) noexcept
    @cython.locals(at=int64_t)
    cpdef int64_t meet(self, int64_t thread) noexcept
    @cython.locals(first=int64_t, count=int64_t, base=int64_t, request=int64_t, courier=int64_t)
    cpdef int64_t ask(self, int64_t thread, int64_t row, bint write) noexcept
    @cython.locals(courier=int64_t, stage=int64_t, request=int64_t, node=int64_t, home=int64_t, size=int64_t, time=int64_t)
    cpdef int64_t carry(self, int64_t actor) noexcept
    @cython.locals(now=int64_t, stage=int64_t, request=int64_t, group=int64_t, cache=BufferCache, first=int64_t, count=int64_t, asker=int64_t, ready=int64_t)
    cpdef int64_t serve(self, int64_t actor, int64_t courier, int64_t node) noexcept
    cpdef int64_t handling(self, int64_t request) noexcept
    cpdef int64_t working(self, int64_t request, int64_t group) noexcept
    @cython.locals(courier=int64_t)
    cpdef void dismiss(self, int64_t group) noexcept
    cpdef void answer(self, int64_t actor, int64_t thread) noexcept
