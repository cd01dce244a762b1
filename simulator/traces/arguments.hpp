// The arguments of one call: numbers, words and annotations at a place, counted from 0.
#pragma once

#include "simulator/traces/paths.hpp"

namespace nwtsim {

constexpr i32 UNSAID = -1;  // No kind of open file.

// A kind that is only that of a file of which nothing else is known; and back.
constexpr i32 if_unknown(i32 kind) { return -2 - kind; }

class Arguments {
  public:
    Arguments(Text& text, Paths& files, Names& kinds) : text(text), files(files), kinds(kinds) {}

    Text& text;
    Paths& files;
    Names& kinds;
    const Token* token = nullptr;  // Whose arguments these are.
    i32 kind = UNSAID;             // What `note` found.

    // Return where an argument begins, or NOWHERE.
    i64 place(i64 k) const {
        return k < 0 || k >= MOST_ARGS || k >= token->count ? NOWHERE : token->arg[static_cast<size_t>(k)];
    }
    i64 end() const { return token->args_end; }
    u8 first(i64 i) const { return i >= 0 && i < end() ? text.bytes[i] : 0; }

    // Return an argument that is a number, else ABSENT.
    i64 number(i64 k) const { return number_at(place(k)); }
    i64 number_at(i64 i) const { return i >= 0 && text.reads(i, end()) ? text.value : ABSENT; }

    // Return the number in `[5]` or `[5] => [9]`, else ABSENT.
    i64 bracketed(i64 k) const {
        const i64 i = place(k);
        return first(i) == '[' ? number_at(i + 1) : ABSENT;
    }

    bool is_string(i64 k) const { return first(place(k)) == '"'; }

    bool begins(i64 k, Word word) const { return text.holds(word, place(k), end()); }

    // Say whether an argument, up to a comma, has a word in it.
    bool has(i64 k, Word word) const {
        const i64 i = place(k);
        return i >= 0 && text.find(word, i, word_end(i)) >= 0;
    }

    // Return where an argument without brackets, or a field of a structure, ends.
    i64 word_end(i64 i) const {
        for (; i < end(); ++i) {
            const u8 c = text.bytes[i];
            if (c == ',' || c == ')' || c == '}' || c == ' ') break;
        }
        return i;
    }

    // Return the sum of all `iov_len` of a vector; ABSENT if not all are shown.
    i64 vector(i64 k) {
        const i64 i = place(k);
        return vector_at(first(i) == '{' ? field(i, "msg_iov=") : i);  // { of a message.
    }

    // Return where the value of a field, whose name may follow `aio_`, begins in the structure at
    // `i`, or NOWHERE. Sets where the structure ends.
    i64 field(i64 i, Word name) {
        if (i < 0) return NOWHERE;
        i64 depth = 0, found = NOWHERE;
        while (i < end()) {
            const u8 c = text.bytes[i];
            if (c == '"' || (c == '<' && text.begins_note(i, end()))) {
                i = c == '"' ? text.after_string(i, end()) : text.after_note(i, end());
                if (i < 0) return NOWHERE;
                continue;
            }
            ++i;
            if (c == '{' || c == '[' || c == '(') {
                ++depth;
            } else if ((c == '}' || c == ']' || c == ')') && --depth == 0) {
                after_ = i;
                return found;
            }
            if (depth == 1 && (c == '{' || c == ',')) {
                i = text.after_spaces(i, end());
                if (text.holds("aio_", i, end())) i += 4;
                if (text.holds(name, i, end())) found = i + static_cast<i64>(name.size());
            }
        }
        return NOWHERE;
    }

    // Return the number that a field of the structure at `i` is, else ABSENT.
    i64 field_number(i64 i, Word name) { return number_at(field(i, name)); }

    // Return where the first of the structures in brackets stands that an argument is, or NOWHERE.
    i64 first_structure(i64 k) const {
        const i64 i = place(k);
        return first(i) == '[' && first(i + 1) == '{' ? i + 1 : NOWHERE;
    }

    // Return where the structure behind the one at `i` stands, or NOWHERE.
    i64 next_structure(i64 i) {
        after_ = NOWHERE;
        field(i, "-");
        if (after_ < 0) return NOWHERE;
        i = text.after_spaces(after_, end());
        if (first(i) != ',') return NOWHERE;
        i = text.after_spaces(i + 1, end());
        return first(i) == '{' ? i : NOWHERE;
    }

    // -- requests of io_submit --------------------------------------------------------------------

    // Return what the request at `i` does.
    Request request(i64 i) {
        i64 at = field(i, "lio_opcode=");
        if (at >= 0) {
            if (text.holds("IOCB_CMD_", at, end())) at += 9;
        } else {  // As older versions write it.
            for (const Word word : {Word("pread"), Word("pwrite"), Word("fsync"), Word("fdsync")})
                at = std::max(at, field(i, word) - static_cast<i64>(word.size()));
        }
        if (at < 0 || at + 7 >= end()) return Request::UNKNOWN;
        const auto letter = [this, at](i64 k) { return text.bytes[at + k] | 32; };
        if (letter(0) == 'p' && letter(1) == 'r') return letter(5) == 'v' ? Request::READV : Request::READ;
        if (letter(0) == 'p' && letter(1) == 'w') return letter(6) == 'v' ? Request::WRITEV : Request::WRITE;
        if (letter(0) == 'f') return letter(1) == 's' ? Request::SYNC : Request::DATASYNC;
        return letter(1) == 'o' ? Request::NOTHING : Request::UNKNOWN;  // POLL, NOOP
    }

    // Return how many bytes the request at `i` asks for, or ABSENT.
    i64 request_bytes(i64 i) {
        const i64 at = field(i, "nbytes=");
        return at >= 0 ? number_at(at) : vector_at(std::max(field(i, "buf="), field(i, "iovec=")));
    }

    // -- annotations (-y) -------------------------------------------------------------------------

    // Return the name in the annotation at `i`, or -1 if there is none. Sets `kind`.
    i32 note(i64 i, i64 end) {
        kind = UNSAID;
        if (i >= end || text.bytes[i] != '<') return -1;
        end = text.after_note(i, end) - 1;
        if (end < 0) return -1;
        ++i;
        if (text.bytes[i] == '/') return path_note(i, end);
        if (text.holds("anon_inode:", i, end)) anon_kind(i + 11, end);
        else if (text.holds("pipe:", i, end)) kind = kind::PIPE;
        else if (text.holds("pid:", i, end)) kind = kind::PIDFD;
        else if (text.holds("signalfd:", i, end)) kind = kind::SIGNAL;
        else other_kind(i, end);
        return files.plain(text, i, end);
    }

  private:
    i64 after_ = NOWHERE;  // Where the structure ends that `field` has looked at.

    // Return the sum of all `iov_len` of the vector at `i`; ABSENT if not all are shown.
    i64 vector_at(i64 i) {
        if (first(i) != '[') return ABSENT;
        i64 total = 0;
        i = text.after_spaces(i + 1, end());
        while (first(i) == '{') {
            const i64 length = number_at(field(i, "iov_len="));
            if (length == ABSENT || length > MOST - total) return ABSENT;
            total += length;
            i = text.after_spaces(after_, end());
            if (first(i) != ',') continue;
            i = text.after_spaces(i + 1, end());
            if (i < end() && first(i) != '{') return ABSENT;
        }
        return first(i) == ']' ? total : ABSENT;
    }

    // Find the kind of a socket (by its protocol, `TCP:[...]`), or of a `net:[4]`.
    void other_kind(i64 i, i64 end) {
        if ((text.bytes[i] >= 'A' && text.bytes[i] <= 'Z') || text.holds("socket:", i, end)) kind = kind::SOCKET;
        else kind = if_unknown(kinds.add_valid(text.bytes + i, find_byte(text.bytes, ':', i, end) - i));
    }

    // Find the kind of an `anon_inode:[eventpoll]`.
    void anon_kind(i64 i, i64 end) {
        if (text.bytes[i] == '[' && text.bytes[end - 1] == ']') {
            ++i;
            --end;
        }
        if (end - i == 9 && text.holds("eventpoll", i, end)) kind = kind::EPOLL;
        else kind = kinds.add_valid(text.bytes + i, std::max<i64>(0, end - i));
    }

    // Return the name in an annotation that begins with a path.
    i32 path_note(i64 i, i64 end) {
        constexpr Word DELETED = " (deleted)";
        const i64 deleted = static_cast<i64>(DELETED.size());
        kind = kind::FILE;
        if (text.bytes[end - 1] == '>') {  // <char 1:3>
            i64 k = end - 1;
            while (k > i && text.bytes[k] != '<') --k;
            if (k > i) {
                end = k;
                kind = kind::DEVICE;
            }
        } else if (text.holds("/dev/", i, end) && !is_shared_memory(i, end)) {
            kind = kind::DEVICE;
        } else if (text.holds("/memfd:", i, end)) {
            kind = kind::MEMFD;
        }
        if (end - i > deleted && text.holds(DELETED, end - deleted, end)) end -= deleted;
        return files.plain(text, i, end);
    }

    // Say whether a path is /dev/shm, whose files are no devices, or below it.
    bool is_shared_memory(i64 i, i64 end) const {
        return text.holds("/dev/shm", i, end) && (end == i + 8 || text.bytes[i + 8] == '/');
    }
};

}  // namespace nwtsim
