"""The driver's program on real Ray: an engine runs as `__main__` with its arguments, and its workers are patched."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import ray

pytestmark = pytest.mark.xdist_group("ray")

TREE = Path(__file__).with_name("tree")
MAIN = "verl.trainer.main_ppo"


@pytest.fixture(scope="module")
def address():
    """A Ray of two CPUs, on which tests run drivers."""
    context = ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.2")
    yield context.address_info["address"]
    ray.shutdown()


@pytest.fixture
def drive(tmp_path):
    """Runs `drive` in a working folder of its own: `drive(*arguments, **environ)`; None unsets a variable."""

    def run(*arguments, **environ):
        runtime = str(Path(__file__).parents[3] / "runtime")
        variables = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(TREE), runtime]),
            "RLINF_ENGINE": "verl",
            "RAY_USAGE_STATS_ENABLED": "0",
            **environ,
        }
        return subprocess.run(
            [sys.executable, "-m", "rlinf_runtime.bootstrap.patches.drive", *arguments],
            env={name: value for name, value in variables.items() if value is not None},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return run


@pytest.fixture
def runtime_env(tmp_path):
    """A user's runtime environment, in a file."""
    file = tmp_path / "runtime_env.json"
    file.write_text(json.dumps({"env_vars": {"COLOUR": "blue"}}))
    return file


def test_driver_and_workers_are_patched(drive, address, runtime_env):
    """An actor with variables of its own imports a module, patched; the user's runtime environment stays."""
    done = drive(MAIN, f"+trainer.runtime_env={runtime_env}", "+model.path=/models/sft/", RAY_ADDRESS=address)
    assert done.returncode == 0, done.stderr
    assert "the model is /models/sft, in blue, one of 1" in done.stdout
    assert "driver patches  applied: ray-start, runtime-env-file" in done.stdout
    assert (done.stdout + done.stderr).count("worker patches") == 1
    output = done.stdout + done.stderr
    assert output.count("worker patches  applied: model-path") == 1, output


def test_a_patch_that_is_switched_off_is_off_in_workers(drive, address, runtime_env):
    """The fault is back."""
    done = drive(
        MAIN,
        f"+trainer.runtime_env={runtime_env}",
        "+model.path=/models/sft/",
        RAY_ADDRESS=address,
        RLINF_PATCHES_OFF="model-path,lora-save",
    )
    assert done.returncode != 0
    assert "AssertionError: the last character is /: /models/sft/" in done.stderr


def test_a_runtime_env_that_is_no_file_is_refused(drive, address):
    """The engine would go on with a built-in one, and without the user's variables."""
    done = drive(MAIN, "+trainer.runtime_env=/nowhere.json", "+model.path=/models/sft", RAY_ADDRESS=address)
    assert done.returncode != 0
    assert "trainer.runtime_env names no file on this node" in done.stderr


def test_no_driver_starts_a_ray_of_its_own(drive, runtime_env):
    """Without an address it would, and wait for GPUs that are elsewhere."""
    done = drive(MAIN, f"+trainer.runtime_env={runtime_env}", "+model.path=/models/sft", RAY_ADDRESS=None)
    assert done.returncode != 0
    assert "the engine was about to start a Ray cluster of its own" in done.stderr


def test_a_script_runs_with_its_own_folder_and_arguments(drive, tmp_path):
    """As `python3 PATH` would run it."""
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside/neighbour.py").write_text("NAME = 'a neighbour'\n")
    script = tmp_path / "beside/train.py"
    script.write_text("import sys, neighbour\nprint(__name__, sys.argv, neighbour.NAME)\n")
    done = drive("--script", str(script), "--config-name", "x")
    assert f"__main__ ['{script}', '--config-name', 'x'] a neighbour" in done.stdout


def test_the_engines_exit_code_is_the_drivers(drive, tmp_path):
    """The bootstrap reads it."""
    (tmp_path / "train.py").write_text("raise SystemExit(7)\n")
    assert drive("--script", str(tmp_path / "train.py")).returncode == 7


@pytest.mark.parametrize(
    ("arguments", "environ", "sentence"),
    [
        ([], {}, "usage: drive (MODULE | --script PATH) [ARGUMENTS...]\n"),
        (["--script"], {}, "usage: drive (MODULE | --script PATH) [ARGUMENTS...]\n"),
        ([MAIN], {"RLINF_ENGINE": "Verl"}, "RLINF_ENGINE is 'Verl', but must be one of verl, rlinf\n"),
        ([MAIN], {"RLINF_PATCHES_OFF": "lora"}, "RLINF_PATCHES_OFF names lora; the patches are ray-start, "),
    ],
)
def test_a_wrong_command_line_or_variable_is_refused(drive, arguments, environ, sentence):
    """In one sentence, without a traceback."""
    done = drive(*arguments, **environ)
    assert done.returncode == 2
    assert done.stderr.startswith(sentence)


def test_a_place_that_no_node_has_is_refused(engine, address, monkeypatch):
    """With what is wanted and what there is, instead of waiting for ever."""
    base = engine.load("verl.single_controller.ray.base", "placement")
    from rlinf_runtime.bootstrap.patches.verl import placement

    monkeypatch.setattr(placement, "_DEADLINE_S", 1.0)
    monkeypatch.setattr(placement, "_PROGRESS_S", 0.6)
    with pytest.raises(
        RuntimeError, match=r"no place for 3 workers on one node \(3 CPU, 0 GPU\) after 1 s: the nodes have 2"
    ):
        base.RayResourcePool([3]).get_placement_groups()
    assert "waiting for 3 workers on one node (3 CPU, 0 GPU): the nodes have 2 CPU and 0 GPU" in engine.log[-1]


def test_a_place_that_a_node_has_is_taken(engine, address):
    """As before."""
    (group,) = engine.load("verl.single_controller.ray.base", "placement").RayResourcePool([1]).get_placement_groups()
    ray.util.remove_placement_group(group)


def test_a_driver_tells_where_it_is_when_it_is_asked(tmp_path):
    """The bootstrap sends SIGUSR1 to an engine that hangs; the engine goes on."""
    script = tmp_path / "hangs.py"
    script.write_text(
        "import os, signal\n"
        "def where_it_hangs():\n"
        "    os.kill(os.getpid(), signal.SIGUSR1)\n"
        "where_it_hangs()\n"
        "print('goes on')\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "rlinf_runtime.bootstrap.patches.drive", "--script", str(script)],
        env={**os.environ, "RLINF_ENGINE": "verl", "PYTHONPATH": str(Path(__file__).parents[3] / "runtime")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.endswith("goes on\n")
    assert "in where_it_hangs" in done.stderr
