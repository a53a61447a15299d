"""`run.json`, the file in which the chart and the runtime meet, as typed, frozen data.

The chart renders it; this module is its only reader. Unknown and missing keys are refused, as is every value that no
run could use, with one sentence that names the key, the value and what is allowed.
"""

import base64
import difflib
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from .exit_codes import BootstrapError, ExitCode

EngineName = Literal["native", "verl", "rlinf"]

ConfigT = TypeVar("ConfigT")


def _at_least(low: int, high: int | None = None) -> Mapping[str, Any]:
    return {"low": low, "high": high}


def _like(pattern: str, words: str) -> Mapping[str, Any]:
    return {"pattern": re.compile(pattern), "words": words}


_PORT = _at_least(1024, 65535)
_FOLDER = _like(r"(/.*)?", "an absolute path, or empty")


@dataclass(frozen=True, kw_only=True, slots=True)
class NodesConfig:
    """How many pods there are, and how many GPUs and EFA devices each has; 0 GPUs means one CPU rank a node."""

    count: int = field(metadata=_at_least(1))
    gpus: int = field(metadata=_at_least(0))
    efa_devices: int = field(metadata=_at_least(0))


@dataclass(frozen=True, kw_only=True, slots=True)
class RayConfig:
    """Where the Ray head listens, where each pod's Ray shows its metrics, and the CPUs that a pod offers to Ray.

    `autoscaled` says that Ray's autoscaler adds nodes when a run asks for them, and removes idle ones.
    """

    head_host: str = field(metadata=_like(r"\S+", "a host name or an IP address"))
    port: int = field(metadata=_PORT)
    dashboard_port: int = field(metadata=_PORT)
    metrics_port: int = field(metadata=_PORT)
    num_cpus: int = field(metadata=_at_least(1))
    autoscaled: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineConfig:
    """Which engine trains, where its code is, and the user's nested tree of its own keys.

    Attributes:
        name: of the engine.
        code: folder of the engine's tree; "": the engine is installed in the image.
        config_folder: of the engine's Hydra configurations, for engines that have many; "": the one in its tree.
        config_name: of the configuration in that folder.
        hydra: the user's keys.
        patches_off: names of the patches that are not applied.
    """

    name: EngineName
    code: str = field(metadata=_FOLDER)
    config_folder: str = field(metadata=_FOLDER)
    config_name: str = field(metadata=_like(r"[A-Za-z0-9_./-]*", "the name of a configuration, or empty"))
    hydra: dict[str, Any]
    patches_off: list[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class PreflightConfig:
    """Whether nodes are checked before the engine starts, and the names of checks that are left out."""

    enabled: bool
    skip: list[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class WatchdogConfig:
    """When an engine that gets nowhere is ended: epochs that bring no update, minutes without a sign; 0: never."""

    epochs_without_update: int = field(metadata=_at_least(0))
    step_minutes: int = field(metadata=_at_least(0))


@dataclass(frozen=True, kw_only=True, slots=True)
class DeadlinesConfig:
    """Seconds that Ray's start may take, the coming of the head and all nodes, and the end after SIGTERM."""

    start_s: int = field(metadata=_at_least(1))
    join_s: int = field(metadata=_at_least(1))
    stop_s: int = field(metadata=_at_least(1))


@dataclass(frozen=True, kw_only=True, slots=True)
class RunConfig:
    """The whole run, as docs/architecture.md describes it."""

    schema_version: Literal[1]
    name: str = field(metadata=_like(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", "letters, digits, '-', '_' and '.'"))
    folder: str = field(metadata=_like(r"/.*", "an absolute path"))
    nodes: NodesConfig
    ray: RayConfig
    engine: EngineConfig
    preflight: PreflightConfig
    resume: str = field(metadata=_like(r"auto|never|/.+", '"auto", "never" or the absolute path of a checkpoint'))
    keep_checkpoints: int = field(metadata=_at_least(0))
    watchdog: WatchdogConfig
    deadlines: DeadlinesConfig
    on_finish: Literal["hold", "exit"]

    @property
    def world_size(self) -> int:
        """Number of training ranks: one a GPU, or one a node without GPUs."""
        return self.nodes.count * max(self.nodes.gpus, 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """A run and the SHA-256 of the text that describes it, by which a finished run is known again."""

    config: RunConfig
    digest: str


def from_json(text: str) -> Run:
    """Parses the text of a run.json.

    Raises:
        BootstrapError: (`CONFIG`) the text is no JSON, or a key is unknown, missing or of no use.
    """
    try:
        tree = json.loads(text)
    except json.JSONDecodeError as error:
        raise _refusal(f"not JSON: {error}") from error
    return Run(config=_parse_object(RunConfig, tree, ""), digest=hashlib.sha256(text.encode()).hexdigest())


def from_file(path: Path) -> Run:
    """Reads a run.json.

    Raises:
        BootstrapError: (`CONFIG`) the file cannot be read, or see `from_json`.
    """
    try:
        return from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise _refusal(f"cannot read {path}: {error}; the launch ConfigMap carries it beside launch.sh") from error


def from_base64(text: str) -> Run:
    """Reads a run.json that came in a command line, where a shell would take its `$` and quotes for its own.

    Raises:
        BootstrapError: (`CONFIG`) the text is no base64, or see `from_json`.
    """
    try:
        return from_json(base64.b64decode(text, validate=True).decode())
    except ValueError as error:
        raise _refusal(f"cannot decode --run: {error}; the chart writes it as base64") from error


def _parse_object(cls: type[ConfigT], tree: object, path: str) -> ConfigT:
    if not isinstance(tree, dict):
        raise _refusal(f"{path.rstrip('.') or 'the whole file'} is {_show(tree)}, but must be an object")
    keys = {item.name: item for item in fields(cls)}  # pyright: ignore[reportArgumentType]
    for key in tree:
        if key not in keys:
            raise _refusal(f"{path}{key} is not a known key{_nearest(key, keys)}; known here: {', '.join(keys)}")
    for key in keys:
        if key not in tree:
            raise _refusal(f"{path}{key} is missing; render run.json with the chart of this bootstrap's version")
    types = get_type_hints(cls)
    values = {key: _parse_value(types[key], item.metadata, tree[key], path + key) for key, item in keys.items()}
    return cls(**values)


def _parse_value(wanted: Any, rule: Mapping[str, Any], value: Any, path: str) -> Any:
    if is_dataclass(wanted):
        return _parse_object(wanted, value, f"{path}.")  # pyright: ignore[reportArgumentType]
    if allowed := _REFUSALS[get_origin(wanted) or wanted](wanted, rule, value):
        raise _refusal(f"{path} is {_show(value)}, but must be {allowed}")
    return value


def _no_choice(wanted: Any, _rule: Mapping[str, Any], value: Any) -> str:
    allowed = get_args(wanted)
    # `True == 1`, so the type is compared as well.
    if any(value == choice and type(value) is type(choice) for choice in allowed):
        return ""
    hint = _nearest(value, allowed) if isinstance(value, str) else ""
    return f"{' or '.join(map(_show, allowed))}{hint}"


def _no_integer(_wanted: Any, rule: Mapping[str, Any], value: Any) -> str:
    low, high = rule["low"], rule["high"]
    if type(value) is int and value >= low and (high is None or value <= high):
        return ""
    return f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"


def _no_text(_wanted: Any, rule: Mapping[str, Any], value: Any) -> str:
    return "" if isinstance(value, str) and rule["pattern"].fullmatch(value) else rule["words"]


def _no_texts(_wanted: Any, _rule: Mapping[str, Any], value: Any) -> str:
    return "" if isinstance(value, list) and all(isinstance(item, str) for item in value) else "a list of texts"


# What a value of each type must be, in words, where it is something else.
_REFUSALS: Mapping[Any, Callable[[Any, Mapping[str, Any], Any], str]] = {
    Literal: _no_choice,
    int: _no_integer,
    str: _no_text,
    list: _no_texts,
    bool: lambda _wanted, _rule, value: "" if isinstance(value, bool) else "true or false",
    dict: lambda _wanted, _rule, value: "" if isinstance(value, dict) else "an object",
}


def _nearest(word: str, known: Any) -> str:
    match = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {match[0]}?)" if match else ""


def _show(value: object) -> str:
    return json.dumps(value)


def _refusal(sentence: str) -> BootstrapError:
    return BootstrapError(ExitCode.CONFIG, f"run.json: {sentence}")
