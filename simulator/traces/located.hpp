// The call that is being read: the descriptors, open files and names that it is about.
#pragma once

#include <string>

#include "simulator/traces/arguments.hpp"
#include "simulator/traces/links.hpp"
#include "simulator/traces/tables.hpp"

namespace nwtsim {

// What a call is about, as far as its first part says: kept while other lines come between.
struct Subject {
    i64 fd = -1;
    i32 file = -1, file2 = -1;  // Open files.
    i32 name = -1, name2 = -1;
    i32 kind = UNSAID;
};

// What a process has that makes calls.
struct Caller {
    i32 table = -1;  // Of descriptors.
    i32 place = -1;  // Its working directory.
    i32 group = -1;  // The process that it is a thread of.
};

class Located : public Subject {
  public:
    explicit Located(Names& kinds) : arguments(text, names, kinds) {}

    Text text;
    Paths names;
    Files files;
    Tables tables{files};
    Arguments arguments;
    Links links{names};

    Spec spec;                 // Of the call.
    Caller* caller = nullptr;  // Who makes it.
    i32 flags = -1;
    i64 offset = ABSENT, offset2 = ABSENT, requested = ABSENT;
    i64 submitted = 0;

    i64 root_calls = 0;  // By names in a root directory that is not known.

    // Another call, of which nothing is known yet.
    void clear(const Spec& other, Caller& who, const Subject& known = {}) {
        static_cast<Subject&>(*this) = known;
        spec = other;
        caller = &who;
        flags = -1;
        offset = offset2 = requested = ABSENT;
        submitted = 0;
    }

    // Look up what the call is about; `is_bad`: it is known to fail with EBADF.
    void begin(bool is_bad) {
        if (spec.fd >= 0) {
            fd = descriptor(spec.fd);
            if (fd >= 0) {
                file = look_up(fd, is_bad);
                name = noted(file);
                kind = kind_of(file);
            }
        }
        if (spec.path >= 0) path();
        if (spec.fd2 >= 0) {
            const i64 second = descriptor(spec.fd2);
            if (second >= 0) {
                file2 = look_up(second, is_bad);
                name2 = noted(file2);
            }
        } else if (spec.path2 >= 0) {
            name2 = path_name(spec.path2, spec.dir2, name2);
        }
        if (name >= 0 && file < 0 && resolves_magic() && is_magic(name)) file2 = magic_file();
        files.hold(file);
        files.hold(file2);
        if (is_bad) return;
        if (spec.act == Act::CLOSE && fd >= 0) tables.close(caller->table, fd);
        else if (spec.act == Act::CLOSE_RANGE) close_range();
    }

    // The call is over: it holds no open file any more.
    void release() {
        files.drop(file);
        files.drop(file2);
    }

    // Count a call by a name in a root directory that is not known.
    void count_root() {
        if (roots_) root_calls += names.begins_with(name, UNKNOWN_ROOT) || names.begins_with(name2, UNKNOWN_ROOT);
    }

    // Return the node of the file that the call is about, or -1.
    i32 node() {
        if (file >= 0) return files[file].node;
        if (file2 >= 0) return files[file2].node;
        return name < 0 || is_magic(name) ? -1 : files.node_of(resolved(name, true));
    }

  protected:
    static constexpr Word UNKNOWN_ROOT = "(root ";

    Place& place() { return tables.place(caller->place); }
    bool is_file(i32 one) { return one >= 0 && files[one].kind == kind::FILE; }

    // Return the descriptor at an argument, or -1; the text is then after it.
    i64 descriptor(i64 k) {
        const i64 number = arguments.number(k);
        return number >= 0 && number <= MOST_FD ? number : -1;
    }

    // Return the open file of a descriptor; one of which nothing is known was inherited.
    i32 look_up(i64 number, bool is_bad) {
        i32 found = tables.find(caller->table, number);
        if (found < 0 && !is_bad) {
            found = files.open(kind::INHERITED, -1);
            tables.put(caller->table, number, found, false);
        }
        return found;
    }

    // Return the name of an open file, from the annotation after its number if there is one.
    i32 noted(i32 one) {
        arguments.kind = UNSAID;
        if (arguments.first(text.at) == '<') {
            const i32 noted = arguments.note(text.at, arguments.end());
            if (noted >= 0) {
                if (one >= 0 && files[one].kind == kind::INHERITED) {
                    files[one].kind = noted_kind(kind::INHERITED);
                    files[one].name = noted;
                    if (arguments.kind == kind::FILE) files.attach(one, files.node_of(noted));
                }
                return noted;
            }
        }
        return one >= 0 ? files[one].name : -1;
    }

    // Return the kind of an open file (or UNSAID); the annotation just read knows better.
    i32 kind_of(i32 one) { return noted_kind(one >= 0 ? files[one].kind : UNSAID); }

    // Return the kind by the annotation just read, of what was known to be `known` (or UNSAID). A
    // path says least: it may be that of a directory or of a message queue.
    i32 noted_kind(i32 known) const {
        const i32 noted = arguments.kind;
        if (noted == kind::FILE || noted == kind::DEVICE) {
            const bool is_more = known == kind::DIRECTORY || known == kind::MEMFD || known == kind::MOUNTED || known == kind::MQUEUE;
            return is_more ? known : noted;
        }
        if (noted >= 0) return noted;
        return noted < UNSAID && (known == UNSAID || known == kind::INHERITED) ? if_unknown(noted) : known;
    }

    // -- names ------------------------------------------------------------------------------------

    // Return the name that a name leads to, by the symbolic links that the log has made.
    i32 resolved(i32 one, bool follow) {
        return links.empty() || one < 0 ? one : links.resolve(one, place().root, follow, files.moves);
    }

    // Name a root directory that the log does not tell.
    i32 unknown_root() { return names.add(std::string(UNKNOWN_ROOT) + std::to_string(++roots_) + ")"); }

    // Say whether a name is one of /proc or /dev/fd, which are other files for each process.
    bool is_magic(i32 one) const { return names.begins_with(one, "/proc/") || names.begins_with(one, "/dev/fd/"); }

    // Assign the process a table of descriptors that nobody shares.
    void own_table() {
        const i32 table = caller->table;
        if (!tables.is_shared(table)) return;
        caller->table = tables.copy(table);
        tables.leave(table);
    }

  private:
    i64 roots_ = 0;  // That are not known.

    bool resolves_magic() const {
        return spec.act == Act::OPEN || spec.act == Act::OPENAT2 || spec.act == Act::LINK || spec.act == Act::TRUNCATE
               || spec.act == Act::STAT;
    }

    // Find the name that the path argument gives.
    void path() {
        const i64 i = arguments.place(spec.path);
        if (i < 0) return;
        if (spec.act != Act::SYMLINK) name = path_name(spec.path, spec.dir, name);
        else if (arguments.is_string(spec.path)) name = names.plain(text, i + 1, text.after_string(i, arguments.end()) - 1);
    }

    // Return the name of a path argument; of no path, that of the directory descriptor.
    i32 path_name(i64 k, i64 directory, i32 otherwise) {
        const i64 i = arguments.place(k);
        if (i < 0) return otherwise;
        const bool is_string = arguments.is_string(k);
        const i64 end = is_string ? text.after_string(i, arguments.end()) - 1 : 0;
        if (end <= i + 1) {
            const bool itself = directory >= 0 && ((is_string && end > 0) || arguments.first(i) == 'N');  // "" or NULL
            return itself ? directory_itself(directory) : otherwise;
        }
        if (place().root >= 0 || is_in_root(k)) return rooted_name(k, directory, i + 1, end);
        if (text.bytes[i + 1] != '/') return names.join(base(directory), text, i + 1, end);
        note_where(directory);
        return names.join(-1, text, i + 1, end);
    }

    // Say whether the directory descriptor is the root of openat2's path.
    bool is_in_root(i64 k) const {
        if (spec.act != Act::OPENAT2) return false;
        const i64 how = arguments.place(k + 1);
        return how >= 0 && text.find("RESOLVE_IN_ROOT", how, arguments.end()) >= 0;
    }

    // Return the name of the path in [i, end), in a root directory that is not that of all.
    i32 rooted_name(i64 k, i64 directory, i64 i, i64 end) {
        i32 root = place().root, from = base(directory);
        if (is_in_root(k)) root = from = from >= 0 ? from : unknown_root();
        else if (text.bytes[i] == '/') from = root;
        return names.join_below(root, from, text, i, end);
    }

    // Return the open file that a name like /proc/self/fd/3 leads to, or -1.
    i32 magic_file() {
        const Word path = names.text(name);
        for (const Word head : {Word("/proc/self/fd/"), Word("/proc/thread-self/fd/"), Word("/dev/fd/")}) {
            if (!path.starts_with(head)) continue;
            i64 number = 0;
            const Word shown = path.substr(head.size());
            for (const char c : shown) {
                if (!is_digit(static_cast<u8>(c)) || shown.size() > 9) return -1;
                number = number * 10 + (c - '0');
            }
            const i32 found = shown.empty() ? -1 : tables.find(caller->table, number);
            return is_file(found) ? found : -1;
        }
        return -1;
    }

    // The call is about its directory descriptor; returns the name of that.
    i32 directory_itself(i64 k) {
        const i64 number = descriptor(k);
        if (number < 0) return base(k);
        const i32 found = look_up(number, false);
        const i32 noted_name = noted(found);
        if (fd < 0) {
            fd = number;
            file = found;
            kind = kind_of(found);
        }
        return noted_name;
    }

    // Return the name of the directory that a path is seen from, or -1.
    i32 base(i64 k) {
        const i64 i = arguments.place(k);
        if (i < 0) return place().directory;
        if (arguments.first(i) == 'A') {
            note_where(k);
            return place().directory;
        }
        const i64 number = descriptor(k);
        if (number < 0) return place().directory;  // AT_FDCWD as a number, or nonsense.
        return noted(tables.find(caller->table, number));
    }

    // Take the working directory from `AT_FDCWD</w>`, if an argument is that.
    void note_where(i64 k) {
        const i64 i = arguments.place(k);
        if (arguments.first(i) != 'A' || arguments.first(i + 8) != '<') return;
        const i32 noted = arguments.note(i + 8, arguments.end());
        if (noted >= 0) place().directory = noted;
    }

    // Close descriptors from one to another, or mark them.
    void close_range() {
        const i64 low = arguments.number(0), high = arguments.number(1);
        if (low == ABSENT) return;
        if (arguments.has(2, "UNSHARE")) own_table();
        tables.close_range(caller->table, low, high == ABSENT ? MOST : high, arguments.has(2, "CLOEXEC"));
    }
};

}  // namespace nwtsim
