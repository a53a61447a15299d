"""Mounts and names become folders and addresses."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlinf_charts.local import LocalError
from rlinf_charts.local.paths import Rewriter, claim_folders, pod_folders, write_volumes
from rlinf_charts.local.pods import Container, File, Mount, Pod, Volume, plan_pods

FOLDERS = {"/runs": "/home/me/runs", "/runs/cache": "/t/0/cache", "/tmp": "/t/0/tmp"}
ADDRESSES = {"rlinf-0.nodes": "127.0.0.2", "rlinf-0.nodes.ml.svc": "127.0.0.2", "rlinf-1.nodes": "127.0.0.3"}
REWRITE = Rewriter(folders=FOLDERS, addresses=ADDRESSES)

names = st.text("abz019_-", min_size=1, max_size=6)
paths = st.lists(names, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))
separators = st.sampled_from([" ", ":", "=", '"', "'", ",", "\n", ">", ""])


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("/runs", "/home/me/runs"),
        ("/runs/rlinf", "/home/me/runs/rlinf"),
        ("--dir=/runs/", "--dir=/home/me/runs/"),
        ("/runs:/tmp", "/home/me/runs:/t/0/tmp"),
        ('{"folder": "/runs/rlinf"}', '{"folder": "/home/me/runs/rlinf"}'),
        ("file:///runs/mlflow", "file:///home/me/runs/mlflow"),
        ("echo x >/tmp/y.", "echo x >/t/0/tmp/y."),
        ("/runs/cache/a", "/t/0/cache/a"),
        ("/runs/cached", "/home/me/runs/cached"),
        ("rlinf-0.nodes.ml.svc:6379", "127.0.0.2:6379"),
        ("rlinf-0.nodes,rlinf-1.nodes", "127.0.0.2,127.0.0.3"),
    ],
)
def test_mount_paths_and_names_are_rewritten(text: str, rewritten: str) -> None:
    """The longest mount wins, wherever a path starts."""
    assert REWRITE(text) == rewritten


@pytest.mark.parametrize(
    "text",
    [
        *("/runs2", "/runs-old", "/runs.bak", "/data/runs", "runs", "./runs", "$HOME/runs", "${HOME}/runs", "~/runs"),
        *("https://example.org/tmp", "rlinf-0.nodes2", "my-rlinf-0.nodes", "rlinf-10.nodes", "rlinf-0.nodes.other"),
    ],
)
def test_other_paths_and_names_stay(text: str) -> None:
    """What only resembles a mount or a pod's name is left alone."""
    assert REWRITE(text) == text


@given(st.lists(st.tuples(separators, paths)))
def test_a_path_under_no_mount_is_untouched(words: list[tuple[str, str]]) -> None:
    """A text of paths outside every mount comes back as it was."""
    text = "".join(separator + path for separator, path in words)

    assert REWRITE(text) == text


@given(st.dictionaries(paths, paths, min_size=1), st.data())
def test_a_path_under_mounts_follows_the_deepest(folders: dict[str, str], data: st.DataObject) -> None:
    """The folder of the deepest mount above a path replaces it, once, whatever the folder is called."""
    rest = data.draw(st.lists(names, max_size=3).map(lambda parts: "".join(f"/{part}" for part in parts)))
    path = data.draw(st.sampled_from(sorted(folders))) + rest
    deepest = max((mount for mount in folders if f"{path}/".startswith(f"{mount}/")), key=len)

    assert Rewriter(folders=folders, addresses={})(f'"{path}"') == f'"{folders[deepest]}{path.removeprefix(deepest)}"'


def test_without_mounts_nothing_changes() -> None:
    """A pod without mounts and names sees its texts as they are."""
    assert Rewriter(folders={}, addresses={})("/runs rlinf-0.nodes") == "/runs rlinf-0.nodes"


def pod(volumes: dict[str, Volume], *mounts: Mount) -> Pod:
    """A pod of one container."""
    container = Container(
        name="trainer", argv=["true"], env={}, working_dir=None, mounts=list(mounts), termination_log="/log"
    )
    return Pod(name="rlinf-0", ip="127.0.0.2", host_names=[], volumes=volumes, containers=[container])


def test_an_only_claim_is_the_run_directory() -> None:
    """One claim is RUN_DIR; of several, each has a folder in it."""
    runs, cache = {"r": Volume(claim="runs")}, {"c": Volume(claim="cache")}

    assert claim_folders([pod(runs), pod(runs)], Path("/r")) == {"runs": Path("/r")}
    assert claim_folders([pod(runs | cache)], Path("/r")) == {"runs": Path("/r/runs"), "cache": Path("/r/cache")}


def test_mounts_lie_in_the_pods_folder_as_in_the_container() -> None:
    """EmptyDirs and files keep their path below the pod's folder, claims and /dev/shm are where they are."""
    placed = pod_folders(
        pod(
            {"tmp": Volume(), "runs": Volume(claim="runs"), "shm": Volume(), "launch": Volume(files={})},
            Mount(path="/tmp", volume="tmp"),
            Mount(path="/runs", volume="runs", sub_path="team"),
            Mount(path="/dev/shm", volume="shm"),
            Mount(path="/opt/rlinf/launch", volume="launch"),
        ),
        root=Path("/t/0"),
        claims={"runs": Path("/home/me/runs")},
    )

    assert placed.mounts == {
        "/tmp": Path("/t/0/tmp"),
        "/runs": Path("/home/me/runs/team"),
        "/dev/shm": Path("/dev/shm"),
        "/opt/rlinf/launch": Path("/t/0/opt/rlinf/launch"),
    }


def test_files_are_written_with_their_mode_and_rewritten(tmp_path: Path) -> None:
    """A ConfigMap's texts hold this machine's paths; folders exist; a subPath names a file."""
    launch = Volume(
        files={"run.json": File(text='{"folder": "/runs/a"}', mode=0o440), "sub/x": File(text="", mode=0o644)}
    )
    plan = pod(
        {"launch": launch, "tmp": Volume()},
        Mount(path="/opt/launch", volume="launch"),
        Mount(path="/etc/run.json", volume="launch", sub_path="run.json"),
        Mount(path="/tmp", volume="tmp"),
    )
    folders = pod_folders(plan, root=tmp_path, claims={})
    write_volumes(plan, folders, REWRITE)

    file = folders.mounts["/etc/run.json"]
    assert file == tmp_path / "opt/launch/run.json"
    assert json.loads(file.read_text()) == {"folder": "/home/me/runs/a"}
    assert file.stat().st_mode & 0o777 == 0o440
    assert (tmp_path / "opt/launch/sub/x").exists()
    assert (tmp_path / "tmp").is_dir()


def test_a_mount_of_no_volume_is_refused() -> None:
    """The refusal names the mount and the volumes that there are."""
    with pytest.raises(LocalError) as refusal:
        pod_folders(pod({"tmp": Volume()}, Mount(path="/x", volume="tpm")), root=Path("/t"), claims={})

    assert str(refusal.value) == "rlinf-0, container trainer, mount /x: there is no volume tpm; the pod has tmp"


def test_containers_may_share_a_volume_but_not_a_path(manifests: Any) -> None:
    """Two volumes at one path in two containers of a pod cannot both be that path's folder."""
    objects = manifests()
    spec = next(item for item in objects if item["kind"] == "StatefulSet")["spec"]["template"]["spec"]
    sidecar = {"name": "sidecar", "command": ["true"], "volumeMounts": [{"name": "shm", "mountPath": "/tmp"}]}
    spec["containers"].append(sidecar)
    plan = plan_pods(objects, namespace="default")[0]

    with pytest.raises(LocalError) as refusal:
        pod_folders(plan, root=Path("/t"), claims={"rlinf-runs": Path("/r")})

    assert str(refusal.value) == (
        "rlinf-0, container sidecar, mount /tmp: another container mounts another volume there; local needs two paths"
    )
