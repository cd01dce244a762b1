"""A wrong word hides no mistake beside it; what cancels itself or exceeds its room is refused."""

from __future__ import annotations

import pytest

from simulator.config.errors import ConfigError
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.machine_file import sections
from simulator.config.section import tags_of

HEAD = "format: machine/2\nname: m\nnodes: {client: {count: 4, memory: 16 GB}}\n"
PARTS = """\
parts:
  nic: {kind: network, at: client, rate: 1 GB/s}
  disk: {kind: disk, rate: 100 MB/s}
filesystems:
  fs: [disk]
"""
JOBS = "format: workload/2\nname: w\nfiles: {f: {size: 10 MB, exists: true, shared: true}}\njobs:\n"


def of_machine(text: str) -> list[str]:
    """Return the mistakes of a machine, without their places."""
    with pytest.raises(ConfigError) as raised:
        parse_machine(HEAD + text, "m")
    return [f"{one.key}: {one.message}" for one in raised.value.problems]


def of_jobs(*jobs: str) -> list[str]:
    """Return the mistakes of jobs, alone or on a machine of 4 nodes with 16 GB each."""
    text = JOBS + "".join(f"  - {job}\n" for job in jobs)
    try:
        workload = parse_workload(text, "w")
    except ConfigError as error:
        return [f"{one.key}: {one.message}" for one in error.problems]
    found = fit(parse_machine(HEAD + PARTS, "m"), workload)
    return [f"{one.key}: {one.message}" for one in found if one.severity == "error"]


KINDS = [tag for section in sections() for tag in tags_of(section, "kind")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_misspelt_kind_hides_no_misspelt_key(kind: str) -> None:
    wrong = kind[:-1] + "x" + kind[-1:]
    found = of_machine(f"parts: {{p: {{kind: {wrong}, nosuchkey: 1, rate: 5}}}}\n")
    assert any("parts.p.kind" in one for one in found)
    assert any("parts.p.nosuchkey: unknown key" in one for one in found)
    assert len(found) == len({one.partition(":")[0] for one in found}) <= 3


@pytest.mark.parametrize("word", ["reed", "zzz"])
def test_a_misspelt_phase_hides_no_misspelt_key(word: str) -> None:
    found = of_jobs(f"{{name: a, record: 1 MB, phases: [{{do: {word}, file: f, ofset: rank}}]}}")
    assert [one.partition(": ")[0] for one in found] == [
        "jobs.0.phases.0.do",
        "jobs.0.phases.0.ofset",
    ]


def test_a_misspelt_draw_hides_no_mistake() -> None:
    found = of_jobs("{name: a, record: {draw: unifrm, from: 1 B, to: 5}, phases: [{do: barrier}]}")
    assert [one.partition(": ")[0] for one in found] == ["jobs.0.record.draw", "jobs.0.record.to"]
    assert "did you mean 'uniform'?" in found[0]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("offset: rnak", "rank"),
        ("offset: interleavd", "interleaved"),
        ("order: rndom", "random"),
        ("policy: gfortrn", "gfortran"),
    ],
)
def test_a_near_miss_gets_its_name(text: str, near: str) -> None:
    (found,) = of_jobs(f"{{name: a, record: 1 MB, phases: [{{do: read, file: f, {text}}}]}}")
    assert repr(near) in found


REFUSED = {
    "filesystems: {fs: [{route: [nic], window: 4}, disk]}": "filesystems.fs.tiers.0.window: has no",
    "filesystems: {fs: [{stripe: 2048 PiB, of: client}, [nic], ost]}": (
        "filesystems.fs.tiers.0.stripe: 4 of 2048 PiB are 2**62 bytes or more; write 512 PiB"
    ),
    "filesystems: {fs: [{route: [nic], header: 2 GiB}, disk]}": (
        "filesystems.fs.tiers.0.header: 2 GiB is 2 GiB or more; write '1 GiB' or less"
    ),
    "buffer_caches: {s: {at: client, capacity: 4 GiB, block: 2 GiB}}": (
        "buffer_caches.s.block: 2 GiB is 2 GiB or more"
    ),
    "filesystems: {fs: [disk, disk]}": "filesystems.fs.tiers.1: is what the tier before says",
    "stores: {s: {capacity: 1 MB, read_ahead: 2 MB}}": "stores.s.read_ahead: 2 MB is more than",
    "events: [{part: disk, at: 1 s, factor: 100 %, lasts: 1 s}]": "events.0.factor: 100 % is its",
    "events: [{part: disk, at: 1 s, rate: 100 MB/s, lasts: 1 s}]": "events.0.rate: is the usual",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_effect_is_refused(text: str) -> None:
    key = text.partition(":")[0]
    parts = PARTS.partition("filesystems")[0] if key == "filesystems" else PARTS
    parts += "  ost: {kind: disk, at: client, rate: 1 MB/s}\n" if "stripe" in text else ""
    (found,) = of_machine(f"{parts}{text}\n")
    assert found.startswith(REFUSED[text])


def test_a_job_that_does_not_fit_its_nodes_is_refused() -> None:
    reads = "phases: [{do: read, file: f}]"
    (found,) = of_jobs(f"{{name: a, record: 1 MB, memory: 1 TB, {reads}}}")
    assert found.startswith("jobs.0.memory: 1 TB is more than the 16 GB of a node of client; write")
    each = "{name: a, record: 1 MB, processes: 8, per_node: 8, phases: [{do: read, file: f, memory:"
    (found,) = of_jobs(f"{each} 3 GB}}]}}")
    assert found.startswith("jobs.0.phases.0.memory: 3 GB for each of 8 processes")
    assert of_jobs(f"{each} 2 GB}}]}}") == []


def test_the_most_bytes_a_second_is_read() -> None:
    text = PARTS.replace("1 GB/s", "4611686018427387903 B/s")
    assert parse_machine(HEAD + text, "m").parts["nic"] is not None


@pytest.mark.parametrize("size", ["2048 PiB", "4611686018427387903 B", "2305843009213693951 B"])
def test_more_records_than_a_file_holds_are_refused(size: str) -> None:
    text = f"format: workload/2\nname: w\nfiles: {{f: {{size: {size}, exists: true}}}}\njobs:\n"
    text += "  - {name: a, record: 1 PiB, phases: [{do: read, file: f}]}\n"
    with pytest.raises(ConfigError, match=r"w:5:.*jobs.0.phases.0.file: .* 2\*\*61 bytes"):
        parse_workload(text, "w")


def test_rows_of_an_array_that_no_size_holds_are_refused() -> None:
    text = "{kind: array, disks: 6, level: raid6, rate: 1 MB/s, capacity: 1 GB, unit: 1024 PiB}"
    (found,) = of_machine(f"parts: {{raid: {text}}}\n")
    assert found.startswith("parts.raid.unit: 6 units of 1024 PiB are 2**62 bytes or more")


def test_a_record_larger_than_any_file_is_refused() -> None:
    (found,) = of_jobs("{name: a, record: 4611686018427387903 B, phases: [{do: read, file: f}]}")
    assert "write 1024 PiB or less" in found


def test_omitting_is_offered_where_it_is_possible() -> None:
    assert "omit" not in of_machine("parts: {p: {kind: disk, rate: }}\n")[0]
    assert "omit" in of_machine("parts: {p: {kind: disk, rate: 1 MB/s, overhead: }}\n")[0]
    assert "omit" not in of_jobs("{name: a, record: , phases: [{do: read, file: f}]}")[0]
