// Calls that make descriptors, and what the flags of an open call mean.
#pragma once

#include <unordered_set>

#include "simulator/traces/moving.hpp"

namespace nwtsim {

class Opening : public Moving {
  public:
    using Moving::Moving;

  protected:
    std::unordered_set<i32> unnamed_;  // Names of files that have none.

    // Open a path, if the call did; note its flags.
    void open(i64 value) {
        const i32 bits = spec.act == Act::CREAT ? mode::CREATES | mode::TRUNCATES : flags_at(spec.flags);
        if (value < 0 || value > MOST_FD) return;
        i32 opened = bits & mode::OPENS_DIRECTORY ? kind::DIRECTORY : is_device() ? kind::DEVICE : kind::FILE;
        const i32 noted = result_note();
        if (noted >= 0) {
            name = noted;
            opened = noted_kind(opened);
        } else if (bits & mode::TEMPORARY && opened == kind::FILE) {
            name = unnamed_file();
        }
        fd = value;
        kind = opened;
        const i32 made = files.open(opened, name);
        if (opened == kind::FILE) {
            files[made].position = 0;
            files[made].mode = bits & (mode::APPENDS | mode::SYNCHRONOUS | mode::DIRECT);
            attach(made, bits, noted >= 0);
        }
        tables.put(caller->table, value, made, bits & mode::CLOSES_ON_EXEC);
    }

    // Note the flags of an open call; returns what they mean.
    i32 flags_at(i64 k) {
        i64 i = arguments.place(k);
        if (i >= 0 && spec.act == Act::OPENAT2) {
            i = text.find("flags=", i, arguments.end());
            i = i < 0 ? i : i + 6;
        }
        if (i < 0) return 0;
        flags = flag_words.add_valid(text.bytes + i, arguments.word_end(i) - i);
        while (static_cast<i32>(bits_.size()) <= flags) bits_.push_back(bits_of(flag_words.text(static_cast<i64>(bits_.size()))));
        return bits_[static_cast<size_t>(flags)];
    }

    // Do what a call does that returned a descriptor.
    void make(i64 value) {
        const bool marks = spec.flags >= 0 && arguments.has(spec.flags, "CLOEXEC");
        if (spec.act == Act::DUP || spec.act == Act::DUP2) duplicate(value, marks);
        else if (spec.act == Act::FCNTL) control(value);
        else if (spec.act == Act::MAKE_PAIR) make_pair(marks);
        else if (spec.act == Act::MAKE || (spec.act == Act::SIGNALFD && value != fd))
            make_one(value, marks || spec.flags == ALWAYS_ON_EXEC);
    }

  private:
    std::vector<i32> bits_;  // What flags mean, by the number of their text.
    i64 unnamed_count_ = 0;

    // Return what the flags of an open call mean here.
    static i32 bits_of(Word words) {
        constexpr struct { Word word; i32 bit; } KNOWN[] = {
            {"O_APPEND", mode::APPENDS}, {"O_TRUNC", mode::TRUNCATES}, {"O_DIRECTORY", mode::OPENS_DIRECTORY},
            {"O_CLOEXEC", mode::CLOSES_ON_EXEC}, {"O_CREAT", mode::CREATES}, {"O_EXCL", mode::EXCLUSIVE},
            {"O_TMPFILE", mode::TEMPORARY}, {"O_DIRECT", mode::DIRECT}, {"O_SYNC", mode::SYNCHRONOUS},
            {"O_DSYNC", mode::SYNCHRONOUS},
        };
        i32 bits = 0;
        for (size_t i = 0; i <= words.size();) {
            const size_t end = std::min(words.find('|', i), words.size());
            for (const auto& [word, bit] : KNOWN)
                if (words.substr(i, end - i) == word) bits |= bit;
            i = end + 1;
        }
        return bits;
    }

    // Let a file just opened lead to its node; `is_kernels`: the name needs no resolving.
    void attach(i32 made, i32 bits, bool is_kernels) {
        const bool is_new = bits & mode::CREATES && bits & mode::EXCLUSIVE;
        i32 node = -1;
        if (bits & mode::TEMPORARY) {
            node = files.nameless();
            files.make(node);
        } else if (file2 >= 0 && files[file2].node >= 0) {
            node = files[file2].node;
        } else if (name < 0 || is_magic(name)) {
            node = files.nameless();
        } else {
            const i32 target = is_kernels ? name : resolved(name, !is_new);
            node = is_new ? files.fresh(target) : files.node_of(target);
            if (is_new) files.make(node);
        }
        files.attach(made, node);
        if (bits & mode::TRUNCATES) files.resize(node, 0);
    }

    // Assign a name of its own to a file that has none (O_TMPFILE).
    i32 unnamed_file() {
        std::string whole;
        if (name >= 0) {
            Word folder = names.text(name);
            while (folder.ends_with('/')) folder.remove_suffix(1);
            whole = std::string(folder) + "/";
        }
        const i32 made = names.add(whole + "(unnamed " + std::to_string(++unnamed_count_) + ")");
        unnamed_.insert(made);
        return made;
    }

    // Say whether the name is under /dev, but not among the files of /dev/shm.
    bool is_device() {
        const i32 root = place().root;
        if (name < 0 || (root < 0 && !names.begins_with(name, "/dev/"))) return false;
        Word path = names.text(name);
        const Word folder = root >= 0 ? names.text(root) : Word();
        if (!path.starts_with(folder)) return false;
        path.remove_prefix(folder.size());
        return path.starts_with("/dev/") && path != "/dev/shm" && !path.starts_with("/dev/shm/");
    }

    // Return the name in the annotation of the result, or -1.
    i32 result_note() {
        arguments.kind = UNSAID;
        const Token& token = *arguments.token;
        return text.reads(token.value_at, token.end) ? arguments.note(text.at, token.end) : -1;
    }

    // Let a descriptor lead to a new open file.
    void add(i32 made, i64 number, i32 called, bool on_exec) {
        if (number <= MOST_FD) tables.put(caller->table, number, files.open(made, called), on_exec);
    }

    // Let a second descriptor lead to the open file.
    void duplicate(i64 value, bool on_exec) {
        if (file >= 0 && value != fd && value <= MOST_FD) tables.put(caller->table, value, file, on_exec);
    }

    void make_one(i64 value, bool on_exec) {
        i32 made = spec.makes;
        const i32 noted = result_note();
        if (made < 0) made = kind::SIGNAL;
        if (made == kind::INHERITED) made = noted_kind(made);
        add(made, value, noted, on_exec);
        if (fd >= 0) return;
        fd = value;
        kind = made;
        if (name < 0) name = noted;
    }

    // Note the two descriptors in brackets of pipe or socketpair.
    void make_pair(bool on_exec) {
        i64 i = arguments.place(spec.pair);
        const i64 end = arguments.end();
        if (arguments.first(i) != '[') {
            const Token& token = *arguments.token;
            if (token.other <= 0) return;
            add(spec.makes, token.value, -1, on_exec);  // truss: = 3 [4]
            add(spec.makes, token.other, -1, on_exec);
            return;
        }
        for (int both = 0; both < 2; ++both) {
            i = text.after_spaces(i + 1, end);
            if (!text.reads(i, end) || text.value < 0) return;
            const i64 value = text.value;
            i = text.at;
            add(spec.makes, value, arguments.note(i, end), on_exec);
            if (arguments.first(i) != '<') continue;
            i = text.after_note(i, end);
            if (i < 0) return;
        }
    }

    // Do what fcntl does.
    void control(i64 value) {
        if (arguments.begins(1, "F_DUP")) {
            duplicate(value, arguments.has(1, "CLOEXEC"));
        } else if (arguments.begins(1, "F_SETFD")) {
            const i64 number = arguments.number(2);
            tables.mark(caller->table, fd, arguments.begins(2, "FD_CLOEXEC") || (number != ABSENT && number & 1));
        } else if (arguments.begins(1, "F_SETFL") && file >= 0) {
            i32 bits = files[file].mode & mode::SYNCHRONOUS;  // That stays as it is.
            if (arguments.has(2, "O_APPEND")) bits |= mode::APPENDS;
            if (arguments.has(2, "O_DIRECT")) bits |= mode::DIRECT;
            files[file].mode = bits;
        }
    }
};

}  // namespace nwtsim
