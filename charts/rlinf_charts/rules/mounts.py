"""Rules on mounts and volumes: a pod of which two share a name or a path, or a mount has no volume, is not admitted."""

from __future__ import annotations

from typing import Any

from rlinf_charts.names import values
from rlinf_charts.volumes import DATASETS, MODELS, PLACES
from rlinf_constructs.helm import Expression, Rule, call, fmt, for_each, for_each_entry
from rlinf_constructs.training.launch import MOUNT_PATH

_storage = values.storage

_IN_EVERY_POD = f"^({MOUNT_PATH}|/tmp|/dev/shm)$"
# What a mount would hide from the container: its own system, the chart's files, and what kubelet mounts itself.
# Not /usr, which a volume with another toolchain may well be.
_SYSTEM = (
    r"^/(bin|dev|etc|lib|lib64|run|sbin|var|var/run|(var/)?run/secrets)$"
    r"|^/(dev/shm|proc|sys|opt/rlinf|(var/)?run/secrets/(kubernetes\.io|eks\.amazonaws\.com))(/|$)"
)


def _is_bucket(path: Expression) -> Expression:
    return call("hasPrefix", "/s3/", path) & call("hasKey", _storage.s3, call("trimPrefix", "/s3/", path))


def _is_mounted(path: Expression) -> Expression:
    """Whether the chart mounts something at a path, but for storage.claims."""
    return (
        call(
            "or",
            call("regexMatch", _IN_EVERY_POD, path),
            *(place.is_there & path.equals(place.path) for place in PLACES),
        )
        | (_storage.models.volume & path.equals(MODELS))
        | (_storage.datasets.volume & path.equals(DATASETS))
        | _is_bucket(path)
    )


def _is_volume_of_the_chart(name: Expression) -> Expression:
    """Whether a pod has a volume of that name by the values of `storage`, or always."""
    return (
        call(
            "or",
            call("regexMatch", "^(launch|tmp|shm)$", name),
            *(place.is_there & name.equals(place.name) for place in PLACES),
        )
        | (call("hasPrefix", "s3-", name) & call("hasKey", _storage.s3, call("trimPrefix", "s3-", name)))
        | (call("hasPrefix", "claims-", name) & call("hasKey", _storage.claims, call("trimPrefix", "claims-", name)))
    )


def _volume_name(index: Expression, volume: Any) -> Rule:
    return Rule(
        broken=call(
            "regexMatch", "^(launch|tmp|shm|account-token|ray-logs|runs|fsx|scratch|s3-.*|claims-.*)$", volume.name
        ),
        message=fmt(
            "extraVolumes.",
            index,
            ".name is ",
            volume.name,
            ", and the chart keeps launch, tmp, shm, account-token, runs, fsx, scratch, s3-KEY and claims-KEY for "
            "volumes of its own, and KubeRay ray-logs: take another name, such as extra-",
            volume.name,
        ),
    )


def _one_source(index: Expression, volume: Any) -> Rule:
    return Rule(
        broken=call("len", volume).differs(2),
        message=fmt(
            "extraVolumes.",
            index,
            " has, besides its name, ",
            call("len", volume) - 1,
            " keys, and must have one, its source: write it as in "
            "{name: code, persistentVolumeClaim: {claimName: code}}",
        ),
    )


def _is_there(place: Expression, mount: Any) -> Rule:
    # Templates cannot ask a list for an element, but its text: every name stands there as it is, since it needs no
    # escapes. A name inside of a volume's source counts as well, so that nothing valid is refused.
    is_extra = call("contains", fmt('"name":"', mount.name, '"'), call("toRawJson", values.extra_volumes))
    return Rule(
        broken=~is_extra & ~_is_volume_of_the_chart(mount.name),
        message=fmt(
            place,
            ".name is ",
            mount.name,
            ", which is no volume of the pods: add it to extraVolumes, or name one of the chart's, which are launch, "
            "tmp, shm and those that storage sets: runs, fsx, scratch, s3-KEY and claims-KEY",
        ),
    )


def _is_there_for(place: str, containers: Any) -> Rule:
    """Every volume that a container of the user's mounts."""
    return for_each(
        containers,
        lambda index, container: for_each(
            container.volume_mounts,
            lambda position, mount: _is_there(fmt(f"{place}.", index, ".volumeMounts.", position), mount),
            name="mount",
            index="position",
        ),
        name="container",
    )


def _hides_no_system(key: Expression, path: Expression) -> Rule:
    return Rule(
        broken=call("regexMatch", _SYSTEM, path) & ~call("regexMatch", _IN_EVERY_POD, path),
        message=fmt(
            key,
            " is ",
            path,
            ", and a volume there would hide what the container itself needs: choose another path, such as /mnt",
            path,
        ),
    )


def _one_mount_a_path(place: Expression, path: Expression, taken: Expression, by: Expression, free: Expression) -> Rule:
    return Rule(
        broken=taken,
        message=fmt(place, ".mountPath is ", path, ", where ", by, " is mounted: choose another path, such as ", free),
    )


def _path_is_taken(index: Expression, mount: Any, taken: Expression, by: Expression) -> Rule:
    path = mount.mount_path
    return _one_mount_a_path(fmt("extraVolumeMounts.", index), path, taken, by, fmt("/extra", path))


def _path_of_the_chart(index: Expression, mount: Any) -> Rule:
    return _path_is_taken(index, mount, _is_mounted(mount.mount_path), fmt("a volume of the chart"))


def _path_of_a_claim(index: Expression, mount: Any) -> Rule:
    return for_each_entry(
        _storage.claims,
        lambda key, claim: _path_is_taken(
            index, mount, claim.mount_path.equals(mount.mount_path), fmt("storage.claims.", key)
        ),
        key="key",
        value="claim",
    )


def _path_of_an_earlier(index: Expression, mount: Any) -> Rule:
    return for_each(
        values.extra_volume_mounts,
        lambda earlier, other: _path_is_taken(
            index,
            mount,
            (earlier < index) & other.mount_path.equals(mount.mount_path),
            fmt("extraVolumeMounts.", earlier),
        ),
        name="other",
        index="earlier",
    )


def _name_of_an_earlier(index: Expression, volume: Any) -> Rule:
    return for_each(
        values.extra_volumes,
        lambda earlier, other: Rule(
            broken=(earlier < index) & other.name.equals(volume.name),
            message=fmt(
                "extraVolumes.",
                index,
                ".name is ",
                volume.name,
                ", and so is extraVolumes.",
                earlier,
                ": each volume of a pod has a name of its own; rename or remove one of them",
            ),
        ),
        name="other",
        index="earlier",
    )


def _claim_is_in_the_way(key: Expression, claim: Any, taken: Expression, by: Expression) -> Rule:
    return _one_mount_a_path(fmt("storage.claims.", key), claim.mount_path, taken, by, fmt("/claims/", key))


def _claim_of_the_chart(key: Expression, claim: Any) -> Rule:
    return _claim_is_in_the_way(key, claim, _is_mounted(claim.mount_path), fmt("a volume of the chart"))


def _claim_of_another(key: Expression, claim: Any) -> Rule:
    return for_each_entry(
        _storage.claims,
        lambda earlier, other: _claim_is_in_the_way(
            key,
            claim,
            (earlier < key) & other.mount_path.equals(claim.mount_path),
            fmt("storage.claims.", earlier),
        ),
        key="earlier",
        value="other",
    )


_runs_path = _storage.runs.mount_path

RUNS_HAS_A_PATH_OF_ITS_OWN = Rule(
    broken=~_storage.checkpoints.volume & (call("regexMatch", _IN_EVERY_POD, _runs_path) | _is_bucket(_runs_path)),
    message=fmt(
        "storage.runs.mountPath is ",
        _runs_path,
        ", where a volume of the chart is mounted: choose another path, such as /runs",
    ),
)

RULES = [
    RUNS_HAS_A_PATH_OF_ITS_OWN,
    _hides_no_system(fmt("storage.runs.mountPath"), _runs_path),
    for_each_entry(
        _storage.claims,
        lambda key, claim: _hides_no_system(fmt("storage.claims.", key, ".mountPath"), claim.mount_path),
        key="key",
        value="claim",
    ),
    for_each(
        values.extra_volume_mounts,
        lambda index, mount: _hides_no_system(fmt("extraVolumeMounts.", index, ".mountPath"), mount.mount_path),
        name="mount",
    ),
    for_each_entry(_storage.claims, _claim_of_the_chart, key="key", value="claim"),
    for_each_entry(_storage.claims, _claim_of_another, key="key", value="claim"),
    for_each(values.extra_volumes, _volume_name, name="volume"),
    for_each(values.extra_volumes, _name_of_an_earlier, name="volume"),
    for_each(values.extra_volumes, _one_source, name="volume"),
    for_each(
        values.extra_volume_mounts,
        lambda index, mount: _is_there(fmt("extraVolumeMounts.", index), mount),
        name="mount",
    ),
    _is_there_for("extraInitContainers", values.extra_init_containers),
    _is_there_for("sidecars", values.sidecars),
    for_each(values.extra_volume_mounts, _path_of_the_chart, name="mount"),
    for_each(values.extra_volume_mounts, _path_of_a_claim, name="mount"),
    for_each(values.extra_volume_mounts, _path_of_an_earlier, name="mount"),
]
