"""The columns of accounts that services need beside those of parts and stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.config.services import MessageServer, NumericalServer

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine

CONVERSION, LATENCY = "calls.conversion", "calls.latency"
"""Columns of accounts: what converting costs callers, and first bytes of calls under way."""


def message_columns(name: str) -> tuple[str, str, str]:
    """Return the columns of a message service: sending, locating ports, awaiting messages."""
    return f"{name}.sending", f"{name}.locating", f"{name}.awaiting"


def queue_column(name: str) -> str:
    """Return the column of waiting until a call may compute at a numerical server."""
    return f"{name}.queue"


def paging_column(name: str) -> str:
    """Return the column of waiting for pages at a processor."""
    return f"{name}.paging"


def service_columns(machine: Machine) -> list[str]:
    """Return the columns of accounts that services need; none without services."""
    columns = [
        paging_column(name) for name, part in machine.parts.items() if part.kind == "processor"
    ]
    for name, one in machine.services.items():
        if isinstance(one, MessageServer):
            columns += message_columns(name)
        elif isinstance(one, NumericalServer):
            columns.append(queue_column(name))
    if machine.services_of(NumericalServer):
        columns += [CONVERSION, LATENCY]
    return columns
