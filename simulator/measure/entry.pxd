from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    typedef int64_t (*nwtsim_wide)(int64_t, int64_t, int64_t, int64_t, int64_t);
    typedef int (*nwtsim_narrow)(int64_t, int64_t, int64_t, int64_t, int64_t);
    /* An argument too many is in a register that nobody looks at, as int64_t in place of int. */
    static inline int64_t nwtsim_called(int64_t function, int wide, int64_t a, int64_t b, int64_t c,
                                        int64_t d, int64_t e) {
        return wide ? ((nwtsim_wide)(intptr_t)function)(a, b, c, d, e)
                    : ((nwtsim_narrow)(intptr_t)function)(a, b, c, d, e);
    }
    """
    int64_t nwtsim_called(int64_t, bint, int64_t, int64_t, int64_t, int64_t, int64_t) noexcept nogil


cdef inline int64_t called(int64_t function, bint wide, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e) noexcept nogil:
    return nwtsim_called(function, wide, a, b, c, d, e)
