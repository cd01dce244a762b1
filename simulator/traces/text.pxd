cimport cython
from libc.stdint cimport int64_t, uint8_t, uint64_t
from simulator.traces.bytesearch cimport digits, digits_end, find_byte, first_bit, marks_at, six_digits
from simulator.traces.codes cimport *

cdef int64_t MOST

cdef enum:
    PLAIN = 0
    QUOTE = 1
    COMMA = 2
    OPENS = 3
    CLOSES = 4
    ANGLE = 5

cdef const uint8_t[::1] LARGEST, LARGEST_UNSIGNED


@cython.final
cdef class Text:
    cdef const uint8_t[::1] bytes
    cdef public int64_t[::1] classes, tens, arg
    cdef public int64_t count, value, at, overflow

    cpdef void hold(self, const uint8_t[::1] data)
    @cython.locals(negative=int64_t, start=int64_t, c=int64_t, value=int64_t, size=int64_t)
    cpdef int64_t number(self, int64_t i, int64_t end) noexcept nogil
    @cython.locals(size=int64_t)
    cpdef int64_t long_number(self, int64_t start, int64_t end, int64_t value) noexcept nogil
    @cython.locals(i=int64_t, c=int64_t)
    cpdef int64_t compare(self, int64_t start, int64_t end, int64_t unsigned) noexcept nogil
    @cython.locals(value=int64_t, digits=int64_t, first=int64_t, start=int64_t, c=int64_t)
    cpdef int64_t hexadecimal(self, int64_t i, int64_t end) noexcept nogil
    @cython.locals(value=int64_t, start=int64_t)
    cpdef int64_t octal(self, int64_t i, int64_t end) noexcept nogil
    cpdef int64_t digit(self, int64_t c) noexcept nogil
    cpdef int64_t is_of_name(self, int64_t c) noexcept nogil
    @cython.locals(value=int64_t)
    cpdef int64_t nanoseconds(self, int64_t i, int64_t end) noexcept nogil
    @cython.locals(j=int64_t, k=int64_t)
    cpdef int64_t after_string(self, int64_t i, int64_t end) noexcept nogil
    @cython.locals(depth=int64_t, c=int64_t)
    cpdef int64_t after_note(self, int64_t i, int64_t end) noexcept nogil
    @cython.locals(depth=int64_t, c=int64_t)
    cpdef int64_t after_path_note(self, int64_t i, int64_t end) noexcept nogil
    @cython.locals(c=int64_t)
    cpdef int64_t is_device_note(self, int64_t i) noexcept nogil
    cpdef int64_t ends_note(self, int64_t c) noexcept nogil
    @cython.locals(depth=int64_t, n=int64_t, start=int64_t, c=int64_t, base=int64_t, marks=uint64_t, rest=uint64_t)
    cpdef int64_t split(self, int64_t i, int64_t end, int64_t resumed) noexcept nogil
    @cython.locals(k=int64_t)
    cpdef int64_t holds(self, const uint8_t[::1] word, int64_t size, int64_t i, int64_t end) noexcept nogil
    cpdef int64_t find(self, const uint8_t[::1] word, int64_t size, int64_t i, int64_t end) noexcept nogil
