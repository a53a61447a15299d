"""The training loop.

    ranks:       roll_out ──> (trajectories stay there) ──> update ──> weights
                    │                                          │
    controller:  summaries ──> mini-batch sizes ──────> summaries ──> metrics, status, checkpoint, validation

A step waits for all ranks three times: after the rollouts (their counts decide the mini-batches), within the update
(gradients), and after it. Nothing else is shared, and no pixels leave a rank.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from rlinf_runtime.trainer.checkpoint import CheckpointFolder
from rlinf_runtime.trainer.errors import TrainerError
from rlinf_runtime.trainer.gauges import Gauges
from rlinf_runtime.trainer.metrics import Metrics, MetricsFile, rollout_metrics, update_metrics
from rlinf_runtime.trainer.report import Clip, draw_learning_curve, write_gif
from rlinf_runtime.trainer.sampling import mini_batch_sizes
from rlinf_runtime.trainer.sft import fine_tune

if TYPE_CHECKING:
    from rlinf_runtime.trainer.config.schema import Config
    from rlinf_runtime.trainer.rank_group import RankGroup
    from rlinf_runtime.trainer.status import Status
    from rlinf_runtime.trainer.stop import StopRequest
    from rlinf_runtime.trainer.summaries import RolloutSummary

_LOGGER = logging.getLogger(__name__)
_MAX_IDLE_STEPS = 20
"""Steps in a row that may keep no group before the run is given up."""
_NUM_FILM_CANDIDATES = 12


class Controller:
    """One run: it decides what all ranks do next."""

    def __init__(self, config: Config, ranks: RankGroup, status: Status, stop: StopRequest) -> None:
        self._config = config
        self._ranks = ranks
        self._status = status
        self._stop = stop
        self._folder = config.trainer.folder
        self._metrics = MetricsFile(self._folder)
        self._gauges = Gauges()
        self._checkpoints = CheckpointFolder(
            self._folder / "checkpoints", max_to_keep=config.trainer.max_actor_ckpt_to_keep
        )
        self._success_rate: float | None = None
        self._successes: list[int] = []
        self._idle_steps = 0

    def run(self) -> None:
        """Trains from where the run stands to its end.

        Raises:
            StoppedError: SIGTERM arrived; a checkpoint was saved if a step had been taken.
            TrainerError: a rank failed, or nothing can be learned from this start.
        """
        if self._config.trainer.val_only:
            self._start_afresh()
            self._validate(0)
            self._status.write("done", step=0, success_rate=self._success_rate)
            return
        first = self._start()
        for step in range(first, self._config.trainer.total_epochs + 1):
            metrics = self._train_step(step)
            if self._is_due(step, self._config.trainer.test_freq):
                metrics |= self._validate(step)
            self._record(step, metrics)
            if self._stop.arrived or self._is_due(step, self._config.trainer.save_freq):
                self._save(step)
            self._stop.raise_if_arrived(f"after step {step}, which is saved")
        self._report()

    def _start(self) -> int:
        """Resumes, or starts with the policy of `model.path`; returns the next step."""
        if self._config.trainer.resume_mode == "disable":
            self._set_earlier_results_aside()
        newest = self._checkpoints.newest()
        if newest is None:
            self._metrics.forget_after(-1)
            self._start_afresh()
            if self._config.trainer.val_before_train:
                self._record(0, self._validate(0))
            return 1
        _LOGGER.info("resuming at %s", newest.folder)
        self._ranks.call("load_checkpoint", str(newest.state))
        self._metrics.forget_after(newest.step)
        rates = [line["val/success_rate"] for line in self._metrics.read() if "val/success_rate" in line]
        self._success_rate = rates[-1] if rates else None
        return newest.step + 1

    def _start_afresh(self) -> None:
        path = self._config.actor_rollout_ref.model.folder
        if not path.exists():
            fine_tune(self._config, self._ranks, self._status, self._stop)
        self._ranks.call("load_policy", str(path))

    def _set_earlier_results_aside(self) -> None:
        """Moves what an earlier run left, so that a restart cannot resume there; nothing is deleted."""
        names = [name for name in ("checkpoints", "metrics.jsonl") if (self._folder / name).exists()]
        if names:
            aside = self._folder / f"before-{datetime.now(timezone.utc):%Y%m%dT%H%M%S}"
            aside.mkdir()
            for name in names:
                (self._folder / name).rename(aside / name)
            _LOGGER.info("trainer.resume_mode=disable: earlier results are in %s now", aside)

    def _train_step(self, step: int) -> Metrics:
        total = self._config.trainer.total_epochs
        self._status.write("train", step=step - 1, success_rate=self._success_rate, fraction=(step - 1) / total)
        started = time.monotonic()
        summaries: list[RolloutSummary] = self._ranks.call("roll_out", step)
        rolled_out = time.monotonic()
        rollouts = sum(summaries[1:], summaries[0])
        self._check_progress(rollouts)
        sizes = mini_batch_sizes(
            self._ranks.call("num_kept_trajectories"),
            mini_batch_size=self._config.actor_rollout_ref.actor.ppo_mini_batch_size,
        )
        updates = self._ranks.call("update", step, sizes)
        ended = time.monotonic()
        _LOGGER.info(
            "step %d/%d  success %.2f  kept %d/%d groups  rollout %.2f s  update %.2f s",
            step,
            total,
            rollouts.success_rate,
            rollouts.num_groups_kept,
            rollouts.num_groups,
            rolled_out - started,
            ended - rolled_out,
        )
        return {
            **rollout_metrics(rollouts, elapsed_s=rolled_out - started),
            **update_metrics(updates, elapsed_s=ended - rolled_out),
            "timing_s/step": ended - started,
        }

    def _check_progress(self, rollouts: RolloutSummary) -> None:
        """Ends a run that keeps no group and does not succeed either: it would go on for ever without an update."""
        data = self._config.data
        is_idle = rollouts.num_groups_kept == 0 and rollouts.success_rate <= data.accuracy_upper_bound
        self._idle_steps = self._idle_steps + 1 if is_idle else 0
        if self._idle_steps >= _MAX_IDLE_STEPS:
            raise TrainerError(
                f"no group of the last {_MAX_IDLE_STEPS} steps had a success rate from data.accuracy_lower_bound="
                f"{data.accuracy_lower_bound} to data.accuracy_upper_bound={data.accuracy_upper_bound} (success is "
                f"{rollouts.success_rate:.2f}), so nothing is learned: start from a better policy "
                "(actor_rollout_ref.model.path, or more sft.steps), explore more "
                "(actor_rollout_ref.rollout.temperature), or widen the bounds"
            )

    def _validate(self, step: int) -> Metrics:
        self._status.write("validate", step=step, success_rate=self._success_rate)
        started = time.monotonic()
        self._successes = sorted(index for share in self._ranks.call("validate") for index in share)
        num_episodes = self._config.data.val_batch_size
        self._success_rate = len(self._successes) / num_episodes
        _LOGGER.info(
            "validation after step %d: success %.3f, %d of %d held-out episodes",
            step,
            self._success_rate,
            len(self._successes),
            num_episodes,
        )
        return {
            "val/success_rate": self._success_rate,
            "val/num_episodes": num_episodes,
            "timing_s/testing": time.monotonic() - started,
        }

    def _record(self, step: int, metrics: Metrics) -> None:
        self._metrics.append(step, metrics)
        self._gauges.publish(step, metrics)

    def _save(self, step: int) -> None:
        self._ranks.call("save_checkpoint", str(self._checkpoints.begin(step)))
        checkpoint = self._checkpoints.finish(step)
        _LOGGER.info("checkpoint %s", checkpoint.folder)

    def _report(self) -> None:
        total = self._config.trainer.total_epochs
        self._status.write("report", step=total, success_rate=self._success_rate)
        draw_learning_curve(
            self._metrics.read(),
            self._folder / "learning_curve.png",
            title=f"{self._config.trainer.project_name}/{self._config.trainer.experiment_name}",
        )
        candidates = self._successes[:_NUM_FILM_CANDIDATES] or list(
            range(min(_NUM_FILM_CANDIDATES, self._config.data.val_batch_size))
        )
        clips: list[Clip] = self._ranks.call_one(0, "film", candidates)
        if clips:
            write_gif(list({clip.instruction: clip for clip in clips}.values()), self._folder / "success.gif")
        else:
            _LOGGER.info("no held-out episode succeeded, so there is no success.gif")
        self._status.write("done", step=total, success_rate=self._success_rate)

    def _is_due(self, step: int, frequency: int) -> bool:
        return step == self._config.trainer.total_epochs or (frequency > 0 and step % frequency == 0)


def train(config: Config, ranks: RankGroup, status: Status, stop: StopRequest) -> None:
    """Runs the training of a configuration."""
    Controller(config, ranks, status, stop).run()
