"""Stations that keep their next-free time: the same rules as ``machine/station.py``, in arrays.

A *part* has counters and servers. The first parts belong to PEs, three to each (the PE itself,
that nothing queues at, and its two ports), with one server each; then come those that all share.
Services are rows of their own: where they do not vary, all PEs have the same three.

Beside the stations stands the account of where every nanosecond of the clients went.
"""

from __future__ import annotations

from array import array

from simulator.engine.native.clock import Clock

ONE_BITS = 20
TABLE_BITS = 12
GOLDEN = 0x9E3779B97F4A7C15
MIX_A = 0xBF58476D1CE4E5B9
MIX_B = 0x94D049BB133111EB
MASK = (1 << 64) - 1


class Accounts:
    """Waiting and service of every client at every part it can meet; ns.

    A client's row has three columns for each of its PEs and one for each part that all share.
    """

    def __init__(self, first_pe: array[int], pes: array[int], private: int, shared: int) -> None:
        self.clients = len(first_pe)
        self.private = private
        """Parts with a lower number belong to a PE."""
        self.base = array("q", [0]) * (2 * self.clients)
        total = 0
        for client in range(self.clients):
            self.base[2 * client] = total - 3 * first_pe[client]
            total += 3 * pes[client]
            self.base[2 * client + 1] = total - private
            total += shared
        self.spent = array("q", [0]) * (2 * total)

    def place(self, client: int, part: int) -> int:
        """Where in ``spent`` a client's waiting at a part is; its service comes next."""
        return 2 * (part + self.base[2 * client + (part >= self.private)])

    def charge(self, actor: int, part: int, wait: int, service: int) -> None:
        """Write down time that an actor spent at a part; nothing if it is no client."""
        if actor >= self.clients:
            return
        place = self.place(actor, part)
        self.spent[place] += wait
        self.spent[place + 1] += service


class Stations:
    """All stations of a machine."""

    def __init__(
        self, clock: Clock, accounts: Accounts, private: int, servers: array[int], alike: bool
    ) -> None:
        """``private`` parts belong to PEs; ``servers`` of each of the others."""
        parts = private + len(servers)
        self.clock = clock
        self.accounts = accounts
        self.private = private
        self.servers = servers
        self.requests = array("q", [0]) * parts
        self.bytes = array("q", [0]) * parts
        self.busy = array("q", [0]) * parts
        # Services.
        self.alike = private if alike else 0
        self.shift = max(0, self.alike - 3)
        rows = parts - self.shift
        self.overhead = array("q", [0]) * rows
        self.ns_per_byte = array("d", [0.0]) * rows
        self.key = array("Q", [0]) * rows
        self.run_factor = array("q", [1 << ONE_BITS]) * rows
        self.table = array("q", [-1]) * rows
        """Where the part's table of factors begins; -1: single requests do not vary."""
        self.factors = array("q", [0])
        # Servers.
        self.first = array("q", [0]) * len(servers)
        total = private
        for part in range(len(servers)):
            self.first[part] = total
            total += servers[part]
        self.free_at = array("q", [0]) * total
        self.started = 0

    # -- service ------------------------------------------------------------------------

    def mix(self, key: int, number: int) -> int:
        """64 well-mixed bits of a key and a count; see ``machine/noise.py``."""
        z = (key + number * GOLDEN) & MASK
        z = ((z ^ (z >> 30)) * MIX_A) & MASK
        z = ((z ^ (z >> 27)) * MIX_B) & MASK
        return z ^ (z >> 31)

    def row(self, part: int) -> int:
        """The row of a part's service."""
        return part % 3 if part < self.alike else part - self.shift

    def stretch(self, part: int, service: int) -> int:
        """The service time of the part's next request, its noise included; ns."""
        return self.vary(part, self.row(part), service)

    def vary(self, part: int, row: int, service: int) -> int:
        """The same for a part whose row is known."""
        service = (service * self.run_factor[row]) >> ONE_BITS
        start = self.table[row]
        if start >= 0:
            bits = self.mix(self.key[row], self.requests[part] + 1)
            service = (service * self.factors[start + (bits >> (64 - TABLE_BITS))]) >> ONE_BITS
        return service

    def plain_ns(self, row: int, size: int) -> int:
        """The service time of ``size`` bytes by the specification of a row; ns."""
        transfer = int(size * self.ns_per_byte[row] + 0.5)
        return self.overhead[row] + transfer

    def service_ns(self, part: int, size: int) -> int:
        """The service time of the part's next request, of ``size`` bytes; ns."""
        row = self.row(part)
        return self.vary(part, row, self.plain_ns(row, size))

    # -- queueing -----------------------------------------------------------------------

    def next_free(self, part: int) -> int:
        """The server of a part that is free first; the lowest of several."""
        if part < self.private:
            return part
        part -= self.private
        best = self.first[part]
        for server in range(best + 1, best + self.servers[part]):
            if self.free_at[server] < self.free_at[best]:
                best = server
        return best

    def occupy(self, part: int, server: int, start: int, service: int, size: int) -> int:
        """Hold a server; returns the time it is free again."""
        end = start + service
        self.free_at[server] = end
        self.requests[part] += 1
        self.bytes[part] += size
        self.busy[part] += service
        return end

    def queue(self, part: int, size: int, more: int) -> int:
        """Queue a request now, which takes ``more`` ns than its bytes; returns when it is done.

        ``started`` is then when it begins.
        """
        row = self.row(part)
        server = self.next_free(part)
        start = max(self.clock.now, self.free_at[server])
        self.started = start
        service = self.vary(part, row, self.plain_ns(row, size) + more)
        return self.occupy(part, server, start, service, size)

    def take(self, actor: int, part: int, size: int) -> int:
        """Queue a request now, on an actor's account; returns the time it is done."""
        end = self.queue(part, size, 0)
        self.accounts.charge(actor, part, self.started - self.clock.now, end - self.started)
        return end

    def cross(self, actor: int, sender: int, receiver: int, channel: int, size: int) -> int:
        """Move bytes over two ports, and a channel unless it is -1; returns the time it is done.

        As ``take_route``: from the time all are free, each for its own service.
        """
        now = self.clock.now
        start = now
        held = sender
        out = self.next_free(sender)
        start = max(start, self.free_at[out])
        into = self.next_free(receiver)
        if self.free_at[into] > start:
            start = self.free_at[into]
            held = receiver
        along = -1
        if channel >= 0:
            along = self.next_free(channel)
            if self.free_at[along] > start:
                start = self.free_at[along]
                held = channel
        end = self.occupy(sender, out, start, self.service_ns(sender, size), size)
        slowest = sender
        freed = self.occupy(receiver, into, start, self.service_ns(receiver, size), size)
        if freed > end:
            end = freed
            slowest = receiver
        if channel >= 0:
            freed = self.occupy(channel, along, start, self.service_ns(channel, size), size)
            if freed > end:
                end = freed
                slowest = channel
        if start > now:
            self.accounts.charge(actor, held, start - now, 0)
        self.accounts.charge(actor, slowest, 0, end - start)
        return end

    def spend(self, actor: int, part: int, service: int, size: int) -> int:
        """Time at a part that nothing queues at, a PE; returns how long it takes, in ns."""
        service = self.stretch(part, service)
        self.requests[part] += 1
        self.bytes[part] += size
        self.busy[part] += service
        self.accounts.charge(actor, part, 0, service)
        return service
