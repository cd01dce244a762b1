"""Reads of a store: resident blocks, fetched blocks, and read-ahead."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import simpy

from simulator.reference.part import RequestTimeoutError

if TYPE_CHECKING:
    from simulator.kinds.tiers.store.reference import StoreTier
    from simulator.reference.actor import Steps
    from simulator.reference.stores.blocks import Block, StoredFile
    from simulator.reference.stores.store import Store
    from simulator.reference.tier import Request


def pass_down(request: Request) -> Steps:
    """Move written bytes down into the store, and the reply up."""
    for stage in request.entry:
        yield from stage.ask(request, request.size)
    for stage in reversed(request.entry):
        yield from stage.answer(request)


def pass_up(request: Request) -> Steps:
    """Move read bytes up, after the request for them."""
    for stage in request.entry:
        yield from stage.ask(request)
    for stage in reversed(request.entry):
        yield from stage.answer(request, request.size)


def read_blocks(tier: StoreTier, store: Store, request: Request) -> Steps:
    """Make all blocks of a request within an extent resident."""
    size = store.plan.block
    file = store.blocks.file(request.file)
    number, after = request.low // size, -(-request.high // size)
    while number < after:
        block = store.blocks.find(file, number)
        store.count(hit=block is not None)
        if block is not None and not block.fetching:
            store.use(block, request)
            number += 1
            continue
        row = yield from _have(store, request, file, number, after)
        if row:
            fetched = yield from fetch(tier, store, request, row)
            store.counts.fetched += len(row)
            store.counts.fetched_bytes += fetched
        number += max(1, len(row))


def _have(
    store: Store, request: Request, file: StoredFile, number: int, after: int
) -> Generator[simpy.Event, None, list[Block]]:
    """Use a resident block, or admit it and those that follow; return the blocks to fetch."""
    had_turn = False
    row: list[Block] = []
    while not row:
        block = store.blocks.find(file, number)
        if block is None:
            row = _row(store, file, number, after)
            if not row:
                yield from store.wait_for_room(request.actor, None, again=had_turn)
                had_turn = True
                continue
        if had_turn:
            had_turn = False
            store.offer_room(file)
        if block is not None:
            if not block.fetching:
                store.use(block, request)
                break
            yield from store.wait_for_block(request.actor, block)
    return row


def _row(store: Store, file: StoredFile, number: int, after: int) -> list[Block]:
    """Admit contiguous absent blocks, from ``number`` on and before ``after``, as they fit."""
    row: list[Block] = []
    while number < after and store.blocks.find(file, number) is None:
        block = store.begin_fetch(file, number)
        if block is None:
            break
        if row:
            store.count(hit=False)
        row.append(block)
        number += 1
    return row


def fetch(
    tier: StoreTier, store: Store, request: Request, row: list[Block]
) -> Generator[simpy.Event, None, int]:
    """Fetch a run of blocks from the tiers below; return their bytes.

    If the request fails all of them are dropped, and waiting actors look them up again.
    """
    low = row[0].number * store.plan.block
    size = sum(block.valid for block in row)
    if size:  # otherwise they would be read before they are written
        try:
            yield from tier.below.read(request.below(low, low + size, chosen=True))
        except RequestTimeoutError:
            store.fail_fetch(row)
            raise
    store.end_fetch(row)
    return size


def read_ahead(tier: StoreTier, store: Store, request: Request) -> None:
    """Start a reader of blocks after a sequential request, unless one is active."""
    size = store.plan.block
    file = store.blocks.file(request.file)
    if file.number in store.reading_ahead:
        return
    behind = -(-request.high // size)
    end = min(behind + store.plan.ahead, -(-store.exists[file.number] // size))
    while behind < end and store.blocks.find(file, behind) is not None:
        behind += 1
    row: list[Block] = []
    while behind < end and store.blocks.find(file, behind) is None:
        block = store.begin_fetch(file, behind)
        if block is None:
            break
        block.early = True
        row.append(block)
        behind += 1
    if row:
        store.reading_ahead.add(file.number)
        reader = tier.machine.reader(store, file.number)
        ahead = request.by(reader)
        ahead.give_up_ns = -1  # No call waits for it.
        reader.begin(_read_row(tier, store, ahead, row))


def _read_row(tier: StoreTier, store: Store, request: Request, row: list[Block]) -> Steps:
    """Fetch a run of blocks ahead of their reader."""
    yield request.actor.until(request.actor.now)
    fetched = yield from fetch(tier, store, request, row)
    store.counts.read_ahead += len(row)
    store.counts.fetched += len(row)
    store.counts.fetched_bytes += fetched
    store.reading_ahead.discard(row[0].file.number)
