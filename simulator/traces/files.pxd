cimport cython
from libc.stdint cimport int32_t, int64_t

cdef int64_t FIRST, NULL


@cython.final
cdef class Files:
    cdef public int64_t[::1] kind, name, position, mode, node, refs, next_free
    cdef public int64_t free, count
    cdef public int64_t[::1] size
    cdef public int32_t[::1] holders, next_node, made
    cdef public int64_t[::1] known_at, bound_at
    cdef public int64_t changes, changer, changed_at, other_changed_at, old_changed_at, moves
    cdef public int64_t free_node, nodes
    cdef public int32_t[::1] bound

    @cython.locals(file=int64_t)
    cpdef int64_t open(self, int64_t kind, int64_t name) except -2
    cpdef void hold(self, int64_t file) noexcept nogil
    cpdef void drop(self, int64_t file) noexcept nogil
    cpdef int64_t grow(self) except -2
    cpdef void attach(self, int64_t file, int64_t node) noexcept nogil
    @cython.locals(node=int64_t)
    cpdef int64_t node_of(self, int64_t name) except -2
    @cython.locals(node=int64_t)
    cpdef int64_t fresh(self, int64_t name) except -2
    cpdef void release(self, int64_t node) noexcept nogil
    cpdef int64_t name_node(self, int64_t name, int64_t node) except -2
    cpdef void unbind(self, int64_t name) noexcept nogil
    cpdef int64_t grow_names(self) except -2
    @cython.locals(node=int64_t)
    cpdef int64_t nameless(self) except -2
    cpdef void bind(self, int64_t name, int64_t node) noexcept nogil
    @cython.locals(node=int64_t)
    cpdef void link(self, int64_t name, int64_t to_name, int64_t sure, int64_t moved) except *
    @cython.locals(name=int64_t)
    cpdef void forget(self) noexcept nogil
    cpdef int64_t size_of(self, int64_t file) noexcept nogil
    @cython.locals(limit=int64_t)
    cpdef int64_t known(self, int64_t node) noexcept nogil
    cpdef void learn(self, int64_t node, int64_t size) noexcept nogil
    cpdef void change(self, int64_t node, int64_t made) noexcept nogil
    cpdef void make(self, int64_t node) noexcept nogil
    cpdef void resize(self, int64_t node, int64_t size) noexcept nogil
    @cython.locals(node=int64_t, size=int64_t)
    cpdef void reaches(self, int64_t file, int64_t end) noexcept nogil
