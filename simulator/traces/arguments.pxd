cimport cython
from libc.stdint cimport int64_t, uint8_t
from simulator.traces.names cimport Names
from simulator.traces.text cimport Text
from simulator.traces.bytesearch cimport find_byte
from simulator.traces.codes cimport *

cdef int64_t MOST, NULL, DEVICE_KIND, MEMFD_KIND
cdef const uint8_t[::1] IOV_LEN, MSG_IOV, ANON, PIPE_NOTE, MEMFD_NOTE, PIDFD_NOTE, SIGNALFD_NOTE, SOCKET_NOTE, DELETED, DEV, SHM, EVENTPOLL


@cython.final
cdef class Arguments:
    cdef public Text text
    cdef public Names files, kinds
    cdef int64_t[::1] tokens
    cdef int64_t row
    cdef public int64_t kind
    cdef int64_t after, epoll, pidfd, signalfd

    cdef void hold(self, int64_t[::1] tokens)
    cdef int64_t place(self, int64_t k) noexcept nogil
    cdef int64_t end(self) noexcept nogil
    @cython.locals(i=int64_t)
    cdef int64_t number(self, int64_t k) noexcept nogil
    @cython.locals(i=int64_t)
    cdef int64_t bracketed(self, int64_t k) noexcept nogil
    @cython.locals(i=int64_t)
    cdef int64_t begins(self, int64_t k, const uint8_t[::1] word, int64_t size) noexcept nogil
    @cython.locals(i=int64_t)
    cdef int64_t has(self, int64_t k, const uint8_t[::1] word, int64_t size) noexcept nogil
    @cython.locals(end=int64_t, c=int64_t)
    cdef int64_t word_end(self, int64_t i) noexcept nogil
    @cython.locals(i=int64_t, end=int64_t, total=int64_t)
    cdef int64_t vector(self, int64_t k) noexcept nogil
    cdef int64_t after_blanks(self, int64_t i, int64_t end) noexcept nogil
    @cython.locals(depth=int64_t, found=int64_t, c=int64_t)
    cdef int64_t field(self, int64_t i, int64_t end, const uint8_t[::1] name) noexcept nogil
    cdef int64_t is_string(self, int64_t i) noexcept nogil
    cdef int64_t note(self, int64_t i, int64_t end) except -2
    @cython.locals(colon=int64_t)
    cdef void other_kind(self, int64_t i, int64_t end) except *
    cdef int64_t anon_kind(self, int64_t i, int64_t end) except -2
    @cython.locals(k=int64_t)
    cdef int64_t path_note(self, int64_t i, int64_t end) except -2
    cdef int64_t is_shared_memory(self, int64_t i, int64_t end) noexcept nogil
