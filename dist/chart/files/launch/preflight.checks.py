"""All checks by name: those of a node that takes ranks, and those of the run, wherever its engine is started."""

from collections.abc import Callable, Iterable, Mapping

from ..run_config import RunConfig
from . import (
    clock,
    configuration,
    cpus,
    efa,
    engine,
    gpus,
    memory,
    model,
    packages,
    platform,
    rendering,
    shared_memory,
    simulator,
    space,
)
from .finding import Finding

Check = Callable[[RunConfig, Mapping[str, str]], Iterable[Finding]]

OF_THE_RUN: Mapping[str, Check] = {
    "engine": engine.check,
    "configuration": configuration.check,
    "model": model.check,
    "platform": platform.check,
    "packages": packages.check,
    "space": space.check,
    "clock": clock.check,
}
OF_A_NODE: Mapping[str, Check] = {
    "gpus": gpus.check,
    "cpus": cpus.check,
    "memory": memory.check,
    "sharedMemory": shared_memory.check,
    "efa": efa.check,
    "rendering": rendering.check,
    "simulator": simulator.check,
}
ALL: Mapping[str, Check] = {**OF_THE_RUN, **OF_A_NODE}
