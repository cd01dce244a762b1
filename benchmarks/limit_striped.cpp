// The limit of a striped file system: one job on one machine, written by hand in C++ for speed. It is
// the yardstick of benchmarks/striped.py, which runs it beside the native engine on the same job
// (striped-machine.yaml, striped-workload.yaml) and compares makespan, events and counters.
//
// The machine: clients with page caches (LRU, dirty limit, watermarks, write-back workers), files
// striped over servers that are reached over a network and have threads, work for each request, a
// cache, and a disk each; and a metadata server. Not here: other policies, read-ahead, sync, quotas,
// noise, and any account of where the time went.
//
//     limit_striped < numbers      prints: events seconds, then names with their numbers

#include <algorithm>
#include <ctime>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef int32_t i32;
typedef int64_t i64;
typedef uint64_t u64;
typedef std::vector<i64> ints;

enum { GO = -1, READY = -2, CLOSE_RUN = -3, BLOCKED = -4 };
enum { CLEAN, DIRTY, QUEUED, BUSY };
enum { WRITING = 1, FETCHED = 2 };
enum { FRESH, WAITING, FETCHING, PASSING, LOOKING };
enum { ROOM = 1, LIMIT = 2 };
enum { CLIENT, PAGE_WORKER, CACHE_WORKER, BRANCH };
enum {
    AT_PHASE, AT_CALL, AT_META, AT_META_WORK, AT_META_UP, AT_META_DONE, AT_FLUSHED,
    AT_PAGES, AT_PORT, AT_NIC, AT_POOL, AT_WORK, AT_CACHE, AT_UP, AT_DONE, AT_IDLE
};

static i64 number() {
    long long value;
    if (scanf("%lld", &value) != 1) {
        fprintf(stderr, "limit_striped: too few numbers\n");
        exit(2);
    }
    return value;
}

static double fraction() {
    double value;
    if (scanf("%lf", &value) != 1) exit(2);
    return value;
}

static i64 now;

struct Count {
    i64 requests = 0, bytes = 0, busy = 0;
    void add(i64 size, i64 service) { requests++, bytes += size, busy += service; }
};

struct Server {
    double per_byte;
    i64 overhead;
    Count count;
    void read() { per_byte = fraction(), overhead = number(); }
    i64 service(i64 size) const { return overhead + (i64)(size * per_byte + 0.5); }
    i64 queue(ints &servers, i64 size) {
        i64 *best = &servers[0], take = service(size);
        for (i64 &one : servers)
            if (one < *best) best = &one;
        count.add(size, take);
        return *best = std::max(now, *best) + take;
    }
};

struct Phase {
    i64 write, file, count, last, low, span;
    u64 key;
    i64 size_of(i64 i) const {
        if (i == count - 1) return last;
        u64 z = key + (u64)(i + 1) * 0x9E3779B97F4A7C15ull;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return low + (i64)((z ^ (z >> 31)) % (u64)span);
    }
};

struct File {
    i64 base, lead, pages, blocks;  // the last two: where its blocks begin in the tables
    i64 exists[2];
};

struct Block {
    i32 next, prev, index, file, valid, low, high, sum, waiters;
    short users;
    char state, flags;
};

struct Ring {
    i32 first = -1, last = -1;
};

struct Store {  // an instance
    std::vector<Block> block;
    Ring ring[3];
    std::vector<char> idle;
    i64 used = 0, dirties = 0, held = 0, idles = 0, first_worker = 0;
    i32 room = -1, room_last = -1, limit = -1, limit_last = -1;
};

struct Kind {  // what all instances of a store have in common, and what they count together
    i64 shift, size, extent, slots, most, high, low, workers, first_worker;
    std::vector<i32> slot_of;
    i64 hits, misses, fetched, read_back, written_back, created, evicted, accepted, overwritten;
    i64 fetched_bytes, read_back_bytes, written_back_bytes, limit_waits;
};

struct Request {  // at a store
    i64 low, high, at, stop, block, run, counted;
    int state, waited, waits;
};

struct Message {  // between two ports
    i64 *port;  // that it goes to
    Count *count;
    i64 size, sent;  // when its last byte would be there from a sender that is slower
    int onward;
};

struct Actor {
    i64 number;
    int kind, place, client, server, file, parent, open;
    bool write;
    i32 after;
    i64 low, high;  // what goes to a server, in its offsets
    Request pages, cache;
    Message message;
    Store *store;              // of a worker
    i64 index, count, moved;  // its run
    i64 phase, record, offset, length, pending;  // of a client
    int closing;
};

static i64 clients, servers, first_branch, width, unit, over, header, threads_each, phases_each;
static double copy_per_byte;
static i64 call_overhead, seek_and_turn, latency;
static Server memory, nic, rpc, disk, lookups;
static Count client_nic, server_nic, mds_nic, threads;
static ints client_in, client_out, server_in, server_out, disk_free, disk_head, kept, waiting, waiting_last;
static i64 mds_in, mds_out;
static std::vector<ints> rpc_free;
static ints lookups_free;
static Kind kinds[2];
static std::vector<Store> stores[2];
static std::vector<File> file;
static std::vector<Phase> phase;
static std::vector<Actor> actor;
static std::vector<i32> spare;
static i64 events;
static i64 ended;

// The clock: a heap of four.
struct Alarm {
    i64 time, number;
    i32 actor;
    bool operator<(const Alarm &other) const {
        return time < other.time || (time == other.time && number < other.number);
    }
};
static std::vector<Alarm> heap;

static void set(i32 a, i64 time) {
    events++;
    Alarm alarm = {time, actor[a].number, a};
    size_t at = heap.size();
    heap.push_back(alarm);
    while (at) {
        size_t above = (at - 1) >> 2;
        if (!(alarm < heap[above])) break;
        heap[at] = heap[above], at = above;
    }
    heap[at] = alarm;
}

static i32 next() {
    Alarm top = heap[0], last = heap.back();
    heap.pop_back();
    size_t n = heap.size(), at = 0;
    if (n) {
        for (;;) {
            size_t child = 4 * at + 1;
            if (child >= n) break;
            size_t best = child, end = std::min(child + 4, n);
            for (size_t i = child + 1; i < end; i++)
                if (heap[i] < heap[best]) best = i;
            if (!(heap[best] < last)) break;
            heap[at] = heap[best], at = best;
        }
        heap[at] = last;
    }
    now = top.time;
    return top.actor;
}

// -- blocks -----------------------------------------------------------------------------------

template <int K> static i32 &slot(const Store &s, i64 f, i64 index) {
    if (K == 0) return kinds[0].slot_of[file[f].pages + index];
    i64 member = &s - &stores[1][0];
    return kinds[1].slot_of[(file[f].blocks + index) * servers + member];
}

static void join(Store &s, i32 b, int state) {
    Ring &r = s.ring[state];
    Block &x = s.block[b];
    x.state = state, x.next = -1, x.prev = r.last;
    if (r.last < 0) r.first = b;
    else s.block[r.last].next = b;
    r.last = b;
    s.dirties += state == DIRTY;
}

static void leave(Store &s, i32 b) {
    Block &x = s.block[b];
    Ring &r = s.ring[(int)x.state];
    if (x.prev < 0) r.first = x.next;
    else s.block[x.prev].next = x.next;
    if (x.next < 0) r.last = x.prev;
    else s.block[x.next].prev = x.prev;
    s.dirties -= x.state == DIRTY;
    x.state = BUSY;
}

template <int K> static i32 admit(Store &s, i64 f, i64 index) {
    i32 b;
    if (s.used < kinds[K].slots) {
        b = s.used++;
    } else {
        b = s.ring[CLEAN].first;
        if (b < 0) return -1;
        leave(s, b);
        slot<K>(s, s.block[b].file, s.block[b].index) = -1;
        kinds[K].evicted++;
    }
    slot<K>(s, f, index) = b;
    Block &x = s.block[b];
    x.index = index, x.file = f, x.state = BUSY, x.flags = 0, x.users = 0, x.valid = x.sum = 0, x.waiters = -1;
    return b;
}

static void settle(Store &s, i32 b) {
    Block &x = s.block[b];
    if (x.state != BUSY || x.flags) return;
    if (x.sum) join(s, b, DIRTY);
    else if (!x.users) join(s, b, CLEAN);
}

static bool is_clean(const Block &x) { return !x.users && !x.sum && !(x.flags & WRITING); }

template <int K> static i64 valid_bytes(i64 f, i64 index) {
    return std::max<i64>(0, std::min(kinds[K].size, file[f].exists[K] - (index << kinds[K].shift)));
}

// -- who waits --------------------------------------------------------------------------------

template <int K> static void call_worker(Store &s) {
    if (!s.idles) return;
    i64 w = 0;
    while (!s.idle[w]) w++;
    s.idle[w] = 0, s.idles--;
    set(s.first_worker + w, now);
}

template <int K> static void queue_block(Store &s, i32 b) {
    leave(s, b), join(s, b, QUEUED);
    call_worker<K>(s);
}

template <int K> static void offer_room(Store &s) {
    if (s.room >= 0 && (s.used < kinds[K].slots || s.ring[CLEAN].first >= 0)) {
        i32 a = s.room;
        s.room = actor[a].after;
        set(a, now);
    }
}

template <int K> static void offer_limit(Store &s) {
    if (s.limit >= 0 && s.held < kinds[K].most) {
        i32 a = s.limit;
        s.limit = actor[a].after;
        set(a, now);
    }
}

template <int K> static void pass_turn(Store &s, Request &q) {
    if (!q.waited) return;
    bool room = q.waited == ROOM;
    q.waited = 0;
    if (room) offer_room<K>(s);
    else offer_limit<K>(s);
}

static void wake_block(Store &s, i32 b) {
    i32 a = s.block[b].waiters;
    s.block[b].waiters = -1;
    for (; a >= 0; a = actor[a].after) set(a, now);
}

static i64 wait_for_block(i32 a, Store &s, Request &q, i32 b) {
    q.state = WAITING, q.waits = 0;
    actor[a].after = s.block[b].waiters;
    s.block[b].waiters = a;
    return BLOCKED;
}

static void stand(i32 a, i32 &first, i32 &last, bool again) {
    actor[a].after = -1;
    if (first < 0) first = last = a;
    else if (again) actor[a].after = first, first = a;
    else actor[last].after = a, last = a;
}

template <int K> static void queue_oldest(Store &s) {
    if (s.ring[DIRTY].first >= 0) queue_block<K>(s, s.ring[DIRTY].first);
}

template <int K> static i64 wait_for_room(i32 a, Store &s, Request &q) {
    queue_oldest<K>(s);
    bool again = q.waited == ROOM;
    q.state = WAITING, q.waits = ROOM;
    stand(a, s.room, s.room_last, again);
    return BLOCKED;
}

template <int K> static i64 wait_for_limit(i32 a, Store &s, Request &q) {
    if (q.waited == ROOM) pass_turn<K>(s, q);
    kinds[K].limit_waits++;
    queue_oldest<K>(s);
    bool again = q.waited == LIMIT;
    q.state = WAITING, q.waits = LIMIT;
    stand(a, s.limit, s.limit_last, again);
    return BLOCKED;
}

template <int K> static void ask_for(Store &s, i32 b) {
    if (s.block[b].state == DIRTY && (s.room >= 0 || s.limit >= 0)) queue_block<K>(s, b);
    if (s.dirties > kinds[K].high)
        while (s.dirties > kinds[K].low) queue_oldest<K>(s);
}

// -- requests at a store ----------------------------------------------------------------------

static i64 to_servers(i32 a, bool write, i64 f, i64 low, i64 high);
static i64 from_cache(i32 a);

static i64 at_disk(i32 server, i64 f, i64 low, i64 high) {
    i64 address = file[f].base + low, take = disk.service(high - low);
    if (address != disk_head[server]) take += seek_and_turn;
    disk_head[server] = address + high - low;
    disk.count.add(high - low, take);
    return disk_free[server] = std::max(now, disk_free[server]) + take;
}

template <int K> static i64 fetch(i32 a, Request &q, i64 f, i64 low, i64 high) {
    q.state = FETCHING;
    if (K == 1) return at_disk(actor[a].server, f, low, high);
    return to_servers(a, false, f, low, high);
}

template <int K> static i64 answered(i32 a) {
    if (K == 1) return from_cache(a);
    actor[a].place = AT_DONE;
    return GO;
}

static i64 through_memory(Request &q, i64 size) {
    i64 take = memory.service(size);
    memory.count.add(size, take);
    q.state = PASSING;
    return now + take;
}

template <int K> static void begin(Request &q, i64 low, i64 high) {
    Kind &k = kinds[K];
    q.low = q.at = low, q.high = high, q.waited = 0, q.counted = -1, q.state = FRESH;
    q.block = q.run = low >> k.shift;
    q.stop = std::min((low / k.extent + 1) * k.extent, high);
}

template <int K> static bool next_extent(Request &q) {
    if (q.stop >= q.high) return false;
    q.at = q.stop;
    q.stop = std::min(q.at + kinds[K].extent, q.high);
    q.run = q.block;
    return true;
}

template <int K> static void count_look(Request &q, i64 index, bool there) {
    if (q.counted == index) return;
    q.counted = index;
    if (there) kinds[K].hits++;
    else kinds[K].misses++;
}

template <int K> static void arrive(Store &s, i32 b) {
    s.block[b].flags &= ~FETCHED;
    settle(s, b);
    wake_block(s, b);
    offer_room<K>(s);
}

template <int K> static void end_fetch(Store &s, Request &q, i64 f) {
    for (i64 index = q.run; index < q.block; index++) {
        i32 b = slot<K>(s, f, index);
        kinds[K].fetched++;
        kinds[K].fetched_bytes += s.block[b].valid;
        arrive<K>(s, b);
    }
}

template <int K> static i64 fetch_row(i32 a, Store &s, Request &q, i64 f) {
    Kind &k = kinds[K];
    i64 first = q.block, index = first;
    for (; index << k.shift < q.stop && (index == first || slot<K>(s, f, index) < 0); index++) {
        i32 b = admit<K>(s, f, index);
        if (b < 0) {
            if (index == first) return wait_for_room<K>(a, s, q);
            break;
        }
        count_look<K>(q, index, false);
        s.block[b].flags = FETCHED;
        s.block[b].valid = valid_bytes<K>(f, index);
    }
    pass_turn<K>(s, q);
    q.run = first, q.block = index;
    i64 low = first << k.shift, high = std::min(index << k.shift, file[f].exists[K]);
    if (high > low) return fetch<K>(a, q, f, low, high);
    end_fetch<K>(s, q, f);
    return READY;
}

template <int K> static i64 look(i32 a, Store &s, Request &q, i64 f) {
    i32 b = slot<K>(s, f, q.block);
    count_look<K>(q, q.block, b >= 0);
    if (b < 0) return fetch_row<K>(a, s, q, f);
    pass_turn<K>(s, q);
    if (s.block[b].flags & FETCHED) return wait_for_block(a, s, q, b);
    if (s.block[b].state == CLEAN) leave(s, b), join(s, b, CLEAN);
    q.block++;
    return READY;
}

template <int K> static i64 read_step(i32 a, Store &s, Request &q, i64 f) {
    if (q.state == WAITING) {
        if (q.waits) q.waited = q.waits;
    } else if (q.state == FETCHING) {
        end_fetch<K>(s, q, f);
    } else if (q.state == PASSING && !next_extent<K>(q)) {
        return answered<K>(a);
    }
    q.state = LOOKING;
    for (;;) {
        while (q.block << kinds[K].shift < q.stop) {
            i64 time = look<K>(a, s, q, f);
            if (time != READY) return time;
        }
        if (K == 0) return through_memory(q, q.stop - q.at);
        if (!next_extent<K>(q)) return answered<K>(a);
    }
}

template <int K> static i64 open_block(i32 a, Store &s, Request &q, i64 f) {
    Kind &k = kinds[K];
    i64 index = q.block, begin = index << k.shift;
    i64 low = std::max<i64>(0, q.at - begin), high = std::min(k.size, q.stop - begin);
    bool run = index > q.run, full = s.held >= k.most;
    i32 b = slot<K>(s, f, index);
    count_look<K>(q, index, b >= 0);
    if (b < 0) {
        if (full) return run ? (i64)CLOSE_RUN : wait_for_limit<K>(a, s, q);
        i64 valid = valid_bytes<K>(f, index);
        bool partial = valid > 0 && (low > 0 || high < valid);
        if (partial && run) return CLOSE_RUN;
        b = admit<K>(s, f, index);
        if (b < 0) {
            if (run) return CLOSE_RUN;
            if (q.waited == LIMIT) pass_turn<K>(s, q);
            else if (q.waited == ROOM) offer_room<K>(s);
            return wait_for_room<K>(a, s, q);
        }
        pass_turn<K>(s, q);
        if (partial) {
            s.block[b].flags = FETCHED;
            s.block[b].valid = valid;
            return fetch<K>(a, q, f, begin, std::min(begin + k.size, file[f].exists[K]));
        }
        k.created++;
    } else {
        if (s.block[b].flags) {
            if (run) return CLOSE_RUN;
            pass_turn<K>(s, q);
            return wait_for_block(a, s, q, b);
        }
        if (full && is_clean(s.block[b])) return run ? (i64)CLOSE_RUN : wait_for_limit<K>(a, s, q);
        pass_turn<K>(s, q);
    }
    Block &x = s.block[b];
    s.held += is_clean(x);
    x.users++;
    if (x.state == CLEAN) leave(s, b);
    q.block++;
    return READY;
}

template <int K> static void close_run(Store &s, Request &q, i64 f) {
    Kind &k = kinds[K];
    for (i64 index = q.run; index < q.block; index++) {
        i64 begin = index << k.shift;
        i32 low = std::max<i64>(0, q.at - begin), high = std::min(k.size, q.stop - begin);
        i32 b = slot<K>(s, f, index);
        Block &x = s.block[b];
        x.users--;
        x.low = x.sum ? std::min(low, x.low) : low;
        x.high = x.sum ? std::max(high, x.high) : high;
        x.sum += high - low;
        x.valid = std::max(high, x.valid);
        settle(s, b);
        k.accepted += high - low;
        file[f].exists[K] = std::max(file[f].exists[K], begin + high);
        if (!(x.flags & WRITING)) ask_for<K>(s, b);
    }
    q.run = q.block;
}

template <int K> static i64 write_step(i32 a, Store &s, Request &q, i64 f) {
    Kind &k = kinds[K];
    if (q.state == WAITING) {
        if (q.waits) q.waited = q.waits;
    } else if (q.state == FETCHING) {
        i32 b = slot<K>(s, f, q.block);
        k.read_back++;
        k.read_back_bytes += s.block[b].valid;
        arrive<K>(s, b);
    }
    for (;;) {
        if (q.state != PASSING) {
            q.state = LOOKING;
            while (q.block << k.shift < q.stop) {
                i64 time = open_block<K>(a, s, q, f);
                if (time == CLOSE_RUN) break;
                if (time != READY) return time;
            }
            if (K == 0) {
                i64 low = std::max(q.at, q.run << k.shift), high = std::min(q.stop, q.block << k.shift);
                return through_memory(q, high - low);
            }
        }
        q.state = LOOKING;
        close_run<K>(s, q, f);
        if (q.block << k.shift >= q.stop && !next_extent<K>(q)) return answered<K>(a);
    }
}

// -- workers ----------------------------------------------------------------------------------

template <int K> static i32 next_of_run(Store &s, i64 f, i64 index, i64 end) {
    if (end != index << kinds[K].shift || !(index % (kinds[K].extent >> kinds[K].shift))) return -1;
    i32 b = slot<K>(s, f, index);
    if (b < 0 || s.block[b].low) return -1;
    return s.block[b].state == DIRTY || s.block[b].state == QUEUED ? b : -1;
}

template <int K> static void end_run(Actor &w) {
    Store &s = *w.store;
    kinds[K].written_back += w.count;
    kinds[K].written_back_bytes += w.moved;
    for (i64 index = w.index; index < w.index + w.count; index++) {
        i32 b = slot<K>(s, w.file, index);
        Block &x = s.block[b];
        x.flags &= ~WRITING;
        s.held -= !x.sum && !x.users;
        settle(s, b);
        wake_block(s, b);
        if (x.sum) {
            ask_for<K>(s, b);
            continue;
        }
        offer_room<K>(s);
        offer_limit<K>(s);
    }
    w.count = 0;
}

template <int K> static i64 worker_step(i32 a) {
    Actor &w = actor[a];
    Store &s = *w.store;
    if (w.count) end_run<K>(w);
    i32 b = s.ring[QUEUED].first;
    if (b < 0) {
        s.idle[a - s.first_worker] = 1, s.idles++;
        return BLOCKED;
    }
    i64 f = w.file = s.block[b].file;
    w.index = s.block[b].index;
    i64 low = (w.index << kinds[K].shift) + s.block[b].low, high = low;
    while (b >= 0) {
        Block &x = s.block[b];
        i64 moved = std::min(x.sum, x.high - x.low);
        kinds[K].overwritten += x.sum - moved;
        leave(s, b);
        x.flags |= WRITING;
        x.sum = 0;
        high += moved;
        w.count++;
        b = next_of_run<K>(s, f, w.index + w.count, high);
    }
    w.moved = high - low;
    if (K == 1) return at_disk(w.server, f, low, high);
    return to_servers(a, true, f, low, high);
}

// -- from a client to a server and back -------------------------------------------------------

// A message keeps its sender's port, and joins the queue of its receiver's when its first byte is there.
static i64 send(Actor &x, i64 &from, i64 &to, Count &one, Count &other, i64 size) {
    i64 start = std::max(now, from), take = nic.service(size);
    one.add(size, take);
    from = start + take;
    x.message = {&to, &other, size, from + latency, x.place};
    x.place = AT_PORT;
    return start + latency;
}

static i64 receive(Actor &x) {
    const Message &m = x.message;
    i64 take = nic.service(m.size);
    m.count->add(m.size, take);
    *m.port = std::max(now, *m.port) + take;
    x.place = m.onward;
    return std::max(*m.port, m.sent);
}

static i64 part_below(i64 offset, i64 index) {
    i64 whole = unit * over, rest = offset % whole - unit * index;
    return offset / whole * unit + std::min(std::max<i64>(rest, 0), unit);
}

static i64 to_server(i32 a, int server, i64 low, i64 high) {
    Actor &x = actor[a];
    x.server = server, x.low = low, x.high = high, x.place = AT_NIC;
    i64 size = header + (x.write ? high - low : 0);
    return send(x, client_out[x.client], server_in[server], client_nic, server_nic, size);
}

static i64 to_servers(i32 a, bool write, i64 f, i64 low, i64 high) {
    actor[a].write = write, actor[a].file = f;
    i64 lead = file[f].lead;
    if (low / unit == (high - 1) / unit) {
        i64 index = low / unit % over, begin = part_below(low, index);
        return to_server(a, (lead + index) % servers, begin, begin + high - low);
    }
    actor[a].open = 0;
    actor[a].place = actor[a].kind == CLIENT ? AT_PAGES : AT_IDLE;
    for (i64 index = 0; index < over; index++) {
        i64 begin = part_below(low, index), end = part_below(high, index);
        if (end <= begin) continue;
        if (spare.empty()) {
            spare.push_back(actor.size());
            actor.push_back(Actor());
        }
        i32 branch = spare.back();
        spare.pop_back();
        Actor &x = actor[branch];
        x.kind = BRANCH, x.parent = a, x.write = write, x.file = f, x.client = actor[a].client;
        x.server = (lead + index) % servers, x.low = begin, x.high = end, x.place = AT_IDLE;
        x.number = first_branch + actor[a].number * width + x.server;
        actor[a].open++;
        set(branch, now);
    }
    return BLOCKED;
}

static i64 take_thread(Actor &x) {
    x.place = AT_WORK;
    x.pending = now;
    return GO;
}

static i64 at_pool(i32 a) {
    Actor &x = actor[a];
    if (kept[x.server] < threads_each) {
        kept[x.server]++;
        return take_thread(x);
    }
    x.place = AT_POOL;
    x.after = -1;
    if (waiting[x.server] < 0) waiting[x.server] = a;
    else actor[waiting_last[x.server]].after = a;
    waiting_last[x.server] = a;
    return BLOCKED;
}

static i64 from_cache(i32 a) {
    Actor &x = actor[a];
    threads.add(x.high - x.low, now - x.pending);
    i64 first = waiting[x.server];
    if (first < 0) kept[x.server]--;
    else waiting[x.server] = actor[first].after, set(first, now);
    x.place = AT_UP;
    i64 size = header + (x.write ? 0 : x.high - x.low);
    return send(x, server_out[x.server], client_in[x.client], server_nic, client_nic, size);
}

static i64 came_back(i32 a) {
    Actor &x = actor[a];
    if (x.kind == BRANCH) {
        if (!--actor[x.parent].open) set(x.parent, now);
        spare.push_back(a);
        return BLOCKED;
    }
    x.place = x.kind == CLIENT ? AT_PAGES : AT_IDLE;
    return GO;
}

// -- clients ----------------------------------------------------------------------------------

static i64 copy_ns(i64 size) { return (i64)(size * copy_per_byte + 0.5); }

static i64 call_meta(Actor &x, int closing) {
    x.closing = closing;
    x.place = AT_META;
    return now + call_overhead;
}

static i64 next_call(Actor &x) {
    const Phase &p = phase[x.client * phases_each + x.phase];
    i64 pending = x.record && !p.write ? copy_ns(x.length) : 0;
    if (x.record == p.count) {
        x.place = AT_FLUSHED;
        return pending ? now + pending : (i64)GO;
    }
    x.length = p.size_of(x.record++);
    if (p.write) pending += copy_ns(x.length);
    x.place = AT_CALL;
    return now + pending + call_overhead;
}

static i64 step(i32 a) {
    Actor &x = actor[a];
    switch (x.place) {
        case AT_PHASE:
            if (++x.phase == phases_each) return ended = now, BLOCKED;
            x.record = x.offset = 0;
            return call_meta(x, 0);
        case AT_META:
            x.place = AT_META_WORK;
            return send(x, client_out[x.client], mds_in, client_nic, mds_nic, header);
        case AT_META_WORK: x.place = AT_META_UP; return lookups.queue(lookups_free, 0);
        case AT_META_UP:
            x.place = AT_META_DONE;
            return send(x, mds_out, client_in[x.client], mds_nic, client_nic, header);
        case AT_META_DONE:
            if (!x.closing) return next_call(x);
            x.place = AT_PHASE;
            return GO;
        case AT_FLUSHED: return call_meta(x, 1);
        case AT_CALL: {
            i64 f = phase[x.client * phases_each + x.phase].file;
            x.file = f;
            begin<0>(x.pages, x.offset, x.offset + x.length);
            x.place = AT_PAGES;
        }  // fall through
        case AT_PAGES: {
            const Phase &p = phase[x.client * phases_each + x.phase];
            Store &s = stores[0][x.client];
            return p.write ? write_step<0>(a, s, x.pages, p.file) : read_step<0>(a, s, x.pages, p.file);
        }
        case AT_DONE: x.offset += x.length; return next_call(x);
        case AT_PORT: return receive(x);
        case AT_NIC: return at_pool(a);
        case AT_POOL: return take_thread(x);
        case AT_WORK:
            begin<1>(x.cache, x.low, x.high);
            x.place = AT_CACHE;
            return rpc.queue(rpc_free[x.server], x.high - x.low);
        case AT_CACHE: {
            Store &s = stores[1][x.server];
            return x.write ? write_step<1>(a, s, x.cache, x.file) : read_step<1>(a, s, x.cache, x.file);
        }
        case AT_UP: return came_back(a);
        default:
            if (x.kind == PAGE_WORKER) return worker_step<0>(a);
            if (x.kind == CACHE_WORKER) return worker_step<1>(a);
            return to_server(a, x.server, x.low, x.high);
    }
}

// -- reading and printing ---------------------------------------------------------------------

template <int K> static void read_store(i64 count) {
    Kind &k = kinds[K] = Kind();
    k.size = number(), k.extent = number() * k.size, k.slots = number(), k.most = number();
    k.high = number(), k.low = number(), k.workers = number(), k.first_worker = number();
    for (k.shift = 0; (i64)1 << k.shift < k.size; k.shift++) {}
    stores[K].resize(count);
    for (i64 i = 0; i < count; i++) {
        Store &s = stores[K][i];
        s.block.resize(k.slots);
        s.idle.assign(k.workers, 1);
        s.idles = k.workers;
        s.first_worker = k.first_worker + i * k.workers;
        for (i64 w = 0; w < k.workers; w++) {
            Actor x = Actor();
            x.number = actor.size(), x.kind = K ? CACHE_WORKER : PAGE_WORKER, x.place = AT_IDLE;
            x.client = x.server = i, x.store = &s;
            actor.push_back(x);
        }
    }
}

static void read_all() {
    clients = number(), servers = number(), first_branch = number(), width = number();
    unit = number(), over = number(), header = number(), threads_each = number(), phases_each = number();
    copy_per_byte = fraction(), call_overhead = number(), seek_and_turn = number();
    latency = number();
    for (Server *s : {&memory, &nic, &rpc, &disk, &lookups}) s->read();
    rpc_free.assign(servers, ints(number(), 0));
    lookups_free.assign(number(), 0);
    for (i64 c = 0; c < clients; c++) {
        Actor x = Actor();
        x.number = c, x.kind = CLIENT, x.client = c, x.phase = -1, x.place = AT_PHASE;
        actor.push_back(x);
    }
    read_store<0>(clients);
    read_store<1>(servers);
    file.resize(number());
    i64 pages = 0, blocks = 0;
    for (File &f : file) {
        f.base = number(), f.lead = number();
        i64 size = number();
        f.exists[0] = number(), f.exists[1] = number();
        f.pages = pages, f.blocks = blocks;
        pages += size / kinds[0].size + 1;
        blocks += (size / over + unit) / kinds[1].size + 1;
    }
    kinds[0].slot_of.assign(pages, -1);
    kinds[1].slot_of.assign(blocks * servers, -1);
    for (i64 i = 0; i < clients * phases_each; i++) {
        Phase p;
        p.write = number(), p.file = number(), p.count = number(), p.last = number(), p.low = number(), p.span = number();
        unsigned long long key;
        if (scanf("%llu", &key) != 1) exit(2);
        p.key = key;
        phase.push_back(p);
    }
    client_in.assign(clients, 0), client_out.assign(clients, 0);
    server_in.assign(servers, 0), server_out.assign(servers, 0);
    disk_free.assign(servers, 0), disk_head.assign(servers, number());
    kept.assign(servers, 0), waiting.assign(servers, -1), waiting_last.assign(servers, -1);
    actor.reserve(actor.size() + 4096 + over * actor.size());
}

static void print_store(int k) {
    const char *name = k ? "cache" : "pages";
    const Kind &x = kinds[k];
    i64 used = 0, dirty = 0, bytes = 0;
    for (const Store &s : stores[k]) {
        used += s.used;
        for (i64 b = 0; b < s.used; b++)
            if (s.block[b].state == DIRTY || s.block[b].state == QUEUED) dirty++, bytes += s.block[b].sum;
    }
    struct { const char *name; i64 value; } rows[] = {
        {"hits", x.hits}, {"misses", x.misses}, {"fetched", x.fetched}, {"read_back", x.read_back},
        {"written_back", x.written_back}, {"created", x.created}, {"evicted", x.evicted},
        {"accepted_bytes", x.accepted}, {"overwritten_bytes", x.overwritten},
        {"fetched_bytes", x.fetched_bytes}, {"read_back_bytes", x.read_back_bytes},
        {"written_back_bytes", x.written_back_bytes}, {"limit_waits", x.limit_waits},
        {"resident", used}, {"dirty", dirty}, {"dirty_bytes", bytes},
    };
    for (auto &row : rows) printf("%s.%s %lld\n", name, row.name, (long long)row.value);
}

static void print_part(const char *name, const Count &c) {
    printf("%s.requests %lld\n%s.bytes %lld\n", name, (long long)c.requests, name, (long long)c.bytes);
    printf("%s.busy_ns %lld\n", name, (long long)c.busy);
}

int main() {
    read_all();
    clock_t cpu = clock();
    for (i64 c = 0; c < clients; c++) set(c, 0);
    while (!heap.empty()) {
        i32 a = next();
        i64 time;
        do time = step(a);
        while (time == GO);
        if (time != BLOCKED) set(a, time);
    }
    double seconds = double(clock() - cpu) / CLOCKS_PER_SEC;
    printf("%lld %.9f\nmakespan_ns %lld\nend_ns %lld\n", (long long)events, seconds, (long long)ended, (long long)now);
    print_store(0), print_store(1);
    print_part("memory", memory.count), print_part("client.nic", client_nic), print_part("server.nic", server_nic);
    print_part("mds.nic", mds_nic), print_part("threads", threads), print_part("rpc", rpc.count);
    print_part("disk", disk.count), print_part("lookups", lookups.count);
}
