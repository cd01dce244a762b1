cimport cython
from libc.stdint cimport int64_t
from simulator.traces.files cimport Files
from simulator.traces.intmap cimport IntMap

cdef int64_t FIRST, SMALL, TABLE


@cython.final
cdef class Tables:
    cdef public Files files
    cdef public IntMap entries
    cdef public int64_t[::1] small
    cdef public int64_t[::1] fd
    cdef public int64_t[::1] file
    cdef public int64_t[::1] on_exec
    cdef public int64_t[::1] after
    cdef public int64_t[::1] before
    cdef public int64_t free_entry
    cdef public int64_t entry_count
    cdef public int64_t[::1] first
    cdef public int64_t[::1] users
    cdef public int64_t[::1] next_table
    cdef public int64_t free_table
    cdef public int64_t table_count
    cdef public int64_t[::1] directory
    cdef public int64_t[::1] root
    cdef public int64_t[::1] fs_users
    cdef public int64_t[::1] next_fs
    cdef public int64_t free_fs
    cdef public int64_t fs_count

    @cython.locals(entry=int64_t)
    cpdef int64_t find(self, int64_t table, int64_t fd) noexcept nogil
    @cython.locals(entry=int64_t)
    cpdef int64_t put(self, int64_t table, int64_t fd, int64_t file, int64_t on_exec) except -2
    @cython.locals(entry=int64_t)
    cpdef void mark(self, int64_t table, int64_t fd, int64_t on_exec) noexcept nogil
    @cython.locals(entry=int64_t)
    cpdef void close(self, int64_t table, int64_t fd) noexcept nogil
    cpdef void remove(self, int64_t table, int64_t entry) noexcept nogil
    @cython.locals(entry=int64_t, following=int64_t)
    cpdef void close_range(self, int64_t table, int64_t low, int64_t high, int64_t only_mark) noexcept nogil
    @cython.locals(entry=int64_t, following=int64_t)
    cpdef void close_on_exec(self, int64_t table) noexcept nogil
    cpdef int64_t grow(self) except -2
    @cython.locals(table=int64_t)
    cpdef int64_t fresh(self) except -2
    @cython.locals(new=int64_t, entry=int64_t)
    cpdef int64_t copy(self, int64_t table) except -2
    cpdef void leave(self, int64_t table) noexcept nogil
    @cython.locals(fs=int64_t)
    cpdef int64_t fresh_fs(self, int64_t directory) except -2
    @cython.locals(new=int64_t)
    cpdef int64_t copy_fs(self, int64_t fs) except -2
    cpdef void leave_fs(self, int64_t fs) noexcept nogil
