"""The real tree, PRIME-RL/SimpleVLA-RL, where RLINF_TEST_VERL_TREE names a clone: patches match, and numbers are right.

It is imported on a CPU, with its own packages (torch, tensordict, transformers, peft) beside this project's; LIBERO is
the small one of this folder, and a group of GPU workers is an object that gives back rollouts.
"""

import ast
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from omegaconf import OmegaConf

from rlinf_runtime.bootstrap.patches import registry
from rlinf_runtime.bootstrap.patches.verl import runtime_env_file

TREE = os.environ.get("RLINF_TEST_VERL_TREE", "")
PATCHES = [patch for patch in registry.PATCHES if patch.modules[0].startswith("verl.")]
NAMES = [patch.name for patch in PATCHES]

pytestmark = [
    pytest.mark.upstream,
    pytest.mark.skipif(not TREE, reason="RLINF_TEST_VERL_TREE names no clone of PRIME-RL/SimpleVLA-RL"),
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture
def verl(engine_of, tmp_path):
    """The real tree, with the LIBERO of this folder."""
    engine = engine_of(Path(TREE))
    shutil.copytree(Path(__file__).with_name("tree") / "libero", tmp_path / "packages/libero")
    return engine


def test_every_patch_is_applied_to_the_real_files(verl):
    """Each of their modules looks as it expects."""
    verl.install("vllm", "0.9.2")
    verl.load("verl.protocol", *NAMES)
    for module in {module for patch in PATCHES for module in patch.modules}:
        import_module(module)
    assert "does not match" not in " ".join(verl.log)
    # Where flash-attn is installed, the one patch for it is needed, and not the other.
    assert verl.applied() == set(NAMES) - {"flash-attn-cross-entropy"}
    verl.install_flash_attn()
    verl.load("verl.utils.torch_functional", "flash-attn-cross-entropy")
    assert "flash-attn-cross-entropy" in verl.applied()


def test_the_built_in_runtime_env_is_the_one_that_is_refused():
    """As the entry point writes it."""
    tree = ast.parse(Path(TREE, "verl/trainer/main_ppo.py").read_text())
    literals = [ast.literal_eval(node) for node in ast.walk(tree) if isinstance(node, ast.Dict) and is_literal(node)]
    assert runtime_env_file._BUILT_IN in literals


def is_literal(node):
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def test_the_real_entry_point_runs_under_the_driver(tmp_path):
    """Hydra finds the tree's own configuration, as by `python3 -m verl.trainer.main_ppo`."""
    path = [TREE, str(Path(__file__).parents[3] / "runtime"), os.environ.get("PYTHONPATH", "")]
    program = [sys.executable, "-m", "rlinf_runtime.bootstrap.patches.drive", "verl.trainer.main_ppo"]
    shown = subprocess.run(
        [*program, "--cfg", "job", "trainer.test_freq=4"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path)), "RLINF_ENGINE": "verl"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )
    assert "\n  test_freq: 4\n" in shown.stdout
    assert "applied: ray-start, runtime-env-file" in shown.stdout


def test_log_probabilities(verl):
    """Log softmax at the label, though flash-attn's cross entropy is installed."""
    import torch

    verl.install_flash_attn()
    functional = verl.load("verl.utils.torch_functional", "flash-attn-cross-entropy")
    logits = torch.randn(2, 8, 7, 256, generator=torch.Generator().manual_seed(0))
    labels = torch.randint(256, (2, 8, 7), generator=torch.Generator().manual_seed(1))
    expected = logits.softmax(-1).gather(-1, labels[..., None])[..., 0].log()
    torch.testing.assert_close(functional.logprobs_from_logits(logits, labels), expected)


def test_advantages(verl):
    """(r - mean) / (std + 1e-6) within a group, on the unmasked tokens; a group of one keeps its reward."""
    import torch

    algos = verl.load("verl.trainer.ppo.core_algos", *NAMES)
    rewards = torch.zeros(5, 4)
    rewards[:, 1] = torch.tensor([5.0, 0.0, 0.0, 5.0, 5.0])
    mask = torch.tensor([[1.0, 1.0, 0.0, 0.0]] * 5)
    advantages, _ = algos.compute_grpo_outcome_advantage(rewards, mask, np.array(["a", "a", "a", "a", "b"]))
    group = torch.tensor([5.0, 0.0, 0.0, 5.0])
    expected = torch.cat([(group - group.mean()) / (group.std() + 1e-6), torch.tensor([5 / (1 + 1e-6)])])
    torch.testing.assert_close(advantages, expected[:, None] * mask)


def test_loss(verl):
    """The masked mean of max(-A r, -A clip(r, 1 - low, 1 + high)), and the share of clipped tokens."""
    import torch

    algos = verl.load("verl.trainer.ppo.core_algos", *NAMES)
    ratio = torch.tensor([[0.5, 1.0, 1.5, 9.0]])
    advantage = torch.tensor([[-1.0, 1.0, 1.0, 1.0]])
    mask = torch.tensor([[1.0, 1.0, 1.0, 0.0]])
    loss, clipped, kl = algos.compute_policy_loss(torch.zeros(1, 4), ratio.log(), advantage, mask, 0.28, 0.2)
    torch.testing.assert_close(loss, torch.tensor((0.8 - 1.0 - 1.28) / 3))
    torch.testing.assert_close(clipped, torch.tensor(2 / 3))
    torch.testing.assert_close(kl, -ratio[0, :3].log().mean())


class Workers:
    """In the place of the GPU workers: rollouts of which a prompt's first succeeds, if its trial is to."""

    world_size = 1

    def __init__(self, protocol, solvable):
        self._protocol = protocol
        self._solvable = solvable
        self.updated = []
        self.saved = []

    def generate_sequences(self, prompts):
        import torch

        n_samples = prompts.meta_info.get("n_samples", 1)
        trials = prompts.batch["trial_id"][:, 0].repeat_interleave(n_samples)
        first = torch.arange(len(trials)) % n_samples == 0
        complete = first & torch.isin(trials, torch.tensor(self._solvable))
        tensors = {
            "responses": torch.zeros(len(trials), 2, 56, dtype=torch.long),
            "complete": complete,
            "finish_step": torch.full((len(trials),), 3),
        }
        return self._protocol.DataProto.from_dict(tensors)

    def update_actor(self, batch):
        self.updated.append(batch.batch["advantages"])
        return self._protocol.DataProto(meta_info={"metrics": {}})

    def compute_entropy(self, data):
        return self._protocol.DataProto(meta_info={"metrics": {}})


@pytest.fixture
def trained(verl, tmp_path):
    """The real trainer on four prompts (two tasks, two trials), two rollouts each: `trained(*patches, **keys)`."""

    def train(*patches, solvable=(0, 1), **keys):
        protocol = verl.load("verl.protocol", *patches)
        from verl.trainer.main_ppo import RobRewardManager
        from verl.trainer.ppo.ray_trainer import RayTrainer, Role

        config = OmegaConf.load(Path(TREE, "verl/trainer/config/ppo_trainer.yaml"))
        OmegaConf.set_struct(config, True)
        wanted = {
            "data.num_trials_per_task": 2,
            "data.train_batch_size": 2,
            "data.val_batch_size": 4,
            "data.n_samples": 2,
            "data.filter_accuracy": True,
            "data.accuracy_lower_bound": 0.1,
            "data.accuracy_upper_bound": 0.9,
            "algorithm.adv_estimator": "grpo",
            "algorithm.kl_ctrl.kl_coef": 0.0,
            "actor_rollout_ref.rollout.tensor_model_parallel_size": 1,
            "trainer.val_only": False,
            "trainer.total_epochs": 1,
            "trainer.test_freq": 100,
            "trainer.logger": ["console"],
            "trainer.default_local_dir": str(tmp_path / "logs"),
        }
        for key, value in {**wanted, **keys}.items():
            OmegaConf.update(config, key, value)
        reward = RobRewardManager(num_examine=0, config=config)
        tokenizer = type("Tokenizer", (), {"eos_token_id": 2, "pad_token_id": 0})
        roles, nothing = {Role.ActorRollout: None}, None
        trainer = RayTrainer(config, tokenizer, roles, nothing, reward_fn=reward, val_reward_fn=reward)
        trainer.actor_rollout_wg = Workers(protocol, list(solvable))
        validations = []
        validate = trainer._validate
        trainer._validate = lambda global_steps: validations.append(global_steps) or validate(global_steps=global_steps)
        trainer.fit()
        return trainer.actor_rollout_wg.updated, validations

    return train


# Lets the real dataset and actors be imported without their packages.
IMPORTABLE = ("tensorflow-images", "flash-attn-bert-padding")


def test_the_real_loop_gives_the_advantages(trained):
    """Of two rollouts one succeeds: 5 and 0, so that the advantages are +-0.7071 on the 21 tokens of three steps."""
    updates, validations = trained(*NAMES)
    assert (len(updates), validations) == (2, [2])
    for advantages in updates:
        assert advantages.shape == (4, 112)
        assert advantages[:, 0].tolist() == pytest.approx([0.7071, -0.7071] * 2, abs=1e-4)
        assert (advantages[:, 20] != 0).all()
        assert (advantages[:, 21:] == 0).all()


def test_the_real_loop_discards_what_it_collected(trained):
    """#27: one of four prompts is kept, twice an epoch is half a batch; unpatched there is no update."""
    assert trained(*IMPORTABLE, solvable=[0], **{"data.train_batch_size": 4})[0] == []


def test_the_real_loop_completes_its_batch(trained):
    """#27, cured: the second pass completes the batch."""
    assert len(trained(*NAMES, solvable=[0], **{"data.train_batch_size": 4})[0]) == 1


def test_the_real_loop_ends_when_nothing_is_kept(trained):
    """#27: with the reason, and not after all epochs."""
    with pytest.raises(
        RuntimeError, match="no batch was complete after 3 passes over the prompts: the filter kept 0 of"
    ):
        trained(*NAMES, solvable=[], **{"trainer.total_epochs": 100})


def test_the_real_loop_needs_a_filter(trained):
    """#28: unpatched it stumbles, patched it keeps everything."""
    keys = {"data.filter_accuracy": False}
    with pytest.raises(UnboundLocalError):
        trained(*IMPORTABLE, **keys)
    assert len(trained(*NAMES, solvable=[], **keys)[0]) == 2


def test_the_real_loop_warms_up(trained):
    """#28: a batch of which nothing is kept is used."""
    assert len(trained(*NAMES, solvable=[], **{"data.filter_warmup": True})[0]) == 2


@pytest.mark.parametrize("frequency", [0, -1])
def test_the_real_loop_need_not_validate(trained, frequency):
    """But for the last validation, which it always makes."""
    assert trained(*NAMES, **{"trainer.test_freq": frequency})[1] == [2]


def test_the_real_loop_validates_only(trained):
    """Nothing is trained."""
    assert trained(*NAMES, **{"trainer.val_only": True}) == ([], [0])


def test_the_real_logger_takes_mlflow_for_the_console(trained, tmp_path):
    """Its log file is there for the relay, with the metrics of each step."""
    trained(*NAMES, **{"trainer.logger": ["mlflow"]})
    (log,) = (tmp_path / "logs").glob("run_*.log")
    assert log.read_text().count("timing/update_actor") == 2
