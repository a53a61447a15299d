"""What SimpleVLA-RL trips over minutes after its pods have got their nodes, or never ends by, refused at once.

The bootstrap's engines/verl_batches.py says the same, and why, for all suites and with Hydra's own arithmetic done;
tests/contract holds both together.
"""

from __future__ import annotations

from rlinf_charts.names import values
from rlinf_charts.rules import batches
from rlinf_charts.rules.batches import MICRO, MINI, SAMPLES, TRAIN, hydra_number, is_engine, number, setting
from rlinf_charts.run import WORLD_SIZE
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Helper, Kind, Rule, call, fmt

_SUITE = "data.task_suite_name"
_TRIALS = "data.num_trials_per_task"
_OVERSAMPLE = "data.oversample_factor"
_LOWER = "data.accuracy_lower_bound"
_UPPER = "data.accuracy_upper_bound"
_VALIDATION = "data.val_batch_size"
_MODEL = "actor_rollout_ref.model.path"
_CHUNK = "actor_rollout_ref.model.action_chunks_len"
_TOKENS = "actor_rollout_ref.model.action_token_len"
_TRAJ_MINI = "actor_rollout_ref.actor.traj_mini_batch_size"
_ROLLOUT_NAME = "actor_rollout_ref.rollout.name"
_RUNTIME_ENV = "trainer.runtime_env"
_DIVISIONS = (
    "actor_rollout_ref.rollout.tensor_model_parallel_size",
    "actor_rollout_ref.actor.ulysses_sequence_parallel_size",
)
_DYNAMIC_BATCHES = (
    "actor_rollout_ref.actor.use_dynamic_bsz",
    "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz",
    "actor_rollout_ref.ref.log_prob_use_dynamic_bsz",
)
_LOGGER = "trainer.logger"
# As JSON: a list, one name, or a list in Hydra's own grammar. `tracking` is an old name for wandb there.
_KNOWN_LOGGERS = r"""^"?\[?(["' ]*(console|wandb|mlflow|tracking)["' ]*,?)*\]?"?$"""

_logger = call("toRawJson", setting(_LOGGER, "console", Kind.STRING))
_suite = setting(_SUITE, "libero_10", Kind.STRING)
_is_libero = call("hasPrefix", "libero_", _suite)
_is_oft = setting("actor_rollout_ref.model.vla", "openvla-oft", Kind.STRING).equals("openvla-oft")
_samples = hydra_number("verl", SAMPLES)
_trials = number(_TRIALS, 50)
_oversample = call("float64", setting(_OVERSAMPLE, 1.0, Kind.NUMBER))
_prompts = Helper(
    name="rlinf.verlPrompts",
    body=call("int64", call("floor", call("mulf", hydra_number("verl", TRAIN), _oversample))),
    about="Groups that the engine verl rolls out at a time.",
)
_initial_states = Helper(
    name="rlinf.verlInitialStates",
    body=_trials * helm.conditional(_suite.equals("libero_90"), 90, 10),
    about="Initial states of an epoch of LIBERO.",
)


def _broken(condition: Expression, *message: str | Expression) -> Rule:
    return Rule(broken=is_engine("verl") & condition, message=fmt(*message))


def _multiple(key: str, value: Expression) -> Rule:
    return batches.multiple_of_ranks("verl", f"training.hydra.{key}", value)


def _cut_evenly(rank_size: Expression, micro: Expression) -> Expression:
    """Whether torch cuts a rank's episodes into the number of pieces that the rollout asks for."""
    # A user may write 0, by which nothing can be divided.
    pieces = call("max", rank_size // call("max", micro, 1), 1)
    size = (rank_size + pieces - 1) // pieces
    return ((rank_size + size - 1) // size).equals(pieces)


def _uneven(key: str, total: Expression, micro_key: str, default_micro: int) -> Rule:
    """Episodes or groups of a rank that cannot be cut into pieces."""
    micro = number(micro_key, default_micro)
    return _broken(
        (total > 0) & (total % WORLD_SIZE).equals(0) & ~_cut_evenly(call("max", total // WORLD_SIZE, 1), micro),
        f"training.hydra.{key} gives a rank ",
        total // WORLD_SIZE,
        f", which cannot be cut into pieces of training.hydra.{micro_key}, ",
        micro,
        ": leave out the one or the other",
    )


def _divides_nothing(key: str) -> Rule:
    return _broken(
        number(key, 1).differs(1),
        f"training.hydra.{key} is ",
        number(key, 1),
        ", but the engine verl shards a VLA over all ranks by FSDP and divides it no further: leave it out, or write 1",
    )


def _is_fixed(key: str) -> Rule:
    return _broken(
        setting(key, False, Kind.BOOLEAN),
        f"training.hydra.{key} is true, but the engine verl cannot cut the episodes of a VLA by their tokens, and "
        "fails after the first rollout: set it to false",
    )


_forward_passes = Helper(
    name="rlinf.verlForwardPasses",
    body=(number(_CHUNK, 8) + 511) // call("max", number(_CHUNK, 8), 1),
    about="Forward passes of an episode of LIBERO, which has 512 steps.",
)
_lower = call("float64", setting(_LOWER, 0.0, Kind.NUMBER))
_upper = call("float64", setting(_UPPER, 1.0, Kind.NUMBER))

WORDS = [
    _broken(
        # A cluster of its own trains what is submitted to it.
        values.mode.differs("raycluster") & setting(_MODEL, "", Kind.STRING).equals(""),
        f"training.hydra.{_MODEL} is not set while training.engine is verl: name the folder of the model to start "
        "from, on a volume that every node mounts",
    ),
    _broken(
        ~call("regexMatch", r"^(libero_(10|90|goal|object|spatial)|robotwin2_.+)$", _suite),
        f"training.hydra.{_SUITE} is ",
        _suite,
        ", but the engine verl knows libero_10, libero_90, libero_goal, libero_object, libero_spatial and "
        "robotwin2_TASK",
    ),
    _broken(
        setting(_ROLLOUT_NAME, "hf", Kind.STRING).differs("hf"),
        f"training.hydra.{_ROLLOUT_NAME} is ",
        setting(_ROLLOUT_NAME, "hf", Kind.STRING),
        ", but the engine verl has no other rollout than hf for a VLA: leave it out, or write hf",
    ),
    _broken(
        setting("data.filter_truncated", False, Kind.BOOLEAN),
        "training.hydra.data.filter_truncated is true, but the engine verl drops groups by the length of their prompts "
        "then: set it to false",
    ),
    _broken(
        ~call("regexMatch", _KNOWN_LOGGERS, _logger) & ~call("contains", "${", _logger),
        f"training.hydra.{_LOGGER} is ",
        _logger,
        ", but the engine verl knows console and wandb, and stops at others: write some of console, wandb and mlflow "
        "(for tracking.mlflow), or leave it out, since it follows from tracking",
    ),
    _broken(
        setting(_RUNTIME_ENV, "", Kind.STRING).differs(""),
        f"training.hydra.{_RUNTIME_ENV} is set, but the bootstrap writes the file for each attempt: put variables into "
        "extraEnv, which reaches Ray itself and every worker",
    ),
]

BATCHES = [
    *map(_divides_nothing, _DIVISIONS),
    *map(_is_fixed, _DYNAMIC_BATCHES),
    _multiple(MINI, hydra_number("verl", MINI)),
    _multiple(batches.ROLLOUT_LOG_PROB, hydra_number("verl", batches.ROLLOUT_LOG_PROB)),
    _multiple(batches.REF_LOG_PROB, hydra_number("verl", batches.REF_LOG_PROB)),
    _multiple(_VALIDATION, number(_VALIDATION)),
    batches.multiple_of_ranks("verl", f"training.hydra.{TRAIN} * training.hydra.{_OVERSAMPLE}", _prompts),
    batches.multiple_of_ranks(
        "verl", f"training.hydra.{TRAIN} * training.hydra.{SAMPLES}", hydra_number("verl", TRAIN) * _samples
    ),
    batches.mini_batches_fill_a_step("verl"),
    _broken(
        (number(MICRO) > 0) & number(MICRO).differs(WORLD_SIZE),
        f"training.hydra.{MICRO} is ",
        number(MICRO),
        ", but a rank takes one trajectory at a time: leave it out, for ",
        WORLD_SIZE,
    ),
    _broken(
        _samples < 2,
        f"training.hydra.{SAMPLES} is ",
        _samples,
        ": a group of one has no advantage to learn from; the least is 2",
    ),
    _uneven(_VALIDATION, number(_VALIDATION), "actor_rollout_ref.rollout.val_micro_batch_size", 8),
    _uneven(TRAIN, hydra_number("verl", TRAIN), "actor_rollout_ref.rollout.micro_batch_size", 1),
    _broken(
        setting("data.filter_accuracy", True, Kind.BOOLEAN)
        & (call("ceil", call("mulf", _lower, _samples)) > call("floor", call("mulf", _upper, _samples))),
        f"training.hydra.{_LOWER} and {_UPPER} are ",
        _lower,
        " and ",
        _upper,
        ": no success rate of ",
        _samples,
        " episodes lies there, so that every group is dropped and the run never ends; the widest bounds are 0.0 and "
        "1.0",
    ),
]

LIBERO = [
    _broken(
        _is_libero & (_trials > 50),
        f"training.hydra.{_TRIALS} is ",
        _trials,
        ", but a task of ",
        _suite,
        " has 50 initial states",
    ),
    _broken(
        _is_libero & (_prompts > _initial_states),
        f"training.hydra.{TRAIN} * training.hydra.{_OVERSAMPLE} is ",
        _prompts,
        ", but an epoch has ",
        _initial_states,
        f" initial states (tasks * training.hydra.{_TRIALS}): that is the most",
    ),
    _broken(
        _is_libero & (number(_VALIDATION) > _initial_states),
        f"training.hydra.{_VALIDATION} is ",
        number(_VALIDATION),
        ", but there are ",
        _initial_states,
        f" episodes to validate on (tasks * training.hydra.{_TRIALS}): leave it out",
    ),
    _broken(
        _is_libero & _is_oft & number(_CHUNK, 8).differs(8),
        f"training.hydra.{_CHUNK} is ",
        number(_CHUNK, 8),
        ", but OpenVLA-OFT plans 8 actions at a time in ",
        _suite,
    ),
    _broken(
        _is_libero & _is_oft & number(_TOKENS, 7).differs(7),
        f"training.hydra.{_TOKENS} is ",
        number(_TOKENS, 7),
        ", but an action of ",
        _suite,
        " has 7 numbers",
    ),
    _broken(
        _is_libero & (number(_TRAJ_MINI) > 0) & (_forward_passes % call("max", number(_TRAJ_MINI), 1)).differs(0),
        f"training.hydra.{_TRAJ_MINI} is ",
        number(_TRAJ_MINI),
        ", but must divide the ",
        _forward_passes,
        " forward passes of an episode: leave it out for the most up to 16 that does",
    ),
]

RULES = [*WORDS, *BATCHES, *LIBERO]
HELPERS = [batches.LOG_PROB, _prompts, _initial_states, _forward_passes]
