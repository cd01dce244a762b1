cimport cython
from libc.stdint cimport int64_t, uint8_t
from simulator.traces.bytesearch cimport copy_bytes, cut_bytes, find_byte, hash_bytes, same_bytes
from simulator.traces.text cimport Text

cdef int64_t FIRST, FIRST_BYTES, STEP, NUMBER, PART


@cython.final
cdef class Names:
    cdef public int64_t count, odd, few_escapes, root
    cdef public object store
    cdef uint8_t[::1] arena
    cdef public int64_t[::1] starts, slots
    cdef public int64_t mask, room
    cdef public uint8_t[::1] build, raw
    cdef public Text built, undone

    @cython.locals(hashed=int64_t)
    cpdef int64_t find(self, Text text, int64_t start, int64_t end) noexcept nogil
    @cython.locals(slot=int64_t, size=int64_t, name=int64_t, part=int64_t)
    cdef int64_t find_hashed(self, Text text, int64_t start, int64_t end, int64_t hashed) noexcept nogil
    @cython.locals(name=int64_t, at=int64_t, hashed=int64_t)
    cdef int64_t add(self, Text text, int64_t start, int64_t end) except -2
    @cython.locals(name=int64_t)
    cdef int64_t add_valid(self, Text text, int64_t start, int64_t end) except -2
    @cython.locals(slot=int64_t)
    cdef void place(self, int64_t name, int64_t hashed) noexcept nogil
    @cython.locals(name=int64_t, size=int64_t)
    cdef int64_t grow(self) except -2
    cdef int64_t grow_arena(self, int64_t need) except -2
    @cython.locals(whole=Text)
    cpdef int64_t word(self, bytes text) except -2
    @cython.locals(name=int64_t)
    cpdef int64_t join(self, int64_t base, Text text, int64_t start, int64_t end) except -2
    @cython.locals(name=int64_t)
    cdef int64_t join_below(self, int64_t root, int64_t base, Text text, int64_t start, int64_t end) except -2
    @cython.locals(at=int64_t, i=int64_t)
    cdef int64_t is_root(self, int64_t n) noexcept nogil
    @cython.locals(size=int64_t, i=int64_t, name=int64_t)
    cdef int64_t plain(self, Text text, int64_t start, int64_t end) except -2
    @cython.locals(n=int64_t, i=int64_t, c=int64_t, k=int64_t)
    cdef int64_t undo(self, Text text, int64_t start, int64_t end) except -2
    cdef int64_t is_hexadecimal(self, Text text, int64_t i, int64_t end) noexcept nogil
    cdef int64_t control(self, int64_t c) noexcept nogil
    @cython.locals(n=int64_t, absolute=bint, high=int64_t, i=int64_t, first=int64_t)
    cdef int64_t build_name(self, int64_t base, Text text, int64_t start, int64_t end) except -2
    cdef int64_t can_go_up(self, int64_t n) noexcept nogil
    cdef int64_t parent(self, int64_t n) noexcept nogil
    cdef int64_t valid(self, Text text, int64_t size) except -2
    cpdef int64_t shown(self, bytes name) except -2
