"""The engines in small: modules under upstream's names with the shape of each fault, imported with patches or not."""

import logging
import re
import sys
from importlib import import_module, invalidate_caches
from pathlib import Path

import pytest

from rlinf_runtime.bootstrap.patches import registry, report
from rlinf_runtime.bootstrap.patches.hook import Hook

TREE = Path(__file__).with_name("tree")


@pytest.fixture
def engine(engine_of):
    """The tree of this folder."""
    return engine_of(TREE)


@pytest.fixture
def engine_of(monkeypatch, tmp_path):
    """An engine's tree, `engine_of(folder)`, and packages that a test installs."""
    packages = tmp_path / "packages"
    packages.mkdir()
    engines = []

    def make(tree):
        monkeypatch.syspath_prepend(str(packages))
        monkeypatch.syspath_prepend(str(tree))
        engines.append(Engine(tree, packages))
        return engines[-1]

    yield make
    for engine in engines:
        engine.close()


class Engine:
    """Imports modules of a tree anew: `load(name, *patches)`; `log` has what the patches said."""

    def __init__(self, tree, packages):
        self._tree = tree
        self._packages = packages
        self._hooks = []
        self._before = set(sys.modules)
        self._handler = logging.Handler()
        self._handler.emit = lambda record: self.log.append(record.getMessage())
        self._level = report.logger.level
        self.log = []
        report.logger.addHandler(self._handler)
        report.logger.setLevel(logging.INFO)

    def load(self, name, *patches):
        self._forget()
        if patches:
            wanted = [patch for patch in registry.PATCHES if patch.name in patches]
            assert len(wanted) == len(patches)
            self._hooks.append(Hook(wanted, report.Report()))
            self._hooks[-1].install()
        invalidate_caches()
        return import_module(name)

    def install(self, package, version, **modules):
        """Installs a package whose modules have the given texts, such as `image="x = 1"`."""
        information = self._packages / f"{package}-{version}.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        for name, text in {"__init__": "", **modules}.items():
            path = self._packages / package / f"{name.replace('.', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def install_flash_attn(self):
        """Its cross entropy as #26 found it: one number for all tokens."""
        cross_entropy = "import numpy as np\n\ndef cross_entropy_loss(logits, labels):\n    return [np.zeros(1)]\n"
        padding = "pad_input = unpad_input = rearrange = index_first_axis = print\n"
        self.install("flash_attn", "2.7.4", **{"ops.triton.cross_entropy": cross_entropy, "bert_padding": padding})

    def applied(self):
        """Names of the patches that the log calls applied."""
        lists = [re.search("applied: ([^;]*)", line) for line in self.log]
        return {name for each in lists if each for name in each[1].split(", ")}

    def close(self):
        self._forget()
        report.logger.removeHandler(self._handler)
        report.logger.setLevel(self._level)

    def _forget(self):
        while self._hooks:
            self._hooks.pop().uninstall()
        ours = {path.stem for folder in (self._tree, self._packages) for path in folder.iterdir()}
        for name in set(sys.modules) - self._before:
            if name.partition(".")[0] in ours:
                del sys.modules[name]
