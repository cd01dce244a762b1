"""What the clients are and where they are: a table with a row for each, and their phases."""

from __future__ import annotations

from array import array

from simulator.engine.native.backing import Backing
from simulator.engine.native.clock import Clock
from simulator.engine.native.codes import START
from simulator.engine.native.lan import FairLan
from simulator.engine.native.listing import Listing
from simulator.engine.native.ssu import Ssu
from simulator.engine.native.stations import Stations
from simulator.runtime.streams import RecordStreams


class ClientTable:
    """All clients, and the parts of the machine that they use."""

    def __init__(
        self,
        clock: Clock,
        stations: Stations,
        backing: Backing,
        ssu: Ssu,
        lan: FairLan,
        streams: RecordStreams,
        listing: Listing,
        clients: int,
        phases: int,
        files: int,
    ) -> None:
        self.clock = clock
        self.stations = stations
        self.backing = backing
        self.ssu = ssu
        self.lan = lan
        self.streams = streams
        self.listing = listing
        # The machine.
        self.ssu_in = -1
        self.ssu_out = -1
        self.ssu_read = -1
        self.ssu_write = -1
        self.cp_in = -1
        self.cp_out = -1
        self.lan_part = -1
        self.lan_fair = 0
        self.server = -1
        self.others_part = -1
        self.rpc_size = 1
        self.record_overhead = 0
        self.copy_ns_per_byte = 0.0
        self.call_overhead = 0
        self.turn_overhead = 0
        self.cached_file = array("q", [-1]) * max(1, files)
        self.file_path = array("q", [0]) * max(1, files)
        """How listed calls reach each file."""
        # Phases, all jobs' one after the other.
        self.work = array("q", [0]) * phases
        self.file = array("q", [0]) * phases
        self.path = array("q", [0]) * phases
        self.policy = array("q", [0]) * phases
        self.buffer = array("q", [0]) * phases
        self.lengths = array("q", [0]) * phases
        self.compute = array("q", [0]) * phases
        self.first_call = array("q", [0]) * phases
        self.calls = array("q", [0]) * phases
        # Jobs.
        self.first_phase = array("q", [0]) * clients
        self.phases = array("q", [0]) * clients
        self.repeat = array("q", [1]) * clients
        self.first_pe = array("q", [0]) * clients
        self.pes = array("q", [1]) * clients
        # Where each client is.
        self.place = array("q", [START]) * clients
        self.started = array("q", [0]) * clients
        self.round = array("q", [0]) * clients
        self.phase = array("q", [-1]) * clients
        self.began = array("q", [0]) * clients
        self.moved = array("q", [0]) * clients
        self.more = array("q", [0]) * clients
        self.pending = array("q", [0]) * clients
        self.rank = array("q", [0]) * clients
        self.share = array("q", [0]) * clients
        self.at = array("q", [0]) * clients
        self.end = array("q", [0]) * clients
        self.index = array("q", [0]) * clients
        self.on_file = array("q", [0]) * clients
        """The file of the call, or the phase, that the client is at; and the path to it."""
        self.on_path = array("q", [0]) * clients
        self.cached = array("q", [0]) * clients
        self.piece = array("q", [0]) * clients
        # What comes out.
        self.computed = array("q", [0]) * clients
        self.ended = array("q", [-1]) * clients
        self.read_bytes = array("q", [0]) * clients
        self.read_ns = array("q", [0]) * clients
        self.write_bytes = array("q", [0]) * clients
        self.write_ns = array("q", [0]) * clients
        self.printed = array("q", [0]) * phases
        """Bytes of the SVO area that a phase's file has got; of its first phase in the job."""
        self.print_row = array("q", [-1]) * phases
