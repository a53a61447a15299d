"""The import hook: when patches are applied, what the module keeps, and what the log says."""

import inspect
import sys
from importlib.util import find_spec

import pytest

from rlinf_runtime.bootstrap.patches import registry, report
from rlinf_runtime.bootstrap.patches.hook import Hook
from rlinf_runtime.bootstrap.patches.patch import APPLIED, MismatchError, Patch, not_needed


def patch(apply, *modules, name="a-patch", stubs=None):
    return Patch(name=name, engines=("verl",), modules=modules, about="A fault.", apply=apply, stubs=stubs or {})


def use(monkeypatch, *patches):
    monkeypatch.setattr(registry, "PATCHES", patches)


def test_a_module_is_patched_when_it_is_imported(engine):
    """By whatever imports it; modules that no patch names are left alone."""
    engine.load("verl.workers.hybrid_engine", "model-path")
    assert "verl.utils.fs" not in sys.modules
    from verl.utils.fs import copy_local_path_from_hdfs

    assert copy_local_path_from_hdfs("/models/sft/") == "/models/sft"


def test_a_module_that_is_there_is_patched_at_once(engine):
    """As in a worker that imports the engine to unpickle its arguments."""
    fs = engine.load("verl.utils.fs")
    hook = Hook([each for each in registry.PATCHES if each.name == "model-path"], report.Report())
    hook.install()
    hook.uninstall()
    assert fs.copy_local_path_from_hdfs("/models/sft/") == "/models/sft"
    assert engine.log == ["applied: model-path"]


def test_a_patched_module_keeps_its_loader_source_and_names(engine):
    """Tracebacks, resources, pickle and Hydra's search for a config folder look at them."""
    fs = engine.load("verl.utils.fs", "model-path")
    assert type(fs.__loader__).__name__ == "SourceFileLoader"
    assert fs.__spec__.loader is fs.__loader__
    assert "assert src[-1]" in inspect.getsource(fs)
    assert fs.copy_local_path_from_hdfs.__module__ == "verl.utils.fs"
    assert fs.copy_local_path_from_hdfs.__qualname__ == "copy_local_path_from_hdfs"


def test_nested_imports_make_one_line(engine):
    """The outermost import tells for all that it led to."""
    engine.load("verl.workers.rollout.rob_rollout", "tensorflow-images", "validation-videos", "environment-failure")
    assert engine.log == ["applied: tensorflow-images, validation-videos, environment-failure"]


def test_the_line_says_what_was_not_applied_and_why(engine, monkeypatch):
    """A mismatch also says which fault is not cured; the import goes on."""

    def mismatch(_module):
        raise MismatchError("it has no cure")

    use(
        monkeypatch,
        patch(lambda _module: APPLIED, "verl.utils.fs", name="one"),
        patch(lambda _module: not_needed("upstream cured it"), "verl.utils.fs", name="two"),
        patch(mismatch, "verl.utils.fs", name="three"),
        patch(lambda _module: 1 / 0, "verl.utils.fs", name="four"),
    )
    engine.load("verl.utils.fs", "one", "two", "three", "four")
    (line,) = engine.log
    assert line.split("; does not match: ") == [
        "applied: one; not needed: two (upstream cured it)",
        "three (it has no cure); not cured: A fault, four (ZeroDivisionError: division by zero); not cured: A fault",
    ]


def test_an_import_that_fails_fails_as_before(engine):
    """The engine's own error is the one to read; nothing is said about the patch."""
    with pytest.raises(ModuleNotFoundError, match="No module named 'tensorflow'"):
        engine.load("verl.utils.libero_utils", "validation-videos")
    assert engine.log == []


def test_a_missing_module_is_missing(engine):
    """The hook invents none."""
    with pytest.raises(ModuleNotFoundError):
        engine.load("verl.utils.fs.nothing", "model-path")


def test_a_stub_is_there_for_the_target_alone(engine):
    """Others, such as transformers, ask whether TensorFlow is installed, and must learn that it is not."""
    module = engine.load("verl.utils.openvla_utils", "tensorflow-images")
    assert module.tf.__name__ == "tensorflow"
    assert "tensorflow" not in sys.modules
    assert find_spec("tensorflow") is None


def test_a_stub_says_what_is_missing_when_it_is_used(engine):
    """With the name of the package."""
    module = engine.load("verl.utils.openvla_utils", "tensorflow-images")
    with pytest.raises(AttributeError, match=r"tensorflow\.image was asked for, but tensorflow is not installed"):
        _ = module.tf.image


def test_a_folder_of_the_packages_name_is_not_the_package(engine, tmp_path):
    """Python takes any folder on its path for a package without modules, as a folder of logs beside the program."""
    (tmp_path / "packages/tensorflow").mkdir()
    module = engine.load("verl.utils.openvla_utils", "tensorflow-images")
    assert engine.log == ["applied: tensorflow-images"]
    with pytest.raises(AttributeError, match="tensorflow is not installed"):
        _ = module.tf.image


def test_a_package_that_is_there_is_not_stubbed(engine):
    """The real one is used, and its patch is not needed."""
    engine.install("tensorflow", "2.21.0", __init__="image = 'real'\n")
    module = engine.load("verl.utils.openvla_utils", "tensorflow-images")
    assert module.tf.image == "real"
    assert engine.log == ["not needed: tensorflow-images (TensorFlow is installed)"]
