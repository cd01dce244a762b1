"""YAML that is not what it seems, files that are none, and anything at all."""

import os
import re
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.cli.main import main
from simulator.config import ConfigError, yamltree
from simulator.config.formats import load_machine, parse_machine, parse_workload
from simulator.config.load import LARGEST_FILE, decode
from tests.config.machine_texts import SMALL_MACHINE as MACHINE
from tests.config.machine_texts import SMALL_WORKLOAD as WORKLOAD
from tests.config.machine_texts import problems_of, with_change
from tests.examples import examples

# -- YAML that is not what it seems ----------------------------------------------------------


@pytest.fixture(params=["CSafeLoader", pytest.param("SafeLoader", marks=pytest.mark.slow)])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers of PyYAML: libyaml is not there everywhere."""
    if not hasattr(yaml, request.param):
        pytest.skip("PyYAML was built without libyaml")
    monkeypatch.setattr(yamltree, "LOADER", getattr(yaml, request.param))


def laughs(levels: int) -> str:
    """Aliases of aliases: ten times as many values a level."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, levels)]
    return "\n".join(rows) + "\n"


def tower(levels: int) -> str:
    """Aliases that only nest: few values, many levels."""
    rows = ["a0: &a0 [x]"]
    rows += [f"a{i}: &a{i} [[[[[[[[*a{i - 1}]]]]]]]]" for i in range(1, levels)]
    return "\n".join(rows) + "\n"


HOSTILE = [
    ("", "the file is empty or has only comments; begin it with 'format: machine/2'"),
    ("# nothing\n\n  # more\n", "the file is empty or has only comments; begin it with 'format"),
    ("---\n...\n", "2:1: the file is empty or has only comments; begin it with 'format: machi"),
    ("machine", "1:1: the file has no keys; begin it with 'format: machine/2'"),
    ("- a\n- b\n", "1:1: the file has no keys; begin it with 'format: machine/2'"),
    (MACHINE + "---\n" + MACHINE, "30:1: a second document starts here; write one a file"),
    (MACHINE + "nodes: {}\n", "30:1: nodes: is here for the second time; the first is line 4"),
    (MACHINE + "'nodes': {}\n", "30:1: nodes: is here for the second time; the first is line 4"),
    ("x: {\u00e9: a, e\u0301: b}\n", "1:11: x.\u00e9: is here for the second time, in another"),
    ("x: !!python/object:os.system [ls]\n", "1:4: x: the tag '!!python/object:os.system' is n"),
    ("x: !!python/name:os.system\n", "1:4: x: the tag '!!python/name:os.system' is not supported"),
    ("x: !!binary aGk=\n", "1:4: x: the tag '!!binary' is not supported; leave it out"),
    ("x: !!set {a, b}\n", "1:4: x: the tag '!!set' is not supported; leave it out"),
    ("x: !mine 3\n", "1:4: x: the tag '!mine' is not supported; leave it out"),
    ("x: !!map 3\n", "1:4: x: the tag '!!map' is not supported; leave it out"),
    ("x: &a [*a]\n", "1:8: x.0: *a is inside &a, so it has no end"),
    ("x: &a {b: {c: *a}}\n", "1:15: x.b.c: *a is inside &a, so it has no end"),
    ("x: *a\n", "1:4: x: no anchor &a comes before *a"),
    ("x: &a 1\ny: &a 2\n", "2:4: y: &a is here for the second time; use another name"),
    ("x: &a {b: 1}\ny: {<<: *a}\n", "2:5: y.<<: a merge key is not supported; write the keys the"),
    ("? [a, b]\n: c\n", "1:3: a list or mapping is the key here; write a plain name"),
    ("{a: 1}: b\n", "1:1: a list or mapping is the key here; write a plain name"),
    ("x: &a [b]\n? *a\n: c\n", "2:3: a list or mapping is the key here; write a plain name"),
    (laughs(9), "4:"),
    (tower(60), "7:17: a6.0.0.0.0.0.0.0.0: more than 50 levels of nesting"),
    ("[" * 10**5, "1:51: 0.0.0"),
    ("[" * 10**5 + "]" * 10**5, "1:51: 0.0.0"),
    ("{a: " * 10**5, "1:201: a.a.a"),
    ("- " * 10**5, "1:101: 0.0.0"),
    ("? " * 10**5, "1:3: a list or mapping is the key here; write a plain name"),
    ("x: [" + "a, " * 10**5 + "]", "1:29996: x.9997: more than 10000 values (aliases expan"),
    ("x\ty: 3\n \tz: 4\n", "2:2: a tab indents this line; indent with spaces"),
    ("pe:\n\tsmall: 4\n", "2:1: a tab indents this line; indent with spaces"),
    ("a: b\0c\n", "1:5: the character U+0000 is here; if the file is UTF-16, save it as UTF-8"),
    ("a: b\nc: \x1b[31mred\n", "2:4: the character U+001B is here; take it out"),
    ('a: "b\\0c"\n', "1:4: a: the character U+0000 is here"),
    ('a: "\\U99999999"\n', ""),
    ("%YAML 1.9" + "9" * 5000 + "\n---\na: b\n", ""),
    ("a: \ud800\n", "1:4: the character U+D800 is here; take it out"),
    ("a: b: c\n", "1:5: ': ' is here for the second time in this line; put the whole text in"),
    ("a: @b\n", "1:4: a text cannot begin with '@'; put it in quotes"),
    ("a: [b\nc: d\n", "1:4: this '[' is not closed; write ']' after its last value"),
    ("a: 'b\n", "1:4: the text that begins with ' here has no end; write ' after its last word"),
    ("a: 'b" + "\n" * 9, "1:4: the text that begins with ' here has no end; write ' after its"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "about"), HOSTILE, ids=[repr(text[:20]) for text, _ in HOSTILE])
@pytest.mark.usefixtures("loader")
def test_hostile_yaml(text: str, about: str) -> None:
    start = time.process_time()
    lines = problems_of(text)
    assert time.process_time() - start < 2
    assert all(len(line) < 300 for line in lines)
    assert any(line.startswith(about) for line in lines)


@pytest.mark.usefixtures("loader")
def test_wide_aliases_are_refused_early() -> None:
    (line,) = problems_of(laughs(9))
    assert re.match(r"4:\d+: a3\.\d: more than 10000 values \(aliases expanded\) up to here", line)


@pytest.mark.usefixtures("loader")
def test_mistakes_of_structure_do_not_hide_the_others() -> None:
    text = with_change(MACHINE, "  ssu: 1\n", "  ssu: 1\n  ssu: 2\n  s: !x 6\n").replace(
        "60 s", "60"
    )
    about = [line.partition(": ")[2].partition(":")[0] for line in problems_of(text)]
    assert about == ["nodes.ssu", "nodes.s", "parts.tape.mount"]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\n"])
@pytest.mark.usefixtures("loader")
def test_any_line_end_is_counted(end: str) -> None:
    assert parse_machine(MACHINE.replace("\n", end)) is not None
    (line,) = problems_of(
        with_change(MACHINE, "copy_rate: 640 MB/s", "copy_rate: x").replace("\n", end)
    )
    assert line.startswith("17:39: " if end == "\n\n" else "9:39: ")


@pytest.mark.parametrize("name", ["a\u0301b", "\u304b\u3099.dat", "\ufb01le", "a/b.c-d_e"])
def test_names_are_compared_in_their_composed_form(name: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    text = WORKLOAD.replace("  input:", f"  {composed}:").replace(
        "file: input", f"file: {decomposed}"
    )
    assert composed in parse_workload(text).files


@pytest.mark.parametrize("name", ["", " a", "a\\tb", "a\\u2028b", "*", "x" * 201])
def test_names_that_are_none(name: str) -> None:
    text = WORKLOAD.replace("  output:", f'  "{name}":').replace("file: output", f'file: "{name}"')
    lines = problems_of(text, kind="workload")
    assert " name" in lines[0]
    assert all(": files." in line or ".file: " in line for line in lines)


# -- files that are none ---------------------------------------------------------------------


def refused(path: Path | str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_machine(path)
    (problem,) = caught.value.problems
    assert problem.file == str(path)
    return str(problem).removeprefix(f"{path}: ").removeprefix(str(path))


@pytest.mark.parametrize(
    ("content", "about"),
    [
        (
            "name: x\n".encode("utf-16") + b"y",
            "this file begins as UTF-16 does, and is not (truncated data); save it as UTF-8",
        ),
        (
            "name: x\n".encode("utf-16-le"),
            ":1:2: the character U+0000 is here; if the file is UTF-16",
        ),
        (
            "name: \u6a5f\u68b0\n".encode("shift_jis"),
            ":1:7: the byte 0x8B is not UTF-8 (it may be Shift_JIS)",
        ),
        (
            "a: b\nn: \u6a5f\u68b0\n".encode("euc_jp"),
            ":2:4: the byte 0xB5 is not UTF-8 (it may be ",
        ),
        (b"a: \xff\n", ":1:4: the byte 0xFF is not UTF-8; save the file as UTF-8"),
        (b"a: b\r\xe3\x81: c\n", ":2:1: the byte 0xE3 is not UTF-8"),
        (b"\x7fELF\x02\x01\x01\0\0", ":1:1: the character U+007F is here; take it out"),
        (b"", "the file is empty or has only comments; begin it with 'format: machine/2'"),
    ],
)
def test_bytes_that_are_not_utf8(content: bytes, about: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_bytes(content)
    assert refused(path).startswith(about)


@pytest.mark.usefixtures("loader")
def test_a_byte_order_mark_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(MACHINE, encoding="utf-8-sig")
    assert load_machine(path) == load_machine(path)
    assert parse_machine("\ufeff" + MACHINE) is not None
    path.write_text("name: [\n", encoding="utf-8-sig")
    assert refused(path).startswith(":1:7: ")


def test_a_huge_text_is_refused() -> None:
    start = time.process_time()
    assert problems_of("a: " + "b" * 10**8) == ["larger than 1000000 characters"]
    assert time.process_time() - start < 1
    assert problems_of("# " + "b" * (LARGEST_FILE - 2))[0].startswith("the file is empty")


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.yaml") == "there is no such file"
    assert refused(tmp_path) == "this is a folder; name a file"
    (tmp_path / "file").write_text(MACHINE, encoding="utf-8")
    assert refused(tmp_path / "file" / "x.yaml").startswith("there is no such file: a part of")
    assert refused(tmp_path / ("x" * 300)) == "this name is too long for a file"
    with pytest.raises(ConfigError, match="this is no name of a file"):
        load_machine("a\0b.yaml")
    with pytest.raises(ConfigError, match="there is no such file"):
        load_machine("x" * 300)


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    loop, one, two, dangling = (tmp_path / name for name in ("loop", "one", "two", "dangling"))
    loop.symlink_to(loop)
    one.symlink_to(two)
    two.symlink_to(one)
    dangling.symlink_to(tmp_path / "none")
    assert refused(loop) == "this is a symbolic link to itself; name the file"
    assert refused(one) == "this is a symbolic link to itself; name the file"
    assert refused(dangling) == "there is no such file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_devices_and_pipes_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "pipe") == "this is a device or a pipe; name a file"
    assert refused(Path("/dev/zero")) == "this is a device or a pipe; name a file"


@pytest.mark.parametrize("kind", ["machine", "workload", "fit"])
def test_huge_files_are_refused_in_one_line(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "huge.yaml"
    with path.open("wb") as file:  # Sparse: it takes no room, but reading all of it would.
        file.write(f"format: {kind}/2\n".encode())
        file.truncate(1 << 40)
    assert main(["check", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "larger than 1000000 bytes, which no such file should be" in line


def test_standard_input_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-"]) == 2
    assert capsys.readouterr().err == "-: standard input is not read; name a file\n"


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "secret.yaml"
    path.write_text(MACHINE, encoding="utf-8")
    monkeypatch.setattr(os, "open", forbidden)  # Permissions do not stop root.
    assert refused(path) == "this file may not be read; look at its permissions"


def test_the_text_of_a_file_with_any_name_stays_on_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nb:1:1: all is well"
    path.write_text("- a\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_machine(path)
    assert len(str(caught.value).splitlines()) == 1


# -- anything at all -------------------------------------------------------------------------


def refusal(parse: Callable[..., object], text: str, **settings: object) -> ConfigError | None:
    """What a parser says of a text; any other exception is a failure of the test."""
    try:
        parse(text, "f", **settings)
    except ConfigError as refused:
        return refused
    return None


def only_config_errors(text: str) -> None:
    last = len(re.split("\r\n|[\n\r\x85\u2028\u2029]", text))
    for parse in (parse_machine, parse_workload):
        refused = refusal(parse, text)
        for problem in refused.problems if refused else []:
            line = str(problem)
            assert line.startswith("f:")
            assert line.isprintable()
            assert problem.message
            assert 0 <= problem.line <= last + 1  # libyaml: the end is a line of its own.


YAML_LIKE = st.sampled_from(list("ab:-?,[]{}&*!|>'\"%@`# \n\t~<=.\\0123456789\x85\u2028"))


@given(st.text(max_size=200) | st.text(YAML_LIKE, max_size=80) | st.binary(max_size=200))
def test_random_text(content: str | bytes) -> None:
    try:
        text = decode(content, "f") if isinstance(content, bytes) else content
    except ConfigError:
        return
    only_config_errors(text)


LEAVES = st.text(max_size=8) | st.sampled_from(
    ["8 MB", "3", "5 ms", "36 MB/s", "disk", "read", None]
)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def _changed_trees(draw: st.DrawFn, text: str) -> str:
    """A good file with any tree in some of its places."""
    tree = yaml.load(text, Loader=yaml.BaseLoader)
    for _ in range(draw(st.integers(1, 4))):
        node = tree
        while isinstance(node, dict | list) and node:
            keys = list(node) if isinstance(node, dict) else range(len(node))
            key = draw(st.sampled_from(list(keys)))
            if not isinstance(node[key], dict | list) or not node[key] or draw(st.booleans()):
                node[key] = draw(TREES)
                break
            node = node[key]
    return yaml.safe_dump(tree, allow_unicode=True, sort_keys=False)


@settings(max_examples=examples(300))
@given(_changed_trees(MACHINE) | _changed_trees(WORKLOAD))
def test_good_files_with_wrong_values(text: str) -> None:
    only_config_errors(text)


@st.composite
def _mutilated(draw: st.DrawFn, text: str) -> str:
    """A good file with pieces cut out, doubled, moved or replaced."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 30)))
        piece = draw(
            st.sampled_from(["", text[start:end] * 2, "\n", ": ", "{", "[", "- ", "&a ", "*a"])
        )
        text = text[:start] + piece + text[end:]
    return text


@settings(max_examples=examples(300))
@given(_mutilated(MACHINE) | _mutilated(WORKLOAD))
def test_mutilated_files(text: str) -> None:
    only_config_errors(text)


@given(
    st.text(st.sampled_from(list("machine.worklod*0123 jsufp")), max_size=30)
    | st.sampled_from(
        [
            "machine.stores.ssu.block",
            "machine.parts.*",
            "machine.parts.lan",
            "workload.jobs.0",
            "record",
        ]
    ),
    st.text(max_size=20)
    | st.sampled_from(["8 MB", "[1 kB]", "{a: b}", "{draw: uniform}", "*", "&a [*a]"]),
)
def test_random_settings(path: str, value: str) -> None:
    for parse, text in ((parse_machine, MACHINE), (parse_workload, WORKLOAD)):
        refused = refusal(parse, text, settings=[(path, value)])
        assert refused is None or all(str(one).isprintable() for one in refused.problems)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_says_the_encoding(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_bytes("format: machine/2\nn\u6a5f: x\n".encode(encoding))
    with pytest.raises(ConfigError, match="n\u6a5f"):
        load_machine(path)
