// Actors and their requests: those under way, and the requests that each has begun.
//
// An actor is a process, a write-back worker, a branch of a request, ... It has a stack of frames,
// one for each request that it makes or passes on, and an account of where its time went. Actors
// do not move in memory while they are under way.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "simulator/native/quantity.hpp"

namespace nwtsim {

struct Tier;
struct Hold;
struct Moment;
struct StoreInstance;
struct Actor;

enum class Role : u8 { process, worker, copier, timer, reader, branch, flusher, queue, scheduler };

enum class Op : u8 { read, write, sync, meta };

// Properties of a request: bits of Frame::how.
enum How : u8 {
    IN_ORDER = 1,  // It begins where the process's last one ended.
    PAST = 2,      // Direct: it bypasses the stores of the process's node.
    OF_CALL = 4,   // Its bytes are those of a process's call, unchanged by a store.
    WAITS = 8,     // It waits for failed parts where requests of calls time out.
};

enum class State : u8 {
    fresh, down, below, up, waiting, fetching, looking, passing, held, forked, slowed,
};

// The reason for which an actor is queued, if not for a block.
enum class Turn : u8 { none, room, limit };

// A request at one tier.
struct Frame {
    const Tier* tier;
    const Tier* entry;  // The first of the stages that a store passes for it; else `tier`.
    Bytes low, high;    // Bytes of the file, or of the member that a stripe has decided.
    i32 file;           // -1: a message; FIRST_ASKED and below: an asked request.
    State state;
    Op op;
    u16 how;            // Bits of How; as bytes, stores of these would alias everything.
    // State of the request at its tier; the meaning of a field depends on the tier.
    union {
        Bytes at;               // Store: the first byte of the extent. Cut: of what is left.
        const Hold* hold;       // Packets: the next part of a message; array: its part.
    };
    union {
        Bytes stop;             // Store: the end of the extent.
        const Hold* last_hold;
        Actor* waiting;         // Buffers: the other members of its group.
    };
    union {
        StoreInstance* instance;
        Bytes message;          // Packets: bytes of the message.
        i64 reader;             // Array: the number of the read before this write.
        Moment* moment;         // Buffers: the moment it waits for, if that is not known yet (raid_unit.hpp).
    };
    Nanoseconds since;          // Begin of waiting; packets: time until which the last byte passed.
    Nanoseconds missed;         // Packets: delay of the charged part by failures.
    i32 file_in_store;          // Or the lock for which it is queued.
    i32 block, run, counted;    // Store: the current block; the run begins at `run`.
    i32 open;                   // Unanswered branches.
    u16 meta;                   // Of Op::meta: its kind, plus METADATA_KINDS in its other state.
    i16 column;                 // Account category of waiting.
    u16 step;                   // Stages of the entry that were passed; the next step for its locks.
    Turn turn, waits_for;       // The turn that it has; the queue in which it waits.
    bool asked, units;          // Locks: a request was sent; it holds those of units.
    bool gives_up;              // Packets: it times out at failed parts.
    i32 places[2];              // Members of its places; as many as the plan's requests have. Asking: its node and path.

    Bytes size() const { return high - low; }
};

constexpr i32 FIRST_ASKED = -2;  // The `file` of asked request 0; that of request n is less by n.
inline bool is_asked(const Frame& q) { return q.file <= FIRST_ASKED; }

struct Account {
    Nanoseconds waiting, service;
};

struct Actor {
    // The alarm: in a heap of those of its day.
    Nanoseconds time;
    i64 number;  // Of equal times the lowest acts first.
    Actor* child;
    Actor* next;
    Actor* before;  // Or none, at the top of a heap.
    bool is_set;
    Role role;
    bool active;
    i32 index;      // Process, file in a store, shared instance, ...: by role.
    Frame* top;     // Before `bottom` if it has no request.
    Frame* bottom;
    // Until here a line of the cache. Rarely used fields:
    Actor* after;   // The next actor in its queue, or the next free one.
    Actor* parent;
    Frame* parent_frame;  // Of a branch: the request that forked.
    StoreInstance* store;
    i32 worker;

    bool has_request() const { return top >= bottom; }
    Account* account() { return reinterpret_cast<Account*>(this + 1); }  // Its rows lie behind the actor.
    const Account* account() const { return reinterpret_cast<const Account*>(this + 1); }
};

// All actors under way.
class Actors {
  public:
    // `depth`: maximum requests of one actor; `places`: maximum places of one.
    Actors(int depth, int places, int columns)
        : places(places), columns(columns),
          stride_(rounded(sizeof(Frame) + sizeof(i32) * static_cast<size_t>(std::max(0, places - 2)), 8)),
          frames_(stride_ * static_cast<size_t>(depth)),
          size_(rounded(sizeof(Actor) + sizeof(Account) * static_cast<size_t>(columns) + frames_, 64)) {}

    const int places, columns;

    // Create an actor with a number, without requests and alarm.
    Actor* take(Role role, i32 index, i64 number) {
        if (!free_) [[unlikely]] make_more();
        Actor* actor = free_;
        free_ = actor->after;
        actor->role = role;
        actor->index = index;
        actor->number = number;
        actor->active = true;
        actor->after = nullptr;
        actor->top = before(actor->bottom);
        return actor;
    }

    void give_back(Actor* actor) {
        actor->active = false;
        actor->after = free_;
        free_ = actor;
    }

    void clear_account(Actor* actor) {
        std::memset(static_cast<void*>(actor->account()), 0, sizeof(Account) * static_cast<size_t>(columns));
    }

    Frame* before(Frame* q) const { return reinterpret_cast<Frame*>(reinterpret_cast<char*>(q) - stride_); }
    Frame* behind(Frame* q) const { return reinterpret_cast<Frame*>(reinterpret_cast<char*>(q) + stride_); }

    // -- requests ----------------------------------------------------------------------------------

    // Begin a request at a tier; it has no places yet.
    Frame* call(Actor* actor, const Tier* tier, Op op, i32 file, Bytes low, Bytes high) const {
        Frame* q = behind(actor->top);
        actor->top = q;
        q->tier = q->entry = tier;
        q->low = low;
        q->high = high;
        q->file = file;
        q->state = State::fresh;
        q->op = op;
        q->how = 0;
        q->meta = 0;
        return q;
    }

    // Begin a request that is a part of another one, possibly another actor's.
    Frame* part_of(Actor* actor, const Frame* whole, const Tier* tier, Bytes low, Bytes high) const {
        Frame* q = call(actor, tier, whole->op, whole->file, low, high);
        q->how = whole->how;
        q->meta = whole->meta;
        for (int place = 0; place < places; ++place) q->places[place] = whole->places[place];
        return q;
    }

    // End the request at the top of an actor.
    void answer(Actor* actor) const { actor->top = before(actor->top); }

    template <class Visit>
    void each(Visit&& visit) {
        for (auto& chunk : chunks_)
            for (size_t i = 0; i < CHUNK; ++i) {
                auto* actor = reinterpret_cast<Actor*>(chunk.get() + i * size_);
                if (actor->active) visit(actor);
            }
    }

    size_t bytes_of_one() const { return size_; }

  private:
    static constexpr size_t CHUNK = 64;
    struct Freed {
        void operator()(char* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
    };
    size_t stride_, frames_, size_;
    Actor* free_ = nullptr;
    std::vector<std::unique_ptr<char, Freed>> chunks_;

    static size_t rounded(size_t size, size_t to) { return (size + to - 1) / to * to; }

    void make_more() {
        chunks_.emplace_back(static_cast<char*>(::operator new[](CHUNK * size_, std::align_val_t{64})));
        char* memory = chunks_.back().get();
        std::memset(memory, 0, CHUNK * size_);
        for (size_t i = CHUNK; i-- > 0;) {
            auto* actor = reinterpret_cast<Actor*>(memory + i * size_);
            actor->bottom = reinterpret_cast<Frame*>(actor->account() + columns);
            actor->after = free_;
            free_ = actor;
        }
    }
};

// Actors that stand in a queue, first come, first served.
struct Queue {
    Actor* first = nullptr;
    Actor* last = nullptr;

    bool empty() const { return first == nullptr; }
    void join(Actor* actor) {
        actor->after = nullptr;
        if (first) last->after = actor;
        else first = actor;
        last = actor;
    }
    void join_in_front(Actor* actor) {
        actor->after = first;
        if (!first) last = actor;
        first = actor;
    }
    Actor* leave() {
        Actor* actor = first;
        first = actor->after;
        return actor;
    }
};

// Actors that are woken together.
struct Waiters {
    Actor* first = nullptr;
    bool empty() const { return first == nullptr; }
    void join(Actor* actor) {
        actor->after = first;
        first = actor;
    }
};

}  // namespace nwtsim
