"""The patches in one process: `setup` is the hook that Ray runs in each worker of the engine."""

from __future__ import annotations

import os
from collections.abc import Mapping

from .. import log
from . import registry
from .hook import Hook
from .report import Report

_ENGINES = ("verl", "rlinf")


def setup() -> None:
    """Installs the patches in a Ray worker, as `worker_process_setup_hook` of the runtime environment."""
    install("worker", os.environ)


def install(role: str, environ: Mapping[str, str]) -> Hook:
    """Installs the patches of RLINF_ENGINE but those in RLINF_PATCHES_OFF, names separated by commas.

    Args:
        role: of this process, for the log.
        environ: its environment.

    Raises:
        ValueError: a variable is of no use.
    """
    log.configure(role)
    engine = environ.get("RLINF_ENGINE", "")
    if engine not in _ENGINES:
        raise ValueError(f"RLINF_ENGINE is {engine!r}, but must be one of {', '.join(_ENGINES)}")
    off = [name for name in environ.get("RLINF_PATCHES_OFF", "").split(",") if name]
    hook = Hook(registry.select(engine, off=off), Report())
    hook.install()
    return hook
