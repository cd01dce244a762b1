"""Open files, and the files that they lead to.

An *open file* is what a descriptor leads to: a kind, a name, a position. Those opened by one name
share a *node*, which knows the file's size if the log has said it. Both are rows of arrays; a row
that nobody holds is used again.
"""

from __future__ import annotations

from array import array

from simulator.traces.codes import NULL
from simulator.traces.grow import grown

FIRST = 256


class Files:
    """All open files of a log."""

    def __init__(self) -> None:
        self.kind = array("q", [0]) * FIRST
        self.name = array("q", [-1]) * FIRST
        self.position = array("q", [NULL]) * FIRST
        self.append = array("q", [0]) * FIRST
        self.node = array("q", [-1]) * FIRST
        self.refs = array("q", [0]) * FIRST
        self.next_free = array("q", [-1]) * FIRST
        self.free = -1
        self.count = 0
        # Nodes; ``bound`` is the node that a name leads to.
        self.size = array("q", [NULL]) * FIRST
        self.holders = array("i", [0]) * FIRST
        self.next_node = array("i", [-1]) * FIRST
        self.free_node = -1
        self.nodes = 0
        self.bound = array("i", [-1]) * FIRST

    # -- open files -----------------------------------------------------------------------

    def open(self, kind: int, name: int) -> int:
        """Give a new open file, held by nobody yet; its position is unknown."""
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
        self.append[file] = 0
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
        self.append = grown(self.append, 0)
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
        """Give the node of a name, a new one of unknown size if need be."""
        while name >= len(self.bound):
            self.bound = grown(self.bound, -1)
        node = self.bound[name]
        if node < 0:
            node = self.fresh(name)
        return node

    def fresh(self, name: int) -> int:
        """Let a name lead to a new node."""
        while name >= len(self.bound):
            self.bound = grown(self.bound, -1)
        node = self.free_node
        if node >= 0:
            self.free_node = self.next_node[node]
        else:
            node = self.nodes
            if node == len(self.size):
                self.size = grown(self.size, NULL)
                self.holders = grown(self.holders, 0)
                self.next_node = grown(self.next_node, -1)
            self.nodes = node + 1
        self.size[node] = NULL
        self.holders[node] = 1
        self.release(self.bound[name])
        self.bound[name] = node
        return node

    def release(self, node: int) -> None:
        """One holder of a node, a name or an open file, is no more."""
        if node >= 0:
            self.holders[node] -= 1
            if self.holders[node] <= 0:
                self.next_node[node] = self.free_node
                self.free_node = node

    def unlink(self, name: int) -> None:
        """A name leads nowhere any more."""
        if 0 <= name < len(self.bound):
            self.release(self.bound[name])
            self.bound[name] = -1

    def link(self, name: int, to_name: int, moved: int) -> None:
        """A second name leads to the node of the first, which is ``moved`` or stays as well."""
        if name < 0 or to_name < 0 or name == to_name:
            return
        node = self.node_of(name)
        self.node_of(to_name)
        self.holders[node] += 1
        self.release(self.bound[to_name])
        self.bound[to_name] = node
        if moved:
            self.unlink(name)

    def forget(self) -> None:
        """Another log begins: no name leads anywhere."""
        for name in range(len(self.bound)):
            self.unlink(name)

    # -- sizes and positions --------------------------------------------------------------

    def size_of(self, file: int) -> int:
        """Give the size of the file that an open file leads to, or NULL."""
        node = self.node[file]
        return self.size[node] if node >= 0 else NULL

    def set_size(self, file: int, size: int) -> None:
        """The file that an open file leads to has this size (or NULL)."""
        if self.node[file] >= 0:
            self.size[self.node[file]] = size

    def reaches(self, file: int, end: int) -> None:
        """Something was written that ended at ``end``, or nobody knows where (NULL)."""
        node = self.node[file]
        if node >= 0 and self.size[node] != NULL and (end == NULL or end > self.size[node]):
            self.size[node] = end
