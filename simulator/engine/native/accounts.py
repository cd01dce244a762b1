"""Where every nanosecond of the clients went: waiting and service, by client and part.

A client's row has three columns for each of its PEs (the PE, its port inwards, its port
outwards) and then one for each part that all share.
"""

from __future__ import annotations

from array import array


class Accounts:
    """Waiting and service of every client at every part it can meet; ns."""

    def __init__(self, first_pe: array[int], pes: array[int], private: int, shared: int) -> None:
        clients = len(first_pe)
        self.clients = clients
        self.private = private
        """Parts with a lower number belong to a PE."""
        self.own = array("q", [0]) * clients
        self.common = array("q", [0]) * clients
        total = 0
        for client in range(clients):
            self.own[client] = total - 3 * first_pe[client]
            total += 3 * pes[client]
            self.common[client] = total - private
            total += shared
        self.waited = array("q", [0]) * total
        self.served = array("q", [0]) * total

    def charge(self, actor: int, part: int, wait: int, service: int) -> None:
        """Write down time that an actor spent at a part; nothing if it is no client."""
        if actor >= self.clients:
            return
        place = part + (self.own[actor] if part < self.private else self.common[actor])
        self.waited[place] += wait
        self.served[place] += service
