"""Knows old versions only."""

from importlib.metadata import version

if version("vllm") not in {"0.3.1", "0.4.2", "0.5.4", "0.6.3"}:
    raise ValueError(f"vllm version {version('vllm')} not supported")
