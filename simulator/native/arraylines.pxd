cimport cython
from libc.stdint cimport int64_t
from simulator.native.calendars cimport NO_END, Calendars
from simulator.native.clock cimport Clock
from simulator.native.parts cimport Parts
from simulator.native.wide cimport divided


cdef class ArrayLines:
    cdef public Parts parts
    cdef public Clock clock
    cdef public int64_t[::1] row
    cdef public int64_t[::1] disk
    cdef public Calendars failing
    cdef public Calendars slow
    cdef public int64_t own
    cdef public int64_t part
    cdef public int64_t first
    cdef public int64_t end
    cdef public int64_t begun
    cdef public int64_t reader

    @cython.locals(number=int64_t, row=int64_t)
    cdef int64_t look(self, int64_t part, int64_t instance) noexcept nogil
    cdef int64_t number(self, int64_t field) noexcept nogil
    @cython.locals(parities=int64_t)
    cdef int64_t columns(self) noexcept nogil
    @cython.locals(parities=int64_t, disks=int64_t, number=int64_t)
    cdef int64_t disk_of(self, int64_t row, int64_t column) noexcept nogil
    @cython.locals(disks=int64_t)
    cdef int64_t parity_of(self, int64_t row, int64_t number) noexcept nogil
    cdef int64_t transfer(self, int64_t size) noexcept nogil
    @cython.locals(gap=int64_t, idle=int64_t, move=int64_t, passed=int64_t, more=int64_t, service=int64_t, end=int64_t, number=int64_t)
    cdef int64_t access(self, int64_t disk, int64_t start, int64_t low, int64_t high, int64_t again) noexcept nogil
    @cython.locals(disk=int64_t, skips=int64_t, whole=int64_t, first=int64_t, last=int64_t, line=int64_t, begin=int64_t, end=int64_t)
    cdef void spans(self, int64_t row, int64_t low, int64_t high, int64_t writes) noexcept nogil
    @cython.locals(unit=int64_t, whole=int64_t, begin=int64_t, disk=int64_t, at=int64_t, other=int64_t, free=int64_t, later=int64_t, takes=bint)
    cdef void choose(self, int64_t low) noexcept nogil
    cdef bint has(self, int64_t disk, int64_t line) noexcept nogil
    @cython.locals(at=int64_t)
    cdef void use(self, int64_t disk, int64_t field, int64_t line, int64_t low, int64_t high) noexcept nogil
    @cython.locals(unit=int64_t, column=int64_t, last=int64_t, low=int64_t, high=int64_t, disk=int64_t)
    cdef void read_line(self, int64_t row, int64_t line, int64_t begin, int64_t end) noexcept nogil
    @cython.locals(left=int64_t, disk=int64_t)
    cdef void use_sources(self, int64_t field, int64_t line, int64_t low, int64_t high) noexcept nogil
    @cython.locals(unit=int64_t, column=int64_t, last=int64_t, low=int64_t, high=int64_t, disk=int64_t)
    cdef void mirror_line(self, int64_t line, int64_t begin, int64_t end) noexcept nogil
    @cython.locals(unit=int64_t, column=int64_t, first=int64_t, last=int64_t, low=int64_t, high=int64_t, known=int64_t, parities=int64_t)
    cdef void write_line(self, int64_t line, int64_t begin, int64_t end, int64_t field) noexcept nogil
    @cython.locals(unit=int64_t, column=int64_t, low=int64_t, high=int64_t, disk=int64_t, known=int64_t)
    cdef int64_t use_pieces(self, int64_t field, int64_t line, int64_t begin, int64_t end) noexcept nogil
    @cython.locals(column=int64_t, known=int64_t)
    cdef int64_t has_others(self, int64_t line, int64_t first, int64_t last) noexcept nogil
    @cython.locals(found=int64_t, number=int64_t, disk=int64_t)
    cdef int64_t use_parities(self, int64_t field, int64_t line, int64_t low, int64_t high) noexcept nogil
