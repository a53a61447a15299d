"""An import hook that patches modules as soon as they have been imported."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

from .patch import MismatchError, Outcome, Patch, State
from .report import Report


class Hook(MetaPathFinder):
    """Finds the modules that patches change, and patches them right after their own code has run."""

    def __init__(self, patches: Iterable[Patch], report: Report) -> None:
        self._report = report
        self._patches: dict[str, list[Patch]] = {}
        for patch in patches:
            for module in patch.modules:
                self._patches.setdefault(module, []).append(patch)

    def install(self) -> None:
        """Comes before all other finders, and patches at once what is imported already."""
        sys.meta_path.insert(0, self)
        with self._report.outermost():
            for name in self._patches:
                if (module := sys.modules.get(name)) is not None:
                    self._apply(name, module)

    def uninstall(self) -> None:
        """Leaves the finders; what is patched stays so."""
        sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that a finder behind this one has, with a loader that patches."""
        if fullname not in self._patches:
            return None
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _PatchingLoader(self, spec.loader)
                return spec
        return None

    def run(self, loader: Loader, module: ModuleType) -> None:
        """Runs a module's own code and patches it."""
        name = module.__name__
        with self._report.outermost(), self._stubs(name):
            loader.exec_module(module)
            self._apply(name, module)

    def _apply(self, name: str, module: ModuleType) -> None:
        for patch in self._patches[name]:
            self._report.add(patch, _outcome(patch, module))

    @contextmanager
    def _stubs(self, name: str) -> Generator[None]:
        """Stubs are there for the target only: other packages ask whether the real one is installed."""
        makers = {stub: make for patch in self._patches[name] for stub, make in patch.stubs.items()}
        added = {stub: make() for stub, make in makers.items() if stub not in sys.modules and not _is_installed(stub)}
        sys.modules.update(added)
        try:
            yield
        finally:
            for stub, module in added.items():
                if sys.modules.get(stub) is module:
                    del sys.modules[stub]


class _PatchingLoader(Loader):
    def __init__(self, hook: Hook, loader: Loader) -> None:
        self._hook = hook
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The module keeps its own loader: resources and source text are read through it.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._hook.run(self._loader, module)


def _outcome(patch: Patch, module: ModuleType) -> Outcome:
    try:
        return patch.apply(module)
    except MismatchError as error:
        return Outcome(State.DOES_NOT_MATCH, str(error))
    except Exception as error:  # noqa: BLE001 - a patch that fails is loud, but never ends a run that would go on
        return Outcome(State.DOES_NOT_MATCH, f"{type(error).__name__}: {error}")


def _is_installed(name: str) -> bool:
    """Whether a package can be found, and not only a folder of its name; nothing is imported."""
    package = name.partition(".")[0]
    if package in sys.modules:
        return True
    spec = find_spec(package)
    return spec is not None and spec.origin is not None
