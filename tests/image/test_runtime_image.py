"""The image of engine `native` in containers as strict as the chart's pods."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from rlinf_charts.chart import rlinf_chart
from rlinf_charts.local.pods import Pod, plan_pods
from rlinf_charts.version import VERSION
from rlinf_constructs.helm import Release
from tests_support import ROOT

# The smallest run that goes through every phase.
_TINY: dict[str, Any] = {
    "data": {"train_batch_size": 2, "val_batch_size": 6, "filter_accuracy": False},
    "actor_rollout_ref": {"actor": {"ppo_mini_batch_size": 8, "ppo_micro_batch_size": 8}},
    "sft": {"demonstrations_per_task": 1, "steps": 2},
    "trainer": {"total_epochs": 1},
}


def test_it_runs_as_a_numbered_user(image) -> None:
    """Kubernetes can tell from the number alone that it is not root, whatever the chart says."""
    assert image.config()["User"] == "1000:1000"


def test_help_of_the_bootstrap_and_of_the_trainer(image) -> None:
    """Both are there with all that they import; the first is what a plain `docker run` prints."""
    assert "usage: launch" in image.run()
    assert "usage: launch" in image.run("python3", "-m", "rlinf_runtime.bootstrap", "--help")
    assert "data.n_samples" in image.run("python3", "-m", "rlinf_runtime.trainer", "--help")


def test_it_holds_the_runtime_and_no_more(image) -> None:
    """Neither TensorFlow nor what only the chart's making needs; bytecode is there, since pods cannot write it."""
    listing = "import importlib.metadata as m; print(*(d.name.lower() for d in m.distributions()))"
    packages = set(image.run("python3", "-c", listing).split())
    assert {"rlinf-eks", "torch", "ray", "mujoco"} <= packages
    assert not {"tensorflow", "cdk8s", "constructs", "jsii", "pip", "uv"} & packages
    compiled = "from rlinf_runtime.trainer import rank; from pathlib import Path; print(Path(rank.__cached__).exists())"
    assert image.run("python3", "-c", compiled).strip() == "True"


def test_labels_say_what_it_is(image) -> None:
    """Version, revision and base, by the names of the Open Container Initiative."""
    labels = image.config()["Labels"]
    assert labels["org.opencontainers.image.version"] == VERSION
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert len(labels["org.opencontainers.image.revision"].removesuffix("-dirty")) == 40
    assert "@sha256:" in labels["org.opencontainers.image.base.name"]


def test_the_charts_pod_trains_in_it(image, tmp_path: Path) -> None:
    """Ray, EGL, the trainer and its report work without root and on a read-only root file system."""
    pod = _single_pod()
    runs = tmp_path / "runs"
    runs.mkdir()
    runs.chmod(0o777)
    image.run(*pod.containers[0].argv, options=_container_options(pod, tmp_path, runs), timeout_s=280)

    status = json.loads((runs / "rlinf" / "status.json").read_text())
    assert (status["phase"], status["step"]) == ("done", 1)
    assert {"learning_curve.png", "finished.json"} <= {file.name for file in (runs / "rlinf").iterdir()}


def _single_pod() -> Pod:
    values = yaml.safe_load((ROOT / "values" / "smoke.yaml").read_text())
    values["nodes"]["count"] = 1
    values["training"] = {"hydra": _TINY}
    [pod] = plan_pods(rlinf_chart().render(values, Release(name="rlinf")), namespace="default")
    return pod


def _container_options(pod: Pod, folder: Path, runs: Path) -> tuple[str, ...]:
    """The pod's environment, names and volumes, as options of docker."""
    [container] = pod.containers
    options = [f"--env={name}={value}" for name, value in container.env.items()]
    options += [f"--add-host={host}:{pod.ip}" for host in pod.host_names]
    for mount in container.mounts:
        volume = pod.volumes[mount.volume]
        if volume.claim:
            options.append(f"--volume={runs}:{mount.path}")
        elif volume.files is not None:
            for path, file in volume.files.items():
                target = folder / mount.volume / path
                target.parent.mkdir(parents=True, exist_ok=True)
                # A StatefulSet's pod stays when the run is finished; this one ends.
                target.write_text(file.text.replace('"on_finish": "hold"', '"on_finish": "exit"'))
            options.append(f"--volume={folder / mount.volume}:{mount.path}:ro")
    return tuple(options)
