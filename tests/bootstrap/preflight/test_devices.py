"""GPUs, EFA, CPUs, memory and shared memory of a node against the run."""

import os
from types import SimpleNamespace

import pytest

from rlinf_runtime.bootstrap.preflight import cpus, efa, gpus, memory, shared_memory
from rlinf_runtime.bootstrap.preflight.model import float32_bytes


def sentences(findings):
    return [str(each) for each in findings]


def test_gpus_are_counted_by_the_drivers_tool(config_of, program):
    """As many lines as GPUs."""
    environ = program("nvidia-smi", 'for i in 0 1 2; do echo "GPU $i: NVIDIA H100 80GB HBM3 (UUID: GPU-$i)"; done')
    assert sentences(gpus.check(config_of(gpus=3), environ)) == []
    assert sentences(gpus.check(config_of(gpus=8), environ)) == [
        (
            "nodes.gpus is 8, but this pod has 3 (nvidia-smi -L): give the pods nodes with that many free (nodes.gpus "
            "becomes the limit nvidia.com/gpu)"
        )
    ]


def test_no_gpus_are_not_one(config_of, program):
    """The tool says so in a line, with status 0."""
    environ = program("nvidia-smi", 'echo "No devices found."')
    [sentence] = sentences(gpus.check(config_of(gpus=1), environ))
    assert sentence.startswith("nodes.gpus is 1, but this pod has 0")


def test_a_lost_gpu_is_told_in_the_drivers_words(config_of, program):
    """The tool fails when a GPU has fallen off the bus."""
    lost = "Unable to determine the device handle for GPU 0000:1B:00.0: GPU is lost."
    environ = program("nvidia-smi", f"echo '{lost}'; exit 15")
    assert sentences(gpus.check(config_of(gpus=8), environ)) == [
        (
            f"nodes.gpus is 8, but nvidia-smi fails on this node: {lost}: look at the node's driver (dmesg, Xid "
            "errors), and cordon the node"
        )
    ]


def test_without_the_tool_device_files_are_counted(config_of, tmp_path):
    """Nvidiactl and nvidia-uvm are no GPUs."""
    for name in ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm"):
        (tmp_path / name).touch()
    environ = {"PATH": str(tmp_path)}
    assert sentences(gpus.check(config_of(gpus=2), environ, devices=tmp_path)) == []
    [sentence] = sentences(gpus.check(config_of(gpus=4), environ, devices=tmp_path))
    assert f"this pod has 2 (device files in {tmp_path})" in sentence


def test_a_run_on_cpus_asks_for_no_gpu(config_of):
    """Whatever the node has."""
    assert sentences(gpus.check(config_of(gpus=0), {"PATH": ""})) == []


def test_missing_efa_devices_are_counted(config_of, tmp_path):
    """The device plugin gives one file a device."""
    (tmp_path / "uverbs0").touch()
    (tmp_path / "rdma_cm").touch()
    assert sentences(efa.check(config_of(efa_devices=4), {}, devices=tmp_path)) == [
        (
            f"efa.devices is 4, but this pod has 1 in {tmp_path}: run the EFA device plugin on the nodes, or set what "
            "their instance type has"
        )
    ]
    assert sentences(efa.check(config_of(efa_devices=0), {}, devices=tmp_path)) == []


def test_a_provider_and_a_plugin_that_are_missing_are_both_said(config_of, program, tmp_path):
    """NCCL would take TCP without a word."""
    (tmp_path / "uverbs0").touch()
    environ = program("fi_info", "echo 'fi_getinfo: -61 (No data available)' >&2; exit 61")
    provider, plugin = sentences(efa.check(config_of(efa_devices=1), environ, devices=tmp_path))
    assert provider.startswith(
        "efa.enabled is true, but libfabric has no provider efa here (fi_getinfo: -61 (No data available)): install"
    )
    assert plugin.startswith("image has no plugin by which NCCL could use EFA (libnccl-net-ofi.so: cannot open shared")


def test_a_plugin_that_the_loader_does_not_find_is_named(config_of, program, tmp_path):
    """Images have it where LD_LIBRARY_PATH does not look; the sentence has the whole value to set."""
    (tmp_path / "uverbs0").touch()
    (tmp_path / "libnccl-net-ofi.so").touch()
    environ = program("fi_info", "exit 0") | {"LD_LIBRARY_PATH": "/opt/cuda/lib"}
    found = efa.check(config_of(efa_devices=1), environ, devices=tmp_path, plugin_folders=["/none", str(tmp_path)])
    [sentence] = sentences(found)
    assert sentence.endswith(
        f"it lies in {tmp_path}, where the loader does not look: set extraEnv.LD_LIBRARY_PATH={tmp_path}:/opt/cuda/lib"
    )


def test_nccl_takes_the_plugin_that_is_named_and_no_other(config_of, program, tmp_path):
    """The chart names ofi: a file of the old name alone would not be looked for."""
    (tmp_path / "uverbs0").touch()
    (tmp_path / "libnccl-net.so").symlink_to("/lib/x86_64-linux-gnu/libm.so.6")
    environ = program("fi_info", "exit 0") | {"LD_LIBRARY_PATH": str(tmp_path)}

    def said(**variables):
        return sentences(efa.check(config_of(efa_devices=1), environ | variables, devices=tmp_path))

    assert said() == said(NCCL_NET_PLUGIN="none") == said(NCCL_NET_PLUGIN="libnccl-net.so") == []
    [sentence] = said(NCCL_NET_PLUGIN="ofi")
    assert "(libnccl-net-ofi.so: cannot open shared object file" in sentence
    assert sentence.endswith("an old one that is called libnccl-net.so is taken with efa.environment=none")


def test_a_node_with_all_of_efa_passes(config_of, program, tmp_path):
    """Any library under the plugin's name loads here."""
    (tmp_path / "uverbs0").touch()
    libraries = tmp_path / "lib"
    libraries.mkdir()
    (libraries / "libnccl-net-ofi.so").symlink_to("/lib/x86_64-linux-gnu/libm.so.6")
    environ = program("fi_info", "exit 0") | {"LD_LIBRARY_PATH": str(libraries)}
    assert sentences(efa.check(config_of(efa_devices=1), environ, devices=tmp_path)) == []


def test_fewer_cpus_than_gpus_are_refused(config_of, tmp_path):
    """By the container's quota."""
    (tmp_path / "cpu.max").write_text("150000 100000\n")
    assert sentences(cpus.check(config_of(gpus=1), {}, cgroup=tmp_path)) == []
    assert sentences(cpus.check(config_of(gpus=8), {}, cgroup=tmp_path)) == [
        (
            "nodes.resources.limits.cpu leaves this pod 1.5 CPUs for 8 GPUs: each rank needs one of its own and its "
            "simulators more; give it at least 8"
        )
    ]


@pytest.mark.parametrize("text", ["max 100000\n", None])
def test_without_a_quota_the_machines_cpus_count(tmp_path, text):
    """Those that the process may run on."""
    if text:
        (tmp_path / "cpu.max").write_text(text)
    assert cpus.usable(tmp_path) == len(os.sched_getaffinity(0))


def test_weights_of_all_ranks_that_exceed_the_limit_are_a_warning(config_of, hydra_of, model, tmp_path):
    """The estimate is rough, so the run may go on."""
    need = float32_bytes(model) * 8
    (tmp_path / "memory.max").write_text(f"{need - 1}\n")
    [finding] = memory.check(config_of("verl", hydra_of(model), gpus=8), {}, cgroup=tmp_path)
    assert not finding.is_fatal
    assert "while 8 ranks load 33.7 KiB of float32 weights at once" in str(finding)
    (tmp_path / "memory.max").write_text(f"{need}\n")
    assert sentences(memory.check(config_of("verl", hydra_of(model), gpus=8), {}, cgroup=tmp_path)) == []


@pytest.mark.parametrize(
    ("name", "text", "limit"),
    [
        ("memory.max", "1024\n", 1024),
        ("memory.max", "max\n", None),
        ("memory/memory.limit_in_bytes", "2048\n", 2048),
        ("memory/memory.limit_in_bytes", "9223372036854771712\n", None),
        ("other", "", None),
    ],
)
def test_the_memory_limit_is_read_from_either_version_of_cgroups(tmp_path, name, text, limit):
    """A number beyond all memory is no limit."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    assert memory.limit_bytes(tmp_path) == limit


def test_shared_memory_of_a_container_runtime_is_too_small(config_of):
    """A file system of a few MiB, such as the kernel's own /dev, stands for the 64 MiB of a plain container."""
    assert sentences(shared_memory.check(config_of(), {})) == []
    [sentence] = sentences(shared_memory.check(config_of(gpus=4096), {}))
    assert sentence.startswith("nodes.sharedMemory leaves /dev/shm ")
    assert sentence.endswith("Ray's objects and NCCL's buffers lie there; give it at least 4.0 TiB")


def test_shared_memory_that_is_full_of_leftovers_is_said(config_of, tmp_path, monkeypatch):
    """NCCL and PyTorch leave theirs when they are killed, and a container that starts again finds them."""
    real = os.statvfs("/dev/shm")
    full = SimpleNamespace(f_frsize=real.f_frsize, f_blocks=(8 << 30) // real.f_frsize, f_bavail=1)
    monkeypatch.setattr(os, "statvfs", lambda _path: full)
    [sentence] = sentences(shared_memory.check(config_of(gpus=8), {}))
    assert sentence.startswith("/dev/shm has 4.0 KiB free of 8.0 GiB: what was killed in this pod has left files")


def test_shared_memory_that_is_not_there_is_said(config_of, tmp_path):
    """An image may lack the mount point."""
    [sentence] = sentences(shared_memory.check(config_of(), {}, path=str(tmp_path / "shm")))
    assert sentence.startswith(f"nodes.sharedMemory mounts no {tmp_path}/shm here (No such file or directory)")
