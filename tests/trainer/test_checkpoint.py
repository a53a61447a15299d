"""Checkpoint folders: complete by rename, the newest kept."""

from pathlib import Path

from rlinf_runtime.trainer.checkpoint import CheckpointFolder


def save(checkpoints: CheckpointFolder, step: int) -> None:
    (checkpoints.begin(step) / "state").mkdir()
    checkpoints.finish(step)


def test_an_empty_folder_has_no_checkpoint(tmp_path: Path):
    """A run that never saved starts at the beginning."""
    assert CheckpointFolder(tmp_path / "checkpoints", max_to_keep=2).newest() is None


def test_a_checkpoint_that_was_not_finished_is_ignored(tmp_path: Path):
    """A kill between begin and finish leaves the one before as the newest."""
    checkpoints = CheckpointFolder(tmp_path, max_to_keep=2)
    save(checkpoints, 10)
    checkpoints.begin(20)

    newest = checkpoints.newest()

    assert newest is not None
    assert newest.step == 10


def test_steps_are_ordered_as_numbers(tmp_path: Path):
    """global_step_10 is newer than global_step_9."""
    checkpoints = CheckpointFolder(tmp_path, max_to_keep=5)
    for step in (10, 9):
        save(checkpoints, step)

    assert [checkpoint.step for checkpoint in checkpoints.complete()] == [9, 10]


def test_only_the_newest_stay(tmp_path: Path):
    """The oldest beyond the number to keep are removed."""
    checkpoints = CheckpointFolder(tmp_path, max_to_keep=2)
    for step in (1, 2, 3):
        save(checkpoints, step)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["global_step_2", "global_step_3"]


def test_a_step_can_be_saved_again(tmp_path: Path):
    """A resumed run that comes by the same step replaces it."""
    checkpoints = CheckpointFolder(tmp_path, max_to_keep=2)
    for _ in range(2):
        save(checkpoints, 1)

    assert [checkpoint.step for checkpoint in checkpoints.complete()] == [1]
