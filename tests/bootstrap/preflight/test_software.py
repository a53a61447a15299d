"""The platform, packages, rendering and LIBERO's configuration that the suite needs."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from rlinf_runtime.bootstrap.patches import registry
from rlinf_runtime.bootstrap.preflight import packages, platform, rendering, simulator

MODEL = {"actor_rollout_ref": {"model": {"path": "hub/model"}}}
LIBERO = {**MODEL, "data": {"task_suite_name": "libero_10"}}
ROBOTWIN = {**MODEL, "data": {"task_suite_name": "robotwin2_click_bell"}}


def sentences(findings):
    return [str(each) for each in findings]


@pytest.mark.parametrize(
    ("hydra", "given", "fits"),
    [
        (LIBERO, "LIBERO", True),
        (LIBERO, "libero", True),
        (LIBERO, "", True),
        (LIBERO, "ALOHA", False),
        (ROBOTWIN, "ALOHA", True),
        (ROBOTWIN, "ALOHA_8", False),
        (ROBOTWIN, "LIBERO", False),
        (MODEL, "BRIDGE", False),
    ],
)
def test_the_platform_fits_the_suite(config_of, hydra, given, fits):
    """Unset, the engine's environment sets it; libero_10 is the engine's own default."""
    assert (sentences(platform.check(config_of("verl", hydra), {"ROBOT_PLATFORM": given})) == []) is fits


def test_a_wrong_platform_is_told_with_its_harm(config_of):
    """It would train with the wrong length of actions."""
    assert sentences(platform.check(config_of("verl", LIBERO), {"ROBOT_PLATFORM": "ALOHA"})) == [
        (
            "extraEnv.ROBOT_PLATFORM is ALOHA, but the suite and the length of its chunks need LIBERO: actions "
            "would be cut and scaled for another robot; leave it out"
        )
    ]


def install(folder, **versions):
    """Makes a folder in which packages of these versions are installed, as far as their metadata says."""
    for name, version in versions.items():
        metadata = folder / f"{name}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def test_versions_that_break_are_named_with_those_that_do_not(config_of, run_tree, tmp_path, monkeypatch):
    """Of all that is installed for the engine's Python; vLLM without the patch that makes all its versions do."""
    run_tree["engine"]["patches_off"] = ["vllm-version"]
    install(tmp_path, timm="1.0.3", vllm="0.8.2", transformers="4.51.0", tokenizers="0.19.1")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    importlib.invalidate_caches()
    findings = list(packages.check(config_of("verl"), {}))
    assert [(str(each).partition(":")[0], each.is_fatal) for each in findings] == [
        ("image has timm 1.0.3", True),
        ("image has vllm 0.8.2", True),
        ("image has transformers 4.51.0", False),
    ]
    assert "the engine verl runs with 0.9.10, 0.9.11, 0.9.12 or 0.9.16; the model's code" in str(findings[0])


def test_a_version_that_a_patch_makes_do_passes(config_of, tmp_path, monkeypatch):
    """By default the patch is applied."""
    install(tmp_path, timm="0.9.16", vllm="0.8.2", transformers="4.40.1", tokenizers="0.19.1")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    importlib.invalidate_caches()
    assert sentences(packages.check(config_of("verl"), {})) == []
    assert {rule.cure for rule in packages._RULES["verl"].values()} - {""} <= set(registry.names())


def test_versions_that_do_pass(config_of, tmp_path, monkeypatch):
    """A build's own suffix does not matter, and vLLM may be absent."""
    install(tmp_path, timm="0.9.16", transformers="4.40.1+oft", tokenizers="0.19.1")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    importlib.invalidate_caches()
    assert sentences(packages.check(config_of("verl"), {})) == []


def test_this_machine_renders(config_of):
    """By EGL, which the project needs anyway."""
    assert sentences(rendering.check(config_of("native"), {"MUJOCO_GL": "egl"})) == []


def test_without_the_library_the_remedy_is_a_package(config_of):
    """This machine has no OSMesa, as most images."""
    [sentence] = sentences(rendering.check(config_of("native"), {"MUJOCO_GL": "osmesa"}))
    assert sentence == (
        "extraEnv.MUJOCO_GL is osmesa, but rendering fails on this node: libOSMesa.so.8: cannot open shared object "
        "file: No such file or directory: install libosmesa6 into the image, or set extraEnv.MUJOCO_GL=egl"
    )


def test_a_driver_without_graphics_is_told_by_its_capabilities(config_of, tmp_path):
    """Libglvnd finds no vendor's library, as where NVIDIA_DRIVER_CAPABILITIES leaves graphics out."""
    environ = {"MUJOCO_GL": "egl", "__EGL_VENDOR_LIBRARY_DIRS": str(tmp_path)}
    [sentence] = sentences(rendering.check(config_of("verl", LIBERO, gpus=8), environ))
    assert sentence.startswith("extraEnv.MUJOCO_GL is egl, but rendering fails on this node: libEGL finds no device")
    assert "set extraEnv.NVIDIA_DRIVER_CAPABILITIES=all" in sentence


def test_rendering_on_cpus_beside_gpus_is_a_warning_for_verl(config_of):
    """Slow, but it works; Mesa's device is the only one here."""
    [finding] = rendering.check(config_of("verl", LIBERO, gpus=8), {"MUJOCO_GL": "egl"})
    assert not finding.is_fatal
    assert "EGL renders on 0 of the 8 GPUs (it has Mesa Project)" in str(finding)


def test_one_gpu_to_render_on_for_all_ranks_is_refused(config_of):
    """The cure that people find for one GPU: robosuite cannot be imported by ranks of the others."""
    environ = {"MUJOCO_GL": "egl", "MUJOCO_EGL_DEVICE_ID": "0"}
    assert sentences(rendering.check(config_of("verl", LIBERO, gpus=8), environ))[0].startswith(
        "extraEnv.MUJOCO_EGL_DEVICE_ID is 0 for all ranks, but robosuite wants each rank's own GPU there"
    )
    assert "MUJOCO_EGL_DEVICE_ID" not in str(sentences(rendering.check(config_of("verl", LIBERO, gpus=1), environ)))


def test_a_display_is_refused(config_of):
    """A pod has none."""
    [sentence] = sentences(rendering.check(config_of("native"), {"MUJOCO_GL": "glfw"}))
    assert sentence.startswith("extraEnv.MUJOCO_GL is glfw, which needs a display: a pod has none")


def test_suites_that_do_not_render_by_opengl_are_not_tried(config_of):
    """RoboTwin renders by Vulkan."""
    assert sentences(rendering.check(config_of("verl", ROBOTWIN), {"MUJOCO_GL": "glfw"})) == []


@pytest.fixture
def libero(tmp_path, monkeypatch):
    """An installed package libero."""
    package = tmp_path / "site/libero/libero"
    package.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return package


def test_liberos_configuration_is_written_where_it_would_ask_for_it(config_of, libero, tmp_path):
    """With the places that the package proposes, and without importing it."""
    home = tmp_path / "home"
    assert sentences(simulator.check(config_of("verl", LIBERO), {"HOME": str(home)})) == []
    assert (home / ".libero/config.yaml").read_text() == (
        f"benchmark_root: {libero}\nbddl_files: {libero}/bddl_files\ninit_states: {libero}/init_files\n"
        f"datasets: {libero}/../datasets\nassets: {libero}/assets\n"
    )


def test_a_configuration_that_is_there_stays(config_of, libero, tmp_path):
    """An image may have its own."""
    file = tmp_path / "own/config.yaml"
    file.parent.mkdir()
    file.write_text("mine")
    assert sentences(simulator.check(config_of("verl", LIBERO), {"LIBERO_CONFIG_PATH": str(file.parent)})) == []
    assert file.read_text() == "mine"
    assert libero.exists()


def test_a_place_that_cannot_be_written_is_named(config_of, libero, tmp_path):
    """A file lies where the folder should."""
    assert libero.exists()
    (tmp_path / "file").touch()
    [sentence] = sentences(simulator.check(config_of("verl", LIBERO), {"LIBERO_CONFIG_PATH": f"{tmp_path}/file/x"}))
    assert sentence.startswith(f"extraEnv.LIBERO_CONFIG_PATH gives {tmp_path}/file/x/config.yaml, which is not there")


def test_an_image_without_the_package_is_told(config_of):
    """Its import would fail on a worker after minutes."""
    [sentence] = sentences(simulator.check(config_of("verl", LIBERO), {}))
    assert sentence.startswith("image has no package libero, which the suite needs")


def test_the_probe_is_a_program_of_its_own():
    """It answers a person as well, and imports nothing that an image may lack."""
    probe = Path(rendering.__file__).with_name("render_probe.py")
    done = subprocess.run([sys.executable, "-I", "-S", str(probe), "egl"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()
