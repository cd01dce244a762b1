// The table of locks: of whole files and of their units, and the nodes that hold them.
//
// The holders of a lock are a chain of nodes. Locks are never freed; that of a unit is created on
// first use.
#pragma once

#include <deque>
#include <unordered_map>

#include "simulator/native/block.hpp"

namespace nwtsim {

struct Holder {
    i32 node;
    StoreInstance* store;  // The instance whose blocks its lock protects, or none.
    Holder* next;
};

struct Lock {
    i32 file = 0, number = NONE;  // A unit's number; of a whole file NONE.
    bool exclusive = false;
    bool is_awaited = false;      // The first in line waits until no request uses it.
    enum class Division : u8 { whole, dividing, divided } division = Division::whole;  // Of a whole file.
    i64 used = 0;                 // Requests that use it.
    Holder* holders = nullptr;
    Actor* head = nullptr;        // The first in line.
    Queue line;                   // The others in line.
};

class LockTable {
  public:
    std::vector<Lock> files;  // Those of whole files.

    // Return the lock of a unit, created on first use.
    Lock& unit(i32 file, i32 number) {
        const u64 key = (static_cast<u64>(static_cast<u32>(file)) << 32) | static_cast<u32>(number);
        const auto [found, is_new] = by_key_.try_emplace(key, nullptr);
        if (is_new) {
            units_.push_back({});
            units_.back().file = file;
            units_.back().number = number;
            found->second = &units_.back();
        }
        return *found->second;
    }

    // Return whether a node holds a lock in a mode that permits reading, or writing.
    static bool suits(const Lock& lock, i32 node, bool exclusive) {
        if (exclusive && !lock.exclusive) return false;
        for (const Holder* one = lock.holders; one; one = one->next)
            if (one->node == node) return true;
        return false;
    }

    // Return the lowest other node whose lock must be called back, or none.
    static Holder* in_the_way(const Lock& lock, i32 node, bool exclusive) {
        Holder* found = nullptr;
        if (exclusive || lock.exclusive)
            for (Holder* one = lock.holders; one; one = one->next)
                if (one->node != node && (!found || one->node < found->node)) found = one;
        return found;
    }

    // Grant a lock to a node; no other conflicts.
    void grant(Lock& lock, i32 node, StoreInstance* store, bool exclusive) {
        const bool had = suits(lock, node, false);
        lock.exclusive = exclusive;
        if (had) return;
        Holder* one = free_;
        if (one) free_ = one->next;
        else one = &holders_.emplace_back();
        *one = {node, store, lock.holders};
        lock.holders = one;
    }

    // Remove a lock from a node.
    void take_from(Lock& lock, Holder* holder) {
        Holder** link = &lock.holders;
        while (*link != holder) link = &(*link)->next;
        *link = holder->next;
        holder->next = free_;
        free_ = holder;
    }

    template <class Visit>
    void each(Visit&& visit) const {
        for (const Lock& lock : files) visit(lock);
        for (const Lock& lock : units_) visit(lock);
    }

  private:
    std::deque<Lock> units_;
    std::deque<Holder> holders_;
    std::unordered_map<u64, Lock*> by_key_;
    Holder* free_ = nullptr;
};

}  // namespace nwtsim
