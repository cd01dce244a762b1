from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if defined(__SSE2__) && defined(__GNUC__)
    #include <emmintrin.h>
    #endif
    static inline int64_t nwtsim_find(const uint8_t *p, int byte, int64_t a, int64_t b) {
        const uint8_t *q = b > a ? (const uint8_t *)memchr(p + a, byte, (size_t)(b - a)) : 0;
        return q ? (int64_t)(q - p) : b;
    }
    static inline int64_t nwtsim_hash(const uint8_t *p, int64_t a, int64_t b) {
        uint64_t h = (uint64_t)(b - a) * 0x9E3779B97F4A7C15u, w;
        p += a;
        int64_t n = b - a;
        for (; n > 8; n -= 8, p += 8) {
            memcpy(&w, p, 8);
            h = (h ^ w) * 0xFF51AFD7ED558CCDu;
            h ^= h >> 32;
        }
        if (n < 4) {
            w = n ? p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16 : 0;
        } else {
            uint32_t first, last;
            memcpy(&first, p, 4);
            memcpy(&last, p + n - 4, 4);
            w = first | (uint64_t)last << 32;
        }
        h = (h ^ w) * 0xC4CEB9FE1A85EC53u;
        h ^= h >> 29;
        return (int64_t)(h & 0x7FFFFFFFFFFFFFFFu);
    }
    static inline uint64_t nwtsim_differ(const uint8_t *p, const uint8_t *q) {
        uint64_t a, b;
        memcpy(&a, p, 8);
        memcpy(&b, q, 8);
        return a ^ b;
    }
    static inline int nwtsim_same(const uint8_t *p, const uint8_t *q, int64_t n) {
        if (n < 8 || n > 32) return n <= 0 || memcmp(p, q, (size_t)n) == 0;
        uint64_t differ = nwtsim_differ(p, q) | nwtsim_differ(p + n - 8, q + n - 8);
        if (n > 16) differ |= nwtsim_differ(p + 8, q + 8) | nwtsim_differ(p + n - 16, q + n - 16);
        return differ == 0;
    }
    static inline int64_t nwtsim_digits_end(const uint8_t *p, int64_t a, int64_t b) {
        while (a < b && (uint8_t)(p[a] - 48) < 10) a++;
        return a;
    }
    static inline int64_t nwtsim_digits(const uint8_t *p, int64_t a, int64_t b) {
        int64_t value = 0;
        for (; a < b; a++) value = value * 10 + (p[a] - 48);
        return value;
    }
    static inline int64_t nwtsim_six_digits(const uint8_t *p) {
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        uint64_t x = 0;
        uint32_t high;
        uint16_t low;
        memcpy(&high, p, 4);
        memcpy(&low, p + 4, 2);
        x = 0x3030 | (uint64_t)high << 16 | (uint64_t)low << 48;
        if ((x & 0xF0F0F0F0F0F0F0F0u) != 0x3030303030303030u ||
            ((x + 0x0606060606060606u) & 0xF0F0F0F0F0F0F0F0u) != 0x3030303030303030u)
            return -1;
        x = (x & 0x0F0F0F0F0F0F0F0Fu) * 2561 >> 8;
        x = (x & 0x00FF00FF00FF00FFu) * 6553601 >> 16;
        return (int64_t)((x & 0x0000FFFF0000FFFFu) * 42949672960001u >> 32);
    #else
        return nwtsim_digits_end(p, 0, 6) == 6 ? nwtsim_digits(p, 0, 6) : -1;
    #endif
    }
    static inline uint64_t nwtsim_marks(const uint8_t *p, int64_t a, int64_t limit) {
        uint64_t marks = 0;
        int64_t size = limit - a < 64 ? limit - a : 64, k = 0;
    #if defined(__SSE2__) && defined(__GNUC__)
        const __m128i quote = _mm_set1_epi8('"'), comma = _mm_set1_epi8(','),
            angle = _mm_set1_epi8('<'), round = _mm_set1_epi8('('), even = _mm_set1_epi8(-2),
            lower = _mm_set1_epi8(' '), opens = _mm_set1_epi8('{'), closes = _mm_set1_epi8('}');
        for (; k + 16 <= size; k += 16) {
            __m128i x = _mm_loadu_si128((const __m128i *)(p + a + k)), y = _mm_or_si128(x, lower);
            x = _mm_or_si128(
                _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, comma)),
                _mm_or_si128(_mm_cmpeq_epi8(x, angle),
                             _mm_cmpeq_epi8(_mm_and_si128(x, even), round)));
            y = _mm_or_si128(_mm_cmpeq_epi8(y, opens), _mm_cmpeq_epi8(y, closes));
            marks |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_or_si128(x, y)) << k;
        }
    #endif
        for (; k < size; k++) {
            uint8_t c = p[a + k], d = c | 32;
            marks |= (uint64_t)(c == '"' || c == ',' || c == '<' || (c & 254) == '(' || d == '{' ||
                                d == '}') << k;
        }
        return marks;
    }
    static inline int64_t nwtsim_first_bit(uint64_t bits) {
    #if defined(__GNUC__)
        return __builtin_ctzll(bits);
    #else
        int64_t k = 0;
        while (!(bits >> k & 1)) k++;
        return k;
    #endif
    }
    static inline void nwtsim_copy(uint8_t *p, const uint8_t *q, int64_t n) {
        if (n > 0) memmove(p, q, (size_t)n);
    }
    """
    int64_t nwtsim_find(const uint8_t *, int, int64_t, int64_t) noexcept nogil
    int64_t nwtsim_hash(const uint8_t *, int64_t, int64_t) noexcept nogil
    bint nwtsim_same(const uint8_t *, const uint8_t *, int64_t) noexcept nogil
    int64_t nwtsim_digits_end(const uint8_t *, int64_t, int64_t) noexcept nogil
    int64_t nwtsim_digits(const uint8_t *, int64_t, int64_t) noexcept nogil
    int64_t nwtsim_six_digits(const uint8_t *) noexcept nogil
    uint64_t nwtsim_marks(const uint8_t *, int64_t, int64_t) noexcept nogil
    int64_t nwtsim_first_bit(uint64_t) noexcept nogil
    void nwtsim_copy(uint8_t *, const uint8_t *, int64_t) noexcept nogil


cdef inline int64_t find_byte(const uint8_t[::1] data, int byte, int64_t start, int64_t end) noexcept nogil:
    return nwtsim_find(&data[0], byte, start, end)

cdef inline uint64_t marks_at(const uint8_t[::1] data, int64_t start) noexcept nogil:
    return nwtsim_marks(&data[0], start, data.shape[0])

cdef inline int64_t first_bit(uint64_t bits) noexcept nogil:
    return nwtsim_first_bit(bits)

cdef inline int64_t digits_end(const uint8_t[::1] data, int64_t start, int64_t end) noexcept nogil:
    return nwtsim_digits_end(&data[0], start, end)

cdef inline int64_t digits(const uint8_t[::1] data, int64_t start, int64_t end) noexcept nogil:
    return nwtsim_digits(&data[0], start, end)

cdef inline int64_t six_digits(const uint8_t[::1] data, int64_t start, int64_t end) noexcept nogil:
    return nwtsim_six_digits(&data[0] + start) if start + 6 <= end else -1

cdef inline int64_t hash_bytes(const uint8_t[::1] data, int64_t start, int64_t end) noexcept nogil:
    return nwtsim_hash(&data[0], start, end)

cdef inline bint same_bytes(const uint8_t[::1] left, int64_t start, const uint8_t[::1] right, int64_t other, int64_t size) noexcept nogil:
    return nwtsim_same(&left[0] + start, &right[0] + other, size)

cdef inline void copy_bytes(uint8_t[::1] target, int64_t at, const uint8_t[::1] source, int64_t start, int64_t end) noexcept nogil:
    nwtsim_copy(&target[0] + at, &source[0] + start, end - start)

cdef inline void move_bytes(const uint8_t[::1] data, int64_t at, int64_t start, int64_t end) noexcept nogil:
    nwtsim_copy(<uint8_t *>&data[0] + at, &data[0] + start, end - start)

cdef inline bytes cut_bytes(const uint8_t[::1] data, int64_t start, int64_t end):
    return (<const char *>&data[0])[start:end]
