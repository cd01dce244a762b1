"""``nwtsim serve``: a page with sliders, for a browser on this computer.

Serve a page on which values of a machine are moved with sliders, and its runs follow: the machine
with its parts coloured by how busy they are, the curve over one value with a paper's points, where
the time went, what limits, and the command that makes the same run. Only this computer can open
it, by the address that is printed, which has a secret in it. FILES are machines and workloads of
your own, beside the shipped ones. Ctrl-C ends it.

Examples:
  nwtsim serve
  nwtsim serve --open                         (in a browser at once)
  nwtsim serve my-machine.yaml my-job.yaml --port 0
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.play.child import Child

OPTIONS = {
    "files FILE": ("machine and workload files of your own", {"nargs": "*"}),
    "--port N 0..65535=8653": "port on 127.0.0.1; 0: any free one (default: 8653)",
    "--open": "open the page in a browser",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.play.child import Child

    if arguments.files:  # Mistakes in their names are told before anything starts.
        from simulator.play.questions import Desk

        Desk(arguments.files)
    child = Child(arguments.files)  # It starts while the server is made.
    try:
        _serve(arguments, child)
    finally:
        child.close()
    return 0


def _serve(arguments: argparse.Namespace, child: Child) -> None:
    """Serve until a signal ends it."""
    from simulator.play.server import PageServer

    server = PageServer(arguments.port, child)
    with ExitStack() as stack:
        stack.callback(server.end)
        try:
            print(server.address)
            print("open it in a browser on this computer; Ctrl-C ends it", flush=True)
            if arguments.open:
                import webbrowser

                webbrowser.open(stack.enter_context(leading_to(server.address)))
            server.serve_forever()
        except KeyboardInterrupt:
            print("ended")


@contextmanager
def leading_to(address: str) -> Iterator[str]:
    """Write a file that leads to an address, and yield the file's own.

    Only this user can read it, while the words of a command can be seen by all.
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="nwtsim-") as folder:
        file = Path(folder) / "page.html"
        file.write_text(f'<meta http-equiv="refresh" content="0; url={address}">', "utf-8")
        yield file.as_uri()
