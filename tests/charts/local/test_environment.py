"""Variables as kubelet makes them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlinf_charts.local import LocalError
from rlinf_charts.local.environment import expand, resolve

SOURCES = {("ConfigMap", "settings"): {"LEVEL": "info", "MODE": "fast"}, ("Secret", "ray"): {"token": "s3cret"}}
FIELDS = {"metadata.name": "rlinf-1", "status.podIP": "127.0.0.3"}


def resolved(*env: dict[str, Any], **container: Any) -> dict[str, str]:
    """The variables of a container."""
    return resolve({"env": list(env), **container}, sources=SOURCES, fields=FIELDS, where="container trainer")


def refusal(*env: dict[str, Any], **container: Any) -> str:
    """The text of the refusal."""
    with pytest.raises(LocalError) as error:
        resolved(*env, **container)
    return str(error.value)


def source(kind: str, **reference: Any) -> dict[str, Any]:
    """A variable X from somewhere."""
    return {"name": "X", "valueFrom": {kind: reference}}


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("$(A)/x", "1/x"),
        ("$(A)$(A)", "11"),
        ("$(UNKNOWN)", "$(UNKNOWN)"),
        ("$$(A)", "$(A)"),
        ("$$$(A)", "$1"),
        ("$A ${A} $", "$A ${A} $"),
        ("$(A", "$(A"),
    ],
)
def test_references_expand_as_in_kubernetes(text: str, expanded: str) -> None:
    """`$(A)` is the variable, `$$` a dollar sign, everything else stays."""
    assert expand(text, {"A": "1"}) == expanded


@given(st.text())
def test_doubled_dollars_protect_any_text(text: str) -> None:
    """A text with each dollar sign doubled expands to itself."""
    assert expand(text.replace("$", "$$"), {"A": "1"}) == text


def test_later_variables_see_earlier_ones() -> None:
    """References reach variables above, `envFrom` ones included, and not below."""
    env = resolved(
        {"name": "B", "value": "$(LEVEL)-$(C)"},
        {"name": "C", "value": "$(B)!"},
        envFrom=[{"configMapRef": {"name": "settings"}}],
    )

    assert env == {"LEVEL": "info", "MODE": "fast", "B": "info-$(C)", "C": "info-$(C)!"}


def test_env_wins_over_env_from_and_prefixes_apply() -> None:
    """`env` replaces a key of `envFrom`; a prefix goes before each key."""
    env = resolved(
        {"name": "LEVEL", "value": "debug"},
        envFrom=[{"configMapRef": {"name": "settings"}}, {"prefix": "RAY_", "secretRef": {"name": "ray"}}],
    )

    assert env == {"LEVEL": "debug", "MODE": "fast", "RAY_token": "s3cret"}


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        (source("secretKeyRef", name="ray", key="token"), "s3cret"),
        (source("configMapKeyRef", name="settings", key="MODE"), "fast"),
        (source("fieldRef", fieldPath="status.podIP"), "127.0.0.3"),
    ],
)
def test_values_come_from_their_source(variable: dict[str, Any], value: str) -> None:
    """A Secret's key, a ConfigMap's key, a field of the pod."""
    assert resolved(variable) == {"X": value}


def test_an_optional_source_may_be_missing() -> None:
    """The variable is then left out."""
    assert resolved(source("secretKeyRef", name="none", key="token", optional=True)) == {}


def test_missing_or_unknown_sources_are_refused() -> None:
    """The refusal names the variable and what there is."""
    assert refusal(source("secretKeyRef", name="aws", key="id")) == (
        "container trainer, env X: Secret/aws is not rendered by this chart, and local knows no other; "
        "let the chart make it, or use a cluster"
    )
    assert refusal(source("configMapKeyRef", name="settings", key="mode")) == (
        "container trainer, env X: ConfigMap/settings has no key mode; it has LEVEL, MODE"
    )
    assert refusal(source("fieldRef", fieldPath="status.podIPs")) == (
        "container trainer, env X: local does not know the field status.podIPs; it knows metadata.name, status.podIP"
    )
    assert refusal(source("resourceFieldRef", resource="limits.cpu")) == (
        "container trainer, env X: local does not support resourceFieldRef; set the variable by a value, "
        "or use a cluster"
    )
