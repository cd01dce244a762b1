// Tables of descriptors, which processes share or copy, and their working directories.
//
// A table is a tree of nodes with sixteen entries each: a leaf's are open files, those of other
// nodes are nodes. A fork copies only the root: nodes have several users, and are copied when one of
// these changes them, one by one. Memory grows with the descriptors that differ, not with the
// processes.
#pragma once

#include <array>

#include "simulator/traces/files.hpp"

namespace nwtsim {

// A working directory and a root directory: names, or -1.
struct Place {
    i32 directory = -1, root = -1;
    i32 users = 1;
};

class Tables {
  public:
    explicit Tables(Files& files) : files(files) {}

    Files& files;

    // -- descriptors ------------------------------------------------------------------------------

    // Return the open file of a descriptor, or -1.
    i32 find(i32 table, i64 fd) {
        const i32 entry = entry_of(table, fd);
        return entry >= 0 ? entry >> 1 : -1;
    }

    // Let a descriptor lead to an open file; what it led to before is closed.
    void put(i32 number, i64 fd, i32 file, bool on_exec) {
        files.hold(file);
        if (tables_[number].root < 0) tables_[number].root = nodes_.add({});
        while (fd >> (BITS * tables_[number].height) >= WIDE) raise_root(number);
        int shift = BITS * tables_[number].height;
        i32 node = tables_[number].root = own(tables_[number].root, shift);
        while (shift > 0) {
            const size_t k = digit(fd, shift);
            shift -= BITS;
            i32 below = nodes_[node].entry[k];
            if (below < 0) {
                below = nodes_.add({});
                ++nodes_[node].used;
            } else {
                below = own(below, shift);
            }
            nodes_[node].entry[k] = below;
            node = below;
        }
        i32& entry = nodes_[node].entry[digit(fd, 0)];
        if (entry >= 0) files.drop(entry >> 1);
        else ++nodes_[node].used;
        entry = 2 * file + on_exec;
    }

    // Say whether a descriptor is closed by execve.
    void mark(i32 table, i64 fd, bool on_exec) {
        const i32 entry = entry_of(table, fd);
        if (entry >= 0 && bool(entry & 1) != on_exec) put(table, fd, entry >> 1, on_exec);
    }

    // A descriptor leads nowhere any more.
    void close(i32 number, i64 fd) {
        if (entry_of(number, fd) < 0) return;
        const i32 root = without(tables_[number].root, BITS * tables_[number].height, fd);
        tables_[number].root = root;
        if (root < 0) tables_[number].height = 0;
    }

    // Close all descriptors from low to high, or mark them closed on execve.
    void close_range(i32 table, i64 low, i64 high, bool only_mark) {
        for (i64 fd = following(table, std::max<i64>(0, low)); fd >= 0 && fd <= high; fd = following(table, fd + 1)) {
            if (only_mark) mark(table, fd, true);
            else close(table, fd);
        }
    }

    // Close the descriptors that are marked.
    void close_on_exec(i32 table) {
        for (i64 fd = following(table, 0); fd >= 0; fd = following(table, fd + 1))
            if (entry_of(table, fd) & 1) close(table, fd);
    }

    // -- tables -----------------------------------------------------------------------------------

    // Return an empty table with one user.
    i32 fresh() { return tables_.add({}); }

    // Return a table of its own with the same open files.
    i32 copy(i32 table) {
        Table same = tables_[table];
        if (same.root >= 0) ++nodes_[same.root].users;
        same.users = 1;
        return tables_.add(same);
    }

    void share(i32 table) { ++tables_[table].users; }
    bool is_shared(i32 table) { return tables_[table].users > 1; }

    // One user of a table is no more; with the last, its descriptors are closed.
    void leave(i32 table) {
        if (table < 0 || --tables_[table].users > 0) return;
        if (tables_[table].root >= 0) leave_node(tables_[table].root, BITS * tables_[table].height);
        tables_.free(table);
    }

    // How many nodes there have been at once.
    i64 nodes() const { return nodes_.size(); }

    // -- directories ------------------------------------------------------------------------------

    Place& place(i32 fs) { return places_[fs]; }
    i32 fresh_place(i32 directory) { return places_.add({.directory = directory}); }
    i32 copy_place(i32 fs) {
        Place same = places_[fs];
        same.users = 1;
        return places_.add(same);
    }
    void leave_place(i32 fs) {
        if (fs >= 0 && --places_[fs].users == 0) places_.free(fs);
    }

  private:
    static constexpr int BITS = 4;  // Of a descriptor choose an entry of a node.
    static constexpr i64 WIDE = 1 << BITS;

    // An entry of a leaf is twice an open file, and one more if execve closes it.
    struct Node {
        std::array<i32, WIDE> entry;
        i32 users = 1, used = 0;
        Node() { entry.fill(-1); }
    };
    struct Table {
        i32 root = -1, height = 0;  // A leaf has height 0.
        i32 users = 1;
    };

    Numbered<Node> nodes_;
    Numbered<Table> tables_;
    Numbered<Place> places_;

    static size_t digit(i64 fd, int shift) { return static_cast<size_t>((fd >> shift) & (WIDE - 1)); }

    // Return the entry of a descriptor in its leaf, or -1.
    i32 entry_of(i32 table, i64 fd) {
        i32 node = tables_[table].root;
        int shift = BITS * tables_[table].height;
        if (node < 0 || fd < 0 || fd >> shift >= WIDE) return -1;
        for (; shift > 0; shift -= BITS) {
            node = nodes_[node].entry[digit(fd, shift)];
            if (node < 0) return -1;
        }
        return nodes_[node].entry[digit(fd, 0)];
    }

    // Have room for descriptors with more bits.
    void raise_root(i32 table) {
        Node above;
        above.entry[0] = tables_[table].root;
        above.used = 1;
        tables_[table].root = nodes_.add(above);
        ++tables_[table].height;
    }

    // Return a node like this one without a descriptor, or -1 if it had no other one.
    i32 without(i32 node, int shift, i64 fd) {
        if (nodes_[node].used == 1 && shift == 0) {
            leave_node(node, shift);
            return -1;
        }
        node = own(node, shift);
        const size_t k = digit(fd, shift);
        if (shift > 0) {
            const i32 below = without(nodes_[node].entry[k], shift - BITS, fd);
            nodes_[node].entry[k] = below;
            if (below >= 0) return node;
        } else {
            files.drop(nodes_[node].entry[k] >> 1);
            nodes_[node].entry[k] = -1;
        }
        if (--nodes_[node].used > 0) return node;
        leave_node(node, shift);
        return -1;
    }

    // Return the first descriptor from `fd` on that is open, or -1.
    i64 following(i32 table, i64 fd) {
        if (tables_[table].root < 0) return -1;
        return first_below(tables_[table].root, BITS * tables_[table].height, fd);
    }

    i64 first_below(i32 node, int shift, i64 fd) {
        for (i64 k = fd >> shift; k < WIDE; ++k) {
            const i32 entry = nodes_[node].entry[static_cast<size_t>(k)];
            if (entry < 0) continue;
            if (shift == 0) return k;
            const i64 found = first_below(entry, shift - BITS, std::max<i64>(0, fd - (k << shift)));
            if (found >= 0) return (k << shift) + found;
        }
        return -1;
    }

    // Return a node for one user alone: this one, or a copy of it.
    i32 own(i32 node, int shift) {
        if (nodes_[node].users == 1) return node;
        --nodes_[node].users;
        Node same = nodes_[node];
        same.users = 1;
        for (const i32 entry : same.entry) {
            if (entry < 0) continue;
            if (shift > 0) ++nodes_[entry].users;
            else files.hold(entry >> 1);
        }
        return nodes_.add(same);
    }

    // One user of a node is no more; with the last, what is below it is left too.
    void leave_node(i32 node, int shift) {
        if (--nodes_[node].users > 0) return;
        for (const i32 entry : nodes_[node].entry) {
            if (entry < 0) continue;
            if (shift > 0) leave_node(entry, shift - BITS);
            else files.drop(entry >> 1);
        }
        nodes_.free(node);
    }
};

}  // namespace nwtsim
