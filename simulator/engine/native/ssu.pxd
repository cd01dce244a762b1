cimport cython
from libc.stdint cimport int64_t
from simulator.engine.native.backing cimport Backing
from simulator.engine.native.clock cimport Clock
from simulator.engine.native.stations cimport Stations
from simulator.machine.cache cimport UnitCache

cdef int64_t READY, BLOCKED
cdef int64_t LOOK, FETCH_DISK, FETCH_PATH, UNIT, ROOM, FRESH
cdef int64_t HITS, MISSES, FETCHED, READ_BACK, WRITTEN_BACK, RELEASED
cdef int64_t REWRITES_WAITED, PRESTAGED, CREATED, EVICTED, ACCEPTED_BYTES, OVERWRITTEN_BYTES
cdef int64_t FETCHED_BYTES, READ_BACK_BYTES, WRITTEN_BACK_BYTES, PRESTAGED_BYTES
cdef int64_t COUNTS


@cython.final
cdef class Ssu:
    cdef public Clock clock
    cdef public Stations stations
    cdef public Backing backing
    cdef public UnitCache cache
    cdef public int64_t unit
    cdef public int64_t on_mark
    cdef public int64_t eager
    cdef public int64_t on_close
    cdef public int64_t on_rewrite
    cdef public int64_t high
    cdef public int64_t low
    cdef public int64_t cache_part
    cdef public int64_t writeback_part
    cdef public int64_t[::1] counts
    cdef public int64_t[::1] first_block
    cdef public int64_t[::1] volume_file
    cdef public int64_t[::1] length
    cdef public int64_t[::1] stage
    cdef public int64_t[::1] slot
    cdef public int64_t[::1] waited
    cdef public int64_t[::1] since
    cdef public int64_t[::1] waits_at
    cdef public int64_t[::1] after
    cdef public int64_t[::1] unit_first
    cdef public int64_t[::1] unit_last
    cdef public int64_t[::1] room_first
    cdef public int64_t[::1] room_last
    cdef public int64_t files
    cdef public int64_t first_worker
    cdef public int64_t workers
    cdef public int64_t[::1] idle
    cdef public int64_t[::1] worker_slot
    cdef public int64_t[::1] worker_size

    @cython.locals(loaded=int64_t, index=int64_t, slot=int64_t)
    cpdef int64_t prestage(self, int64_t file) noexcept nogil
    @cython.locals(block=int64_t, slot=int64_t, stage=int64_t, time=int64_t)
    cpdef int64_t open_for_read(self, int64_t actor, int64_t file, int64_t index) noexcept nogil
    @cython.locals(block=int64_t, slot=int64_t, stage=int64_t, valid=int64_t, time=int64_t, forced=int64_t)
    cpdef int64_t open_for_write(self, int64_t actor, int64_t file, int64_t index, int64_t low, int64_t high) noexcept nogil
    @cython.locals(slot=int64_t)
    cpdef void close_write(self, int64_t file, int64_t index, int64_t low, int64_t high) noexcept nogil
    @cython.locals(slot=int64_t)
    cpdef void close(self, int64_t file) noexcept nogil
    @cython.locals(stage=int64_t, slot=int64_t, file=int64_t, offset=int64_t, size=int64_t)
    cpdef int64_t work(self, int64_t worker) noexcept nogil
    @cython.locals(file=int64_t, gone=int64_t)
    cpdef void written_back(self, int64_t slot) noexcept nogil
    cpdef void ask_for(self, int64_t slot, int64_t file) noexcept nogil
    @cython.locals(slot=int64_t)
    cpdef void queue_oldest(self, int64_t file) noexcept nogil
    @cython.locals(worker=int64_t)
    cpdef void call_worker(self) noexcept nogil
    @cython.locals(stage=int64_t, slot=int64_t, wait=int64_t)
    cpdef void resume(self, int64_t actor, int64_t block) noexcept nogil
    cpdef void offer_if_waited(self, int64_t actor, int64_t file) noexcept nogil
    @cython.locals(size=int64_t)
    cpdef int64_t fetch_disk(self, int64_t actor, int64_t file, int64_t index) noexcept nogil
    cpdef int64_t fetch_path(self, int64_t actor, int64_t file, int64_t index) noexcept nogil
    @cython.locals(slot=int64_t)
    cpdef void end_fetch(self, int64_t actor, int64_t file, int64_t index) noexcept nogil
    cpdef int64_t wait_for_unit(self, int64_t actor, int64_t slot, int64_t part) noexcept nogil
    @cython.locals(actor=int64_t)
    cpdef void wake_unit(self, int64_t slot) noexcept nogil
    @cython.locals(first=int64_t)
    cpdef int64_t wait_for_room(self, int64_t actor, int64_t queue, int64_t file) noexcept nogil
    cpdef void offer_room(self, int64_t file) noexcept nogil
    @cython.locals(actor=int64_t)
    cpdef void wake_room(self, int64_t queue) noexcept nogil
    cpdef int64_t valid_bytes(self, int64_t file, int64_t index) noexcept nogil
