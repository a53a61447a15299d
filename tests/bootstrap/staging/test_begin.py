"""What a start of the engine goes on from, by `resume` and by what earlier starts have left."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rlinf_runtime.bootstrap import run_config
from rlinf_runtime.bootstrap.engines.launch import launch
from rlinf_runtime.bootstrap.exit_codes import BootstrapError, ExitCode
from rlinf_runtime.bootstrap.following.follower import Follower
from rlinf_runtime.bootstrap.staging import checkpoints
from rlinf_runtime.bootstrap.staging.attempts import AttemptFolder, attempts_in, claim
from rlinf_runtime.bootstrap.staging.begin import begin
from verl_runs import checkpoint, records, verl_tree, weights


@pytest.fixture
def tree(run_tree, tmp_path):
    Path(run_tree["folder"]).mkdir()
    return verl_tree(run_tree, tmp_path)


def started(tree, **others):
    """Begins a start of the run."""
    return begin(run_config.from_json(json.dumps({**tree, **others})).config)


def save(tree, attempt, step, updates):
    """Leaves a checkpoint as the engine does."""
    weights.save(checkpoint(tree, attempt, step), updates)
    return checkpoint(tree, attempt, step)


def test_a_restart_goes_on_from_the_newest_complete_checkpoint(tree):
    """Each start has a folder of its own, and steps and epochs add up over starts."""
    first = started(tree)
    assert (first.number, first.first_step, first.model_path) == (1, 0, f"{tree['folder']}/attempts/1/model")
    save(tree, 1, 24, 25)
    AttemptFolder(Path(first.folder)).note_epochs(24, 3)

    second = started(tree)
    assert (second.number, second.first_step, second.first_epoch) == (2, 25, 3)
    assert weights.updates_in(second.model_path) == 25
    save(tree, 2, 9, 35)
    AttemptFolder(Path(second.folder)).note_epochs(9, 1)

    third = started(tree)
    assert (third.number, third.first_step, third.first_epoch) == (3, 35, 4)
    assert weights.updates_in(third.model_path) == 35
    assert weights.updates_in(checkpoint(tree, 1, 24)) == 25


def test_incomplete_checkpoints_are_ignored_and_named(tree, caplog):
    """The newest that is whole counts, in an earlier start if need be."""
    started(tree)
    save(tree, 1, 24, 25)
    started(tree)
    cut = save(tree, 2, 9, 35) / "model-00002-of-00002.safetensors"
    cut.write_bytes(cut.read_bytes()[:5000])
    (save(tree, 2, 19, 45) / "model.safetensors.index.json").unlink()
    assert started(tree).first_step == 25
    ignored = [record.getMessage() for record in caplog.records if "incomplete" in record.getMessage()]
    assert [("global_step_19" in line, "global_step_9:" in line) for line in ignored] == [(True, False), (False, True)]


def test_the_log_says_that_verl_goes_on_with_weights_only(tree, caplog):
    """Nobody shall take it for a true resume."""
    caplog.set_level("INFO")
    started(tree)
    save(tree, 1, 24, 25)
    started(tree)
    assert "(25 steps), weights only: the optimizer, the learning rate's schedule" in caplog.text


def test_never_begins_with_the_model_and_keeps_what_is_there(tree):
    """A later start with `auto` goes on from what was trained last."""
    started(tree)
    save(tree, 1, 24, 25)
    assert started(tree, resume="never").first_step == 0
    assert started(tree, resume="auto").first_step == 25
    assert started(tree, resume="never").number == 4


def test_a_path_is_where_the_first_start_begins_and_restarts_go_on(tree):
    """As to step back behind a collapse: what was trained from the path since is newer than it."""
    started(tree)
    early, late = save(tree, 1, 24, 25), save(tree, 1, 49, 50)
    AttemptFolder(Path(tree["folder"], "attempts/1")).note_epochs(24, 2)
    back = started(tree, resume=str(early))
    assert (back.first_step, back.first_epoch, weights.updates_in(back.model_path)) == (25, 2, 25)
    assert started(tree, resume=str(early)).first_step == 25
    save(tree, 2, 9, 35)
    assert started(tree, resume=str(early)).first_step == 35
    assert started(tree, resume=str(late)).first_step == 50


def test_a_path_of_another_run_counts_from_zero(tree, tmp_path):
    """Of its steps nothing is known."""
    weights.save(tmp_path / "elsewhere/global_step_99", 100)
    other = started(tree, resume=str(tmp_path / "elsewhere/global_step_99"))
    assert (other.first_step, weights.updates_in(other.model_path)) == (0, 100)


def test_a_path_that_is_no_checkpoint_is_refused(tree, tmp_path):
    """With what is wrong there."""
    with pytest.raises(
        BootstrapError, match=r"training.resume is .*, but that is no complete checkpoint of engine verl:"
    ) as refusal:
        started(tree, resume=str(tmp_path))
    assert refusal.value.exit_code is ExitCode.CONFIG


def test_checkpoints_of_another_model_do_not_count(tree, tmp_path, caplog):
    """A run that was given another model in the same folder begins with that."""
    caplog.set_level("INFO")
    started(tree)
    save(tree, 1, 24, 25)
    weights.make_model(tmp_path / "other")
    tree["engine"]["hydra"]["actor_rollout_ref"]["model"]["path"] = str(tmp_path / "other")
    assert started(tree).first_step == 0
    assert "starts [1] trained another model" in caplog.text
    assert records(tree)[1]["model"] == str(tmp_path / "other")


def test_what_a_killed_head_leaves_half_made_is_no_obstacle(tree):
    """A folder without a record, and one with a broken record."""
    started(tree)
    save(tree, 1, 24, 25)
    Path(tree["folder"], "attempts/2").mkdir()
    Path(tree["folder"], "attempts/3").mkdir()
    Path(tree["folder"], "attempts/3/attempt.json").write_text('{"resume": ')
    Path(tree["folder"], "attempts/lost+found").mkdir()
    fourth = started(tree)
    assert (fourth.number, fourth.first_step) == (4, 25)


def test_the_command_loads_the_staged_model_and_trains_the_epochs_that_are_left(tree):
    """The user's own keys are those of the whole run."""
    started(tree)
    save(tree, 1, 24, 25)
    AttemptFolder(Path(tree["folder"], "attempts/1")).note_epochs(24, 1)
    config = run_config.from_json(json.dumps(tree)).config
    second = begin(config)
    start = launch(config, second, {})
    folder = f"{tree['folder']}/attempts/2"
    assert f"actor_rollout_ref.model.path={folder}/model" in start.overrides
    assert f"actor_rollout_ref.rollout.pretrained_checkpoint={folder}/model" in start.overrides
    assert f"trainer.default_local_dir={folder}/checkpoints" in start.overrides
    assert "trainer.total_epochs=1" in start.overrides
    assert start.environment["HF_MODULES_CACHE"] == f"{folder}/modules"


def test_the_models_code_is_where_transformers_would_copy_it(tree):
    """Every rank finds it equal, and none copies (discovery #31)."""
    start = started(tree)
    laid_out = Path(start.modules_cache, "transformers_modules/model")
    for name in ("modeling_prismatic.py", "processing_prismatic.py"):
        assert (laid_out / name).read_bytes() == Path(start.model_path, name).read_bytes()
    assert (laid_out / "__init__.py").exists()
    assert Path(start.modules_cache, "transformers_modules/__init__.py").exists()


def test_a_model_that_is_not_there_or_not_whole_is_refused_by_its_key(tree, tmp_path):
    """The volume was not mounted, or the download was cut off."""
    path = tree["engine"]["hydra"]["actor_rollout_ref"]["model"]
    (tmp_path / "model/config.json").unlink()
    with pytest.raises(
        BootstrapError, match=r"training.hydra.actor_rollout_ref.model.path.*config.json is not there"
    ) as refusal:
        started(tree)
    assert refusal.value.exit_code is ExitCode.PREFLIGHT
    path["path"] = "/nowhere/at/all"
    with pytest.raises(BootstrapError, match=r"model.path is /nowhere/at/all, but there is no such folder"):
        started(tree)


def test_a_trailing_slash_names_the_same_model(tree):
    """The tree itself refuses it, and it makes no other model of it."""
    started(tree)
    save(tree, 1, 24, 25)
    tree["engine"]["hydra"]["actor_rollout_ref"]["model"]["path"] += "/"
    assert started(tree).first_step == 25


def test_a_model_on_a_hub_is_left_to_the_engine(tree):
    """There is no folder to stage; its cache is on each pod's own disk."""
    tree["engine"]["hydra"]["actor_rollout_ref"]["model"]["path"] = "owner/name"
    start = started(tree)
    assert start.model_path is None
    assert start.modules_cache.startswith("/tmp/")


def test_a_folder_that_every_start_would_overwrite_is_refused(tree):
    """The seeds set trainer.default_local_dir, and a restart wrote over global_step_24."""
    tree["engine"]["hydra"]["trainer"]["default_local_dir"] = "/fsx/checkpoints"
    with pytest.raises(BootstrapError, match=r"trainer.default_local_dir is /fsx/checkpoints, where each start"):
        started(tree)


def test_rlinf_resumes_exactly_from_a_checkpoint_with_metadata(tree):
    """torch.distributed.checkpoint writes .metadata last; the number in the name counts all steps."""
    tree["engine"] |= {"name": "rlinf", "hydra": {}}
    assert started(tree).checkpoint is None
    saved = Path(tree["folder"], "attempts/1/rlinf/checkpoints")
    for step in (10, 20):
        (saved / f"global_step_{step}/actor/dcp_checkpoint").mkdir(parents=True)
    (saved / "global_step_10/actor/dcp_checkpoint/.metadata").write_text("")
    second = started(tree)
    assert (second.checkpoint, second.first_step) == (str(saved / "global_step_10"), 10)


def test_the_native_engine_finds_its_own_checkpoints(run_tree):
    """`never` becomes its own key; a path is refused with what to set instead."""
    config = run_config.from_json(json.dumps({**run_tree, "resume": "never"})).config
    assert "trainer.resume_mode=disable" in launch(config, begin(config), {}).overrides
    config = run_config.from_json(json.dumps(run_tree)).config
    assert not any("resume_mode" in override for override in launch(config, begin(config), {}).overrides)
    with pytest.raises(BootstrapError, match="the native engine takes"):
        begin(run_config.from_json(json.dumps({**run_tree, "resume": "/runs/x"})).config)


def test_two_heads_get_folders_of_their_own(tree):
    """Each start is made by one process, also when a former head still lives."""
    with ThreadPoolExecutor(8) as pool:
        attempts = list(pool.map(lambda _: claim(Path(tree["folder"])), range(16)))
    assert sorted(attempt.number for attempt in attempts) == list(range(1, 17))


def test_old_checkpoints_are_removed_only_when_asked(tree, caplog):
    """The newest stay, over all starts, and so does the one that the running start loads its weights from."""
    started(tree)
    first = [save(tree, 1, step, step + 1) for step in (9, 19, 29)]
    second = started(tree)
    later = [save(tree, 2, step, step + 31) for step in (9, 19)]
    half = save(tree, 2, 29, 60)
    (half / "config.json").unlink()
    attempts = attempts_in(Path(tree["folder"]))
    checkpoints.prune("verl", attempts, keep=1, but=str(first[2]))
    assert [path.exists() for path in (*first, *later, half)] == [False, False, True, False, True, True]
    assert weights.updates_in(second.model_path) == 30


def test_a_follower_notes_epochs_and_removes_what_is_too_much(tree):
    """Both when the engine says that it saves."""
    tree["keep_checkpoints"] = 1
    config = run_config.from_json(json.dumps(tree)).config
    start = begin(config)
    follower = Follower(config, start)
    saved = [save(tree, 1, step, step + 1) for step in (1, 3, 5)]
    for line in ("Size of train dataloader: 2", "collected 8 / 8 rollouts", "collected 8 / 8 rollouts"):
        follower.hear(line)
    follower.hear(f"(Rank pid=1) Saving actor checkpoint to {saved[2]}")
    follower.check()
    assert [path.exists() for path in saved] == [False, False, True]
    assert AttemptFolder(Path(start.folder)).epochs_at(5) == 1
    follower.close()
