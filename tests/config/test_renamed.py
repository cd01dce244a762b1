"""Old keys of files: read as the new ones, with a warning; none hides or is hidden by a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.config import ConfigError
from simulator.config.formats import MACHINE, parse_machine
from simulator.config.identity import digest_of
from simulator.config.knobs import knobs_of, values_in
from simulator.config.renamed import RENAMED
from simulator.config.section import fields_of
from simulator.config.variants import Variants
from simulator.inputfile import Text
from simulator.run import load_inputs
from tests.config.test_machine_file import sections

if TYPE_CHECKING:
    from pathlib import Path

OLD = """format: machine/2
name: m
parts: {disk: {kind: disk, rate: 1 GB/s}}
filesystems:
  home:
    tiers: [disk]
    give_up: 1 s
"""
NEW = OLD.replace("give_up", "timeout")
WARNING = "7:5: warning: filesystems.home.give_up: has another name now; write 'timeout'"
SET = "machine.filesystems.home.give_up"


def test_the_table_has_old_keys_of_sections_with_the_new_ones() -> None:
    known = {
        one.__name__: fields_of(one) for kind in (MACHINE,) for one in sections(kind.section, set())
    }
    for name, keys in RENAMED.items():
        for old, new in keys.items():
            assert new in known[name], (name, new)
            assert old not in known[name], (name, old)


def test_an_old_key_is_read_with_a_warning() -> None:
    old, new = parse_machine(OLD, "m.yaml"), parse_machine(NEW)
    assert old == new
    assert digest_of(old) == digest_of(new)
    assert [str(one) for one in old.origin.warnings] == [f"m.yaml:{WARNING}"]
    assert new.origin.warnings == []


def test_a_run_warns_of_it(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(OLD, "utf-8")
    inputs = load_inputs(str(tmp_path / "m.yaml"), "copy-file")
    assert [str(one) for one in inputs.doubts] == [f"{tmp_path}/m.yaml:{WARNING}"]


def test_both_keys_are_a_mistake() -> None:
    with pytest.raises(ConfigError, match="give_up: unknown key"):
        parse_machine(OLD + "    timeout: 2 s\n")


@pytest.mark.parametrize("text", [OLD, NEW])
@pytest.mark.parametrize("path", [SET, SET.replace("give_up", "timeout")])
def test_settings_take_both(text: str, path: str) -> None:
    wanted = parse_machine(NEW.replace("1 s", "3 s"))
    assert parse_machine(text, settings=[(path, "3 s")]) == wanted
    assert Variants(MACHINE, Text(text, "m.yaml"), ()).load([(path, "3 s")]) == wanted


def test_short_names_take_both() -> None:
    for whose in (parse_machine(OLD), values_in(MACHINE, OLD, "m.yaml")):
        knobs = knobs_of(whose)
        assert knobs.look_up("home.give_up") == knobs.look_up("home.timeout")
        assert knobs.look_up("home.timeout").value == "1 s"
