// Metadata operations of processes: opening, closing, creating, ...; and attribute caches of
// clients.
#pragma once

#include <unordered_map>

#include "simulator/native/calls.hpp"

namespace nwtsim {

// Cached attributes of a file (name 0), or of an absent name in it.
struct Known {
    i64 version;
    Nanoseconds life, until;
};

struct KnownKey {
    i32 client, file;
    i64 name;
    bool operator==(const KnownKey&) const = default;
    struct Hash {
        size_t operator()(const KnownKey& key) const {
            return static_cast<size_t>(mix(static_cast<u64>(key.file) << 32 | static_cast<u32>(key.client), key.name));
        }
    };
};

class MetadataCalls : public Calls {
  public:
    using Calls::Calls;

    template <class Visit>
    void each_known(Visit&& visit) {
        for (auto& [key, known] : known_) visit(key, known);
    }

  protected:
    static constexpr Step READY{-3};  // The operation has ended.

    static bool has_metadata(const Process& x) { return x.path->metadata != nullptr; }

    // Make a call of a kind that the metadata server answers.
    Step call_metadata(Actor* actor, Process& x, u8 kind, At after) {
        call_system(actor, x);
        x.asked = static_cast<u8>(metadata_of(kind));
        x.after = after;
        return catch_up(actor, x, At::meta);
    }

    // Begin the request of a metadata operation, unless the client's cache suffices.
    Step ask_metadata(Actor* actor, Process& x) {
        x.at = x.after;
        if (x.path->remembers) {
            if (is_known(x)) return GO;
            x.at = At::answered;
        }
        Frame* q = request(actor, x, x.path->metadata, Op::meta, NO_BYTES, NO_BYTES);
        const bool is_other = x.asked != META_CLOSE && x.after == At::listed_ended && x.size;
        q->meta = static_cast<u16>(x.asked + (is_other ? Stages::METADATA_KINDS : 0));
        return GO;
    }

    // Record the server's reply to a metadata operation.
    Step answered(Actor* actor, Process& x) {
        x.at = x.after;
        if ((Stages::CHANGING >> x.asked) & 1) change(x);
        const bool learns = x.asked == META_OPEN || x.asked == META_CREATE || x.asked == META_STAT || x.asked == META_LOOKUP;
        if (learns && learn(x)) tell_store(actor, x, true);
        return GO;
    }

    // Record that a process has written to its file.
    void note_change(Process& x) {
        if (x.path->remembers) change(x);
        File& file = layout.files[static_cast<size_t>(x.file)];
        if (file.stable_job != x.job + 1) file.stable_job = file.stable_job ? -1 : x.job + 1;
    }

    // Run a listed metadata operation.
    Step do_metadata(Actor* actor, Process& x, u8 kind) {
        const i64 size = operations.size[x.row];
        if (kind == CLOSE && size > 0 && close_written(actor, x, size, At::synced_list)) return GO;
        if (kind == RENAME && size > 0) replace(actor, x);
        return has_metadata(x) ? call_metadata(actor, x, kind, At::listed_ended) : READY;
    }

    // Close a written file; returns whether that is a request.
    bool close_written(Actor* actor, Process& x, i64 size, At after) {
        if (x.path->close == Closing::queue) tell_store(actor, x, false);
        else if (size == EMPTIED) replace(actor, x);
        if (x.path->close != Closing::flush) return false;
        x.at = after;
        request(actor, x, x.path->top, Op::sync, NO_BYTES, NO_BYTES);
        return true;
    }

    // Notify the first store on a file's path that it is closed, or drop its clean blocks.
    void tell_store(Actor* actor, Process& x, bool drop) {
        if (!x.path->first_store) return;
        Frame* q = request(actor, x, x.path->top, Op::write, NO_BYTES, NO_BYTES);
        q->tier = x.path->top;
        tell_below(q, x.path->first_store, x.file, drop);
        actors.answer(actor);
    }

  private:
    static constexpr i64 EMPTIED = 2;  // The size of a close of a file that was truncated before it was written.
    std::unordered_map<KnownKey, Known, KnownKey::Hash> known_;

    // Return the number of the absent name that a process looks up, from 1 on; 0 for other
    // operations.
    i64 name_of(const Process& x) const { return x.asked == META_LOOKUP ? operations.offset[x.row] + 1 : 0; }

    // Return whether the client's cache suffices for a process's operation.
    bool is_known(const Process& x) const {
        const bool may = x.asked == META_STAT || x.asked == META_LOOKUP
                         || (x.asked == META_OPEN && x.path->opening == Opening::cached);
        if (!may) return false;
        const auto found = known_.find({x.client, x.file, name_of(x)});
        return found != known_.end() && clock.now < found->second.until;
    }

    // Cache a file's attributes at a client; returns whether its clean blocks must be dropped.
    bool learn(const Process& x) {
        const i64 version = layout.files[static_cast<size_t>(x.file)].version, name = name_of(x);
        const auto [found, is_new] = known_.try_emplace({x.client, x.file, name}, Known{version, x.path->attributes_min, {}});
        Known& known = found->second;
        bool gone = false;
        if (!is_new) {
            if (x.asked == META_CREATE) {
                known.life = x.path->attributes_min;
            } else if (known.version != version) {
                known.life = x.path->attributes_min;
                gone = x.path->opening != Opening::asks && !name;
            } else if (ZERO_NS < known.until && known.until <= clock.now) {
                known.life = std::min(known.life * 2, x.path->attributes_max);
            }
        }
        known.version = version;
        known.until = clock.now + known.life;
        return gone;
    }

    // Record a change by a process; its client knows it if it knew the previous version.
    void change(const Process& x) {
        const i64 version = layout.files[static_cast<size_t>(x.file)].version++;
        const auto found = known_.find({x.client, x.file, 0});
        if (found != known_.end() && found->second.version == version) ++found->second.version;
    }

    // A file replaces another one, by truncation or rename.
    void replace(Actor* actor, Process& x) {
        if (x.path->close == Closing::replaced) tell_store(actor, x, false);
    }

    // Go down to the store, at each member of the stripes above it.
    void tell_below(Frame* q, const Tier* store, i32 file, bool drop) {
        while (q->tier != store) {
            const Tier& tier = *q->tier;
            if (tier.kind == TierKind::stripe) {
                for (i32 index = 0; index < tier.width; ++index) {
                    layout.decide(*q, tier, layout.target(*q, tier, index));
                    q->tier = tier.next();
                    tell_below(q, store, file, drop);
                }
                return;
            }
            if (tier.kind == TierKind::forward) layout.forward(*q);
            q->tier = tier.next();
        }
        const Store& row = back.cache.stores[static_cast<size_t>(store->row)];
        StoreInstance& at = back.cache.instances[static_cast<size_t>(row.first + q->places[store->slot])];
        if (drop) back.drop(at, file);
        else back.close(at, file);
    }
};

}  // namespace nwtsim
