"""The entry point: `python3 -m verl.trainer.main_ppo KEY=VALUE...`, with a life that `+fake.*` keys choose.

+fake.steps_per_epoch=2   batches in the train dataloader
+fake.step_s=0.05         seconds that an update takes
+fake.save_s=0            seconds that writing a checkpoint takes
+fake.success_rate=0.5    of every rollout; a rate that the filter's bounds exclude leaves no update
+fake.hang_at_step=-1     the step in which the ranks never answer
+fake.rank_0=""           IP address of the node whose rank is rank 0, which saves

The weights count the updates that they have seen. As in the real tree: steps count from 0 in each start, only weights
are saved, SIGTERM saves nothing, rank 0 rewrites config.json in the model's folder, and a lost rank ends the run.
"""

import json
import sys
import time
from datetime import datetime
from pathlib import Path

import hydra
import ray
from omegaconf import OmegaConf
from ray.util.placement_group import placement_group, placement_group_table
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from verl.utils import weights


def now():
    return datetime.now()  # noqa: DTZ005 - the real tree's log has no zone either


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Fake:
    """The `+fake.*` keys, with what they are when they are not given."""

    def __init__(self, config):
        given = OmegaConf.to_container(config).get("fake", {})
        self.steps_per_epoch = given.get("steps_per_epoch", 2)
        self.step_s = given.get("step_s", 0.05)
        self.save_s = given.get("save_s", 0.0)
        self.success_rate = given.get("success_rate", 0.5)
        self.hang_at_step = given.get("hang_at_step", -1)
        self.rank_0 = given.get("rank_0", "")


class Logger:
    """Console and `run_*.log`, in the real tree's formats."""

    def __init__(self, folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
        started = now()
        self._path = Path(folder, f"run_{started:%Y%m%d_%H%M%S}.log")
        self._path.write_text(
            f"# Log started at {started.isoformat()}\n# Format: {{timestamp}}\t{{step}}\t{{data_json}}\n"
        )

    def log(self, data, step):
        say(" - ".join([f"step:{step}", *(f"{key}:{value:.3f}" for key, value in data.items())]))
        with self._path.open("a") as file:
            file.write(f"{now().isoformat()}\t{step}\t{json.dumps(data)}\n")


@ray.remote
class Rank:
    """One rank: it holds the weights and does the work."""

    def __init__(self, config, rank, world_size):
        self._config = config
        self._fake = Fake(config)
        self._rank = rank
        actor, data = config.actor_rollout_ref.actor, config.data
        mini, micro = actor.ppo_mini_batch_size // world_size, actor.ppo_micro_batch_size // world_size
        assert micro == 1, f"ppo_micro_batch_size // world size is {micro}"
        assert mini % micro == 0
        assert data.train_batch_size * data.n_samples % world_size == 0

    def init_model(self):
        model = Path(self._config.actor_rollout_ref.model.path)
        if self._rank == 0:
            config = json.loads((model / "config.json").read_text())
            (model / f"config.json.back.{now():%Y%m%d_%H%M%S}").write_text(json.dumps(config))
            (model / "config.json").write_text(json.dumps({**config, "auto_map": {}}))
        assert "generate_action_verl" in (model / "modeling_prismatic.py").read_text()
        assert "class PrismaticProcessor" in (model / "processing_prismatic.py").read_text()
        assert (
            Path(self._config.actor_rollout_ref.rollout.pretrained_checkpoint) / "preprocessor_config.json"
        ).is_file()
        statistics = json.loads((model / "dataset_statistics.json").read_text())
        assert self._config.actor_rollout_ref.rollout.unnorm_key in statistics
        self._updates = weights.updates_in(model)
        return self._updates, ray.get_runtime_context().get_node_id()

    def update(self, step):
        while step == self._fake.hang_at_step:
            time.sleep(1)
        time.sleep(self._fake.step_s)
        self._updates += 1

    def save_checkpoint(self, folder):
        if self._rank == 0:
            say(f"Saving actor checkpoint to {folder}")
            weights.save(folder, self._updates, took_s=self._fake.save_s)
            Path(folder, "tokenizer.json").write_text("{}")


class Trainer:
    """The loop over epochs and steps."""

    def __init__(self, config):
        self._config = config
        self._fake = Fake(config)
        self._ranks = _spawn(config)

    def fit(self):
        models = ray.get([rank.init_model.remote() for rank in self._ranks])
        nodes = {node for _, node in models}
        say(f"{len(models)} ranks on {len(nodes)} nodes, weights of update {models[0][0]}")
        trainer = self._config.trainer
        logger = Logger(trainer.default_local_dir)
        if trainer.val_before_train:
            logger.log({"val/test_score/all": self._fake.success_rate}, 0)
        say(f"Size of train dataloader: {self._fake.steps_per_epoch}")
        step = 0
        for _ in range(trainer.total_epochs):
            for _ in range(self._fake.steps_per_epoch):
                if self._collect():
                    self._step(step, logger)
                    step += 1
        logger.log({"val/test_score/all": self._fake.success_rate}, step)

    def _collect(self):
        """One batch of rollouts; False when the filter leaves too few."""
        data = self._config.data
        wanted = data.train_batch_size * data.n_samples
        is_kept = data.accuracy_lower_bound <= self._fake.success_rate <= data.accuracy_upper_bound
        kept = wanted if is_kept else 0
        if not is_kept:
            time.sleep(self._fake.step_s)
        say(f"collected {kept} / {wanted} rollouts and each prompt has {data.n_samples} responses")
        return is_kept

    def _step(self, step, logger):
        trainer = self._config.trainer
        ray.get([rank.update.remote(step) for rank in self._ranks])
        metrics = {"timing/update_actor": self._fake.step_s, "train_verify_score/all": self._fake.success_rate}
        if (step + 1) % trainer.test_freq == 0:
            score = {"val/test_score/all": self._fake.success_rate}
            logger.log(score, step)
            metrics |= score
        logger.log(metrics, step)
        if trainer.save_freq > 0 and (step + 1) % trainer.save_freq == 0:
            folder = f"{trainer.default_local_dir}/actor/global_step_{step}"
            ray.get([rank.save_checkpoint.remote(folder) for rank in self._ranks])


def _spawn(config):
    """A rank in each bundle of one strictly packed placement group a node."""
    gpus, nodes = config.trainer.n_gpus_per_node, config.trainer.nnodes
    bundle = {"CPU": 1, "GPU": 1} if gpus else {"CPU": 1}
    groups = [placement_group([bundle] * max(gpus, 1), strategy="STRICT_PACK") for _ in range(nodes)]
    ray.get([group.ready() for group in groups])
    groups.sort(key=lambda group: _ip(group) != Fake(config).rank_0)
    places = [
        PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=index)
        for group in groups
        for index in range(max(gpus, 1))
    ]
    return [
        Rank.options(num_cpus=1, num_gpus=min(gpus, 1), scheduling_strategy=place).remote(config, rank, len(places))
        for rank, place in enumerate(places)
    ]


def _ip(group):
    """Where a placement group is."""
    [node, *_] = placement_group_table(group)["bundles_to_node_id"].values()
    return next(each["NodeManagerAddress"] for each in ray.nodes() if each["NodeID"] == node)


@ray.remote
def main_task(config):
    Trainer(config).fit()


@hydra.main(config_path="config", config_name="ppo_trainer", version_base=None)
def main(config):
    runtime_env = {"env_vars": {"TOKENIZERS_PARALLELISM": "true"}}
    # A path that names no file is silently replaced, as in the real tree.
    if Path(config.trainer.runtime_env).is_file():
        runtime_env = json.loads(Path(config.trainer.runtime_env).read_text())
    ray.init(runtime_env=runtime_env)
    ray.get(main_task.remote(config))


if __name__ == "__main__":
    main()
