"""Open files, and the files that they lead to.

An *open file* is what a descriptor leads to: a kind, a name, a position. Those opened by one name
share a *node*, which knows the file's size if the log has said it. Both are rows of arrays; a row
that nobody holds is used again.

Two nodes may be one file all the same, by a link from before the log. So a size that is known is
forgotten when the length of another node's file may have changed: by counting such *changes*. A
file that the log itself *made* cannot be one that was there before.
"""

from __future__ import annotations

from array import array

from simulator.traces.arrays import grown
from simulator.traces.codes import *

FIRST = 256


class Files:
    """All open files of a log."""

    def __init__(self) -> None:
        self.kind = array("q", [0]) * FIRST
        self.name = array("q", [-1]) * FIRST
        self.position = array("q", [NULL]) * FIRST
        self.mode = array("q", [0]) * FIRST
        self.node = array("q", [-1]) * FIRST
        self.refs = array("q", [0]) * FIRST
        self.next_free = array("q", [-1]) * FIRST
        self.free = -1
        self.count = 0
        # Nodes; ``bound`` is the node that a name leads to.
        self.size = array("q", [NULL]) * FIRST
        self.holders = array("i", [0]) * FIRST
        self.next_node = array("i", [-1]) * FIRST
        self.made = array("i", [0]) * FIRST
        self.known_at = array("q", [0]) * FIRST
        self.free_node = -1
        self.nodes = 0
        self.bound = array("i", [-1]) * FIRST
        self.bound_at = array("q", [0]) * FIRST
        # How many changes there were: in all, when last by which node, when by another than that,
        # and when by one that the log did not make. Moves are files that were renamed or removed.
        self.changes = 0
        self.changer = -1
        self.changed_at = 0
        self.other_changed_at = 0
        self.old_changed_at = 0
        self.moves = 0

    # -- open files -----------------------------------------------------------------------

    def open(self, kind: int, name: int) -> int:
        """Return a new open file, held by nobody yet; its position is unknown."""
        file = self.free
        if file >= 0:
            self.free = self.next_free[file]
        else:
            file = self.count
            if file == len(self.kind):
                self.grow()
            self.count = file + 1
        self.kind[file] = kind
        self.name[file] = name
        self.position[file] = NULL
        self.mode[file] = 0
        self.node[file] = -1
        self.refs[file] = 0
        return file

    def hold(self, file: int) -> None:
        """Somebody has the open file too."""
        if file >= 0:
            self.refs[file] += 1

    def drop(self, file: int) -> None:
        """Somebody has it no more."""
        if file >= 0:
            self.refs[file] -= 1
            if self.refs[file] <= 0:
                self.release(self.node[file])
                self.next_free[file] = self.free
                self.free = file

    def grow(self) -> None:
        """Have room for twice as many."""
        self.kind = grown(self.kind, 0)
        self.name = grown(self.name, -1)
        self.position = grown(self.position, NULL)
        self.mode = grown(self.mode, 0)
        self.node = grown(self.node, -1)
        self.refs = grown(self.refs, 0)
        self.next_free = grown(self.next_free, -1)

    # -- nodes ----------------------------------------------------------------------------

    def attach(self, file: int, node: int) -> None:
        """Let an open file lead to a node."""
        self.holders[node] += 1
        self.release(self.node[file])
        self.node[file] = node

    def node_of(self, name: int) -> int:
        """Return the node of a name, a new one of unknown size if need be."""
        while name >= len(self.bound):
            self.grow_names()
        node = self.bound[name]
        if node < 0 or self.bound_at[name] != self.moves:
            node = self.fresh(name)
        return node

    def grow_names(self) -> None:
        """Have room for twice as many names."""
        self.bound = grown(self.bound, -1)
        self.bound_at = grown(self.bound_at, 0)

    def fresh(self, name: int) -> int:
        """Let a name lead to a new node."""
        while name >= len(self.bound):
            self.grow_names()
        node = self.nameless()
        self.bind(name, node)
        return node

    def nameless(self) -> int:
        """Return a new node of unknown size, held by nobody yet."""
        node = self.free_node
        if node >= 0:
            self.free_node = self.next_node[node]
        else:
            node = self.nodes
            if node == len(self.size):
                self.size = grown(self.size, NULL)
                self.holders = grown(self.holders, 0)
                self.next_node = grown(self.next_node, -1)
                self.made = grown(self.made, 0)
                self.known_at = grown(self.known_at, 0)
            self.nodes = node + 1
        self.size[node] = NULL
        self.made[node] = 0
        self.holders[node] = 0
        return node

    def bind(self, name: int, node: int) -> None:
        """Let a name, for which there is room, lead to a node."""
        self.holders[node] += 1
        self.release(self.bound[name])
        self.bound[name] = node
        self.bound_at[name] = self.moves

    def release(self, node: int) -> None:
        """One holder of a node, a name or an open file, is no more."""
        if node >= 0:
            self.holders[node] -= 1
            if self.holders[node] <= 0:
                self.next_node[node] = self.free_node
                self.free_node = node
                if node == self.changer:
                    self.other_changed_at = self.changed_at
                    self.changer = -1

    def name_node(self, name: int, node: int) -> None:
        """Let a name lead to a node."""
        while name >= len(self.bound):
            self.grow_names()
        self.bind(name, node)

    def unbind(self, name: int) -> None:
        """A name leads nowhere any more."""
        if 0 <= name < len(self.bound):
            self.release(self.bound[name])
            self.bound[name] = -1

    def link(self, name: int, to_name: int, sure: int, moved: int) -> None:
        """A second name leads to what the first one does, which is ``moved`` or stays as well.

        ``sure``: that is the file itself, and not a symbolic link to it.
        """
        if name < 0 or to_name < 0 or name == to_name:
            return
        node = self.node_of(name)
        self.holders[node] += 1
        if moved:
            self.unbind(name)
            self.moves += 1
        while to_name >= len(self.bound):
            self.grow_names()
        if sure or self.made[node]:
            self.bind(to_name, node)
        else:
            self.unbind(to_name)
        self.release(node)

    def forget(self) -> None:
        """Another log begins: no name leads anywhere."""
        for name in range(len(self.bound)):
            self.unbind(name)

    # -- sizes and positions --------------------------------------------------------------

    def size_of(self, file: int) -> int:
        """Return the size of the file that an open file leads to, or NULL."""
        return self.known(self.node[file]) if self.node[file] >= 0 else NULL

    def known(self, node: int) -> int:
        """Return the size of a node's file, or NULL if that is not known, or not any more."""
        limit = self.old_changed_at if self.made[node] else self.changed_at
        if node == self.changer and not self.made[node]:
            limit = self.other_changed_at
        return self.size[node] if self.known_at[node] >= limit else NULL

    def learn(self, node: int, size: int) -> None:
        """A node's file has this size, or an unknown one (NULL)."""
        self.size[node] = size
        self.known_at[node] = self.changes

    def change(self, node: int, made: int) -> None:
        """The length of a node's file (-1: of any, ``made`` in the log or not) may have changed."""
        self.changes += 1
        if node != self.changer:
            self.other_changed_at = self.changed_at
            self.changer = node
        self.changed_at = self.changes
        if not made:
            self.old_changed_at = self.changes

    def make(self, node: int) -> None:
        """The log has made a node's file, which is empty."""
        self.made[node] = 1
        self.learn(node, 0)

    def resize(self, node: int, size: int) -> None:
        """A node's file is given this length, or an unknown one (NULL)."""
        if size != NULL and size == self.known(node):
            return
        self.change(node, self.made[node])
        self.learn(node, size)

    def reaches(self, file: int, end: int) -> None:
        """Something was written that ended at ``end``, or nobody knows where (NULL)."""
        node = self.node[file]
        if node < 0:
            self.change(-1, 0)
            return
        size = self.known(node)
        if end == NULL or size == NULL:
            self.resize(node, NULL)
        elif end > size:
            self.resize(node, end)
