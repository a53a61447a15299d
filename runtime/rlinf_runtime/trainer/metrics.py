"""`metrics.jsonl`: one JSON object a step, under verl's names where the meaning is the same."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from rlinf_runtime.trainer.summaries import RolloutSummary, UpdateSummary

if TYPE_CHECKING:
    from pathlib import Path

Metrics = dict[str, float]


def rollout_metrics(summary: RolloutSummary, *, elapsed_s: float) -> Metrics:
    """Metrics of a step's rollouts over all ranks."""
    return {
        "train/success_rate": summary.success_rate,
        "train/num_episodes": summary.num_episodes,
        "train/num_groups": summary.num_groups,
        "train/num_groups_kept": summary.num_groups_kept,
        "timing_s/rollout": elapsed_s,
        "perf/env_steps_per_s": summary.num_env_steps / elapsed_s,
    }


def update_metrics(summaries: list[UpdateSummary], *, elapsed_s: float) -> Metrics:
    """Metrics of a step's update, from the parts of all ranks; loss and the like are absent when nothing was kept."""
    first = summaries[0]
    metrics: Metrics = {"timing_s/update": elapsed_s, "actor/num_optimizer_steps": first.num_optimizer_steps}
    if first.num_optimizer_steps:
        metrics |= {
            "actor/pg_loss": sum(summary.pg_loss for summary in summaries),
            "actor/pg_clipfrac": sum(summary.clip_fraction for summary in summaries),
            "actor/ppo_kl": sum(summary.approx_kl for summary in summaries),
            "actor/grad_norm": first.grad_norm,
            "actor/lr": first.learning_rate,
        }
    return metrics


class MetricsFile:
    """The run's metrics on disk."""

    def __init__(self, folder: Path) -> None:
        """Names the file; nothing is written yet."""
        self._path = folder / "metrics.jsonl"

    def append(self, step: int, metrics: Metrics) -> None:
        """Adds one line."""
        with self._path.open("a") as file:
            file.write(json.dumps({"step": step, "timestamp_s": time.time(), **metrics}) + "\n")

    def read(self) -> list[Metrics]:
        """All complete lines; a line that a kill cut short is left out."""
        if not self._path.is_file():
            return []
        return [json.loads(line) for line in self._path.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def forget_after(self, step: int) -> None:
        """Drops the lines beyond `step`: a resumed run goes through those steps again."""
        kept = [metrics for metrics in self.read() if metrics["step"] <= step]
        partial = self._path.with_suffix(".jsonl.partial")
        partial.write_text("".join(json.dumps(metrics) + "\n" for metrics in kept))
        partial.replace(self._path)
