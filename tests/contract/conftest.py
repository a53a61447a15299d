"""The marker of tests that need an engine's own tree."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", "upstream: needs an engine's own tree, named by RLINF_TEST_{VERL,RLINF}_TREE")
