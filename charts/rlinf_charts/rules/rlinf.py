"""What RLinf asserts once its pods have got their nodes, refused at once, as far as the user's keys tell.

The rest is in RLinf's own configuration, which the chart does not see; the bootstrap's engines/rlinf.py says the same
with the keys of the other tree translated.
"""

from __future__ import annotations

from rlinf_charts.names import IS_KUBERAY, values
from rlinf_charts.rules import batches
from rlinf_charts.rules.batches import is_engine, nearest_multiples, number
from rlinf_charts.run import WORLD_SIZE
from rlinf_constructs.helm import Expression, Kind, Rule, call, fmt, for_each_entry

_TRAIN_ENVS = "env.train.total_num_envs"
_EVAL_ENVS = "env.eval.total_num_envs"
_SAVE = "runner.save_interval"
_VALIDATE = "runner.val_check_interval"

_rlinf = values.training.rlinf
_group = number("algorithm.group_size", number(batches.SAMPLES))
_envs = number(_TRAIN_ENVS)
_batch, _micro = number("actor.global_batch_size"), number("actor.micro_batch_size")
_save, _validate = number(_SAVE, number("trainer.save_freq")), number(_VALIDATE, number("trainer.test_freq"))


def _broken(condition: Expression, *message: str | Expression) -> Rule:
    return Rule(broken=is_engine("rlinf") & condition, message=fmt(*message))


# Keys of the other tree that RLinf has under other names, and the groups that they stand in.
TRANSLATED = {
    "data": (
        "accuracy_lower_bound",
        "accuracy_upper_bound",
        "filter_accuracy",
        "n_samples",
        "task_suite_name",
        "train_batch_size",
        "val_batch_size",
    ),
    "actor_rollout_ref": ("actor", "model", "rollout"),
    "actor_rollout_ref.actor": (
        "clip_ratio_high",
        "clip_ratio_low",
        "grad_clip",
        "optim",
        "ppo_micro_batch_size",
        "ppo_mini_batch_size",
    ),
    "actor_rollout_ref.model": ("action_chunks_len", "path"),
    "actor_rollout_ref.rollout": ("temperature",),
    "trainer": (
        "experiment_name",
        "logger",
        "project_name",
        "save_freq",
        "test_freq",
        "total_epochs",
        "val_only",
    ),
}


def _has_a_counterpart(group: str, known: tuple[str, ...]) -> Rule:
    """RLinf has no keys below these groups, so what is not translated was meant for the other tree."""

    def rule(key: Expression, value: Expression) -> Rule:
        is_known = call("regexMatch", rf"^\+*({'|'.join(known)})$", key)
        return Rule(
            broken=is_engine("rlinf") & ~is_known & call("toRawJson", value).differs('"null"'),
            message=fmt(
                f"training.hydra.{group}.",
                key,
                f" has no counterpart in RLinf: of the keys of engine verl below {group} it takes {', '.join(known)}; "
                "RLinf's own keys, in groups of other names, are passed on as they are",
            ),
        )

    return for_each_entry(batches.setting(group, call("dict"), Kind.MAP), rule, key="key", value="value")


RULES = [
    *(_has_a_counterpart(group, known) for group, known in TRANSLATED.items()),
    _broken(
        _rlinf.config_name.equals(""),
        "training.rlinf.configName is empty while training.engine is rlinf: name one of RLinf's configurations, such "
        "as libero_10_grpo_openvlaoft",
    ),
    _broken(
        values.training.code.equals(""),
        "training.code is empty while training.engine is rlinf: name the folder of a clone of RLinf, since the "
        "installed package has no scripts and no configurations",
    ),
    _broken(
        IS_KUBERAY & values.kuberay.head.separate,
        "kuberay.head.separate is true while training.engine is rlinf: RLinf counts the head as its first node, and "
        "would leave out one of those with GPUs; set it to false",
    ),
    batches.multiple_of_ranks("rlinf", f"training.hydra.{_TRAIN_ENVS}", _envs),
    batches.multiple_of_ranks("rlinf", f"training.hydra.{_EVAL_ENVS}", number(_EVAL_ENVS)),
    _broken(
        (_envs > 0) & (_group > 0) & (_envs % (WORLD_SIZE * _group)).differs(0),
        f"training.hydra.{_TRAIN_ENVS} is ",
        _envs,
        ", but each of ",
        WORLD_SIZE,
        " ranks takes whole groups of ",
        _group,
        ": the nearest valid values are ",
        nearest_multiples(_envs, WORLD_SIZE * _group),
    ),
    _broken(
        (number(batches.TRAIN) > 0) & (_envs.equals(0) | number(batches.SAMPLES).equals(0)),
        f"training.hydra.{batches.TRAIN} is ",
        number(batches.TRAIN),
        f" groups of training.hydra.{batches.SAMPLES}, over training.hydra.{_TRAIN_ENVS} environments at a time: "
        "set all three, or in its place RLinf's own env.train.rollout_epoch",
    ),
    _broken(
        _group.equals(1),
        "training.hydra.algorithm.group_size (or data.n_samples) is 1: a group of one has no advantage to learn from; "
        "the least is 2",
    ),
    _broken(
        (_batch > 0) & (_micro > 0) & (_batch % (_micro * WORLD_SIZE)).differs(0),
        "training.hydra.actor.global_batch_size is ",
        _batch,
        ", but must hold whole micro batches of ",
        _micro,
        " (actor.micro_batch_size) on each of ",
        WORLD_SIZE,
        " ranks: the nearest valid values are ",
        nearest_multiples(_batch, _micro * WORLD_SIZE),
    ),
    _broken(
        (_save > 0) & (_validate > 0) & (_save % _validate).differs(0),
        f"training.hydra.{_SAVE} (or trainer.save_freq) is ",
        _save,
        ", but RLinf saves after a validation, every ",
        _validate,
        " steps: the nearest valid values are ",
        nearest_multiples(_save, _validate),
    ),
]
