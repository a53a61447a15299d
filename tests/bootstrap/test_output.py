"""The output of any program becomes lines that a log can hold."""

import io
import os

from rlinf_runtime.bootstrap.output import lines


def test_lines_end_at_newlines_and_broken_utf8_does_no_harm():
    """Windows' line ends, an empty line, and a last line without an end."""
    assert list(lines(io.BytesIO(b"one\r\n\ntwo\xff\nthree"))) == ["one", "", "two\ufffd", "three"]


def test_a_progress_bar_is_one_line_and_its_end():
    """Drawn a thousand times within a second."""
    bar = b"".join(b"\r%d%%|###|" % percent for percent in range(100)) + b"\r100%|###|\nnext\n"
    assert list(lines(io.BytesIO(bar))) == ["", "100%|###|", "next"]


def test_a_huge_line_comes_in_pieces():
    """Without end, and without being held in memory as a whole."""
    pieces = list(lines(io.BytesIO(b"x" * 200_000 + b"\nnext\n")))
    assert "".join(pieces[:-1]) == "x" * 200_000
    assert max(map(len, pieces)) <= 1 << 16
    assert pieces[-1] == "next"


def test_a_line_comes_as_soon_as_it_is_written():
    """Nothing waits for a full buffer."""
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as output:
        found = lines(output)
        os.write(writer, b"one\ntwo")
        assert next(found) == "one"
        os.write(writer, b"\n")
        assert next(found) == "two"
        os.close(writer)
        assert list(found) == []
