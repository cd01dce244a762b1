// What calls do: to descriptors, names, positions and sizes, by the rules of docs/traces.md.
//
// A call is *begun*: its descriptors and names are looked up, and what it closes is closed; and
// *ended*: what it returned moves positions and makes descriptors. Between the two it holds its open
// files. The class is cut by what a call is about, each part on the one before: `located`, `moving`,
// `opening` and, here, what changes something else.
#pragma once

#include <map>

#include "simulator/traces/opening.hpp"

namespace nwtsim {

// Calls that move data and are not read: how many succeeded, and how many bytes.
struct UnreadCalls {
    i64 calls = 0, bytes = 0;
    i64 unsized_calls = 0;  // That do not say how many bytes.
};

class Calls : public Opening {
  public:
    using Opening::Opening;

    // What a log cannot say.
    i64 mapped_calls = 0, mapped_bytes = 0;
    i64 ring_calls = 0, ring_submitted = 0;
    std::map<i64, UnreadCalls> unread;  // By the number of the call.

    // Another log begins, of another world.
    void forget() {
        files.forget();
        links.forget();
        unnamed_.clear();
    }

    // Do what the call did, and find the numbers of its row.
    void end(i64 call) {
        const i64 value = arguments.token->has_value() ? arguments.token->value : -1;
        note_request();
        if (spec.act == Act::OPEN || spec.act == Act::OPENAT2 || spec.act == Act::CREAT) {
            open(value);
        } else if (value >= 0 && spec.act != Act::DO_NOTHING) {
            if (spec.act <= Act::LLSEEK) {
                note_mode();
                move(value);
            } else if (spec.act <= Act::SIGNALFD) {
                make(value);
            } else {
                change(call, value);
            }
        }
    }

    // The call never returns: of its row, note what its first part says.
    void lose() {
        note_request();
        if (spec.act == Act::OPEN || spec.act == Act::OPENAT2) flags_at(spec.flags);
        change_anything();
    }

    // The log does not tell what a call has done that may change sizes and names.
    void change_anything() {
        if (kind != UNSAID && kind != kind::FILE && kind != kind::INHERITED) return;
        switch (spec.act) {
        case Act::WRITE: case Act::PWRITE: case Act::PWRITEV2: case Act::SENDFILE: case Act::COPY: case Act::OPEN:
        case Act::OPENAT2: case Act::CREAT: case Act::TRUNCATE: case Act::URING: case Act::IOCTL: case Act::ALLOCATE:
            files.change_any();
            break;
        case Act::UNLINK: case Act::RENAME: case Act::LINK: case Act::SYMLINK: case Act::MOUNT: ++files.moves; break;
        default: break;
        }
    }

    // Make a request of `io_submit` the call whose row is next; false if it is not all shown.
    bool take_request(Request what, i64 i) {
        const bool moves = what < Request::SYNC;
        const i64 amount = moves ? arguments.request_bytes(i) : 0;
        const i64 at = arguments.field_number(i, "offset="), number = arguments.field_number(i, "fildes=");
        if (number < 0 || (moves && (amount == ABSENT || at == ABSENT))) return false;
        text.reads(arguments.field(i, "fildes="), arguments.end());  // The text is then after it.
        fd = number;
        file = look_up(fd, false);
        name = noted(file);
        kind = kind_of(file);
        flags = -1;
        offset = requested = ABSENT;
        if (moves) {
            requested = amount;
            offset = at;
            move_request(what, i);
        }
        submitted = amount;
        return true;
    }

  private:
    // Do what a call does that succeeded and gives no descriptor.
    void change(i64 call, i64 value) {
        switch (spec.act) {
        case Act::STAT: note_size(); break;
        case Act::EXEC:
            own_table();
            tables.close_on_exec(caller->table);
            break;
        case Act::CHDIR: case Act::FCHDIR: place().directory = name; break;
        case Act::TRUNCATE: truncate(arguments.number(spec.offset)); break;
        case Act::UNLINK: unlink(); break;
        case Act::RENAME: case Act::LINK: case Act::SYMLINK: change_names(); break;
        case Act::CHROOT: change_root(); break;
        case Act::SETNS:
            if (arguments.has(1, "CLONE_NEWNS")) place().root = place().directory = unknown_root();
            break;
        case Act::MOUNT: ++files.moves; break;
        case Act::MMAP:
            if (file < 0) break;
            ++mapped_calls;
            mapped_bytes = plus(mapped_bytes, std::max<i64>(0, arguments.number(1)));
            break;
        case Act::URING:
            files.change_any();
            ++ring_calls;
            ring_submitted = plus(ring_submitted, value);
            break;
        case Act::IOCTL: io_control(); break;
        case Act::UNSHARE: unshare(); break;
        case Act::ALLOCATE: allocate(); break;
        case Act::SUBMIT:
            offset = arguments.number(0);
            submitted = value;
            break;
        case Act::CONTEXT: offset = arguments.number(0); break;
        case Act::UNREAD: count_unread(call, value); break;
        case Act::ADVISE: advise(call, value); break;
        default: break;
        }
    }

    // Count a call that moves data which is not read: what it asked for, moved, or shows.
    void count_unread(i64 call, i64 value) {
        i64 amount = value;
        if (spec.bytes >= 0) amount = std::max<i64>(requested, 0);
        else if (kind == kind::SOCKET || kind == kind::INHERITED) amount = message_bytes();  // recvmmsg returns how many messages.
        add_unread(call, amount);
    }

    void add_unread(i64 call, i64 amount) {
        UnreadCalls& known = unread[call];
        ++known.calls;
        if (amount == ABSENT) ++known.unsized_calls;
        else known.bytes = plus(known.bytes, amount);
    }

    // Count a call that asks for reading ahead: as much as it names, up to the end of the file if
    // that is known. Note what other advice is.
    void advise(i64 call, i64 value) {
        if (spec.flags >= 0) {
            flags_at(spec.flags);
            if (!arguments.has(spec.flags, "WILLNEED") && !arguments.has(spec.flags, "POPULATE_READ")) return;
        }
        i64 amount = spec.vector >= 0 ? value : arguments.number(spec.bytes);
        if (spec.offset >= 0) {
            const i64 size = file >= 0 ? files.size_of(file) : ABSENT, start = arguments.number(spec.offset);
            const bool is_known = size != ABSENT && start >= 0;
            const i64 rest = is_known ? std::max<i64>(size - start, 0) : ABSENT;
            if (amount == 0 && spec.flags >= 0) amount = rest;  // posix_fadvise: up to the end.
            else if (is_known) amount = std::min(amount, rest);
        }
        add_unread(call, amount < 0 ? ABSENT : amount);
    }

    // Return the sum of all `msg_len` that the call shows.
    i64 message_bytes() {
        constexpr Word FIELD = "msg_len=";
        i64 total = 0;
        const i64 end = arguments.end();
        i64 i = arguments.place(1);
        if (i >= 0) i = text.find(FIELD, i, end);
        for (; i >= 0; i = text.find(FIELD, i, end)) {
            i += static_cast<i64>(FIELD.size());
            if (text.reads(i, end) && text.value <= MOST - total) total += text.value;
        }
        return total;
    }

    // Do what a request that reads or writes does.
    void move_request(Request what, i64 i) {
        i32 bits = files[file].mode & mode::DIRECT;
        if (what == Request::WRITE || what == Request::WRITEV) {
            bits = files[file].mode;
            bool append = bits & mode::APPENDS;
            const i64 at = arguments.field(i, "rw_flags=");
            if (at >= 0) {
                const i64 stop = arguments.word_end(at);
                append |= text.find("RWF_APPEND", at, stop) >= 0;
                if (text.find("RWF_SYNC", at, stop) >= 0 || text.find("RWF_DSYNC", at, stop) >= 0) bits |= mode::SYNCHRONOUS;
            }
            offset = write_at(offset, requested, append);
        }
        note_flags(bits);
    }

    // Take a regular file's size from what stat found.
    void note_size() {
        i64 i = arguments.place((spec.path >= 0 ? spec.path : spec.fd) + 1);
        if (i < 0) return;
        i = text.find("S_IFREG", i, arguments.end());
        if (i < 0) return;
        i = text.find("_size=", i, arguments.end());
        const i64 size = i < 0 ? ABSENT : arguments.number_at(i + 6);
        const i32 found = size == ABSENT ? -1 : node();
        if (found >= 0) files.learn(found, size);
    }

    // Do what truncate and ftruncate do; to nothing, it is what O_TRUNC does.
    void truncate(i64 size) {
        if (size == 0) flags = flag_words.add("O_TRUNC");
        resize(size);
    }

    // The file that the call is about is given this length, or an unknown one (ABSENT).
    void resize(i64 size) {
        const i32 found = node();
        if (found >= 0) files.resize(found, size);
        else files.change_any();
    }

    void unlink() {
        if (arguments.has(spec.flags, "REMOVEDIR")) flags_at(spec.flags);
        remove_name(resolved(name, false));
        ++files.moves;
    }

    // Do what rename, link and symlink do.
    void change_names() {
        const bool renames = spec.act == Act::RENAME;
        const i32 to = resolved(name2, false), held = file >= 0 ? file : file2;
        const bool exchanges = renames && arguments.has(spec.flags, "EXCHANGE");
        if (exchanges) flags_at(spec.flags);
        if (spec.act == Act::SYMLINK) {
            remove_name(to);
            if (name >= 0 && to >= 0) links.add(to, name, files.moves);
            return;
        }
        if (spec.act == Act::LINK && held >= 0) return name_file(held, to);
        const bool follow = spec.act == Act::LINK && arguments.has(4, "AT_SYMLINK_FOLLOW");
        const i32 from = resolved(name, follow);
        if (from < 0 || to < 0 || is_magic(from)) {
            remove_name(to);
            files.moves += renames;
        } else if (exchanges) {
            remove_name(from);
            remove_name(to);
            ++files.moves;
        } else if (!links.empty() && links.is_link(from, files.moves)) {
            link_link(renames, from, to);
        } else {
            const bool sure = follow || folder_of(from) == folder_of(to);
            if (from != to) links.remove(to);
            files.link(from, to, sure, renames);
        }
    }

    // A name leads nowhere any more.
    void remove_name(i32 one) {
        files.unbind(one);
        links.remove(one);
    }

    // A symbolic link has a second name, or another one.
    void link_link(bool renames, i32 from, i32 to) {
        if (from == to) return;
        remove_name(to);
        files.moves += renames;
        links.copy(from, to, files.moves);
        if (renames) links.remove(from);
    }

    // Return the directory that a name is of.
    Word folder_of(i32 one) const {
        const Word path = names.text(one);
        const size_t slash = path.rfind('/');
        return slash == Word::npos ? Word() : path.substr(0, slash);
    }

    // An open file is given a name (linkat of its descriptor).
    void name_file(i32 held, i32 to) {
        remove_name(to);
        if (to < 0) return;
        if (files[held].node >= 0) files.bind(to, files[held].node);
        if (unnamed_.contains(files[held].name)) files[held].name = name2;
    }

    // Do what chroot and pivot_root do.
    void change_root() {
        const i32 old = place().root;
        i32 root = name;
        if (names.begins_with(root, "/")) root = names.size(root) == 1 ? -1 : root;
        else if (!names.begins_with(root, UNKNOWN_ROOT)) root = unknown_root();
        place().root = root;
        if (spec.path2 < 0) return;
        ++files.moves;  // pivot_root
        const i32 where = place().directory;
        if (where == old || (old < 0 && where >= 0 && names.text(where) == "/")) place().directory = root;
    }

    void io_control() {
        if (arguments.begins(1, "FIOCLEX")) {
            tables.mark(caller->table, fd, true);
        } else if (arguments.begins(1, "FIONCLEX")) {
            tables.mark(caller->table, fd, false);
        } else {
            const i64 i = arguments.place(1);
            if (i >= 0 && text.find("FICLONE", i, arguments.end()) >= 0) resize(ABSENT);
        }
    }

    void unshare() {
        if (arguments.has(0, "CLONE_FILES")) own_table();
        const i32 shared = caller->place;
        if (!arguments.has(0, "CLONE_FS") || place().users <= 1) return;
        caller->place = tables.copy_place(shared);
        tables.leave_place(shared);
    }

    // Do what fallocate does to a file's size.
    void allocate() {
        if (file < 0 || arguments.has(1, "KEEP_SIZE")) return;
        const i64 start = arguments.number(2), size = arguments.number(3);
        if (arguments.number(1) == 0 && start != ABSENT && size != ABSENT) files.reaches(file, plus(start, size));
        else resize(ABSENT);
    }
};

}  // namespace nwtsim
