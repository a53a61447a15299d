"""docs/guides/engines.md says of each shared key what becomes of it for RLinf."""

from __future__ import annotations

import re

from rlinf_runtime.bootstrap.engines import rlinf
from tests_support import ROOT


def test_the_table_has_each_shared_key_with_its_counterparts() -> None:
    """No key is missing, and none is there that the engine's module does not know."""
    text = (ROOT / "docs/guides/engines.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `((?:data|actor_rollout_ref|trainer)\.[a-z_.]+)` \| (.*) \|$", text, re.MULTILINE))

    assert rows.keys() == rlinf.RENAMED.keys() | rlinf.COMPUTED.keys()
    for key, counterparts in rlinf.RENAMED.items():
        assert [name.lstrip("+") for name in counterparts] == re.findall(r"`([a-z_.]+)`", rows[key]), key
