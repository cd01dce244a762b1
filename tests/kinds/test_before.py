"""Questions before metadata operations: by hand, as twice as many operations, in files."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from simulator.config.errors import ConfigError
from simulator.plan.codes import METADATA, OPERATIONS
from simulator.plan.paths import TierPlan
from simulator.report.blocks import block_diagram
from simulator.result.result import Result
from tests.config.machine_texts import cluster
from tests.engines.hand import Hand
from tests.reference.runs import run
from tests.twins.plans.faults import faults

KINDS = tuple(OPERATIONS[kind] for kind in METADATA)
COSTS = {"open": 70, "create": 400, "lookup": 30, "stat": 20}


def asking(
    before: Sequence[tuple[tuple[str, ...], str]],
    *jobs: list[str],
    servers: int = 1,
    commit: bool = False,
) -> Hand:
    """Processes that carry out metadata operations at a server, whose clients ask before."""
    hand = Hand(client=3, server=1)
    hand.part("disk", "server", rate=1e9)
    hand.part("mds", "server", overhead_ns=50, servers=servers)
    hand.part("log", "server", "journal", overhead_ns=1000)
    tiers: list[TierPlan] = [hand.before(*kinds, ask=ask) for kinds, ask in before]
    tiers += [hand.work("mds", **COSTS), *([hand.commit("log")] if commit else [])]
    hand.path("fs", [hand.stage("disk")], metadata=hand.chain(tiers))
    hand.file("f", "fs", 1000)
    for number, kinds in enumerate(jobs):
        hand.process(f"p{number}", hand.listed(*((kind, "f") for kind in kinds)), node=number)
    return hand


def ran(hand: Hand) -> Result:
    assert faults(hand.plan()) == []
    return run(hand)


def test_an_open_that_looks_up_first_costs_both() -> None:
    """30 ns for the lookup and 70 for the open; a stat asks nothing before its 20."""
    found = ran(asking([(("open",), "lookup")], ["open", "stat", "open"]))
    assert found.elapsed_ns == 100 + 20 + 100
    assert found.latencies["open"].sum_ns == 200
    assert "lookup" not in found.latencies  # It is no operation of the process.
    assert found.parts["server.mds"].requests == 5


def test_two_requests_alike_and_several_questions() -> None:
    assert ran(asking([(("open",), "open")], ["open"])).elapsed_ns == 2 * 70
    both = [(("open", "create"), "stat"), (("open",), "lookup")]
    # The open's stat asks nothing in the second tier; the open itself looks up there.
    assert ran(asking(both, ["open"])).elapsed_ns == 20 + 30 + 70
    assert ran(asking(both, ["create"])).elapsed_ns == 20 + 400
    # A lookup of the first tier that the second one asks before: a stat, the lookup, the open.
    chained = [(("open",), "lookup"), (("lookup",), "stat")]
    assert ran(asking(chained, ["open"])).elapsed_ns == 20 + 30 + 70


def test_a_question_changes_nothing() -> None:
    """A create is committed once, in 1,000 ns, whatever is asked before it."""
    found = ran(asking([(("create",), "lookup")], ["create"], commit=True))
    assert found.elapsed_ns == 30 + 400 + 1000
    asked = ran(asking([(("stat",), "create")], ["stat"], commit=True))
    assert asked.elapsed_ns == 400 + 1000 + 20  # One that changes something does.


def test_others_come_between_a_question_and_its_operation() -> None:
    """Two opens at one server: lookup, lookup, open, open; each waits for the other's."""
    found = ran(asking([(("open",), "lookup")], ["open"], ["open"]))
    assert [one.ended_ns for one in found.processes] == [130, 200]
    assert found.processes[1].spent == {"mds": (100, 100)}


@pytest.mark.parametrize("seed", range(12))
def test_asking_before_is_listing_both(seed: int) -> None:
    """A client that asks does what one does whose program lists the question as an operation."""
    dice = random.Random(seed)
    before = {kind: dice.choice(KINDS) for kind in KINDS if dice.random() < 0.5}
    jobs = [dice.choices(KINDS, k=dice.randint(1, 8)) for _ in range(3)]
    commit, servers = dice.random() < 0.5, dice.randint(1, 2)
    names = {name: place for place, name in enumerate(KINDS)}
    hand = asking([(("open",), "open")], *jobs, servers=servers, commit=commit)
    kinds = tuple(names[before[kind]] if kind in before else -1 for kind in KINDS)
    hand.tiers = [replace(one, kinds=one.kinds and kinds) for one in hand.tiers]
    listed = [[n for kind in job for n in (before.get(kind), kind) if n] for job in jobs]
    twin = ran(asking([], *listed, servers=servers, commit=commit))
    found = ran(hand)
    assert [one.ended_ns for one in found.processes] == [one.ended_ns for one in twin.processes]
    assert [one.spent for one in found.processes] == [one.spent for one in twin.processes]


def test_the_other_state_is_the_operations_own() -> None:
    hand = asking([(("open",), "lookup")], [])
    hand.process("other", hand.listed(("open", "f", 0, 1)), node=1)
    hand.tiers = [replace(one, costs=one.costs and one.costs + (900,) * 11) for one in hand.tiers]
    assert ran(hand).elapsed_ns == 30 + 900


def test_wrong_questions_are_faults_of_a_plan() -> None:
    hand = asking([(("open",), "lookup")], ["open"])
    wrong = [replace(one, kinds=one.kinds and (11,) * 11) for one in hand.tiers]
    assert "asks kinds (11," in " ".join(faults(replace(hand.plan(), tiers=tuple(wrong))))
    hand.path("wrong", [hand.before("open", ask="stat"), hand.stage("disk")])
    assert "asks before requests that are no metadata" in " ".join(faults(hand.plan()))


# -- in files ---------------------------------------------------------------------------------

SYSTEM = "home: {{tiers: [[nic], disk], metadata: [{}, [nic], {{work: rpc}}]}}"


def test_a_file_says_what_is_asked_before() -> None:
    machine = cluster(SYSTEM.format("{before: [open, create], ask: lookup}"))
    (kinds,) = (one.kinds for one in machine.ways.block("home", "", 0).tiers if one.kinds)
    asked = KINDS.index("lookup")
    assert kinds == tuple(asked if kind in ("open", "create") else -1 for kind in KINDS)
    assert "lookup before open, create" in block_diagram(machine)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        (SYSTEM.format("{before: [opens], ask: lookup}"), "'open'"),
        (SYSTEM.format("{before: [open]}"), "ask"),
        (SYSTEM.format("{before: [], ask: stat}"), "the list is empty"),
        (SYSTEM.format("{before: [read], ask: stat}"), "read"),
        (
            "home: [{before: [open], ask: stat}, [nic], disk]",
            "only metadata operations ask before; write it under 'metadata'",
        ),
    ],
)
def test_mistakes_are_told_with_their_place(text: str, about: str) -> None:
    with pytest.raises(ConfigError) as caught:
        cluster(text)
    assert about in str(caught.value)
