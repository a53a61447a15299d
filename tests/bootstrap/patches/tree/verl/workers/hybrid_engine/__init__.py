"""Imports what goes with vLLM, if that is there."""

from verl.utils.import_utils import is_vllm_available

if is_vllm_available():
    import verl.third_party.vllm  # noqa: F401
