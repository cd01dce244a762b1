// The names of files: paths put together with directories, `.`, `..` and `//` taken out, escapes undone.
#pragma once

#include "simulator/traces/names.hpp"

namespace nwtsim {

class Paths : public Names {
  public:
    bool few_escapes = false;  // truss: \" and \xNN only; other backslashes stand for themselves.

    // Return the name of the path in [start, end), seen from the directory `base` (or -1).
    i32 join(i64 base, const Text& text, i64 start, i64 end) {
        if (find_byte(text.bytes, '\\', start, end) < end) {
            undo(text, start, end);
            return build(base, raw_.data(), static_cast<i64>(raw_.size()));
        }
        const u8* path = text.bytes + start;
        const i64 size = end - start;
        if (!odd_ && (base < 0 || (size && path[0] == '/'))) {
            const i32 name = find(path, size);
            if (name >= 0) return name;  // It stands there as names do: nothing is to be taken out.
        }
        return build(base, path, size);
    }

    // As `join`, for a process with that root directory: `..` does not leave it. A path from the
    // root is to be given with the root as its base.
    i32 join_below(i64 root, i64 base, const Text& text, i64 start, i64 end) {
        undo(text, start, end);
        const u8* path = raw_.data();
        i64 size = static_cast<i64>(raw_.size());
        for (; base == root && size && *path == '/'; ++path) --size;
        root_ = root;
        const i32 name = build(base, path, size);
        root_ = -1;
        return name;
    }

    // As `join_below`, of a whole path without escapes.
    i32 join_plain(i64 root, Word path) {
        root_ = root;
        const i32 name = build(-1, reinterpret_cast<const u8*>(path.data()), static_cast<i64>(path.size()));
        root_ = -1;
        return name;
    }

    // Return the name in [start, end), escapes undone and nothing else.
    i32 plain(const Text& text, i64 start, i64 end) {
        undo(text, start, end);
        const i64 size = static_cast<i64>(raw_.size());
        bool high = false;
        for (const u8 c : raw_) high |= c > 127;
        const i32 name = high ? add(shown_as_utf8(raw_.data(), size)) : add(raw_.data(), size);
        if (build(-1, raw_.data(), size) != name) odd_ = true;
        return name;
    }

  private:
    bool odd_ = false;       // Some name is not as `build` would make it.
    i64 root_ = -1;          // Of the path that is being put together: it has no directory above.
    std::vector<u8> raw_;    // Where escapes are undone.
    std::vector<u8> build_;  // Where a name is put together; `length_` of it are.
    i64 length_ = 0;

    // Undo strace's (or truss's) escapes into `raw_`.
    void undo(const Text& text, i64 start, i64 end) {
        raw_.clear();
        for (i64 i = start; i < end;) {
            const u8 c = text.bytes[i++];
            if (c != '\\') raw_.push_back(c);
            else if (few_escapes) raw_.push_back(few_escaped(text, i, end));
            else raw_.push_back(i < end ? escaped(text, i, end) : c);
        }
    }

    // Return the byte whose escape goes on at `i`, which is moved behind it.
    static u8 few_escaped(const Text& text, i64& i, i64 end) {
        if (i < end && text.bytes[i] == '"') return text.bytes[i++];
        const bool is_hex = i + 2 < end && text.bytes[i] == 'x' && hex_digit(text.bytes[i + 1]) >= 0
                            && hex_digit(text.bytes[i + 2]) >= 0;
        if (!is_hex) return '\\';
        i += 3;
        return two_digits(text.bytes + i - 2);
    }

    static u8 escaped(const Text& text, i64& i, i64 end) {
        const u8 c = text.bytes[i++];
        if (c >= '0' && c <= '7') {
            int value = c - '0';
            for (int k = 0; k < 2 && i < end && text.bytes[i] >= '0' && text.bytes[i] <= '7'; ++k)
                value = value * 8 + text.bytes[i++] - '0';
            return static_cast<u8>(value);
        }
        if (c == 'x' && i + 1 < end && hex_digit(text.bytes[i + 1]) >= 0) {
            i += 2;
            return two_digits(text.bytes + i - 2);
        }
        switch (c) {
        case 'n': return '\n';
        case 't': return '\t';
        case 'r': return '\r';
        case 'v': return '\v';
        case 'f': return '\f';
        case 'a': return '\a';
        case 'b': return '\b';
        case 'e': return 27;
        default: return c;
        }
    }

    static u8 two_digits(const u8* p) { return static_cast<u8>(hex_digit(p[0]) * 16 + hex_digit(p[1])); }

    // Put a directory and a path together.
    i32 build(i64 base, const u8* path, i64 size) {
        bool absolute = size && path[0] == '/';
        length_ = 0;
        if (!absolute && base >= 0) {
            length_ = this->size(base);
            absolute = length_ && bytes(base)[0] == '/';
        }
        const size_t need = static_cast<size_t>(length_ + size + 2);
        if (need > build_.size()) build_.resize(2 * need);
        if (length_) {
            copy_bytes(build_.data(), bytes(base), length_);
            if (length_ == 1 && (absolute || build_[0] == '.')) length_ = 0;  // "/" and "." are nothing before a name.
        }
        u8 high = 0;
        for (i64 i = 0; i < size;) {
            while (i < size && path[i] == '/') ++i;
            const i64 first = i;
            for (; i < size && path[i] != '/'; ++i) high |= path[i];
            add_part(path + first, i - first, absolute);
        }
        if (length_ == 0) build_[static_cast<size_t>(length_++)] = absolute ? '/' : '.';
        return high > 127 ? add(shown_as_utf8(build_.data(), length_)) : add(build_.data(), length_);
    }

    void add_part(const u8* part, i64 size, bool absolute) {
        if (size == 0 || (size == 1 && part[0] == '.')) return;
        if (size == 2 && part[0] == '.' && part[1] == '.') {
            if (root_ >= 0 && text(root_) == built()) return;
            if (can_go_up()) return go_up();
            if (absolute) return;
        }
        if (length_ || absolute) build_[static_cast<size_t>(length_++)] = '/';
        copy_bytes(build_.data() + length_, part, size);
        length_ += size;
    }

    Word built() const { return {reinterpret_cast<const char*>(build_.data()), static_cast<size_t>(length_)}; }

    // Say whether what is built has a last part that is not `..`.
    bool can_go_up() const { return length_ && built() != ".." && !built().ends_with("/.."); }

    void go_up() {
        const size_t slash = built().rfind('/');
        length_ = slash == Word::npos ? 0 : static_cast<i64>(slash);
    }
};

}  // namespace nwtsim
