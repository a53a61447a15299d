"""New lines of a growing file: each once, whole, whatever happens to the file."""

from hypothesis import given
from hypothesis import strategies as st

from rlinf_runtime.bootstrap.following.tail import Tail


def append(path, content):
    with path.open("ab") as file:
        file.write(content)


def test_only_whole_lines_come_and_each_once(tmp_path):
    """A line that is being written waits for its end."""
    path = tmp_path / "log"
    tail = Tail(path)
    assert tail.lines() == []
    append(path, b"one\ntw")
    assert (tail.lines(), tail.lines()) == (["one"], [])
    append(path, b"o\r\n\xffthree\n")
    assert tail.lines() == ["two", "\ufffdthree"]
    assert tail.offset == path.stat().st_size


def test_another_life_goes_on_at_the_offset(tmp_path):
    """Nothing twice after a restart, nothing lost that was half written."""
    path = tmp_path / "log"
    append(path, b"one\ntw")
    first = Tail(path)
    first.lines()
    append(path, b"o\n")
    assert Tail(path, offset=first.offset).lines() == ["two"]


def test_a_rotated_file_is_read_to_its_end_and_the_new_one_from_its_start(tmp_path):
    """Renamed away and made anew between two looks."""
    path = tmp_path / "log"
    tail = Tail(path)
    append(path, b"one\n")
    tail.lines()
    append(path, b"two\n")
    path.rename(tmp_path / "log.1")
    assert tail.lines() == ["two"]
    append(tmp_path / "log.1", b"three\n")
    append(path, b"four\n")
    assert tail.lines() == ["three", "four"]
    assert tail.offset == len(b"four\n")


def test_a_truncated_file_is_read_anew(tmp_path):
    """As by a shell's `> log`."""
    path = tmp_path / "log"
    tail = Tail(path)
    append(path, b"one\ntwo\nthr")
    tail.lines()
    path.write_bytes(b"a\n")
    assert tail.lines() == ["a"]


def test_a_line_without_end_does_not_fill_the_memory(tmp_path):
    """It is dropped beyond 16 MiB, and the next line is whole again."""
    path = tmp_path / "log"
    tail = Tail(path)
    append(path, b"x" * (40 << 20))
    assert tail.lines() == []
    append(path, b"y\nnext\n")
    assert tail.lines()[-1] == "next"


@given(st.lists(st.binary(max_size=20), max_size=8))
def test_however_it_is_written_the_lines_are_the_same(tmp_path_factory, parts):
    """Whatever pieces a writer flushes."""
    path = tmp_path_factory.mktemp("tail") / "log"
    tail = Tail(path)
    found = []
    for part in parts:
        append(path, part)
        found += tail.lines()
    complete = b"".join(parts).split(b"\n")[:-1]
    assert found == [line.decode(errors="replace").rstrip("\r") for line in complete]
