"""What users add to pods and objects, and rules that keep it apart from the chart's own."""

from __future__ import annotations

from typing import Any

from rlinf_charts.names import values
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Rule, call, conditional, fmt, for_each, for_each_entry
from rlinf_constructs.training.extras import Extras
from rlinf_constructs.training.pod import CONTAINER

EXTRAS = Extras(
    env_from=values.extra_env_from,
    volumes=values.extra_volumes,
    volume_mounts=values.extra_volume_mounts,
    init_containers=values.extra_init_containers,
    sidecars=values.sidecars,
)


def _one_source(index: Expression, source: Expression) -> Rule:
    has_secret, has_config_map = call("hasKey", source, "secretRef"), call("hasKey", source, "configMapRef")
    return Rule(
        broken=(has_secret & has_config_map) | (~has_secret & ~has_config_map),
        message=fmt(
            "extraEnvFrom.",
            index,
            " has ",
            conditional(has_secret, "both", "neither"),
            " of secretRef and configMapRef, and must have one: write it as in {secretRef: {name: s3-keys}}",
        ),
    )


# KubeRay adds the last two.
_CONTAINERS = (CONTAINER, "preflight", "wait-gcs-ready", "ray-job-submitter")


def _container_name(place: str) -> Any:
    def rule(index: Expression, container: Any) -> Rule:
        return Rule(
            broken=call("regexMatch", f"^({'|'.join(_CONTAINERS)})$", container.name),
            message=fmt(
                f"{place}.",
                index,
                ".name is ",
                container.name,
                f", and a pod has {', '.join(_CONTAINERS)} already: take another name, such as extra-",
                container.name,
            ),
        )

    return rule


def _container_of_an_earlier(place: str, containers: Expression) -> Rule:
    """Two containers of one list."""

    def rule(index: Expression, container: Any) -> Rule:
        return for_each(
            containers,
            lambda earlier, other: _same_name(
                fmt(f"{place}.", index), container, fmt(f"{place}.", earlier), other, earlier < index
            ),
            name="other",
            index="earlier",
        )

    return for_each(containers, rule, name="container")


def _sidecar_of_an_init_container(index: Expression, container: Any) -> Rule:
    return for_each(
        values.extra_init_containers,
        lambda earlier, other: _same_name(
            fmt("sidecars.", index), container, fmt("extraInitContainers.", earlier), other, helm.Literal(True)
        ),
        name="other",
        index="earlier",
    )


def _same_name(place: Expression, container: Any, other_place: Expression, other: Any, among: Expression) -> Rule:
    return Rule(
        broken=among & other.name.equals(container.name),
        message=fmt(
            place,
            ".name is ",
            container.name,
            ", and so is ",
            other_place,
            ": each container of a pod has a name of its own; rename or remove one of them",
        ),
    )


def _no_restart_policy(index: Expression, container: Expression) -> Rule:
    return Rule(
        broken=call("hasKey", container, "restartPolicy"),
        message=fmt(
            "sidecars.",
            index,
            ".restartPolicy is set, but a sidecar is always restarted: remove it, or put a container that ends into "
            "extraInitContainers",
        ),
    )


def _label_of_a_node(key: Expression, value: Expression) -> Rule:
    del value
    return Rule(
        broken=call("hasKey", values.common_labels, key),
        message=fmt("podLabels has ", key, ", which commonLabels sets for all objects and pods: keep one of them"),
    )


def _annotation_of_helm(key: Expression, value: Expression) -> Rule:
    del value
    return Rule(
        broken=call("hasPrefix", "helm.sh/", key),
        message=fmt(
            "commonAnnotations has ",
            key,
            ": by its annotations Helm tells hooks from other objects and what an uninstall keeps, so it cannot be the "
            "same for all; remove it (storage.runs.keep keeps the run folder's claim)",
        ),
    )


def _annotation_of_the_account(key: Expression, value: Expression) -> Rule:
    del value
    return Rule(
        broken=call("hasKey", values.common_annotations, key),
        message=fmt(
            "serviceAccount.annotations has ", key, ", which commonAnnotations sets for all objects: keep one of them"
        ),
    )


ANNOTATIONS_NEED_AN_ACCOUNT = Rule(
    broken=values.service_account.annotations & ~values.service_account.create,
    message=fmt(
        "serviceAccount.annotations is set while serviceAccount.create is false: the chart does not touch an account "
        "that exists, so the pods would miss the role; annotate that account itself and remove the annotations here, "
        "or set serviceAccount.create=true"
    ),
)

RULES = [
    ANNOTATIONS_NEED_AN_ACCOUNT,
    for_each(values.extra_env_from, _one_source, name="source"),
    for_each(values.extra_init_containers, _container_name("extraInitContainers"), name="container"),
    for_each(values.sidecars, _container_name("sidecars"), name="container"),
    _container_of_an_earlier("extraInitContainers", values.extra_init_containers),
    _container_of_an_earlier("sidecars", values.sidecars),
    for_each(values.sidecars, _sidecar_of_an_init_container, name="container"),
    for_each(values.sidecars, _no_restart_policy, name="container"),
    for_each_entry(values.pod_labels, _label_of_a_node, key="key", value="value"),
    for_each_entry(values.common_annotations, _annotation_of_helm, key="key", value="value"),
    for_each_entry(values.service_account.annotations, _annotation_of_the_account, key="key", value="value"),
]
