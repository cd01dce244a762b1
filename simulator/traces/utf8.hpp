// UTF-8, as Python decodes it with `backslashreplace`.
#pragma once

#include <string>

#include "simulator/traces/number.hpp"

namespace nwtsim {

// Return how many bytes the character at `p` has, 0 if the `size` bytes there begin with none.
inline i64 utf8_length(const u8* p, i64 size) {
    const u8 c = p[0];
    if (c < 0x80) return 1;
    const i64 length = c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    if (!length || length > size) return 0;
    for (i64 k = 1; k < length; ++k)
        if ((p[k] & 0xC0) != 0x80) return 0;
    const u8 next = p[1];
    const bool wrong = (c == 0xE0 && next < 0xA0) || (c == 0xED && next > 0x9F)  // Too long; half a pair.
                       || (c == 0xF0 && next < 0x90) || (c == 0xF4 && next > 0x8F);  // Beyond all characters.
    return wrong ? 0 : length;
}

// Return bytes as UTF-8; those that are none are shown as \xNN.
inline std::string shown_as_utf8(const u8* bytes, i64 size) {
    constexpr char HEX[] = "0123456789abcdef";
    std::string shown;
    for (i64 i = 0; i < size;) {
        const i64 length = utf8_length(bytes + i, size - i);
        if (length) {
            shown.append(reinterpret_cast<const char*>(bytes + i), static_cast<size_t>(length));
            i += length;
        } else {
            shown += "\\x";
            shown += HEX[bytes[i] >> 4];
            shown += HEX[bytes[i] & 15];
            ++i;
        }
    }
    return shown;
}

}  // namespace nwtsim
