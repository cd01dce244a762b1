"""Striping: distribution of a transfer over volumes, and the order of members.

The NWT's ``vfl`` file system divides one transfer into 32 pieces, which go to several volumes at
the same time (NWT paper, section 3). Pieces of one transfer that fall on one volume are one
request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.plan.parts import GroupPlan


def pieces(size: int, *, stripes: int, volumes: int, first: int = 0) -> list[tuple[int, int]]:
    """Divide ``size`` bytes into ``stripes`` nearly equal pieces, distributed over volumes.

    Returns (volume, bytes) for each volume that gets any, in the order of the pieces; the
    first piece goes to volume ``first``. The bytes add up to ``size``.

    >>> pieces(100, stripes=4, volumes=2)
    [(0, 50), (1, 50)]
    >>> pieces(10, stripes=1, volumes=4, first=3)
    [(3, 10)]
    """
    used = min(stripes, volumes)
    if used == 1:
        return [(first % volumes, size)]
    shares = [0] * used
    for i in range(stripes):
        shares[i % used] += size * (i + 1) // stripes - size * i // stripes
    return [((first + i) % volumes, share) for i, share in enumerate(shares) if share]


def member_in_turn(groups: Sequence[GroupPlan], row: int, number: int) -> int:
    """Return the member of a group for a position in an order that alternates between nodes.

    Successive members are in different nodes, as the targets of Lustre and BeeGFS.

    >>> from simulator.plan.parts import GroupPlan
    >>> groups = GroupPlan(name="oss", count=2), GroupPlan(name="ost", count=6, parent=0, each=3)
    >>> [member_in_turn(groups, 1, number) for number in range(6)]
    [0, 3, 1, 4, 2, 5]
    """
    group = groups[row]
    if group.parent < 0:
        return number
    within, node = divmod(number, groups[group.parent].count)
    return member_in_turn(groups, group.parent, node) * group.each + within
