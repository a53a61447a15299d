"""Folders and addresses in place of mounts and DNS: a process has neither a mount namespace nor cluster DNS.

Each mount becomes a folder of this machine, and every text that a container sees (command, environment, files of
ConfigMaps and Secrets) has its mount paths and pod names rewritten in one pass.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rlinf_charts.local.errors import LocalError
from rlinf_charts.local.pods import Pod

# A path starts where no name, variable or other path could go on into it (`file://` may), and ends at `/` or a
# character that no name has; likewise a host name.
_PATH_START, _PATH_END = r"(?:(?<![\w./~})*$\]@+-])|(?<=file://))", r"(?![\w@+~-]|\.[\w.])"
_HOST_START, _HOST_END = r"(?<![\w.-])", r"(?![\w-]|\.\w)"


class Rewriter:
    """Rewrites mount paths and host names in a text; what lies under no mount stays as it is."""

    def __init__(self, *, folders: Mapping[str, str], addresses: Mapping[str, str]) -> None:
        self._replacements = {**folders, **addresses}
        path = f"{_PATH_START}{_any_of(folders)}{_PATH_END}"
        host = f"{_HOST_START}{_any_of(addresses)}{_HOST_END}"
        self._pattern = re.compile(f"{path}|{host}")

    def __call__(self, text: str) -> str:
        """Return the text for this machine; a replaced part is not read again."""
        return self._pattern.sub(lambda found: self._replacements[found[0]], text)


def _any_of(names: Iterable[str]) -> str:
    """A pattern of these names, the longest first; of none, one that matches nowhere."""
    return "(?:" + ("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or r"(?!)") + ")"


def claim_folders(pods: Iterable[Pod], run_dir: Path) -> dict[str, Path]:
    """Return each claim's folder: the run directory itself for an only claim, else RUN_DIR/CLAIM."""
    names = sorted({volume.claim for pod in pods for volume in pod.volumes.values() if volume.claim})
    return {names[0]: run_dir} if len(names) == 1 else {name: run_dir / name for name in names}


@dataclass(frozen=True, kw_only=True, slots=True)
class PodFolders:
    """Where a pod's volumes and mounts lie on this machine."""

    volumes: Mapping[str, Path]
    """Volume name -> folder."""
    mounts: Mapping[str, Path]
    """Mount path -> folder, or file where `subPath` names one."""


def pod_folders(pod: Pod, *, root: Path, claims: Mapping[str, Path]) -> PodFolders:
    """Give each volume of a pod its folder.

    Args:
        pod: The pod.
        root: The pod's own folder, in which the mount paths are laid out as in the container. Keep it short: Ray's
            sockets lie under /tmp there, and a Unix socket's path has at most 107 bytes.
        claims: The folder of each claim.

    Raises:
        LocalError: For a mount of no volume, or two volumes at one path in two containers of a pod.
    """
    volumes: dict[str, Path] = {}
    mounts: dict[str, Path] = {}
    for container in pod.all_containers:
        for mount in container.mounts:
            where = f"{pod.name}, container {container.name}, mount {mount.path}"
            if mount.volume not in pod.volumes:
                raise LocalError(f"{where}: there is no volume {mount.volume}; the pod has {', '.join(pod.volumes)}")
            claim = pod.volumes[mount.volume].claim
            # The machine's shared memory is what a mount at /dev/shm asks for.
            own = Path("/dev/shm") if mount.path == "/dev/shm" else root / mount.path.lstrip("/")  # noqa: S108
            folder = volumes.setdefault(mount.volume, claims[claim] if claim else own) / mount.sub_path
            if mounts.setdefault(mount.path, folder) != folder:
                raise LocalError(f"{where}: another container mounts another volume there; local needs two paths")
    return PodFolders(volumes=volumes, mounts=mounts)


def write_volumes(pod: Pod, folders: PodFolders, rewrite: Rewriter) -> None:
    """Make the folders of a pod's volumes and write the files of its ConfigMaps and Secrets, rewritten."""
    for mount in (mount for container in pod.all_containers for mount in container.mounts):
        if pod.volumes[mount.volume].files is None:
            folders.mounts[mount.path].mkdir(parents=True, exist_ok=True)
    for name, folder in folders.volumes.items():
        for path, file in (pod.volumes[name].files or {}).items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(rewrite(file.text), encoding="utf-8")
            target.chmod(file.mode)
