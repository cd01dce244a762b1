cimport cython
from libc.stdint cimport int64_t, uint8_t
from simulator.traces.arguments cimport Arguments
from simulator.traces.files cimport Files
from simulator.traces.names cimport Names
from simulator.traces.tables cimport Tables
from simulator.traces.text cimport Text
from simulator.traces.codes cimport *

cdef int64_t MOST, NULL, MOST_FD, APPENDS, TRUNCATES, OPENS_DIRECTORY, CLOSES_ON_EXEC, CREATES, EXCLUSIVE, TEMPORARY, SYNCHRONOUS, DIRECT
cdef const uint8_t[::1] DEV_NAME, PROC_NAME, OUT_NAME, DEV_FD_NAME, IN_ROOT, FOLLOW, NEW_MOUNTS, O_APPEND, CLOEXEC, SEEK_END, RWF_APPEND, O_DIRECT, RWF_SYNC, RWF_DSYNC, F_DUP, F_SETFD, F_SETFL, FD_CLOEXEC, FIOCLEX, FIONCLEX, FICLONE, KEEP_SIZE, EXCHANGE, UNSHARES, S_IFREG, SIZE_FIELD, FLAGS_FIELD, CLONE_FILES, CLONE_FS


@cython.final
cdef class Calls:
    cdef public Arguments arguments
    cdef public Text text
    cdef public Tables tables
    cdef public Files files
    cdef public Names names, flag_words
    cdef public int64_t[::1] bits, specs, table, fs
    cdef public int64_t bits_count
    cdef public int64_t[::1] modes
    cdef public int64_t spec, slot, fd, file, file2, name, name2, kind, offset, offset2, requested
    cdef public int64_t flags, mapped_calls, mapped_bytes, ring_calls, ring_submitted, append_calls
    cdef public int64_t append_bytes, root_calls
    cdef public object links
    cdef public int64_t link_count
    cdef public set unnamed
    cdef public int64_t unnamed_count, root_count

    cdef void clear(self, int64_t call, int64_t slot) noexcept nogil
    @cython.locals(act=int64_t, k=int64_t)
    cdef int64_t begin(self, int64_t is_bad) except -2
    @cython.locals(i=int64_t)
    cdef int64_t descriptor(self, int64_t k) noexcept nogil
    @cython.locals(file=int64_t)
    cdef int64_t look_up(self, int64_t fd, int64_t is_bad) except -2
    @cython.locals(i=int64_t, name=int64_t)
    cdef int64_t noted(self, int64_t file) except -2
    cdef int64_t kind_of(self, int64_t file) except -2
    @cython.locals(kind=int64_t)
    cdef int64_t noted_kind(self, int64_t known) noexcept nogil
    @cython.locals(i=int64_t, end=int64_t)
    cdef void path(self, int64_t k, int64_t directory, int64_t act) except *
    @cython.locals(i=int64_t, end=int64_t)
    cdef int64_t path_name(self, int64_t k, int64_t directory, int64_t otherwise) except -2
    cdef int64_t is_in_root(self, int64_t k) noexcept nogil
    @cython.locals(root=int64_t, base=int64_t)
    cdef int64_t rooted_name(self, int64_t k, int64_t directory, int64_t i, int64_t end) except -2
    cdef int64_t unknown_root(self) except -2
    cdef void count_root(self) noexcept nogil
    @cython.locals(at=int64_t, i=int64_t)
    cdef int64_t begins_with(self, int64_t name, const uint8_t[::1] word, int64_t size) noexcept nogil
    cdef int64_t is_magic(self, int64_t name) noexcept nogil
    @cython.locals(file=int64_t)
    cdef int64_t magic_file(self) except -2
    @cython.locals(root=int64_t)
    cdef int64_t place(self, int64_t name, int64_t follow) except -2
    @cython.locals(fd=int64_t, file=int64_t, name=int64_t)
    cdef int64_t directory_itself(self, int64_t k) except -2
    @cython.locals(i=int64_t, fd=int64_t)
    cdef int64_t base(self, int64_t k) except -2
    @cython.locals(i=int64_t, name=int64_t)
    cdef void note_where(self, int64_t k) except *
    @cython.locals(low=int64_t, high=int64_t)
    cdef void close_range(self) except *
    @cython.locals(table=int64_t)
    cdef int64_t own_table(self) except -2
    @cython.locals(act=int64_t, value=int64_t)
    cdef int64_t end(self) except -2
    cdef void note_request(self, int64_t act) noexcept nogil
    @cython.locals(act=int64_t)
    cdef int64_t lose(self) except -2
    cdef void change_anything(self, int64_t act) noexcept nogil
    @cython.locals(k=int64_t)
    cdef void move(self, int64_t act, int64_t value) noexcept nogil
    @cython.locals(mode=int64_t, k=int64_t)
    cdef void note_mode(self, int64_t act) except *
    @cython.locals(place=int64_t)
    cdef int64_t word_of(self, int64_t mode) except -2
    cdef int64_t is_appending(self) noexcept nogil
    @cython.locals(position=int64_t)
    cdef int64_t read(self, int64_t file, int64_t value) noexcept nogil
    @cython.locals(position=int64_t, end=int64_t)
    cdef int64_t write(self, int64_t file, int64_t value, int64_t append) noexcept nogil
    cdef int64_t write_at(self, int64_t offset, int64_t value, int64_t append) noexcept nogil
    cdef void wrote(self, int64_t file, int64_t value, int64_t end, int64_t append) noexcept nogil
    cdef void write_elsewhere(self, int64_t file, int64_t value) noexcept nogil
    @cython.locals(append=int64_t)
    cdef void write_vector(self, int64_t offset, int64_t value) noexcept nogil
    @cython.locals(append=int64_t)
    cdef void transfer(self, int64_t act, int64_t k, int64_t value) noexcept nogil
    @cython.locals(i=int64_t)
    cdef int64_t is_null(self, int64_t k) noexcept nogil
    @cython.locals(by=int64_t)
    cdef void seek(self, int64_t act, int64_t k, int64_t value) noexcept nogil
    @cython.locals(bits=int64_t, kind=int64_t, name=int64_t, file=int64_t)
    cdef void open(self, int64_t act, int64_t value) except *
    @cython.locals(node=int64_t)
    cdef int64_t attach(self, int64_t file, int64_t bits, int64_t is_kernels) except -2
    @cython.locals(name=int64_t)
    cdef int64_t unnamed_file(self) except -2
    @cython.locals(root=int64_t)
    cdef int64_t is_device(self) except -2
    @cython.locals(i=int64_t, end=int64_t)
    cdef int64_t flags_at(self, int64_t k, int64_t act) except -2
    @cython.locals(i=int64_t)
    cdef int64_t note_bits(self) except -2
    @cython.locals(i=int64_t, end=int64_t)
    cdef int64_t result_note(self) except -2
    cdef int64_t new(self, int64_t kind, int64_t fd, int64_t name, int64_t on_exec) except -2
    @cython.locals(k=int64_t, on_exec=int64_t, kind=int64_t, name=int64_t)
    cdef int64_t make(self, int64_t act, int64_t value) except -2
    @cython.locals(on_exec=int64_t, i=int64_t, end=int64_t, kind=int64_t, value=int64_t, name=int64_t)
    cdef void make_pair(self, int64_t k) except *
    @cython.locals(on_exec=int64_t)
    cdef int64_t control(self, int64_t value) except -2
    @cython.locals(mode=int64_t)
    cdef void set_mode(self, int64_t file) noexcept nogil
    cdef int64_t change(self, int64_t act, int64_t value) except -2
    @cython.locals(end=int64_t, i=int64_t)
    cdef void note_size(self) except *
    cdef int64_t node(self) except -2
    @cython.locals(name=int64_t, name2=int64_t, file=int64_t, follow=int64_t, sure=int64_t)
    cdef void change_names(self, int64_t act) except *
    cdef void remove_name(self, int64_t name) except *
    cdef void link_link(self, int64_t act, int64_t name, int64_t name2) except *
    cdef int64_t are_beside(self, int64_t name, int64_t name2) except -2
    cdef void name_file(self, int64_t file, int64_t name) except *
    @cython.locals(fs=int64_t, old=int64_t, root=int64_t, where=int64_t)
    cdef void change_root(self, int64_t act) except *
    @cython.locals(i=int64_t)
    cdef int64_t resize(self, int64_t size) except -2
    @cython.locals(i=int64_t)
    cdef int64_t io_control(self) except -2
    @cython.locals(fs=int64_t)
    cdef int64_t unshare(self) except -2
    @cython.locals(start=int64_t, size=int64_t)
    cdef void allocate(self) except *
    cdef void release(self) noexcept nogil
