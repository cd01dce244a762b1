"""What clients know of files' attributes, and close-to-open: by hand, in both engines."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from simulator.native.run import run_native
from simulator.plan.codes import METADATA, OPEN_ASKS, OPEN_CACHED, OPEN_CHECKS, OPERATIONS
from simulator.plan.paths import PathPlan
from simulator.reference.run import run_reference
from simulator.result.result import Result
from tests.config.machine_texts import cluster
from tests.engines.compare import assert_equal
from tests.engines.hand import Hand
from tests.reference.runs import run
from tests.twins.plans.faults import faults

ENGINES = {"reference": run_reference, "native": run_native}
Call = tuple[Any, ...]
"""A kind, and perhaps a file, an offset, a size and a gap."""


def clients(*programs: list[Call], **path: Any) -> Hand:
    """Clients with a page cache of 10 blocks; each runs a program. The server takes 50 ns."""
    hand = Hand(client=max(2, len(programs)), server=1)
    hand.part("disk", "server", rate=1e9)
    hand.part("mds", "server", "delay", overhead_ns=50)
    hand.store("pages", "client", slots=10)
    metadata = hand.chain([hand.work("mds")])
    tiers = [hand.kept("pages"), hand.stage("disk")]
    hand.path("fs", tiers, metadata=metadata, **path)
    for name in ("f", "g"):
        hand.file(name, "fs", 1000, length=1000)
    for node, program in enumerate(programs):
        rows = [(kind, *rest) if rest else (kind, "f") for kind, *rest in program]
        hand.process(f"p{node}", hand.listed(*rows), node=node)
    return hand


def ran(hand: Hand) -> Result:
    assert faults(hand.plan()) == []
    return run(hand)


def times(*programs: list[Call], **path: Any) -> list[list[int]]:
    """How long each call of each program took."""
    calls = ran(clients(*programs, **path)).calls
    assert calls is not None
    took = [end - begin for begin, end in zip(calls.begin, calls.end, strict=True)]
    return [
        took[first : first + count] for first, count in zip(calls.first, calls.count, strict=True)
    ]


def stat(after: int = 0, file: str = "f") -> Call:
    return ("stat", file, 0, 0, after)


KNOWN = {"attributes_min_ns": 100, "attributes_max_ns": 400}


def test_without_times_every_stat_asks() -> None:
    assert times([stat(), stat(), stat()]) == [[50, 50, 50]]


def test_a_stat_is_answered_while_it_is_known() -> None:
    """Known at 50 until 150: a stat at 149 costs nothing, one at 150 asks."""
    assert times([stat(), stat(), stat(99), stat(1)], **KNOWN) == [[50, 0, 0, 50]]


def test_the_time_doubles_when_a_file_is_unchanged() -> None:
    """Asked at 150 again: known from 200 to 400, then from 450 for 400 ns, and never longer."""
    program = [stat(), stat(100), stat(199), stat(1), stat(399), stat(1), stat(399), stat(1)]
    assert times(program, **KNOWN) == [[50, 50, 0, 50, 0, 50, 0, 50]]


def test_asking_before_the_time_is_over_does_not_double_it() -> None:
    """The open is answered at 100: known until 200, as stats at 199 and 200 find."""
    program = [stat(), ("open",), stat(99), stat(1)]
    assert times(program, **KNOWN) == [[50, 50, 0, 50]]


@pytest.mark.parametrize("change", ["write", "create", "unlink", "rename", "setattr", "mkdir"])
def test_a_change_by_another_node_brings_the_time_back(change: str) -> None:
    """Unseen until the time is over; then known for 100 ns again, not for 400."""
    one = [stat(), stat(100), stat(199), stat(1), stat(99), stat(1)]
    other = [(change, "f", 0, 100 if change == "write" else 0, 300)]
    assert times(one, other, **KNOWN)[0] == [50, 50, 0, 50, 0, 50]
    same = [stat(), stat(100), stat(199), stat(1), stat(99), stat(1)]
    assert times(same, **KNOWN)[0] == [50, 50, 0, 50, 0, 0]


def test_a_node_knows_its_own_changes() -> None:
    """The setattr changes nothing in what the client knows; asked again, the time doubles."""
    program = [stat(), ("setattr", "f", 0, 0, 50), stat(50), stat(199), stat(1)]
    assert times(program, **KNOWN) == [[50, 50, 50, 0, 50]]


def test_processes_of_one_node_share_what_it_knows() -> None:
    hand = clients([stat()], [stat(60)], **KNOWN)
    hand.process("beside", hand.listed(stat(60)), node=0)
    calls = ran(hand).calls
    assert calls is not None
    assert [b - a for a, b in zip(calls.begin, calls.end, strict=True)] == [50, 50, 0]


def test_absent_names_are_known_one_by_one() -> None:
    """Two names in a folder, and the folder itself."""
    program = [("lookup", "f", name) for name in (0, 1, 0, 1)] + [stat(), stat()]
    assert times(program, **KNOWN) == [[50, 50, 0, 0, 50, 0]]


@pytest.mark.parametrize(
    ("opening", "second"), [(OPEN_ASKS, 50), (OPEN_CHECKS, 50), (OPEN_CACHED, 0)]
)
def test_an_open_asks_but_with_nocto(opening: int, second: int) -> None:
    program = [("open",), ("close",), ("open",), stat()]
    assert times(program, opening=opening, **KNOWN) == [[50, 50, second, 0]]


def test_what_is_created_is_known() -> None:
    assert times([("create",), stat(), stat(100)], **KNOWN) == [[50, 0, 50]]
    assert times([("unlink",), stat()], **KNOWN) == [[50, 50]]


def read(after: int = 0) -> Call:
    return ("read", "f", 0, 300, after)


def invalidated(*programs: list[Call], **path: Any) -> list[int]:
    found = ran(clients(*programs, **path)).stores
    names = [f"client{node}.pages" for node in range(2)]
    return [found[name].counts["invalidated"] if name in found else 0 for name in names]


OTHERS = [("write", "f", 0, 200, 1000)]
TWICE: list[Call] = [("open",), read(), ("open", "f", 0, 0, 5000), read()]


@pytest.mark.parametrize(("opening", "gone"), [(OPEN_ASKS, 0), (OPEN_CHECKS, 3), (OPEN_CACHED, 3)])
def test_an_open_drops_what_another_node_has_changed(opening: int, gone: int) -> None:
    """The three blocks that were read go with the second open, and are read again."""
    assert invalidated(TWICE, OTHERS, opening=opening) == [gone, 0]
    found = ran(clients(TWICE, OTHERS, opening=opening))
    assert found.stores["client0.pages"].counts["fetched"] == 3 + gone


def test_what_nobody_else_has_changed_stays() -> None:
    own: list[Call] = [("open",), read(), ("write", "f", 0, 100), ("open", "f", 0, 0, 5000), read()]
    assert invalidated(own, [stat()], opening=OPEN_CHECKS) == [0, 0]
    assert invalidated(TWICE, [("open",), read()], opening=OPEN_CHECKS) == [0, 0]
    other_file: list[Call] = [("write", "g", 0, 200, 1000)]
    assert invalidated(TWICE, other_file, opening=OPEN_CHECKS) == [0, 0]


def test_with_nocto_a_change_is_not_seen_while_attributes_are_known() -> None:
    """At 5,350 the first open is still known for 10,000 ns; a stat after that drops the blocks."""
    known = {"attributes_min_ns": 10_000, "attributes_max_ns": 10_000, "opening": OPEN_CACHED}
    assert invalidated(TWICE, OTHERS, **known) == [0, 0]
    assert invalidated([*TWICE, stat(10_000)], OTHERS, **known) == [3, 0]


def test_dirty_blocks_stay() -> None:
    """Both nodes write one block; the first has read two more, which go with its second open."""
    one: list[Call] = [
        ("open",), read(), ("write", "f", 0, 100), ("open", "f", 0, 0, 5000), read(),
    ]  # fmt: skip
    assert invalidated(one, OTHERS, opening=OPEN_CHECKS) == [2, 0]


def drawn(seed: int) -> Hand:
    """Some clients that do all kinds of operations on two files."""
    dice = Random(seed)
    kinds = [OPERATIONS[kind] for kind in METADATA] + ["read", "write", "stat", "open", "open"]
    programs = []
    for _ in range(dice.randint(1, 4)):
        rows = []
        for _ in range(dice.randint(1, 25)):
            kind, moves = dice.choice(kinds), dice.choice((0, 100, 250))
            size = moves if kind in ("read", "write", "close") else 0
            gap = dice.choice((0, 0, 30, 400))
            rows.append((kind, dice.choice("fg"), dice.choice((0, 100)), size, gap))
        programs.append(rows)
    least = dice.choice((0, 40, 300))
    times_ns = {"attributes_min_ns": least, "attributes_max_ns": least * dice.choice((1, 3))}
    return clients(*programs, **times_ns, opening=dice.randint(0, 2), close=dice.randint(0, 2))


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_the_engines_agree(first: int) -> None:
    for seed in range(first, first + 40):
        assert_equal(ENGINES, drawn(seed).plan())


def test_many_files_are_known() -> None:
    """More than the native engine has room for at first; each file is asked for once."""
    program: list[Call] = [("lookup", "f", name) for name in [*range(500), *range(500)]]
    hand = clients(program, attributes_min_ns=2**60, attributes_max_ns=2**60)
    assert run_native(hand.plan()).elapsed_ns == run_reference(hand.plan()).elapsed_ns == 500 * 50


def test_wrong_attributes_are_faults_of_a_plan() -> None:
    wrong: dict[str, dict[str, Any]] = {
        "attributes are known for 5 to 4 ns": {"attributes_min_ns": 5, "attributes_max_ns": 4},
        "unknown opening 3": {"opening": 3},
        "attributes are known without metadata": {"opening": 1, "metadata": -1},
    }
    for about, fields in wrong.items():
        hand = clients([stat()])
        hand.paths[0] = PathPlan(
            **{"name": "fs", "top": 2, "metadata": 0, "places": (0, 1), **fields}
        )
        assert about in " ".join(faults(hand.plan()))


# -- in files ---------------------------------------------------------------------------------

HOME = "home: {{tiers: [pages, [nic], disk], metadata: [[nic], {{work: rpc}}]{}}}"


@pytest.mark.parametrize(
    ("keys", "least", "most", "opening"),
    [
        ("", 0, 0, OPEN_ASKS),
        (", attributes: {}", 3 * 10**9, 60 * 10**9, OPEN_ASKS),
        (", attributes: {min: 1 s, max: 2 s}, close_to_open: true", 10**9, 2 * 10**9, OPEN_CHECKS),
        (", attributes: kept, close_to_open: false", 2**61, 2**61, OPEN_CACHED),
    ],
)
def test_keys_of_a_file_system_are_those_of_its_paths(
    keys: str, least: int, most: int, opening: int
) -> None:
    plan = cluster(HOME.format(keys)).ways.block("home", "", 0).moved(7)
    assert (plan.attributes_min_ns, plan.attributes_max_ns) == (least, most)
    assert (plan.opening, plan.metadata) == (opening, 11)
