cimport cython
from libc.stdint cimport int64_t
from simulator.engine.native.clienttable cimport ClientTable

cdef int64_t READY, BLOCKED, ENDED
cdef int64_t START, COMPUTED, PACKED, CROSSED, CALLED, UNIT, MOVED, FLUSHED
cdef int64_t NFS_A, NFS_B, NFS_C, NFS_D, NFS_E, PRINTED, LISTED, AWAITED
cdef int64_t WORK_READ, WORK_WRITE, WORK_COMPUTE, WORK_CALLS
cdef int64_t SCFS, NFS, POSIX
cdef int64_t SEEK, READ, WRITE
cdef int64_t OPEN, CLOSE, PASS, WAIT, PAUSE
cdef int64_t MARK
cdef int64_t NO_LIMIT


@cython.final
cdef class Clients(ClientTable):
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
    @cython.locals(size=int64_t, moves=int64_t, service=int64_t, whole=int64_t)
    cpdef bint call(self, int64_t c) noexcept nogil
    @cython.locals(end=int64_t, offset=int64_t, size=int64_t)
    cpdef void note_call(self, int64_t c) noexcept nogil
    cpdef void note_now(self, int64_t c, int64_t kind, int64_t size) noexcept nogil
    @cython.locals(row=int64_t, kind=int64_t, pe=int64_t, file=int64_t)
    cpdef int64_t take_listed(self, int64_t c) noexcept nogil
    @cython.locals(file=int64_t)
    cpdef void be_at(self, int64_t c, int64_t row) noexcept nogil
    @cython.locals(row=int64_t, kind=int64_t, size=int64_t, end=int64_t)
    cpdef void end_listed(self, int64_t c) noexcept nogil
    @cython.locals(waited=int64_t)
    cpdef int64_t awaited(self, int64_t c) noexcept nogil
    cpdef int64_t moved_on(self, int64_t c) noexcept nogil
    @cython.locals(size=int64_t, pes=int64_t, row=int64_t, rank=int64_t, share=int64_t, pe=int64_t, service=int64_t)
    cpdef int64_t exchange(self, int64_t c) noexcept nogil
    @cython.locals(row=int64_t, master=int64_t, other=int64_t)
    cpdef int64_t packed(self, int64_t c) noexcept nogil
    @cython.locals(row=int64_t, pe=int64_t, service=int64_t, time=int64_t)
    cpdef int64_t crossed(self, int64_t c) noexcept nogil
    @cython.locals(first=int64_t, port=int64_t)
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
