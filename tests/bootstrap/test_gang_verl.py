"""Engine verl under a real Ray, with the stand-in for SimpleVLA-RL: what a gang survives, and how it ends."""

import json
import subprocess
from pathlib import Path

import pytest

from rlinf_runtime.bootstrap import run_config
from rlinf_runtime.bootstrap.staging.begin import begin
from verl_runs import checkpoint, records, verl_tree, weights

pytestmark = pytest.mark.timeout(600)

NODE_IPS = ("127.0.0.2", "127.0.0.3")
# Two busy nodes on a small machine.
SLOW_S = 240


@pytest.fixture
def make_read_only():
    """Makes a folder read-only, for root as well where it may mount; afterwards it can be removed."""
    mounted = []

    def make(folder):
        for path in (folder, *folder.iterdir()):
            path.chmod(path.stat().st_mode & ~0o222)
        if subprocess.run(["mount", "--bind", str(folder), str(folder)], capture_output=True, check=False).returncode:
            return
        mounted.append(folder)
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)

    yield make
    for folder in mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_run_trains_saves_and_ends(run_tree, start_pod, tmp_path, make_read_only):
    """It writes into the folder of its start, and the shared model may be on a volume that nobody can write to."""
    tree = verl_tree(run_tree, tmp_path)
    make_read_only(tmp_path / "model")
    before = {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()}
    worker, head = start_pod(tree, 1), start_pod(tree, 0)
    assert (head.exit_code(within_s=SLOW_S), worker.exit_code(within_s=SLOW_S)) == (0, 0), head.output + worker.output
    assert "2 ranks on 2 nodes, weights of update 0" in head.output
    assert weights.updates_in(checkpoint(tree, 1, 3)) == 4
    assert {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()} == before
    assert records(tree) == [
        {"resume": "auto", "model": str(tmp_path / "model"), "checkpoint": "", "first_step": 0, "first_epoch": 0}
    ]
    assert (Path(tree["folder"]) / "finished.json").exists()


@pytest.mark.parametrize("victim", [0, 1], ids=["head", "worker"])
def test_a_pod_that_is_killed_while_it_saves_costs_the_steps_since_the_last_whole_checkpoint(
    run_tree, start_pod, tmp_path, victim
):
    """The half checkpoint is ignored and named, and the rest of the epochs is trained from the one before."""
    trainer = {"total_epochs": 3, "save_freq": 2, "val_before_train": False}
    tree = verl_tree(run_tree, tmp_path, save_s=3, rank_0=NODE_IPS[victim])
    tree["engine"]["hydra"]["trainer"] = trainer
    pods = [start_pod(tree, rank) for rank in (0, 1)]
    pods[0].wait_for_line(f"Saving actor checkpoint to {checkpoint(tree, 1, 3)}", within_s=SLOW_S)
    pods[victim].kill()
    pods[victim] = start_pod(tree, victim)
    codes = [pod.exit_code(within_s=SLOW_S) for pod in pods]
    assert codes == [0, 0], pods[0].output + pods[1].output
    assert f"ignoring the incomplete checkpoint {checkpoint(tree, 1, 3)}" in pods[0].output
    assert f"start 2 goes on from {checkpoint(tree, 1, 1)} (2 steps), weights only" in pods[0].output
    assert "2 ranks on 2 nodes, weights of update 2" in pods[0].output
    assert records(tree)[1]["first_epoch"] == 1
    assert weights.updates_in(checkpoint(tree, 2, 3)) == 6


def alone(tree):
    """The same run on one node."""
    return {**tree, "nodes": {**tree["nodes"], "count": 1}}


def test_sigterm_ends_an_engine_that_saves_nothing_at_once(run_tree, start_pod, tmp_path):
    """The log says what is lost; nothing is left, and the run is not marked as finished."""
    tree = alone(verl_tree(run_tree, tmp_path, step_s=2))
    head = start_pod(tree, 0)
    head.wait_for_line("step:0", within_s=SLOW_S)
    head.terminate()
    assert head.exit_code() == 143
    assert "verl saves nothing when it is told to stop" in head.output
    assert head.processes() == []
    assert not (Path(tree["folder"]) / "finished.json").exists()


def test_a_filter_that_keeps_nothing_ends_the_run_with_the_keys_to_change(run_tree, start_pod, tmp_path):
    """Discovery #27: the tree itself would go through all epochs without an update, and end well."""
    tree = alone(verl_tree(run_tree, tmp_path, success_rate=0.0, step_s=0.5))
    tree["engine"]["hydra"]["data"] = {"accuracy_lower_bound": 0.1}
    tree["engine"]["hydra"]["trainer"]["total_epochs"] = 1000
    head = start_pod(tree, 0)
    assert head.exit_code(within_s=SLOW_S) == 18, head.output
    reason = head.termination_log.read_text()
    assert reason.startswith("NO_UPDATES: 2 epochs brought no update")
    assert "training.hydra.data.accuracy_lower_bound 0" in reason
    assert head.processes() == []


def test_a_corrupt_checkpoint_costs_the_steps_since_the_one_before(run_tree, start_pod, tmp_path):
    """A shard of the right length but without content, as a storage server leaves it that was restarted."""
    tree = alone(verl_tree(run_tree, tmp_path))
    Path(tree["folder"]).mkdir()
    begin(run_config.from_json(json.dumps(tree)).config)
    for step in (1, 3):
        weights.save(checkpoint(tree, 1, step), step + 1)
    shard = checkpoint(tree, 1, 3) / "model-00001-of-00002.safetensors"
    shard.write_bytes(bytes(shard.stat().st_size))
    head = start_pod(tree, 0)
    assert head.exit_code(within_s=SLOW_S) == 0, head.output
    assert f"ignoring the incomplete checkpoint {checkpoint(tree, 1, 3)}: {shard.name}" in head.output
    assert f"start 2 goes on from {checkpoint(tree, 1, 1)} (2 steps), weights only" in head.output
    assert weights.updates_in(checkpoint(tree, 2, 3)) == 6


def test_batches_that_do_not_divide_end_the_pod_before_ray_starts(run_tree, start_pod, tmp_path):
    """The exit code is that of a wrong configuration, after which a Job does not try again."""
    tree = verl_tree(run_tree, tmp_path)
    tree["engine"]["hydra"]["data"] = {"train_batch_size": 63}
    head = start_pod(tree, 0)
    assert head.exit_code() == 10
    reason = head.termination_log.read_text()
    assert reason.startswith("CONFIG: training.hydra: data.train_batch_size")
    assert "does not divide" in reason
    assert "head started" not in head.output


def test_a_wrong_key_is_explained_where_kubectl_shows_it(run_tree, start_pod, tmp_path):
    """Hydra's own words are among the last lines."""
    tree = alone(verl_tree(run_tree, tmp_path))
    tree["engine"]["hydra"]["data"] = {"n_sample": 8}
    head = start_pod(tree, 0)
    assert head.exit_code(within_s=SLOW_S) == 16
    assert "Key 'n_sample' is not in struct" in head.termination_log.read_text()


@pytest.fixture
def small_disk(tmp_path):
    """A file system of three megabytes: it holds one checkpoint of two. `small_disk(megabytes)` makes it larger."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not mount a file system")

    def resize(megabytes):
        subprocess.run(["mount", "-o", f"remount,size={megabytes}m", str(disk)], check=True)
        return disk

    yield resize
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_full_disk_costs_the_checkpoint_and_not_the_run(run_tree, start_pod, tmp_path, small_disk):
    """The engine's error is where kubectl shows it; with more room the next start goes on from the whole one."""
    tree = alone(verl_tree(run_tree, tmp_path))
    tree["folder"] = str(small_disk(3) / "run")
    head = start_pod(tree, 0)
    assert head.exit_code(within_s=SLOW_S) == 16, head.output
    assert "No space left on device" in head.termination_log.read_text()
    small_disk(20)
    head = start_pod(tree, 0)
    assert head.exit_code(within_s=SLOW_S) == 0, head.output
    assert f"ignoring the incomplete checkpoint {checkpoint(tree, 1, 3)}" in head.output
    assert weights.updates_in(checkpoint(tree, 2, 1)) == 4


@pytest.mark.slow
def test_an_engine_that_hangs_is_ended_with_the_stacks_of_both_nodes(run_tree, start_pod, tmp_path):
    """The watchdog's limit is two minutes here; a restart may help, so the exit code is not that of a wrong run."""
    tree = verl_tree(run_tree, tmp_path, hang_at_step=1)
    tree["watchdog"] = {"epochs_without_update": 2, "step_minutes": 2}
    head, worker = start_pod(tree, 0), start_pod(tree, 1)
    assert head.exit_code(within_s=500) == 17, head.output
    assert head.termination_log.read_text().startswith("STALLED: the engine has reported no rollouts")
    for ip in NODE_IPS:
        assert f" on {ip}:" in head.output
    assert head.output.count("update (verl/trainer/main_ppo.py") + head.output.count("update (main_ppo.py") == 2
    worker.wait_for_line("the head's Ray is gone")
    assert head.processes() == []
