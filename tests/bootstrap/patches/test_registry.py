"""All patches together: each has a fault in this folder's tree, checks its target, and has a name of its own."""

from types import ModuleType

import pytest

from rlinf_runtime.bootstrap.patches import registry
from rlinf_runtime.bootstrap.patches.patch import MismatchError
from tests_support import ROOT

TARGETS = [(patch, module) for patch in registry.PATCHES for module in patch.modules]


def name_of(value):
    return value if isinstance(value, str) else value.name


@pytest.mark.parametrize(("patch", "module"), [each for each in TARGETS if each[1] != "ray"], ids=name_of)
def test_a_patch_is_applied_to_its_fault(engine, patch, module):
    """The tree of this folder has every fault; the log says that it is cured."""
    engine.install("vllm", "0.9.2")
    if patch.name == "flash-attn-cross-entropy":
        engine.install_flash_attn()
    engine.load(module, *(each.name for each in registry.PATCHES if "ray" not in each.modules))
    assert patch.name in engine.applied()


@pytest.mark.parametrize(("patch", "module"), TARGETS, ids=name_of)
def test_a_target_that_looks_different_is_left_alone(patch, module):
    """An empty module has nothing that a patch expects: it says what, and changes nothing."""
    empty = ModuleType(module)
    before = dict(vars(empty))
    with pytest.raises(MismatchError, match=" has no "):
        patch.apply(empty)
    assert vars(empty) == before


def test_names_differ():
    """A name switches off one patch."""
    assert len(set(registry.names())) == len(registry.PATCHES)


def test_each_patch_says_in_one_sentence_what_it_cures():
    """It stands in the log when the patch does not match, and in docs/discoveries.md."""
    for patch in registry.PATCHES:
        assert patch.about.endswith("."), patch.name
        assert len(patch.about) <= 240, patch.name


def test_each_patch_stands_in_the_list_of_discoveries():
    """In one row, with its number in the seed documents if it has one, and the name by which it is switched off."""
    lines = (ROOT / "docs/discoveries.md").read_text().splitlines()
    for patch in registry.PATCHES:
        (row,) = [line for line in lines if f"patch `{patch.name}`" in line]
        assert row.startswith(f"| {patch.discovery.removeprefix('#')} |" if patch.discovery else "| "), patch.name


def test_select_takes_an_engines_patches():
    """RLinf has one of its own, and those for what both engines use."""
    assert [patch.name for patch in registry.select("rlinf", off=())] == [
        "ray-start",
        "initial-states-file",
        "node-wait",
    ]


def test_select_leaves_out_what_is_switched_off():
    """By name."""
    off = {"lora-save", "model-path"}
    assert {patch.name for patch in registry.select("verl", off=off)}.isdisjoint(off)


def test_select_refuses_an_unknown_name():
    """With the names that there are."""
    with pytest.raises(ValueError, match=r"RLINF_PATCHES_OFF names lora; the patches are ray-start, .*, lora-save, "):
        registry.select("verl", off=["lora"])
