"""The patches in one process: `setup` is the hook that Ray runs in each worker of the engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from .. import log
from . import registry
from .hook import Hook
from .patch import Patch
from .report import Report

_ENGINES = ("verl", "rlinf")


def setup() -> None:
    """Installs the patches in a Ray worker, as `worker_process_setup_hook` of the runtime environment."""
    log.configure("worker")
    _install([patch for patch in _selected(os.environ) if not patch.driver_only])


def setup_driver() -> None:
    """Installs the patches in the engine's driver.

    Raises:
        ValueError: RLINF_ENGINE or RLINF_PATCHES_OFF is of no use.
    """
    log.configure("driver")
    _install(_selected(os.environ))


def _selected(environ: Mapping[str, str]) -> Sequence[Patch]:
    """The patches of RLINF_ENGINE but those in RLINF_PATCHES_OFF, names separated by commas."""
    engine = environ.get("RLINF_ENGINE", "")
    if engine not in _ENGINES:
        raise ValueError(f"RLINF_ENGINE is {engine!r}, but must be one of {', '.join(_ENGINES)}")
    off = [name for name in environ.get("RLINF_PATCHES_OFF", "").split(",") if name]
    return registry.select(engine, off=off)


def _install(patches: Sequence[Patch]) -> None:
    # Once is enough: a patch that is applied twice wraps its own wrapper.
    if not any(isinstance(finder, Hook) for finder in sys.meta_path):
        Hook(patches, Report()).install()
