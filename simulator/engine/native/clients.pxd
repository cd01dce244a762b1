cimport cython
from libc.stdint cimport int64_t
from simulator.engine.native.backing cimport Backing
from simulator.engine.native.clock cimport Clock
from simulator.engine.native.lan cimport FairLan
from simulator.engine.native.ssu cimport Ssu
from simulator.engine.native.stations cimport Stations
from simulator.runtime.streams cimport RecordStreams

cdef int64_t READY, BLOCKED, ENDED
cdef int64_t START, COMPUTED, PACKED, CROSSED, CALLED, UNIT, MOVED, FLUSHED
cdef int64_t NFS_A, NFS_B, NFS_C, NFS_D, NFS_E, PRINTED
cdef int64_t WORK_READ, WORK_WRITE, WORK_COMPUTE
cdef int64_t SCFS, NFS, POSIX
cdef int64_t SEEK, READ
cdef int64_t MARK
cdef int64_t NO_LIMIT


@cython.final
cdef class Clients:
    cdef public Clock clock
    cdef public Stations stations
    cdef public Backing backing
    cdef public Ssu ssu
    cdef public FairLan lan
    cdef public RecordStreams streams
    cdef public double copy_ns_per_byte
    cdef public int64_t ssu_in
    cdef public int64_t ssu_out
    cdef public int64_t ssu_read
    cdef public int64_t ssu_write
    cdef public int64_t cp_in
    cdef public int64_t cp_out
    cdef public int64_t lan_part
    cdef public int64_t lan_fair
    cdef public int64_t server
    cdef public int64_t rpc_size
    cdef public int64_t record_overhead
    cdef public int64_t call_overhead
    cdef public int64_t turn_overhead
    cdef public int64_t[::1] cached_file
    cdef public int64_t[::1] work
    cdef public int64_t[::1] file
    cdef public int64_t[::1] path
    cdef public int64_t[::1] policy
    cdef public int64_t[::1] buffer
    cdef public int64_t[::1] lengths
    cdef public int64_t[::1] compute
    cdef public int64_t[::1] first_phase
    cdef public int64_t[::1] phases
    cdef public int64_t[::1] repeat
    cdef public int64_t[::1] first_pe
    cdef public int64_t[::1] pes
    cdef public int64_t[::1] start
    cdef public int64_t[::1] place
    cdef public int64_t[::1] round
    cdef public int64_t[::1] phase
    cdef public int64_t[::1] began
    cdef public int64_t[::1] moved
    cdef public int64_t[::1] more
    cdef public int64_t[::1] pending
    cdef public int64_t[::1] rank
    cdef public int64_t[::1] share
    cdef public int64_t[::1] at
    cdef public int64_t[::1] end
    cdef public int64_t[::1] index
    cdef public int64_t[::1] cached
    cdef public int64_t[::1] piece
    cdef public int64_t[::1] computed
    cdef public int64_t[::1] ended
    cdef public int64_t[::1] read_bytes
    cdef public int64_t[::1] read_ns
    cdef public int64_t[::1] write_bytes
    cdef public int64_t[::1] write_ns
    cdef public int64_t[::1] printed
    cdef public int64_t[::1] print_row

    @cython.locals(place=int64_t)
    cpdef int64_t step(self, int64_t c) noexcept nogil
    @cython.locals(phase=int64_t, row=int64_t, write=int64_t)
    cpdef int64_t next_phase(self, int64_t c) noexcept nogil
    @cython.locals(row=int64_t, copied=int64_t, time=int64_t)
    cpdef int64_t pump(self, int64_t c) noexcept nogil
    cpdef int64_t flush(self, int64_t c) noexcept nogil
    @cython.locals(row=int64_t, passed=int64_t)
    cpdef int64_t finish_transfer(self, int64_t c) noexcept nogil
    @cython.locals(time=int64_t)
    cpdef int64_t catch_up(self, int64_t c, int64_t place) noexcept nogil
    @cython.locals(transfer=int64_t)
    cpdef int64_t copy_ns(self, int64_t size, int64_t records) noexcept nogil
    @cython.locals(size=int64_t, service=int64_t)
    cpdef void copy(self, int64_t c) noexcept nogil
    @cython.locals(size=int64_t, moves=int64_t, service=int64_t)
    cpdef bint call(self, int64_t c) noexcept nogil
    @cython.locals(size=int64_t, pes=int64_t, row=int64_t, rank=int64_t, share=int64_t, pe=int64_t, service=int64_t)
    cpdef int64_t exchange(self, int64_t c) noexcept nogil
    @cython.locals(row=int64_t, master=int64_t, other=int64_t)
    cpdef int64_t packed(self, int64_t c) noexcept nogil
    @cython.locals(row=int64_t, pe=int64_t, service=int64_t, time=int64_t)
    cpdef int64_t crossed(self, int64_t c) noexcept nogil
    @cython.locals(row=int64_t, first=int64_t, port=int64_t)
    cpdef int64_t issue(self, int64_t c) noexcept nogil
    @cython.locals(file=int64_t, index=int64_t, low=int64_t, high=int64_t, port=int64_t, time=int64_t)
    cpdef int64_t open_unit(self, int64_t c) noexcept nogil
    @cython.locals(index=int64_t, low=int64_t, high=int64_t, file=int64_t)
    cpdef int64_t unit_moved(self, int64_t c) noexcept nogil
    @cython.locals(piece=int64_t)
    cpdef int64_t nfs_piece(self, int64_t c) noexcept nogil
    cpdef int64_t send(self, int64_t c, int64_t size) noexcept nogil
    @cython.locals(file=int64_t, piece=int64_t)
    cpdef int64_t nfs_step(self, int64_t c, int64_t place) noexcept nogil
