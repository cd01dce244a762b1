"""The store of results: what it gives back, to whom, and what no accident may do to it."""

import math
import os
import pickle
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from simulator.study import program as programs
from simulator.study import results
from simulator.study.program import ProgramError, program
from simulator.study.results import Results, Saving, StoreError, key_of, open_results

ROWS = {f"key {number}": {"read_MBps": number / 3, "busiest": "disk é"} for number in range(5)}


class TestRows:
    def test_what_was_put_is_there_for_another(self, store: Results) -> None:
        assert store.get(ROWS) == {}
        store.put(ROWS)
        assert store.get([*ROWS, "key 9"]) == ROWS
        with Results(store.path) as other:
            assert other.get(["key 3"]) == {"key 3": ROWS["key 3"]}
            assert other.count() == 5

    def test_more_keys_than_a_question_takes(
        self, store: Results, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(results, "AT_ONCE", 2)
        store.put(ROWS)
        assert store.get(ROWS) == ROWS

    def test_the_text_comes_back_as_it_was(self, store: Results) -> None:
        text = '{"elapsed_s": 1e22, "a": null}'
        store.put_texts([("key", text)])
        assert store.texts(["key"]) == {"key": text}

    def test_another_program_finds_nothing_and_loses_nothing(
        self, store: Results, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.put(ROWS)
        monkeypatch.setattr(results, "program", lambda: "another")
        with Results(store.path) as other:
            assert other.get(ROWS) == {}
            other.put({"key 0": {"read_MBps": 9.0}})
            assert other.get(ROWS) == {"key 0": {"read_MBps": 9.0}}
        assert store.get(ROWS) == ROWS

    def test_a_row_that_is_not_as_it_was_written_is_not_there(self, store: Results) -> None:
        store.put(ROWS)
        store.close()
        with sqlite3.connect(store.path) as database:
            database.execute("UPDATE results SET \"row\" = '{}' WHERE key = 'key 2'")
        database.close()
        assert store.get(ROWS).keys() == ROWS.keys() - {"key 2"}
        store.put({"key 2": ROWS["key 2"]})
        assert store.get(ROWS) == ROWS

    def test_all_or_none_of_a_batch(self, store: Results) -> None:
        def rows() -> object:
            yield "key", "{}"
            raise KeyboardInterrupt

        store.count()
        with pytest.raises(KeyboardInterrupt):
            store.put_texts(rows())  # type: ignore[arg-type]
        assert store.count() == 0
        store.put(ROWS)
        assert store.count() == 5

    def test_another_process_opens_it_anew(self, store: Results) -> None:
        store.put(ROWS)
        assert pickle.loads(pickle.dumps(store)).get(ROWS) == ROWS

    def test_trimming_takes_other_programs_rows_first(
        self, store: Results, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        large = {f"{number}": {"text": "x" * 1000} for number in range(200)}
        store.put(large)
        store.trim(10_000_000)
        assert store.count() == 200
        with monkeypatch.context() as patched:
            patched.setattr(results, "program", lambda: "another")
            other = Results(store.path)
            other.put(ROWS)
            other.trim(100_000)
            assert other.get(ROWS) == ROWS
            other.close()
        assert store.count() == 0
        store.put(large)
        store.trim(100_000)
        assert 90 <= store.count() <= 110
        assert store.get(["199"])


class TestKeys:
    def test_whatever_changes_a_row_changes_its_key(self) -> None:
        keys = [
            key_of("5f", None),
            key_of("60", None),
            key_of("5f", 0),
            key_of("5f", 1),
            key_of("5f", None, engine="native"),
            key_of("5f", None, engine="reference"),
            key_of("5f", None, kind="row+limits"),
        ]
        assert len(set(keys)) == len(keys)

    def test_the_program_is_its_code_and_its_plugins(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        files = list(programs._files())
        names = [name for _, name in files]
        assert {"study/results.py", "native/run.py"} <= set(names)
        assert any(re.fullmatch(r"native/kernel\..*(so|pyd)", name) for name in names)
        ways = [program.__wrapped__()]
        monkeypatch.setattr(programs, "IMPORTED", math.inf)
        changed = tmp_path / "run.py"
        changed.write_text("# another engine")
        another = [(changed if name == "native/run.py" else one, name) for one, name in files]
        with monkeypatch.context() as patched:
            patched.setattr(programs, "_files", lambda: iter(another))
            ways.append(program.__wrapped__())
        monkeypatch.setenv("NWTSIM_PLUGINS", str(tmp_path))
        ways.append(program.__wrapped__())
        monkeypatch.delenv("NWTSIM_PLUGINS")
        monkeypatch.setattr(programs.platform, "python_version", lambda: "3.99.0")
        ways.append(program.__wrapped__())
        assert len(set(ways)) == len(ways)

    def test_a_process_that_is_older_than_its_files_uses_no_store(
        self, store: Results, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sent = pickle.dumps(store)
        monkeypatch.setattr(programs, "IMPORTED", 0.0)
        with pytest.raises(ProgramError, match=r"\.py has changed since this process began, so "):
            program.__wrapped__()
        monkeypatch.setattr(results, "program", lambda: "another")
        with pytest.raises(ProgramError, match="nwtsim has changed since this process began"):
            pickle.loads(sent).get(["key"])


class TestAccidents:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"format: machine/2\n" * 100, "is damaged, or no store (file is not a database)"),
            (b"SQLite format 3\x00" + b"\x01" * 5000, "is damaged, or no store"),
        ],
    )
    def test_a_file_that_is_no_store(self, tmp_path: Path, content: bytes, said: str) -> None:
        path = tmp_path / "file"
        path.write_bytes(content)
        with pytest.raises(StoreError) as caught:
            Results(path).get(["key"])
        assert str(caught.value).startswith(f"{path}: {said}")
        assert path.read_bytes() == content

    def test_a_database_of_another_program(self, tmp_path: Path) -> None:
        path = tmp_path / "other.sqlite"
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE mine (name TEXT)")
        database.close()
        before = path.read_bytes()
        with pytest.raises(StoreError, match="is a database of another program; name another"):
            Results(path).put(ROWS)
        assert path.read_bytes() == before

    def test_a_store_of_another_layout(self, store: Results) -> None:
        store.put(ROWS)
        store.close()
        database = sqlite3.connect(store.path)
        database.execute("PRAGMA user_version = 9")
        database.close()
        with pytest.raises(StoreError, match=r"is a store of another layout \(9, not 1\)"):
            store.get(ROWS)

    def test_pages_that_were_overwritten(self, store: Results) -> None:
        store.put({f"{number}": {"text": "x" * 100} for number in range(1000)})
        store.close()
        content = store.path.read_bytes()
        store.path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
        with pytest.raises(StoreError, match="is damaged, or no store"):
            store.get(["5"])

    def test_a_folder_or_a_file_in_the_way(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        for path in (tmp_path, tmp_path / "file" / "results.sqlite"):
            with pytest.raises(StoreError, match="cannot be used as a store"):
                Results(path).put(ROWS)

    def test_another_study_that_holds_it_too_long(
        self, store: Results, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.put(ROWS)
        store.close()
        monkeypatch.setattr(results, "BUSY_S", 0.05)
        holder = sqlite3.connect(store.path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        assert store.get(ROWS) == ROWS  # Readers do not wait.
        with pytest.raises(StoreError, match="another study has held it for 0 s; wait for its end"):
            store.put({"key": {}})
        holder.close()
        store.put({"key": {}})

    @pytest.mark.slow
    def test_many_processes_write_at_once(self, store: Results) -> None:
        script = (
            "import sys; from pathlib import Path\n"
            "from simulator.study.results import Results\n"
            "store = Results(Path(sys.argv[1]))\n"
            "for batch in range(40):\n"
            "    rows = {f'{batch} {i} {sys.argv[2]}': {'n': i} for i in range(5)}\n"
            "    store.put({**rows, f'shared {batch}': {'n': batch}})\n"
            "    assert len(store.get(rows)) == 5\n"
        )
        command = [sys.executable, "-c", script, str(store.path)]
        ran = [subprocess.Popen([*command, str(n)], stderr=subprocess.PIPE) for n in range(4)]
        assert [one.communicate()[1] for one in ran] == [b""] * 4
        assert store.count() == 4 * 40 * 5 + 40

    def test_another_process_makes_it_while_it_is_looked_at(
        self, store: Results, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(results, "BUSY_S", 0.05)

        class Looking(sqlite3.Connection):
            def execute(self, asked: str, *rest: Any) -> sqlite3.Cursor:
                if asked == "PRAGMA user_version":
                    with suppress(StoreError):  # It may have to wait for who looks.
                        store.put(ROWS)
                return super().execute(asked, *rest)

        store.path.parent.mkdir()
        looking = sqlite3.connect(store.path, isolation_level=None, factory=Looking)
        results._check_file(looking, store.path)
        store.put(ROWS)
        assert store.get(ROWS) == ROWS
        looking.close()

    @pytest.mark.slow
    @pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
    def test_a_kill_at_any_moment_costs_one_batch(self, store: Results) -> None:
        script = (
            "import sys; from pathlib import Path\n"
            "from simulator.study.results import Results\n"
            "store = Results(Path(sys.argv[1]))\n"
            "for batch in range(int(sys.argv[2]), 1_000_000):\n"
            "    store.put({f'{batch} {i}': {'n': i} for i in range(20)})\n"
            "    print(batch, flush=True)\n"
        )
        begin = 0
        for after_s in (0.0, 0.003, 0.011, 0.023, 0.04):
            command = [sys.executable, "-c", script, str(store.path), str(begin)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
                assert writer.stdout is not None
                writer.stdout.readline()
                time.sleep(after_s)
                writer.send_signal(signal.SIGKILL)
                told = [begin, *map(int, writer.stdout.read().split())]
            count, rest = divmod(store.count(), 20)
            assert rest == 0  # Whole batches,
            assert told[-1] + 1 <= count <= told[-1] + 2  # and each that was done.
            begin = count
            store.close()


class TestSaving:
    def test_light_rows_go_in_batches(
        self, store: Results, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seconds, batches = [0.0], list[int]()
        monkeypatch.setattr(results.time, "monotonic", lambda: seconds[0])
        monkeypatch.setattr(store, "put_texts", lambda rows: batches.append(len(rows)))
        with Saving(store, print) as saving:
            for number in range(100):
                seconds[0] += 0.003
                saving.add([(f"{number}", "{}")])
        assert sum(batches) == 100
        assert len(batches) == 4

    def test_an_interrupt_loses_nothing(self, store: Results) -> None:
        def interrupted() -> None:
            with Saving(store, print) as saving:
                for number in range(10):
                    saving.add([(f"{number}", "{}")])
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert store.count() == 10

    def test_a_store_nobody_asked_for_is_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_bytes(b"not a store" * 100)
        told: list[str] = []
        with Saving(Results(path, optional=True), told.append) as saving:
            saving.add([("key", "{}")])
            saving.add([("other", "{}")])
        (line,) = told
        assert line.endswith("; going on without it")
        with pytest.raises(StoreError), Saving(Results(path), told.append) as saving:
            saving.add([("key", "{}")])


class TestOwner:
    def test_rows_of_another_owner_are_not_found(self, store: Results) -> None:
        mine = Results(store.path, owner="mine")
        mine.put({"1": {"a": 1}})
        assert store.get(["1"]) == Results(store.path, owner="other").get(["1"]) == {}
        assert mine.get(["1"]) == {"1": {"a": 1}}

    def test_rows_come_in_the_order_of_their_keys_and_damaged_ones_as_none(
        self, store: Results
    ) -> None:
        mine = Results(store.path, owner="mine")
        mine.put({"20": {"a": 2}, "10": {"a": 1}, "30": {"a": 3}, "name": {}})
        with sqlite3.connect(store.path) as database:
            database.execute("UPDATE results SET \"row\" = '{}' WHERE key = '20'")
        database.close()
        found = [("10", '{"a": 1}'), ("20", None), ("30", '{"a": 3}')]
        assert list(mine.between("0", "9")) == found

    def test_it_is_open_only_while_it_is_used(self, store: Results) -> None:
        mine = Results(store.path, owner="mine")
        mine.put({"1": {"a": 1}})
        assert mine._opened is None
        assert [path.name for path in store.path.parent.iterdir()] == [store.path.name]


class TestPlace:
    def test_the_users_own_is_in_the_folder_for_caches(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("NWTSIM_STORE")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        opened = open_results()
        assert opened is not None
        assert (opened.path, opened.optional) == (tmp_path / "nwtsim" / "results.sqlite", True)
        assert opened.path.exists()
        monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        assert results.user_path() == tmp_path / "home" / ".cache" / "nwtsim" / "results.sqlite"

        def homeless() -> Path:
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.setattr(Path, "home", homeless)
        assert open_results() is None

    def test_a_named_one_goes_before(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NWTSIM_STORE", "")
        assert open_results() is None
        monkeypatch.setenv("NWTSIM_STORE", str(tmp_path / "environment"))
        for path, name in ((None, "environment"), (tmp_path / "named", "named")):
            opened = open_results(path)
            assert opened is not None
            assert (opened.path.name, opened.optional) == (name, False)

    def test_where_nothing_can_be_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").touch()
        place, told = tmp_path / "file" / "cache", list[str]()
        monkeypatch.delenv("NWTSIM_STORE")
        monkeypatch.setenv("XDG_CACHE_HOME", str(place))
        assert open_results(said=told.append) is None
        (line,) = told
        assert "cannot be used as a store (Not a directory)" in line
        assert line.endswith("; going on without it")
        with pytest.raises(StoreError, match="cannot be used as a store"):
            open_results(place / "results.sqlite")

    def test_something_else_in_its_place_is_always_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("NWTSIM_STORE")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        (tmp_path / "nwtsim").mkdir()
        (tmp_path / "nwtsim" / "results.sqlite").write_bytes(b"no store" * 100)
        with pytest.raises(StoreError, match="is damaged, or no store"):
            open_results()

    def test_a_file_system_of_a_network_is_none_for_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(results, "network_of", lambda _path: "nfs4")
        with pytest.raises(StoreError, match=r"is on a network's file system \(nfs4\), where"):
            open_results(tmp_path / "results.sqlite")
        monkeypatch.delenv("NWTSIM_STORE")
        assert open_results() is None
