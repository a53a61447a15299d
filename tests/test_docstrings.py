"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import rlinf_constructs.helm

MODULES = [f"rlinf_constructs.helm.{module.name}" for module in pkgutil.iter_modules(rlinf_constructs.helm.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    """Each `>>>` gives what stands below it."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0
