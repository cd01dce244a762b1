cimport cython
from libc.stdint cimport int64_t
from simulator.traces.files cimport Files

cdef int64_t FIRST
cdef enum:
    BITS = 4
    WIDE = 16


@cython.final
cdef class Tables:
    cdef public Files files
    cdef public int64_t[::1] entry, users_of, used, next_node
    cdef public int64_t free_node, node_count
    cdef public int64_t[::1] root, height, users, next_table
    cdef public int64_t free_table, table_count
    cdef public int64_t[::1] directory, fs_root, fs_users, next_fs
    cdef public int64_t free_fs, fs_count

    @cython.locals(entry=int64_t)
    cpdef int64_t find(self, int64_t table, int64_t fd) noexcept nogil
    @cython.locals(node=int64_t, shift=int64_t)
    cdef int64_t entry_of(self, int64_t table, int64_t fd) noexcept nogil
    @cython.locals(shift=int64_t, node=int64_t, at=int64_t, below=int64_t)
    cpdef int64_t put(self, int64_t table, int64_t fd, int64_t file, int64_t on_exec) except -2
    @cython.locals(root=int64_t)
    cdef int64_t raise_root(self, int64_t table) except -2
    @cython.locals(entry=int64_t)
    cpdef int64_t mark(self, int64_t table, int64_t fd, int64_t on_exec) except -2
    @cython.locals(root=int64_t)
    cpdef int64_t close(self, int64_t table, int64_t fd) except -2
    @cython.locals(at=int64_t, below=int64_t)
    cdef int64_t without(self, int64_t node, int64_t shift, int64_t fd) except -2
    cpdef int64_t following(self, int64_t table, int64_t fd) noexcept nogil
    @cython.locals(k=int64_t, entry=int64_t, found=int64_t)
    cdef int64_t first_below(self, int64_t node, int64_t shift, int64_t fd) noexcept nogil
    @cython.locals(fd=int64_t)
    cpdef int64_t close_range(self, int64_t table, int64_t low, int64_t high, int64_t only_mark) except -2
    @cython.locals(fd=int64_t)
    cpdef int64_t close_on_exec(self, int64_t table) except -2
    @cython.locals(node=int64_t, k=int64_t)
    cdef int64_t fresh_node(self) except -2
    @cython.locals(new=int64_t, k=int64_t, entry=int64_t)
    cdef int64_t own(self, int64_t node, int64_t shift) except -2
    @cython.locals(k=int64_t, entry=int64_t)
    cdef void leave_node(self, int64_t node, int64_t shift) noexcept nogil
    @cython.locals(table=int64_t)
    cpdef int64_t fresh(self) except -2
    @cython.locals(new=int64_t, root=int64_t)
    cpdef int64_t copy(self, int64_t table) except -2
    cpdef void leave(self, int64_t table) noexcept nogil
    @cython.locals(fs=int64_t)
    cpdef int64_t fresh_fs(self, int64_t directory) except -2
    @cython.locals(new=int64_t)
    cpdef int64_t copy_fs(self, int64_t fs) except -2
    cpdef void leave_fs(self, int64_t fs) noexcept nogil
