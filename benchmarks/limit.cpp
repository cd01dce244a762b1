// The limit: one job, written by hand in C++ for nothing but speed. It is the yardstick of
// benchmarks/engines.py, which runs it beside the engines on the same job and compares the
// makespan.
//
// The job: clients on PEs of their own write and read files record by record (one call for a
// record) through the crossbar, one of the SSU's channels, and a cache of units with LRU,
// fetches, dirty units, and workers that write back between two marks; a front-end path and
// a stripe of disks behind it. No parallel jobs, no Fortran buffer, no LAN, no noise, no
// rewriting, no shares of files, no account of where the time went.
//
//     limit < numbers      prints: makespan_ns operations seconds

#include <algorithm>
#include <ctime>
#include <cstdint>
#include <cstdio>
#include <vector>

typedef int64_t i64;
typedef uint64_t u64;
typedef std::vector<i64> ints;

static const i64 NEVER = (i64)1 << 62, BLOCKED = -1;
enum { CLEAN, DIRTY, QUEUED, BUSY };

static i64 number() {
    long long value;
    if (scanf("%lld", &value) != 1) {
        fprintf(stderr, "limit: too few numbers\n");
        exit(2);
    }
    return value;
}

static double fraction() {
    double value;
    if (scanf("%lf", &value) != 1) {
        fprintf(stderr, "limit: too few numbers\n");
        exit(2);
    }
    return value;
}

struct Server {
    double per_byte;
    i64 overhead;
    i64 service(i64 size) const { return overhead + (i64)(size * per_byte + 0.5); }
};

struct Phase {
    i64 write, count, last, low, span, first_block, length;
    u64 key;
    i64 size_of(i64 i) const {
        if (i == count - 1) return last;
        u64 z = key + (u64)(i + 1) * 0x9E3779B97F4A7C15ull;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return low + (i64)((z ^ (z >> 31)) % (u64)span);
    }
};

struct Client {
    i64 place, phase, record, size, offset, end, out_free, in_free, slot, woken;
    Phase *now;
};

struct Slot {
    i64 block, file, state, users, writing, fetching, valid, low, high, sum, next, prev, first_waiter;
};

struct File {
    i64 length, first_block, base, lead;
};

// The machine.
static i64 clients, unit, slots, channels, workers, paths, disks, stripes, high_mark, low_mark;
static Server port, read_channel, write_channel, path, disk;
static double copy_per_byte;
static i64 call_overhead;

// Its state.
static i64 now, ended, ssu_in, ssu_out, used, dirty_count;
static ints read_free, write_free, path_free, disk_free, disk_head, slot_of, free_slots, after, idle;
static ints worker_slot, worker_size, worker_offset, worker_place;
static std::vector<Slot> slot;  // and three heads of rings
static std::vector<File> file;
static std::vector<Phase> phase;
static std::vector<Client> client;
static i64 phases_each, room_first = -1, room_last = -1;

// The clock: a tournament.
static i64 leaves;
static std::vector<std::pair<i64, i64>> tree;

static void play(i64 actor, i64 time) {
    i64 node = leaves + actor;
    tree[node].first = time;
    while (node > 1) {
        std::pair<i64, i64> rival = tree[node ^ 1];
        if (rival.first < time + (node & 1)) time = rival.first, actor = rival.second;
        node >>= 1;
        if (tree[node].first == time && tree[node].second == actor) return;
        tree[node].first = time, tree[node].second = actor;
    }
}

static i64 &first_free(ints &servers) {
    i64 best = 0;
    for (size_t i = 1; i < servers.size(); i++)
        if (servers[i] < servers[best]) best = i;
    return servers[best];
}

static void join(i64 s, i64 ring, bool front = false) {
    i64 head = slots + ring, before = front ? head : slot[head].prev, next = slot[before].next;
    slot[s].state = ring;
    slot[before].next = slot[next].prev = s;
    slot[s].prev = before;
    slot[s].next = next;
    dirty_count += ring == DIRTY;
}

static void leave(i64 s) {
    slot[slot[s].prev].next = slot[s].next;
    slot[slot[s].next].prev = slot[s].prev;
    dirty_count -= slot[s].state == DIRTY;
    slot[s].state = BUSY;
}

static i64 first_of(i64 ring) {
    i64 s = slot[slots + ring].next;
    return s < slots ? s : -1;
}

static i64 admit(i64 block, i64 f) {
    if (used == slots) {
        i64 victim = first_of(CLEAN);
        if (victim < 0) return -1;
        leave(victim);
        slot_of[slot[victim].block] = -1;
        free_slots[slots - used] = victim;
        used--;
    }
    i64 s = free_slots[slots - 1 - used++];
    slot_of[block] = s;
    Slot &x = slot[s];
    x.block = block, x.file = f, x.state = BUSY, x.users = x.valid = x.sum = 0;
    return s;
}

static void settle(i64 s) {
    Slot &x = slot[s];
    if (x.state != BUSY || x.fetching || x.writing) return;
    if (x.sum) join(s, DIRTY);
    else if (!x.users) join(s, CLEAN);
}

static void call_worker() {
    for (i64 w = 0; w < workers; w++)
        if (idle[w]) {
            idle[w] = 0;
            play(clients + w, now);
            return;
        }
}

static void offer_room() {
    if (room_first >= 0 && (used < slots || first_of(CLEAN) >= 0)) {
        i64 actor = room_first;
        room_first = after[actor];
        play(actor, now);
    }
}

static void wake_unit(i64 s) {
    i64 actor = slot[s].first_waiter;
    slot[s].first_waiter = -1;
    for (; actor >= 0; actor = after[actor]) play(actor, now);
}

static void ask_for(i64 s) {
    if (slot[s].state == DIRTY && room_first >= 0) {
        leave(s), join(s, QUEUED);
        call_worker();
    }
    if (dirty_count > high_mark)
        while (dirty_count > low_mark) {
            i64 oldest = first_of(DIRTY);
            leave(oldest), join(oldest, QUEUED);
            call_worker();
        }
}

static ints shares;

static i64 divide(i64 size) {
    i64 n = std::min(stripes, disks), quotient = size / stripes, remainder = size % stripes, carried = 0;
    for (i64 v = 0; v < n; v++) shares[v] = 0;
    for (i64 i = 0, v = 0; i < stripes; i++, v = v + 1 == n ? 0 : v + 1) {
        carried += remainder;
        shares[v] += quotient + (carried >= stripes);
        carried -= carried >= stripes ? stripes : 0;
    }
    return n;
}

static i64 on_paths(i64 size) {
    i64 n = divide(size), end = now;
    for (i64 v = 0; v < n; v++) {
        if (!shares[v]) continue;
        i64 &free = first_free(path_free);
        free = std::max(now, free) + path.service(shares[v]);
        end = std::max(end, free);
    }
    return end;
}

static i64 on_disks(i64 f, i64 size) {
    i64 n = divide(size), end = now, d = file[f].lead;
    for (i64 v = 0; v < n; v++, d = d + 1 == disks ? 0 : d + 1) {
        if (!shares[v]) continue;
        disk_free[d] = std::max(now, disk_free[d]) + disk.service(shares[v]);
        end = std::max(end, disk_free[d]);
    }
    return end;
}

static i64 wait_for_room(i64 c) {
    i64 oldest = first_of(DIRTY);
    if (oldest >= 0) {
        leave(oldest), join(oldest, QUEUED);
        call_worker();
    }
    after[c] = -1;
    if (room_first < 0) room_first = room_last = c;
    else if (client[c].woken) after[c] = room_first, room_first = c;
    else after[room_last] = c, room_last = c;
    client[c].place = 3;
    return BLOCKED;
}

static i64 wait_for_unit(i64 c, i64 s) {
    // In what order they are woken does not matter: they act in the order of their numbers.
    after[c] = slot[s].first_waiter;
    slot[s].first_waiter = c;
    client[c].place = 4;
    return BLOCKED;
}

static i64 valid_bytes(const File &f, i64 index) { return std::max<i64>(0, std::min(unit, f.length - index * unit)); }

static i64 transfer(i64 c, i64 size) {
    Client &x = client[c];
    bool write = x.now->write;
    i64 &mine = write ? x.out_free : x.in_free, &theirs = write ? ssu_in : ssu_out;
    i64 &channel = first_free(write ? write_free : read_free);
    i64 start = std::max(std::max(now, mine), std::max(theirs, channel)), through = port.service(size);
    mine = theirs = start + through;
    channel = start + (write ? write_channel : read_channel).service(size);
    x.place = 2;
    return std::max(mine, channel);
}

static i64 next_call(i64 c);

static i64 open_unit(i64 c) {
    Client &x = client[c];
    i64 f = c * phases_each + x.phase, index = x.offset / unit, low = x.offset - index * unit;
    i64 high = std::min(unit, x.end - index * unit), block = file[f].first_block + index;
    i64 s = slot_of[block];
    if (x.place == 5) {  // the disks have given the unit
        x.place = 6;
        return on_paths(slot[x.slot].valid);
    }
    if (x.place == 6) {  // the unit has come
        s = x.slot;
        slot[s].fetching = 0;
        settle(s);
        wake_unit(s);
        offer_room();
    }
    if (s < 0) {
        s = admit(block, f);
        if (s < 0) return wait_for_room(c);
        if (x.woken) x.woken = 0, offer_room();
        i64 valid = valid_bytes(file[f], index);
        if (valid && (!x.now->write || low > 0 || high < valid)) {
            slot[s].fetching = 1;
            slot[s].valid = valid;
            x.slot = s;
            x.place = 5;
            return on_disks(f, valid);
        }
        if (!x.now->write) settle(s);
    }
    if (x.woken) x.woken = 0, offer_room();
    Slot &y = slot[s];
    if (y.fetching || (x.now->write && y.writing)) return wait_for_unit(c, s);
    if (x.now->write) {
        y.users++;
        if (y.state == CLEAN) leave(s);
    } else if (y.state == CLEAN) {
        leave(s), join(s, CLEAN);
    }
    return transfer(c, high - low);
}

static i64 unit_moved(i64 c) {
    Client &x = client[c];
    i64 f = c * phases_each + x.phase, index = x.offset / unit, low = x.offset - index * unit;
    i64 high = std::min(unit, x.end - index * unit);
    if (x.now->write) {
        i64 s = slot_of[file[f].first_block + index];
        Slot &y = slot[s];
        y.users--;
        y.low = y.sum ? std::min(low, y.low) : low;
        y.high = y.sum ? std::max(high, y.high) : high;
        y.sum += high - low;
        y.valid = std::max(high, y.valid);
        settle(s);
        file[f].length = std::max(file[f].length, index * unit + high);
        if (!y.writing) ask_for(s);
    }
    x.offset += high - low;
    x.place = 1;
    return x.offset < x.end ? open_unit(c) : next_call(c);
}

static i64 copy_ns(i64 size) { return (i64)(size * copy_per_byte + 0.5); }

static i64 next_call(i64 c) {
    Client &x = client[c];
    // A record is done when its call is; one that was read is copied then, one to write before.
    i64 pending = x.now && x.record && !x.now->write ? copy_ns(x.size) : 0;
    if (!x.now || x.record == x.now->count) {
        x.now = nullptr;
        x.place = 0;
        if (pending) return now + pending;
        if (++x.phase == phases_each) return ended = now, BLOCKED;
        x.now = &phase[c * phases_each + x.phase];
        x.record = x.end = 0;
    }
    x.size = x.now->size_of(x.record++);
    x.offset = x.end;
    x.end += x.size;
    x.place = 1;
    if (x.now->write) pending += copy_ns(x.size);
    return now + pending + call_overhead;
}

static i64 step(i64 c) {
    Client &x = client[c];
    switch (x.place) {
        case 2: return unit_moved(c);
        case 3: x.woken = 1;  // fall through
        case 1: case 4: case 5: case 6: return open_unit(c);
        default: return next_call(c);
    }
}

static i64 work(i64 w) {
    if (worker_place[w] == 1) {
        worker_place[w] = 2;
        return on_disks(slot[worker_slot[w]].file, worker_size[w]);
    }
    if (worker_place[w] == 2) {
        i64 s = worker_slot[w];
        worker_place[w] = 0;
        slot[s].writing = 0;
        settle(s);
        wake_unit(s);
        if (slot[s].sum) ask_for(s);
        else offer_room();
    }
    i64 s = first_of(QUEUED);
    if (s < 0) {
        idle[w] = 1;
        return BLOCKED;
    }
    Slot &x = slot[s];
    worker_slot[w] = s;
    worker_size[w] = std::min(x.sum, x.high - x.low);
    leave(s);
    x.writing = 1;
    x.sum = 0;
    worker_place[w] = 1;
    return on_paths(worker_size[w]);
}

static void read_machine() {
    clients = number(), phases_each = number(), unit = number(), slots = number(), channels = number();
    workers = number(), paths = number(), disks = number(), stripes = number();
    high_mark = number(), low_mark = number();
    for (Server *s : {&port, &read_channel, &write_channel, &path, &disk})
        s->per_byte = fraction(), s->overhead = number();
    copy_per_byte = fraction(), call_overhead = number();
}

static i64 read_job() {
    i64 operations = 0, block = 0, actors = clients + workers;
    for (i64 c = 0; c < clients; c++)
        for (i64 p = 0; p < phases_each; p++) {
            Phase x;
            x.write = number(), x.count = number(), x.last = number(), x.low = number(), x.span = number();
            x.key = 0;
            unsigned long long key;
            if (scanf("%llu", &key) != 1) exit(2);
            x.key = key;
            x.length = number();
            i64 size = number();
            x.first_block = block;
            file.push_back({x.length, block, 0, number()});
            block += (std::max(size, x.length) + unit - 1) / unit;
            phase.push_back(x);
            operations += x.count;
        }
    slot_of.assign(block, -1);
    slot.resize(slots + 3);
    for (i64 s = 0; s < slots + 3; s++) slot[s] = {-1, -1, BUSY, 0, 0, 0, 0, 0, 0, 0, s, s, -1};
    for (i64 s = 0; s < slots; s++) free_slots.push_back(slots - 1 - s);
    read_free.assign(channels, 0), write_free.assign(channels, 0);
    path_free.assign(paths, 0), disk_free.assign(disks, 0), shares.assign(disks, 0);
    after.assign(actors, -1), idle.assign(workers, 1);
    worker_slot.assign(workers, -1), worker_size.assign(workers, 0), worker_place.assign(workers, 0);
    client.assign(clients, {0, -1, 0, 0, 0, 0, 0, 0, -1, 0, nullptr});
    for (leaves = 1; leaves < actors; leaves *= 2) {}
    tree.assign(2 * leaves, {NEVER, 0});
    for (i64 i = 0; i < leaves; i++) tree[leaves + i].second = i;
    for (i64 node = leaves - 1; node > 0; node--) tree[node].second = tree[2 * node].second;
    return operations;
}

int main() {
    read_machine();
    i64 operations = read_job();
    clock_t began = clock();  // CPU time, as the engines beside it: others may be at work
    for (i64 c = 0; c < clients; c++) play(c, 0);
    while (tree[1].first != NEVER) {
        now = tree[1].first;
        i64 actor = tree[1].second, time = actor < clients ? step(actor) : work(actor - clients);
        play(actor, time < 0 ? NEVER : time);
    }
    double seconds = double(clock() - began) / CLOCKS_PER_SEC;
    // The clients end before the last write-back does.
    printf("%lld %lld %.9f %lld\n", (long long)now, (long long)operations, seconds, (long long)ended);
}
