"""Files that nobody would write: some of them, and that a failure is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import fuzz_inputs
from tests.fuzz_inputs import Reader, corpora, input_of

Capture = pytest.CaptureFixture[str]


@pytest.mark.slow
@pytest.mark.compiled
def test_no_command_fails_on_some(capsys: Capture) -> None:
    assert fuzz_inputs.main(["--inputs", "20", "--seed", "1"]) == 0
    assert "20 inputs (" in capsys.readouterr().out


@pytest.mark.slow
def test_an_input_is_that_of_its_seed() -> None:
    kinds = corpora()
    assert all(kind.texts for kind in kinds)
    assert input_of(7, kinds) == input_of(7, kinds) != input_of(8, kinds)
    commands = {input_of(seed, kinds)[2] for seed in range(300)}
    assert {one.replace("FILE", kind.name) for kind in kinds for one in kind.commands} == commands


def test_a_failure_is_kept_and_said_how_to_repeat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(fuzz_inputs, "KEPT", tmp_path)
    monkeypatch.setattr(Reader, "tell", lambda _, seed: "Traceback: it broke" if seed == 12 else "")
    assert fuzz_inputs.main(["--inputs", "3", "--seed", "11"]) == 1
    out = capsys.readouterr().out
    assert "Traceback: it broke" in out
    assert "-m tests.fuzz_inputs --inputs 1 --seed 12\n" in out
    assert out.endswith(" 1 failed\n")
    name, files, _ = input_of(12, corpora())
    assert (tmp_path / "12" / name).read_bytes() == files[name]


ENDS = {
    "raise ZeroDivisionError": "raises ZeroDivisionError",
    "while True: pass": "takes more than",
    "return 7": "ends with 7, and says nothing",
    "print('Traceback', file=sys.stderr)": "Traceback",
    "return len(bytes(4 << 30))": "raises MemoryError",
    "import os; os._exit(9)": "ends the process with 9",
}
"""The code of commands that end in other ways, and what is told of each."""


@pytest.mark.slow
def test_what_is_wrong_with_an_end_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = "".join(f"def end{n}():\n    {ends}\n" for n, ends in enumerate(ENDS))
    program = f"""
import sys
from simulator.cli import main
from tests import fuzz_inputs
fuzz_inputs._made()
fuzz_inputs.PROCESSOR_S = 0.5
{commands}
ends = iter(({", ".join(f"end{n}" for n in range(len(ENDS)))}))
main.main = lambda words: next(ends)()
fuzz_inputs.serve()
"""
    monkeypatch.setattr(fuzz_inputs, "PROGRAM", program)
    reader = Reader()
    try:
        for ends, told in ENDS.items():
            assert told in reader.tell(1), ends
    finally:
        reader.close()
