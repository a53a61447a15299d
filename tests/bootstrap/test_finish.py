"""The reason of an end is where kubelet looks for it."""

from rlinf_runtime.bootstrap import finish
from rlinf_runtime.bootstrap.exit_codes import BootstrapError, ExitCode


def test_the_termination_log_keeps_the_sentence_and_the_last_lines(tmp_path):
    """Kubelet reads 4096 bytes: the sentence is whole, and of the details the end is kept."""
    path = tmp_path / "termination-log"
    path.write_text("")
    details = tuple(f"line {number} " + "é" * 60 for number in range(100))
    finish.explain(BootstrapError(ExitCode.ENGINE_FAILED, "it broke", details), {"RLINF_TERMINATION_LOG": str(path)})
    written = path.read_bytes()
    assert len(written) <= 4096
    assert written.startswith(b"ENGINE_FAILED: it broke\n")
    assert written.endswith(details[-1].encode())
    written.decode()


def test_without_the_file_nothing_is_written(tmp_path):
    """Kubelet makes the file; elsewhere nobody would read it."""
    path = tmp_path / "termination-log"
    finish.explain(BootstrapError(ExitCode.CONFIG, "wrong"), {"RLINF_TERMINATION_LOG": str(path)})
    assert not path.exists()
