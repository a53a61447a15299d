"""The chart, assembled in the order in which a reader expects it: values expressions go into constructs as props."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import cdk8s

from rlinf_charts import (
    dashboard,
    disruption,
    extras,
    modes,
    monitoring,
    names,
    network,
    notes,
    placement,
    profiles,
    readme,
    resources,
    run,
    scheduling,
    secrets,
    volumes,
)
from rlinf_charts.environment import ENVIRONMENT
from rlinf_charts.metadata import metadata
from rlinf_charts.names import values
from rlinf_charts.rules import extra_objects, ray_start, verl
from rlinf_charts.rules.catalog import RULES
from rlinf_charts.storage import add_storage
from rlinf_charts.values import hydra, meanings
from rlinf_charts.variant import CHART_NAME, Variant
from rlinf_constructs import helm
from rlinf_constructs.helm import HelmChart
from rlinf_constructs.helm.defaults import with_defaults
from rlinf_constructs.platform.identity import ServiceAccount, ServiceAccountProps, TokenSecret, TokenSecretProps
from rlinf_constructs.platform.manifests import Manifests, annotate
from rlinf_constructs.training import launch
from rlinf_constructs.training.launch import LaunchConfigMaps, LaunchProps
from rlinf_constructs.training.pod import Security, TrainingPodProps, ray_token
from rlinf_constructs.training.release_test import ReleaseTest, ReleaseTestProps

_LAUNCH_FILES = "files/launch"
_ENGINES_FILES = "files/launch-engines"


def rlinf_chart(variant: Variant | None = None) -> HelmChart:
    """The chart `rlinf` of this version of the toolkit, or a variant of it."""
    variant = variant or Variant()
    model = with_defaults(variant.extension.values, variant.defaults)
    objects = cdk8s.Chart(cdk8s.App(record_construct_metadata=False), CHART_NAME)
    _add_identity(objects)
    add_storage(objects)
    _add_launch(objects)
    pod = _pod_props()
    _add_nodes(objects, pod)
    scheduling.add_gang(objects)
    disruption.add_disruption_budget(objects)
    network.add_network_policy(objects)
    dashboard.add_dashboard(objects)
    monitoring.add_pod_monitor(objects)
    _add_test(objects, pod)
    Manifests(objects, "ExtraObjects", values.extra_objects)
    own_values = helm.ValuesRef(variant.extension.values)
    variant.extension.add(objects, own_values)
    annotate(objects, values.common_annotations)
    made = helm.made_objects(objects, name="rlinf.objects")
    return HelmChart(
        metadata=metadata(variant),
        values=model,
        header=f"Values of the chart {variant.name}: reinforcement-learning training of vision-language-action "
        "policies.\nGenerated from rlinf_charts.values; change it there and run `make chart`.",
        objects=objects,
        rules=[*RULES, *extra_objects.rules(made), *variant.extension.rules(own_values)],
        helpers=[
            *names.HELPERS,
            *resources.HELPERS,
            *scheduling.HELPERS,
            *volumes.HELPERS,
            *placement.HELPERS,
            *network.HELPERS,
            ENVIRONMENT,
            *run.HELPERS,
            *ray_start.HELPERS,
            *verl.HELPERS,
            _LAUNCH_ITEMS,
            _ENGINES_ITEMS,
            made,
        ],
        files={
            **{_chart_path(path): text for path, text in launch_files().items()},
            profiles.PATH: profiles.table(),
            "README.md": readme.text(variant.name, model, hydra.NativeHydra),
            ".helmignore": "*.tgz\n",
        },
        notes=notes.TEXT,
        constrain=_constrain,
    )


@functools.cache
def launch_files() -> Mapping[str, str]:
    """launch.sh and the bootstrap's modules, by their path in the launch folder.

    They are read as text from the installed runtime package, which is never imported here.
    """
    spec = importlib.util.find_spec("rlinf_runtime")
    assert spec is not None, "the distribution rlinf-eks holds rlinf_runtime"
    assert spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0]) / "bootstrap"
    sources = sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".sh"))
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in sources}


_LAUNCH_ITEMS = helm.Helper(
    name="rlinf.launchItems",
    body=helm.ListOf(
        launch.items([launch.RUN_FILE, *(it for it in launch_files() if not launch.is_of_the_engines(it))])
    ),
    about="Where the launch folder has what is in its ConfigMap.",
)
_ENGINES_ITEMS = helm.Helper(
    name="rlinf.enginesItems",
    body=helm.ListOf(launch.items(path for path in launch_files() if launch.is_of_the_engines(path))),
    about="Where the launch folder has what is in the ConfigMap for the engines.",
)


def _constrain(schema: dict[str, Any]) -> None:
    """What pydantic cannot say of the values."""
    hydra.constrain(schema)
    meanings.explain(schema)


def _chart_path(path: str) -> str:
    """Where the chart keeps a file of the launch folder."""
    return f"{_ENGINES_FILES if launch.is_of_the_engines(path) else _LAUNCH_FILES}/{launch.key(path)}"


def _launch_digest() -> str:
    digest = hashlib.sha256()
    for path, text in launch_files().items():
        digest.update(f"{path}\0{text}\0".encode())
    return digest.hexdigest()


def _add_identity(objects: cdk8s.Chart) -> None:
    account = ServiceAccount(
        objects,
        "ServiceAccount",
        ServiceAccountProps(
            name=names.SERVICE_ACCOUNT, labels=helm.splice(names.LABELS), annotations=values.service_account.annotations
        ),
    )
    helm.when(values.service_account.create, account)
    token = TokenSecret(
        objects,
        "RayToken",
        TokenSecretProps(
            name=names.TOKEN_SECRET_OWN,
            labels=helm.splice(names.LABELS),
            key=names.OWN_TOKEN_KEY,
            # KubeRay stops the training of a deleted RayJob first: without the token it tries for ever, and pods stay.
            annotations={"helm.sh/resource-policy": helm.when(values.mode.equals("rayjob"), "keep")},
        ),
    )
    helm.when(values.ray.auth.enabled & ~values.ray.auth.existing_secret, token)


def _add_launch(objects: cdk8s.Chart) -> None:
    LaunchConfigMaps(
        objects,
        "Launch",
        LaunchProps(
            name=names.LAUNCH_CONFIG_MAP,
            engines_name=names.ENGINES_CONFIG_MAP,
            labels=helm.splice(names.LABELS),
            run=run.RUN,
            files=helm.Files(_LAUNCH_FILES),
            engines_files=helm.Files(_ENGINES_FILES),
        ),
    )


def _add_nodes(objects: cdk8s.Chart, pod: TrainingPodProps) -> None:
    checksums = _checksums()
    ray_pods = modes.ray_pods(pod)
    modes.add_nodes_service(objects)
    modes.add_head_service(objects)
    modes.add_stateful_set(objects, replace(pod, annotations={**checksums, **pod.annotations}))
    modes.add_job(objects, pod)
    modes.add_ray_cluster(objects, ray_pods.annotated(checksums), pod)
    modes.add_ray_job(objects, ray_pods, pod)


def _checksums() -> dict[str, str]:
    """Annotations by which pods roll when the run or the bootstrap changes."""
    return {"checksum/run": helm.string(helm.call("sha256sum", run.RUN)), "checksum/bootstrap": _launch_digest()}


def _add_test(objects: cdk8s.Chart, pod: TrainingPodProps) -> None:
    ReleaseTest(
        objects,
        "Test",
        ReleaseTestProps(
            name=helm.fmt(names.FULLNAME, "-test"),
            labels=helm.splice(names.LABELS),
            pod=pod,
            affinity=placement.affinity(),
        ),
    )


def _pod_props() -> TrainingPodProps:
    security = values.pod_security
    return TrainingPodProps(
        image=names.IMAGE,
        image_pull_policy=values.image.pull_policy,
        image_pull_secrets=values.image.pull_secrets,
        labels=helm.splice(names.POD_LABELS),
        annotations={**scheduling.pod_annotations(), **helm.splice(values.pod_annotations)},
        service_account=names.SERVICE_ACCOUNT,
        launch=launch.launch_volume(
            config_map=names.LAUNCH_CONFIG_MAP,
            config_map_items=_LAUNCH_ITEMS,
            engines_config_map=names.ENGINES_CONFIG_MAP,
            engines_config_map_items=_ENGINES_ITEMS,
        ),
        token=[
            helm.when(values.ray.auth.enabled, variable)
            for variable in ray_token(secret=names.TOKEN_SECRET, key=names.TOKEN_KEY)
        ],
        ray_port=values.ray.port,
        dashboard_port=values.ray.dashboard_port,
        metrics_port=values.ray.metrics_port,
        environment=[ENVIRONMENT, values.extra_env],
        secret_variables=secrets.variables(),
        requests=resources.requests(),
        limits=resources.limits(),
        shared_memory=resources.SHARED_MEMORY,
        mounts=volumes.mounts(),
        volumes_of_others=modes.volumes_of_others(),
        extras=extras.EXTRAS,
        security=Security(
            run_as_user=security.run_as_user,
            run_as_group=security.run_as_group,
            fs_group=security.fs_group,
            read_only_root_filesystem=security.read_only_root_filesystem,
            ipc_lock=values.efa.ipc_lock,
        ),
        scheduling=scheduling.scheduling(),
        # Kubernetes' own SIGKILL comes after the bootstrap's.
        termination_grace_period_seconds=values.training.deadlines.stop_seconds + 10,
    )
