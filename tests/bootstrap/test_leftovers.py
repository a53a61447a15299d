"""Shared memory of a pod whose container starts again."""

import pytest

from rlinf_runtime.bootstrap import leftovers


@pytest.fixture
def shared(tmp_path):
    for name in ("nccl-WU88OE", "torch_7_1", "psm_1a2b", "sem.mp-x", "mine", "nccl"):
        (tmp_path / name).touch()
    (tmp_path / "nccl-folder").mkdir()
    return tmp_path


def test_a_containers_first_process_removes_what_others_left(shared):
    """All that NCCL and PyTorch call theirs, and nothing else."""
    leftovers.remove(folder=shared, pid=1)
    assert {path.name for path in shared.iterdir()} == {"mine", "nccl", "nccl-folder"}


def test_beside_other_processes_nothing_is_removed(shared):
    """As on a laptop, where /dev/shm is everybody's."""
    before = set(shared.iterdir())
    leftovers.remove(folder=shared)
    assert set(shared.iterdir()) == before
