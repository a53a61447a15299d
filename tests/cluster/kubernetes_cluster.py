"""Real helm and kubectl on a namespace of a real cluster."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rlinf_constructs.helm import yaml_io
from tests_support import ROOT

CHART = ROOT / "dist" / "chart"
RUNS_CLAIM = "runs"
HOST_CLASS = "rlinf-e2e-host"
# Helm takes no longer name for a release.
LONGEST_NAME = 53
_USER = 1000
# Its value is the namespace; what the tests made themselves is no leftover of a release.
_OURS = "rlinf-e2e"
_IN_EVERY_NAMESPACE = {"configmap/kube-root-ca.crt", "serviceaccount/default"}


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A namespace, and the folder on this machine for the volumes of its pods."""

    namespace: str
    scratch: Path

    def kubectl(self, *arguments: str, check: bool = True, stdin: str | None = None, timeout_s: float = 120) -> str:
        """Run kubectl in the namespace; its output."""
        return run(
            ["kubectl", "--namespace", self.namespace, *arguments], check=check, stdin=stdin, timeout_s=timeout_s
        )

    def helm(self, *arguments: str, timeout_s: float = 300) -> str:
        """Run helm in the namespace; its output."""
        return run(["helm", "--namespace", self.namespace, *arguments], timeout_s=timeout_s)

    def why_helm_test_fails(self, release: str, *, name: str) -> str:
        """Run `helm test`, which must fail, and read in its pod's status why."""
        with pytest.raises(AssertionError, match="exited with 1"):
            self.helm("test", release, "--timeout", "180s")
        [container] = self.get("pod", f"{name}-test")["status"]["containerStatuses"]
        # Helm keeps the pod of a failed test, also when it uninstalls, for people to read.
        self.kubectl("delete", "pod", f"{name}-test")
        return container["state"]["terminated"]["message"]

    def get(self, kind: str, *selection: str) -> dict[str, Any]:
        """An object or a list of objects."""
        return json.loads(self.kubectl("get", kind, *selection, "--output", "json"))

    def apply(self, *objects: dict[str, Any]) -> None:
        """Create or change objects."""
        self.kubectl("apply", "--filename", "-", stdin=yaml_io.dump_all(list(objects)))

    def create_namespace(self, *, enforce: str) -> None:
        """Make the namespace, which enforces a Pod Security Standard."""
        labels = {"pod-security.kubernetes.io/enforce": enforce, "pod-security.kubernetes.io/warn": enforce}
        self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace, "labels": labels}})

    def delete_namespace(self) -> None:
        """Have the namespace deleted with all that is in it, and the volumes made for it; pods take a while to go."""
        self.kubectl("delete", "namespace", self.namespace, "--wait=false")
        self.kubectl("delete", "persistentvolume", "--selector", f"{_OURS}={self.namespace}", "--wait=false")

    def wait_until_deleted(self) -> None:
        """Wait until nothing is left of the namespace and its volumes."""

        def left() -> str:
            names = ("--output", "name", "--ignore-not-found")
            volumes = self.kubectl("get", "persistentvolume", "--selector", f"{_OURS}={self.namespace}", *names)
            return self.kubectl("get", "namespace", self.namespace, *names) + volumes

        self.wait_until(f"{self.namespace} is gone", lambda: not left(), within_s=150)

    def host_volume(self, name: str, path: Path, *, mode: str) -> str:
        """A volume on a folder of this machine; its name."""
        volume = f"{self.namespace}-{name}"
        self.apply(
            {
                "apiVersion": "v1",
                "kind": "PersistentVolume",
                "metadata": {"name": volume, "labels": {_OURS: self.namespace}},
                "spec": {
                    "accessModes": [mode],
                    "storageClassName": HOST_CLASS,
                    "capacity": {"storage": "1Gi"},
                    "hostPath": {"path": str(path)},
                },
            }
        )
        return volume

    def host_claim(self, claim: str, path: Path, *, mode: str) -> None:
        """A claim on a folder of this machine: Pod Security refuses hostPath in pods, but not in volumes."""
        self.apply(
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {"name": claim, "labels": {_OURS: self.namespace}},
                "spec": {
                    "accessModes": [mode],
                    "storageClassName": HOST_CLASS,
                    "volumeName": self.host_volume(claim, path, mode=mode),
                    "resources": {"requests": {"storage": "1Gi"}},
                },
            }
        )

    def writable_folder(self, name: str) -> Path:
        """A folder of this machine that any user may write to."""
        folder = self.scratch / name
        folder.mkdir()
        folder.chmod(0o777)
        return folder

    def wait_until(self, what: str, holds: Callable[[], object], *, within_s: float) -> None:
        """Ask again until it holds; the failure shows the pods and their last lines."""
        end = time.monotonic() + within_s
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"not within {within_s:.0f} s: {what}\n{self.describe_pods()}")
            time.sleep(1)

    def describe_pods(self) -> str:
        """The pods with their events and last lines, for people who read a failure."""
        parts = [self.kubectl("get", "pods", "--output", "wide", check=False)]
        parts.append(self.kubectl("get", "events", "--sort-by=.lastTimestamp", check=False)[-3000:])
        for pod in self.kubectl("get", "pods", "--output", "name", check=False).split():
            parts += [pod, self.kubectl("logs", "--tail=30", pod, check=False)]
        return "\n".join(parts)

    def training_pods(self, *more: str) -> list[dict[str, Any]]:
        """The pods that run a node, of those labels."""
        return self.get("pods", "--selector", ",".join((TRAINING, *more)))["items"]

    def wait_until_only(self, *names: str) -> None:
        """Wait until of all that a release or an operator made nothing remains but KIND/NAME, ..."""
        kinds = self.kubectl("api-resources", "--namespaced", "--verbs", "list,delete", "--output", "name").split()
        listed = ",".join(kind for kind in kinds if not kind.startswith("events"))
        others = ("--selector", f"!{_OURS}", "--output", "name", "--ignore-not-found")

        def is_so() -> bool:
            return set(self.kubectl("get", listed, *others).split()) - _IN_EVERY_NAMESPACE == set(names)

        self.wait_until(f"only {names} of it are left", is_so, within_s=150)

    def pod_uids(self, release: str) -> dict[str, str]:
        """Uid by name of a release's training pods."""
        pods = self.get("pods", "--selector", f"app.kubernetes.io/instance={release},{TRAINING}")["items"]
        return {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in pods}

    def ready_pods(self, release: str) -> set[str]:
        """Names of a release's training pods that are ready."""
        pods = self.get("pods", "--selector", f"app.kubernetes.io/instance={release},{TRAINING}")["items"]
        return {
            pod["metadata"]["name"]
            for pod in pods
            if any(it["type"] == "Ready" and it["status"] == "True" for it in pod["status"].get("conditions", []))
            and "deletionTimestamp" not in pod["metadata"]
        }


@dataclass(frozen=True, kw_only=True)
class KubeRay:
    """The operator of the cluster.

    Attributes:
        replaces_pods: whether an upgrade of a RayCluster gives it new pods.
        values: assignments that the chart needs for this version.
    """

    replaces_pods: bool
    values: tuple[str, ...]


TRAINING = "app.kubernetes.io/component=training"


def options(values: list[Path], *assignments: str) -> list[str]:
    """Helm's options for values files and single values."""
    files = [part for file in values for part in ("--values", str(file))]
    return [*files, *(part for assignment in assignments for part in ("--set", assignment))]


def host_python_values(cluster: Cluster, *, base: Path, checkout: Path) -> Path:
    """Volumes with this machine's Python and checkout, and a values file that mounts them where they are."""
    cluster.host_claim("python", base, mode="ReadOnlyMany")
    cluster.host_claim("checkout", checkout, mode="ReadOnlyMany")
    cluster.host_claim(RUNS_CLAIM, cluster.writable_folder("runs"), mode="ReadWriteMany")
    venv = checkout / ".venv"
    values = {
        "image": {"repository": "localhost/rlinf-base", "tag": "dev", "pullPolicy": "Never"},
        "storage": {
            "runs": {"existingClaim": RUNS_CLAIM},
            "claims": {
                "python": {"claimName": "python", "mountPath": str(base), "readOnly": True},
                "checkout": {"claimName": "checkout", "mountPath": str(checkout), "readOnly": True},
            },
        },
        "extraEnv": {"PATH": f"{venv}/bin:/usr/local/bin:/usr/bin:/bin"},
        "podSecurity": {"runAsUser": _USER, "runAsGroup": _USER, "fsGroup": _USER},
    }
    file = cluster.scratch / "host-python.yaml"
    file.write_text(yaml_io.dump(values))
    return file


def run(command: list[str], *, check: bool = True, stdin: str | None = None, timeout_s: float = 120) -> str:
    """Run a command; its output."""
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout_s, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout
