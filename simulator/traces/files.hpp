// Open files, and the files that they lead to.
//
// An *open file* is what a descriptor leads to: a kind, a name, a position. Those opened by one name
// share a *node*, which knows the file's size if the log has said it. A row that nobody holds is
// used again.
//
// Two nodes may be one file all the same, by a link from before the log. So a size that is known is
// forgotten when the length of another node's file may have changed: by counting such *changes*. A
// file that the log itself *made* cannot be one that was there before.
#pragma once

#include "simulator/traces/codes.hpp"
#include "simulator/traces/numbered.hpp"

namespace nwtsim {

struct OpenFile {
    i64 position = ABSENT;
    i32 kind = 0, name = -1, mode = 0, node = -1;
    i32 holders = 0;
};

struct Node {
    i64 size = ABSENT;
    i64 known_at = 0;  // How many changes there had been when the size was learnt.
    i32 holders = 0;
    bool made = false;
};

class Files {
  public:
    i64 moves = 0;  // Files that were renamed or removed.

    OpenFile& operator[](i64 file) { return files_[file]; }

    // -- open files -------------------------------------------------------------------------------

    // Return a new open file, held by nobody yet; its position is unknown.
    i32 open(i32 kind, i32 name) { return files_.add({.kind = kind, .name = name}); }

    // Somebody has the open file too, or no more.
    void hold(i32 file) {
        if (file >= 0) ++(*this)[file].holders;
    }
    void drop(i32 file) {
        if (file < 0 || --(*this)[file].holders > 0) return;
        release((*this)[file].node);
        files_.free(file);
    }

    // -- nodes ------------------------------------------------------------------------------------

    // Let an open file lead to a node.
    void attach(i32 file, i32 node) {
        ++at(node).holders;
        release((*this)[file].node);
        (*this)[file].node = node;
    }

    // Return the node of a name, a new one of unknown size if need be.
    i32 node_of(i32 name) {
        const Bound& bound = bound_to(name);
        return bound.node < 0 || bound.moves != moves ? fresh(name) : bound.node;
    }

    // Let a name lead to a new node.
    i32 fresh(i32 name) {
        const i32 node = nameless();
        bind(name, node);
        return node;
    }

    // Return a new node of unknown size, held by nobody yet.
    i32 nameless() { return nodes_.add({}); }

    // Let a name lead to a node.
    void bind(i32 name, i32 node) {
        ++at(node).holders;
        Bound& bound = bound_to(name);
        release(bound.node);
        bound = {node, moves};
    }

    // A name leads nowhere any more.
    void unbind(i32 name) {
        if (name < 0 || static_cast<size_t>(name) >= bound_.size()) return;
        release(bound_to(name).node);
        bound_to(name).node = -1;
    }

    // A second name leads to what the first one does, which is `moved` or stays as well. `sure`: that
    // is the file itself, and not a symbolic link to it.
    void link(i32 name, i32 to_name, bool sure, bool moved) {
        if (name < 0 || to_name < 0 || name == to_name) return;
        const i32 node = node_of(name);
        ++at(node).holders;
        if (moved) {
            unbind(name);
            ++moves;
        }
        if (sure || at(node).made) bind(to_name, node);
        else unbind(to_name);
        release(node);
    }

    // Another log begins: no name leads anywhere.
    void forget() {
        for (size_t name = 0; name < bound_.size(); ++name) unbind(static_cast<i32>(name));
    }

    // -- sizes and positions ----------------------------------------------------------------------

    // Return the size of the file that an open file leads to, or ABSENT.
    i64 size_of(i32 file) {
        const i32 node = (*this)[file].node;
        return node >= 0 ? known(node) : ABSENT;
    }

    // Return the size of a node's file, or ABSENT if that is not known, or not any more.
    i64 known(i32 number) {
        const Node& node = at(number);
        i64 limit = node.made ? old_changed_at_ : changed_at_;
        if (number == changer_ && !node.made) limit = other_changed_at_;
        return node.known_at >= limit ? node.size : ABSENT;
    }

    // A node's file has this size, or an unknown one (ABSENT).
    void learn(i32 node, i64 size) {
        at(node).size = size;
        at(node).known_at = changes_;
    }

    // The length of any file may have changed.
    void change_any() { change(-1, false); }

    // The log has made a node's file, which is empty.
    void make(i32 node) {
        at(node).made = true;
        learn(node, 0);
    }

    // A node's file is given this length, or an unknown one (ABSENT).
    void resize(i32 node, i64 size) {
        if (size != ABSENT && size == known(node)) return;
        change(node, at(node).made);
        learn(node, size);
    }

    // Something was written that ended at `end`, or nobody knows where (ABSENT).
    void reaches(i32 file, i64 end) {
        const i32 node = (*this)[file].node;
        if (node < 0) return change_any();
        const i64 size = known(node);
        if (end == ABSENT || size == ABSENT) resize(node, ABSENT);
        else if (end > size) resize(node, end);
    }

  private:
    // The node that a name leads to, as long as no file is moved.
    struct Bound {
        i32 node = -1;
        i64 moves = 0;
    };

    Numbered<OpenFile> files_;
    Numbered<Node> nodes_;
    std::vector<Bound> bound_;
    // How many changes there were: in all, when last by which node, when by another than that, and
    // when by one that the log did not make.
    i64 changes_ = 0;
    i32 changer_ = -1;
    i64 changed_at_ = 0, other_changed_at_ = 0, old_changed_at_ = 0;

    Node& at(i32 node) { return nodes_[node]; }

    Bound& bound_to(i32 name) {
        const auto place = static_cast<size_t>(name);
        if (place >= bound_.size()) bound_.resize(std::max(2 * bound_.size(), place + 1));
        return bound_[place];
    }

    // One holder of a node, a name or an open file, is no more.
    void release(i32 node) {
        if (node < 0 || --at(node).holders > 0) return;
        nodes_.free(node);
        if (node == changer_) {
            other_changed_at_ = changed_at_;
            changer_ = -1;
        }
    }

    // The length of a node's file (-1: of any, `made` in the log or not) may have changed.
    void change(i32 node, bool made) {
        ++changes_;
        if (node != changer_) {
            other_changed_at_ = changed_at_;
            changer_ = node;
        }
        changed_at_ = changes_;
        if (!made) old_changed_at_ = changes_;
    }
};

}  // namespace nwtsim
