"""The word that was meant by one that is not known."""

from __future__ import annotations

import pytest

from rlinf_charts.instances import instances
from rlinf_charts.values import RlinfValues
from rlinf_constructs.helm import nearest

_ROOT = [field.alias for field in RlinfValues.model_fields.values() if field.alias]
_MODES = ["statefulset", "job", "raycluster", "rayjob"]


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("cuont", ["count", "gpus", "resources", "sharedMemory"], "count"),
        ("shared_memory", ["count", "gpus", "resources", "sharedMemory"], "sharedMemory"),
        ("repo", ["repository", "tag", "digest"], "repository"),
        ("rayjob", _ROOT, "rayJob"),
        ("volumes", _ROOT, "extraVolumes"),
        ("envFrom", _ROOT, "extraEnvFrom"),
        ("StatefulSet", _MODES, "statefulset"),
        ("ray-cluster", _MODES, "raycluster"),
        ("P5.48xlrage", instances(), "p5.48xlarge"),
        ("p5-48xlarge", instances(), "p5.48xlarge"),
        ("http", ["K8sJobMode", "HTTPMode", "SidecarMode"], "HTTPMode"),
    ],
)
def test_a_misspelt_word_is_guessed(word: str, known: list[str], meant: str) -> None:
    """Swapped letters, another case, an abbreviation."""
    assert nearest.nearest(word, known) == meant


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("memory", ["count", "gpus", "resources", "sharedMemory"]),
        ("serviceMonitor", _ROOT),
        ("tolerations", _ROOT),
        ("deployment", _MODES),
        ("cronjob", _MODES),
        ("ray", _MODES),
        *(
            (name, instances())
            for name in ("m7i.4xlarge", "g6.4xlarge", "p3.16xlarge", "g4dn.xlarge", "p6-b300.48xlarge")
        ),
        ("h100", instances()),
        ("1.6", ["1.5", "1.7"]),
    ],
)
def test_another_word_is_not_guessed_at(word: str, known: list[str]) -> None:
    """Who means something else is sent astray by a word that looks like it."""
    assert nearest.nearest(word, known) == ""
