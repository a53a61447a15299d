"""Which sizes SimpleVLA-RL can run with, and the best ones where the user named none.

All sizes are over all ranks W, as in Hydra; every rank must get the same number of episodes, since one that has fewer
leaves the others waiting in a collective of FSDP. Sources, at commit 7c51662: verl/workers/fsdp_workers.py:103
(division by W), verl/workers/actor/dp_rob.py:383,451, verl/workers/rollout/rob_rollout.py:490 and verl/protocol.py:390
(chunks), verl/trainer/ppo/ray_trainer.py:289 (data sets), :501 (filter), verl/utils/seqlen_balancing.py:233 (sums over
the forward passes of a VLA instead of its tokens).
"""

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .verl_suites import SUITES, Suite

SUITE = "data.task_suite_name"
TRIALS = "data.num_trials_per_task"
TRAIN = "data.train_batch_size"
SAMPLES = "data.n_samples"
OVERSAMPLE = "data.oversample_factor"
FILTER = "data.filter_accuracy"
LOWER = "data.accuracy_lower_bound"
UPPER = "data.accuracy_upper_bound"
TRUNCATED = "data.filter_truncated"
VALIDATION = "data.val_batch_size"
VLA = "actor_rollout_ref.model.vla"
CHUNK = "actor_rollout_ref.model.action_chunks_len"
TOKENS = "actor_rollout_ref.model.action_token_len"
MINI = "actor_rollout_ref.actor.ppo_mini_batch_size"
MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size"
TRAJ_MINI = "actor_rollout_ref.actor.traj_mini_batch_size"
ROLLOUT_MICRO = "actor_rollout_ref.rollout.micro_batch_size"
VALIDATION_MICRO = "actor_rollout_ref.rollout.val_micro_batch_size"
ROLLOUT_LOG_PROB = "actor_rollout_ref.rollout.log_prob_micro_batch_size"
REF_LOG_PROB = "actor_rollout_ref.ref.log_prob_micro_batch_size"
ROLLOUT_NAME = "actor_rollout_ref.rollout.name"
# By which other models are divided; a VLA is sharded over all ranks by FSDP alone.
DIVISIONS = (
    "actor_rollout_ref.rollout.tensor_model_parallel_size",
    "actor_rollout_ref.actor.ulysses_sequence_parallel_size",
)
DYNAMIC_BATCHES = (
    "actor_rollout_ref.actor.use_dynamic_bsz",
    "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz",
    "actor_rollout_ref.ref.log_prob_use_dynamic_bsz",
)


def log_prob_micro_batch(world_size: int) -> int:
    """The 32 of the first launch script, as near as it comes to a multiple of W, at least one episode a rank."""
    return max(32 // world_size, 1) * world_size


def traj_mini_batch(suite: Suite, chunk: int) -> int:
    """The most forward passes of an episode that its number divides by."""
    passes = suite.forward_passes(chunk)
    return max(size for size in range(1, suite.max_traj_mini_batch + 1) if passes % size == 0)


def validation_batch(episodes: int, micro: int, world_size: int) -> int:
    """The largest valid size up to the 496 of the first launch script; 0 where not even one episode a rank is there."""
    largest = min(episodes, 496) // world_size
    return next((rank * world_size for rank in range(largest, 0, -1) if cuts_evenly(rank, micro)), 0)


def cuts_evenly(rank_size: int, micro: int) -> bool:
    """Whether torch cuts a rank's episodes into the number of pieces that the rollout asks for."""
    pieces = max(rank_size // micro, 1)
    return math.ceil(rank_size / math.ceil(rank_size / pieces)) == pieces


def faults(values: Mapping[str, Any], world_size: int) -> list[str]:
    """What SimpleVLA-RL would trip over, a sentence each; values that are no numbers, such as `${...}`, pass."""
    return list(_Check(values, world_size).faults())


class _Check:
    """All values of a run, read as the numbers and texts that they stand for."""

    def __init__(self, values: Mapping[str, Any], world_size: int) -> None:
        self._values = values
        self._ranks = world_size
        self._suite = SUITES.get(str(values.get(SUITE)))

    def faults(self) -> Iterator[str]:
        yield from self._words()
        yield from self._divisions()
        yield from self._multiples_of_ranks()
        yield from self._batches()
        yield from self._rollout_pieces()
        yield from self._filter()
        if self._suite is not None:
            yield from self._data_set(self._suite)
            yield from self._actions(self._suite)

    def _number(self, key: str) -> float | None:
        try:
            return float(self._values[key])
        except (KeyError, TypeError, ValueError):
            return None

    def _numbers(self, *keys: str) -> tuple[int, ...] | None:
        """The keys' whole numbers, or None where one of them is not known or less than 1."""
        found = [self._number(key) for key in keys]
        return None if any(it is None or it < 1 for it in found) else tuple(int(it) for it in found if it is not None)

    def _words(self) -> Iterator[str]:
        name = self._values.get(SUITE)
        if self._suite is None and isinstance(name, str) and not name.startswith("${"):
            yield f"{SUITE} is {name}, but the engine knows {', '.join(SUITES)}{_nearest(name, SUITES)}"
        if self._values.get(ROLLOUT_NAME) == "vllm":
            yield f"{ROLLOUT_NAME} is vllm, but the engine has no other rollout than hf for a VLA"
        if str(self._values.get(TRUNCATED)).lower() == "true":
            yield f"{TRUNCATED} is true, but drops groups by the length of their prompts: set it to false"
        samples = self._number(SAMPLES)
        if samples is not None and samples < 2:
            yield f"{SAMPLES} is {samples:.0f}: a group of one has no advantage to learn from; the least is 2"

    def _divisions(self) -> Iterator[str]:
        for key in DIVISIONS:
            value = self._number(key)
            if value is not None and value != 1:
                yield f"{key} is {value:.0f}, but a VLA is sharded over all ranks and divided no further: write 1"
        for key in DYNAMIC_BATCHES:
            if str(self._values.get(key)).lower() == "true":
                yield f"{key} is true, but the episodes of a VLA cannot be cut by their tokens: set it to false"

    def _multiples_of_ranks(self) -> Iterator[str]:
        for key in (MINI, ROLLOUT_LOG_PROB, REF_LOG_PROB, VALIDATION):
            value = self._number(key)
            if value is not None and (value < 1 or value % self._ranks):
                yield f"{key} is {value:.0f}, which is divided among {self._ranks} ranks: {self._multiples(value)}"
        micro = self._number(MICRO)
        if micro is not None and micro != self._ranks:
            yield f"{MICRO} is {micro:.0f}, but a rank takes one episode at a time: leave it out, for {self._ranks}"

    def _batches(self) -> Iterator[str]:
        if (sizes := self._numbers(TRAIN, SAMPLES)) is None:
            return
        train, samples = sizes
        prompts = int(train * (self._number(OVERSAMPLE) or 1))
        if prompts % self._ranks:
            yield (
                f"{TRAIN} * {OVERSAMPLE} is {prompts}, which is divided among {self._ranks} ranks: "
                f"{self._multiples(prompts)}"
            )
        if train * samples % self._ranks:
            yield (
                f"{TRAIN} * {SAMPLES} is {train * samples}, which is divided among {self._ranks} ranks: "
                f"{self._multiples(train * samples)}"
            )
        if (found := self._numbers(MINI)) is not None and train * samples % found[0]:
            yield f"{TRAIN} * {SAMPLES} is {train * samples}, which {MINI}, {found[0]}, does not divide"

    def _rollout_pieces(self) -> Iterator[str]:
        sizes = self._numbers(VALIDATION, VALIDATION_MICRO)
        if sizes is not None and sizes[0] % self._ranks == 0 and not cuts_evenly(sizes[0] // self._ranks, sizes[1]):
            nearest = validation_batch(sizes[0], sizes[1], self._ranks)
            yield (
                f"{VALIDATION} gives a rank {sizes[0] // self._ranks} episodes, which cannot be cut into pieces of "
                f"{VALIDATION_MICRO}, {sizes[1]}: the nearest valid value below is {nearest}"
            )
        sizes = self._numbers(TRAIN, ROLLOUT_MICRO)
        if sizes is not None and sizes[0] % self._ranks == 0 and not cuts_evenly(sizes[0] // self._ranks, sizes[1]):
            yield (
                f"{TRAIN} gives a rank {sizes[0] // self._ranks} groups, which cannot be cut into pieces of "
                f"{ROLLOUT_MICRO}, {sizes[1]}: set it to 1"
            )

    def _filter(self) -> Iterator[str]:
        low, high, samples = self._number(LOWER), self._number(UPPER), self._number(SAMPLES)
        if low is None or high is None or samples is None or str(self._values.get(FILTER)).lower() != "true":
            return
        if not any(low <= wins / samples <= high for wins in range(int(samples) + 1)):
            yield (
                f"{LOWER} and {UPPER} are {low:g} and {high:g}: no success rate of {samples:.0f} episodes lies there, "
                "so that every group is dropped and the run never ends; the widest bounds are 0.0 and 1.0"
            )

    def _data_set(self, suite: Suite) -> Iterator[str]:
        if (found := self._numbers(TRIALS)) is None:
            return
        trials = found[0]
        if trials > suite.max_trials:
            yield f"{TRIALS} is {trials}, but a task of {self._values[SUITE]} has {suite.max_trials} initial states"
        sizes = self._numbers(TRAIN)
        if sizes is not None:
            prompts, there = int(sizes[0] * (self._number(OVERSAMPLE) or 1)), suite.num_tasks * trials
            if prompts > there:
                yield f"{TRAIN} * {OVERSAMPLE} is {prompts}, but an epoch has {there} initial states"
        sizes, there = self._numbers(VALIDATION), suite.validation_episodes(trials)
        if sizes is not None and sizes[0] > there:
            yield f"{VALIDATION} is {sizes[0]}, but there are {there} episodes to validate on: leave it out"

    def _actions(self, suite: Suite) -> Iterator[str]:
        if (sizes := self._numbers(CHUNK, TOKENS)) is None:
            return
        chunk, tokens = sizes
        passes = suite.forward_passes(chunk)
        if (found := self._numbers(TRAJ_MINI)) is not None and passes % found[0]:
            below, above = _divisors_around(passes, found[0])
            yield (
                f"{TRAJ_MINI} is {found[0]}, but must divide the {passes} forward passes of an episode: the nearest "
                f"valid values are {below} and {above}"
            )
        if self._values.get(VLA) != "openvla-oft":
            return
        if chunk not in suite.platforms:
            allowed = " or ".join(map(str, suite.platforms))
            yield f"{CHUNK} is {chunk}, but the model plans {allowed} actions at a time in {self._values[SUITE]}"
        if tokens != suite.action_dim:
            yield f"{TOKENS} is {tokens}, but an action of {self._values[SUITE]} has {suite.action_dim} numbers"

    def _multiples(self, value: float) -> str:
        below = int(value) // self._ranks * self._ranks
        nearest = f"{below} and {below + self._ranks}" if below > 0 else f"{self._ranks}"
        return f"the nearest valid values are {nearest}"


def _divisors_around(total: int, value: int) -> tuple[int, int]:
    """The next divisor below a value that is none, and the next above, or the total itself."""
    divisors = [it for it in range(1, total + 1) if total % it == 0]
    return max(it for it in divisors if it < value), next((it for it in divisors if it > value), total)


def _nearest(name: str, known: Iterable[str]) -> str:
    # libero_long is not libero_goal.
    match = difflib.get_close_matches(name, known, n=1, cutoff=0.85)
    return f"; did you mean {match[0]}?" if match else ""
