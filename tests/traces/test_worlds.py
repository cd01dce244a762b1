"""Random worlds: both readers must tell the truth, and damage must not make them lie or fall."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.traces.fast_and_slow import differences, fast, slow
from tests.traces.kernels import World
from tests.traces.truth import untrue
from tests.traces.worlds import CWD, Chooser, Style

STYLES = st.builds(
    Style,
    clock=st.sampled_from(["-ttt", "-tt", "-t", "-r", ""]),
    durations=st.booleans(),
    pids=st.booleans(),
    names=st.booleans(),
    container=st.booleans(),
)
STARTS = {"-ttt": 1_700_000_000 * 10**9, "-tt": 86_395 * 10**9, "-t": 86_395 * 10**9}
BYTES = [b'"', b"\\", b"(", b")", b"]", b"}", b"<", b">", b" ", b"=", b",", b"-", b"0", b"\0"]
BYTES += [b"\r", b"\n", b"\xff", b"...", b") = 7", b" <unfinished ...>", b"+++", b"9" * 20]

many_draws = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    max_examples=examples(60),
)


@st.composite
def worlds(draw: st.DrawFn, styles: st.SearchStrategy[Style] = STYLES, most: int = 60) -> World:
    """Something that happened, and its log."""
    style = draw(styles)
    choose = Chooser(lambda options: draw(st.integers(0, options - 1)))
    world = World(choose, style, STARTS.get(style.clock, 5 * 10**9))
    world.run(draw(st.integers(5, most)))
    world.end()
    return world


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the log of one example is written."""
    return tmp_path_factory.mktemp("worlds") / "log"


@many_draws
@given(world=worlds())
def test_both_readers_tell_the_truth(world: World, log: Path) -> None:
    log.write_bytes(world.pen.log())
    if not world.rows:
        return
    slowly, quickly = slow(log), fast(log, cwd=CWD)
    assert not untrue(slowly, world)
    assert not untrue(quickly, world)
    assert not differences(quickly, slowly)


@settings(many_draws, max_examples=examples(3))
@given(world=worlds(st.builds(Style, container=st.booleans()), most=6))
@pytest.mark.slow
def test_a_log_cut_at_any_byte(world: World, log: Path) -> None:
    whole = world.pen.log()
    rows_of_lines = 0
    for end in range(1, len(whole)):
        log.write_bytes(whole[:end])
        strict = fast(log, cwd=CWD)
        assert not differences(strict, slow(log)), whole[:end]
        lenient = fast(log, cwd=CWD, lenient=True)
        assert not differences(lenient, slow(log, lenient=True)), whole[:end]
        assert len(lenient.rows) >= rows_of_lines, whole[:end]
        if whole[end - 1 : end] == b"\n":
            assert strict.refused is None or b"(" not in whole[:end]  # So far, only signals.
            rows_of_lines = len(strict.rows)


@st.composite
def jumbled(draw: st.DrawFn, world: World) -> bytes:
    """The log of a world with lines lost, doubled, moved or cut."""
    lines = world.pen.log().split(b"\n")[:-1]
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        to = draw(st.integers(0, len(lines)))
        damage = draw(st.sampled_from(["lose", "double", "move", "cut"]))
        if damage == "lose" and len(lines) > 1:
            del lines[at]
        elif damage == "double":
            lines.insert(to, lines[at])
        elif damage == "move":
            lines.insert(to, lines.pop(at))
        elif damage == "cut":
            lines[at] = lines[at][: draw(st.integers(1, len(lines[at])))]
    return b"\n".join(lines) + b"\n"


@many_draws
@given(data=st.data(), world=worlds(STYLES.filter(lambda style: not style.pids), most=20))
def test_lost_doubled_moved_and_cut_lines(data: st.DataObject, world: World, log: Path) -> None:
    # One process only: whose line is whose is anyone's guess once forks are lost.
    if not world.pen.out:
        return
    log.write_bytes(data.draw(jumbled(world)))
    for lenient in (False, True):
        quickly, slowly = fast(log, cwd=CWD, lenient=lenient), slow(log, lenient=lenient)
        assert not differences(quickly, slowly)


@st.composite
def mangled(draw: st.DrawFn, text: bytes) -> bytes:
    """Some bytes changed."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        gone = draw(st.sampled_from([0, 0, 1, 1, 5, 30]))
        new = draw(
            st.one_of(st.sampled_from(BYTES), st.binary(min_size=1, max_size=1), st.just(b""))
        )
        text = text[:at] + new + text[at + gone :]
    return text


@many_draws
@given(data=st.data(), world=worlds(most=20))
def test_any_bytes_are_read_or_refused(data: st.DataObject, world: World, log: Path) -> None:
    if not world.pen.out:
        return
    log.write_bytes(data.draw(mangled(world.pen.log())))
    quickly, slowly = fast(log, cwd=CWD), slow(log)
    for answer in (quickly, fast(log, cwd=CWD, lenient=True), slow(log, lenient=True)):
        if answer.refused:
            assert str(log) in answer.refused
    if not quickly.refused and not slowly.refused:  # What both read, they read alike.
        told = [
            [(row["call"], row["pid"], row["returned"], row["error"]) for row in answer.rows]
            for answer in (quickly, slowly)
        ]
        assert told[0] == told[1]
