"""What the bootstrap knows of an engine."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..attempt import Attempt
from ..run_config import RunConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """What one start of an engine follows from.

    Attributes:
        config: the run.
        attempt: which start this is.
        given: the user's values by dotted key, without Hydra's marks (+, ++).
        environ: of the pod that starts the engine.
    """

    config: RunConfig
    attempt: Attempt
    given: Mapping[str, Any]
    environ: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Engine:
    """A training program with a Hydra command line; each part is a function of the start.

    Attributes:
        program: the command up to the overrides.
        keys: the engine's values by dotted key: its defaults, and what follows from the cluster and the attempt, so
            that nobody types it twice. The user's values win.
        translated: the user's values (keys with Hydra's marks) as the engine knows them and the attempt wants them.
        environment: variables that the engine's process gets besides the pod's.
        files: texts by path, written before the engine starts.
        faults: sentences on what the engine could not run with, given all values by dotted key; empty: nothing.
    """

    program: Callable[[Start], tuple[str, ...]]
    keys: Callable[[Start], Mapping[str, Any]]
    translated: Callable[[RunConfig, Attempt, Mapping[str, Any]], Mapping[str, Any]]
    environment: Callable[[Start], Mapping[str, str]]
    files: Callable[[Start], Mapping[str, str]]
    faults: Callable[[Start, Mapping[str, Any]], list[str]]
