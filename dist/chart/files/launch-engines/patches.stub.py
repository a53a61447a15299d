"""Modules that stand in for packages which an engine imports, but does not need for what we run."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn


class StubModule(ModuleType):
    """A module of a package that is not installed: importing it works, using it says what is missing."""

    def __init__(self, name: str, **members: Any) -> None:
        super().__init__(name, f"Stands in for {name}, which is not installed.")
        # A package, so that its submodules can be imported; with a spec, for others ask for it.
        self.__path__ = []
        self.__spec__ = ModuleSpec(name, loader=None, is_package=True)
        vars(self).update(members)

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"{self.__name__}.{name} was asked for, but {self.__name__} is not installed in this image"
        )


def unusable(name: str) -> Any:
    """A function that may be imported from a stub, but not called."""

    def call(*_arguments: Any, **_keywords: Any) -> NoReturn:
        package = name.partition(".")[0]
        raise ModuleNotFoundError(f"{name} was called, but {package} is not installed in this image", name=package)

    return call
