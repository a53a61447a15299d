"""The chart's own files: what the data of a ConfigMap can hold as blocks of YAML."""

import pytest
from tests.helm.sample_chart import make_chart

from rlinf_constructs import helm


@pytest.mark.parametrize("text", ["", "no newline", "two\n\n", "  indented\n", "ends with a space \n", "bell \a\n"])
def test_a_text_that_a_block_cannot_hold_is_refused(text: str) -> None:
    environment = helm.Environment(values={}, release={}, generate=lambda *_: "", files={"files/a.sh": text})

    with pytest.raises(ValueError, match=r"files/a\.sh cannot be the data of a ConfigMap: let it end with one newline"):
        helm.Files("files").evaluate(environment)


def test_the_files_of_a_folder_are_texts_by_base_name() -> None:
    chart = make_chart()

    (config,) = [it for it in chart.render({}, helm.Release(name="r", namespace="n")) if it["kind"] == "ConfigMap"]

    assert config["data"]["a.sh"] == "echo\n"
    assert config["data"]["b.py"] == 'print("{{ hello }}")\n'
