// Calls that move bytes: positions of open files, and sizes of files.
#pragma once

#include "simulator/traces/located.hpp"

namespace nwtsim {

class Moving : public Located {
  public:
    using Located::Located;

    Names flag_words;
    i64 append_calls = 0, append_bytes = 0;  // Appended where the file's length is not known.

  protected:
    // Note how many bytes were asked for.
    void note_request() {
        if (spec.act == Act::MMAP || spec.act == Act::ALLOCATE || spec.act == Act::ADVISE) return;
        if (spec.bytes >= 0) requested = arguments.number(spec.bytes);
        else if (spec.vector >= 0) requested = arguments.vector(spec.vector);
    }

    // Move positions: `value` is what the call returned.
    void move(i64 value) {
        const i64 k = spec.offset;
        switch (spec.act) {
        case Act::READ: offset = read(value); break;
        case Act::WRITE: offset = write(file, value, is_appending(file)); break;
        case Act::PREAD: offset = arguments.number(k); break;
        case Act::PWRITE: offset = write_at(arguments.number(k), value, is_appending(file)); break;
        case Act::PREADV2:
            offset = arguments.number(k);
            if (offset == -1) offset = read(value);
            break;
        case Act::PWRITEV2: write_vector(arguments.number(k), value); break;
        case Act::SENDFILE: case Act::COPY: transfer(k, value); break;
        default: seek(k, value);
        }
    }

    // Note which flags of its open file concern a read or write.
    void note_mode() {
        i32 bits = file >= 0 ? files[file].mode : 0;
        switch (spec.act) {
        case Act::READ: case Act::PREAD: case Act::PREADV2: bits &= mode::DIRECT; break;
        case Act::PWRITEV2:
            if (arguments.has(spec.flags, "RWF_SYNC") || arguments.has(spec.flags, "RWF_DSYNC")) bits |= mode::SYNCHRONOUS;
            break;
        case Act::WRITE: case Act::PWRITE: break;
        default: return;
        }
        note_flags(bits);
    }

    // Have the flags of a read or write be those of a mode that concern it.
    void note_flags(i32 bits) {
        constexpr Word TEXTS[] = {"", "O_DSYNC", "O_DIRECT", "O_DSYNC|O_DIRECT"};
        const auto which = static_cast<size_t>((bits & (mode::SYNCHRONOUS | mode::DIRECT)) / mode::SYNCHRONOUS);
        if (!which) return;
        if (flags_of_mode_[which] < 0) flags_of_mode_[which] = flag_words.add(TEXTS[which]);
        flags = flags_of_mode_[which];
    }

    // Say whether writes of an open file go to the end of the file.
    bool is_appending(i32 one) { return one >= 0 && files[one].mode & mode::APPENDS; }

    // Write at an offset, which Linux forgets if the file is open for appending.
    i64 write_at(i64 at, i64 value, bool append) {
        if (!is_file(file)) {
            write_elsewhere(file, value);
            return at;
        }
        if (append) at = files.size_of(file);
        wrote(file, value, end_of(at, value), append);
        return at;
    }

  private:
    i32 flags_of_mode_[4] = {-1, -1, -1, -1};  // Numbers of texts for flags of reads and writes.

    // Move the position of the open file; returns where it was, or ABSENT.
    i64 read(i64 value) {
        if (!is_file(file)) return ABSENT;
        const i64 position = files[file].position;
        files[file].position = end_of(position, value);
        return position;
    }

    // Write at the position of an open file, or at the end; returns where, or ABSENT.
    i64 write(i32 one, i64 value, bool append) {
        if (!is_file(one)) {
            write_elsewhere(one, value);
            return ABSENT;
        }
        const i64 position = append ? files.size_of(one) : files[one].position, end = end_of(position, value);
        files[one].position = end;
        wrote(one, value, end, append);
        return position;
    }

    // Bytes were written to a file, up to `end` if that is known.
    void wrote(i32 one, i64 value, i64 end, bool append) {
        if (value <= 0) return;
        if (append && end == ABSENT) {
            ++append_calls;
            append_bytes = plus(append_bytes, value);
        }
        files.reaches(one, end);
    }

    // Bytes were written, but not to a file that the log has opened: perhaps to any file.
    void write_elsewhere(i32 one, i64 value) {
        if (value > 0 && one >= 0 && files[one].kind == kind::INHERITED) files.change_any();
    }

    // Do what pwritev2 does: an offset of -1 is the position, and there are flags.
    void write_vector(i64 at, i64 value) {
        const bool append = is_appending(file) || arguments.has(spec.flags, "RWF_APPEND");
        offset = at == -1 ? write(file, value, append) : write_at(at, value, append);
    }

    // Move bytes from one open file to another.
    void transfer(i64 k, i64 value) {
        offset = is_null(k) ? read(value) : arguments.bracketed(k);
        if (spec.act == Act::SENDFILE || is_null(spec.offset2)) {
            offset2 = write(file2, value, is_appending(file2));
        } else {
            offset2 = arguments.bracketed(spec.offset2);
            if (value > 0 && file2 >= 0) files.reaches(file2, end_of(offset2, value));
        }
    }

    bool is_null(i64 k) const { return arguments.first(arguments.place(k)) == 'N' || arguments.number(k) == 0; }

    // Set the position of an open file.
    void seek(i64 k, i64 value) {
        if (spec.act == Act::LLSEEK) value = arguments.bracketed(k - 1);
        if (!is_file(file) || value == ABSENT) return;
        files[file].position = offset = value;
        if (!arguments.begins(k, "SEEK_END")) return;
        const i64 by = arguments.number(1);
        if (by != ABSENT && files[file].node >= 0) files.learn(files[file].node, plus(value, -by));
    }
};

}  // namespace nwtsim
