"""All patches, in the order in which they are applied."""

from __future__ import annotations

from collections.abc import Collection

from . import ray_start
from .libero import initial_states_file
from .patch import EngineName, Patch
from .rlinf import node_wait
from .robosuite import render_device
from .verl import (
    config_json,
    environment_failure,
    epoch_end,
    filter_truncated,
    filter_warmup,
    flash_attn_bert_padding,
    flash_attn_cross_entropy,
    initial_states,
    loggers,
    lora_save,
    model_path,
    modeling_files,
    no_filter,
    placement,
    runtime_env_file,
    tensorflow_images,
    validation_frequency,
    validation_only,
    validation_videos,
    vllm_version,
)

PATCHES: tuple[Patch, ...] = (
    ray_start.PATCH,
    # Sees what the engine passes to ray.init, so it surrounds ray_start.
    runtime_env_file.PATCH,
    flash_attn_cross_entropy.PATCH,
    flash_attn_bert_padding.PATCH,
    no_filter.PATCH,
    filter_warmup.PATCH,
    filter_truncated.PATCH,
    # Counts what all filters keep in the end, so it surrounds them.
    epoch_end.PATCH,
    config_json.PATCH,
    modeling_files.PATCH,
    tensorflow_images.PATCH,
    environment_failure.PATCH,
    initial_states.PATCH,
    loggers.PATCH,
    lora_save.PATCH,
    model_path.PATCH,
    placement.PATCH,
    validation_frequency.PATCH,
    validation_only.PATCH,
    validation_videos.PATCH,
    vllm_version.PATCH,
    initial_states_file.PATCH,
    render_device.PATCH,
    node_wait.PATCH,
)


def names() -> tuple[str, ...]:
    """The names by which patches are switched off."""
    return tuple(patch.name for patch in PATCHES)


def select(engine: EngineName, *, off: Collection[str]) -> tuple[Patch, ...]:
    """An engine's patches but those that are switched off.

    Raises:
        ValueError: `off` has a name that no patch has.
    """
    if unknown := sorted(set(off) - set(names())):
        raise ValueError(f"RLINF_PATCHES_OFF names {', '.join(unknown)}; the patches are {', '.join(names())}")
    return tuple(patch for patch in PATCHES if engine in patch.engines and patch.name not in off)
