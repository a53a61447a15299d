"""From `KEY=VALUE` arguments to a checked `Config`, by Hydra's compose API on the packaged `train.yaml`."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from hydra import compose, initialize_config_module
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rlinf_runtime.trainer.config.rules import did_you_mean
from rlinf_runtime.trainer.config.schema import Config
from rlinf_runtime.trainer.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")


def load_config(overrides: list[str]) -> Config:
    """Composes the packaged defaults with the overrides.

    Args:
        overrides: `KEY=VALUE`, as Hydra reads them, for example `data.n_samples=16`.

    Raises:
        ConfigError: an override is not `KEY=VALUE`, a key is unknown, or a value breaks a rule.
    """
    _check_keys(overrides)
    try:
        with initialize_config_module("rlinf_runtime.trainer.config", version_base="1.3"):
            composed = OmegaConf.to_container(compose("train", overrides=overrides), resolve=True)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(f"cannot compose the configuration: {_first_line(error)}") from error
    return _build(Config, cast("dict[str, Any]", composed), "")


def config_keys() -> dict[str, type]:
    """Every key of the configuration with the type of its value, in the order of the schema."""
    return _leaves(Config, "")


def _leaves(cls: type, prefix: str) -> dict[str, type]:
    leaves: dict[str, type] = {}
    for name, kind in _field_types(cls).items():
        leaves |= _leaves(cast("type", kind), f"{prefix}{name}.") if is_dataclass(kind) else {prefix + name: kind}
    return leaves


def _field_types(cls: type) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


def _check_keys(overrides: list[str]) -> None:
    known = list(config_keys())
    for text in overrides:
        try:
            override = OverridesParser.create().parse_override(text)
        except HydraException as error:
            raise ConfigError(f"cannot read {text!r}, expected KEY=VALUE: {_first_line(error)}") from error
        key = override.key_or_group
        if override.is_add() or override.is_delete() or override.is_sweep_override():
            raise ConfigError(f"cannot use {text!r}: every key exists already, write {key}=VALUE with one value")
        if key not in known:
            # A last part that fits is a better hint than letters in common with some other key.
            same_name = [candidate for candidate in known if candidate.split(".")[-1] == key.split(".")[-1]]
            hint = f"; did you mean {same_name[0]}?" if same_name else did_you_mean(key, known)
            raise ConfigError(f"unknown key {key}{hint}")


def _build(cls: type[T], tree: Mapping[str, Any], prefix: str) -> T:
    types = _field_types(cls)
    return cls(**{name: _value(kind, tree[name], prefix + name) for name, kind in types.items()})


def _value(kind: Any, value: Any, key: str) -> Any:
    if is_dataclass(kind):
        return _build(cast("type[Any]", kind), value, f"{key}.")
    if get_origin(kind) is tuple:
        parts = get_args(kind)
        if not isinstance(value, list) or len(cast("list[Any]", value)) != len(parts):
            raise ConfigError(f"{key} must be a list of {len(parts)} numbers, got {value!r}")
        return tuple(_value(part, item, key) for part, item in zip(parts, cast("list[Any]", value), strict=True))
    if kind is float and isinstance(value, (int, str)) and not isinstance(value, bool):
        value = _as_float(value)
    # bool is an int to Python, and 1.0 is no number of steps.
    if type(value) is not kind:
        raise ConfigError(f"{key} must be {_TYPE_NAMES[kind]}, got {value!r}")
    return value


def _as_float(value: int | str) -> float | int | str:
    """The number, also where it came as a text: `helm --set` hands 0.001 on as one."""
    try:
        return float(value)
    except ValueError:
        return value


_TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
