"""``nwtsim merge``: the parts of a sweep become one."""

from __future__ import annotations

import argparse
import sys

from simulator.cli import options

_TEXT = """\
Combine the parts of a sweep that 'nwtsim sweep --shard K/N' ran, and write to DIR the same files,
byte for byte, that the whole sweep would have written. No point is simulated. Folders of another
sweep, or of another version of the program, are refused, and so are parts that lack points; the
message says which."""

_EXAMPLES = """\
  nwtsim sweep nwt test-read --vary 'clients=1..16 +1' --shard 1/2 --out parts/1
  nwtsim sweep nwt test-read --vary 'clients=1..16 +1' --shard 2/2 --out parts/2
  nwtsim merge parts/* --out clients"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument(
        "folders", metavar="FOLDER", type=options.file, nargs="+", help="folder of a part"
    )
    options.add_sweep_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.output import show
    from simulator.report.sweep import sweep_text, write_sweep
    from simulator.study.kept import writing_to
    from simulator.study.merge import merge_sweep
    from simulator.wording import counted

    with writing_to(arguments.out):
        swept = merge_sweep(arguments.folders, arguments.out, force=arguments.force)
        if missing := write_sweep(swept, arguments.out, plot=arguments.plot):
            print(missing, file=sys.stderr)
    show(sweep_text(swept, arguments.out, f"from {counted(len(arguments.folders), 'folder')}"))
    return 0
