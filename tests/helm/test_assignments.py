"""`--set` and `--set-string` mean what they mean to real helm, or are refused as it refuses them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from rlinf_constructs.helm import assignments, yaml_io

PRESENT = {"list": [{"b": 1, "c": 2}, {"b": 3}], "map": {"x": 1, "y": 2}, "numbers": [1, 2, 3], "text": "t"}

TYPED = [
    *("a=1,b=-2,c=007,d=1.5,e=1e3", "a=true,b=False,c=NULLx,d=-0,e=+5", "a=9223372036854775807,b=9223372036854775808"),
    *("a=no,b=~,c='q'", "a=,b= x ", " a=x", "a =x", "a=x=y", "a=1,", "a==1", "=1", ".a=1", "map.=1", "a=x\ny"),
    *("a.b.c=x,a.b.d=y", "map.x=null", "map=null", "map.z.q=1", "a.1=2", "new.a.b=1,new.a.c=2"),
    *(r"a\.b=c\,d,e=f\\g", r"a\=b=c\=d", r"a=C:\data", r"a=C:\\data", "a=\\", r"a\[0]=1"),
    *("a={1,two,true},b={},c={a b,c}", r"a={x\,y,null}", "a={,}", "a={x},b=2", "numbers={}", "a={{x}"),
    *("list[0].b=9", "list[1].q=9", "list[3].b=9", "list[0]=x", "list[0].b=1,list[0].c=2", "list[0]={x,y}"),
    *("numbers[1]=9", "numbers[1]=null", "numbers[5]=9", "new[0]=x", "new[2].k=v", "new[0][1]=x", "numbers[0].a=1"),
    *("a]=1", 'a={"x":1}', "a[0].=1", "a=é🤖"),
    *("a" + ".a" * 30 + "=1", "a[0]" + ".a" * 31 + "=1", "a" + "[0].a" * 40 + "=1"),
]
REFUSED = [
    *("a", "a.b", "a=1,b", "a=1,,b=2", ",a=1", "a,b=1", "a:1", "a=[1,2]"),
    *("a={", "a={x", "a={x,y", "a={x}y", "a={{a,b},{c}}"),
    *("a[-1]=x", "a[x]=1", "a[]=1", "a[ 0 ]=1", "a[65537]=1", "a[0]b=1", "numbers[0][1]=2", "text[0]=1"),
    *("a" + ".a" * 31 + "=1", "a[0]" + ".a" * 32 + "=1"),
    *("list.b=1", "text.a=1", "map.x.y=1", "map=null,map.z=1", "list[0].b.c=1", "a=1,a.b=2"),
]


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chart that prints the values it sees, and a values file for it."""
    folder = tmp_path_factory.mktemp("probe")
    (folder / "templates").mkdir()
    (folder / "Chart.yaml").write_text("{apiVersion: v2, name: probe, version: 0.1.0}\n")
    (folder / "templates" / "values.json").write_text("{{ .Values | toRawJson }}\n")
    (folder / "present.yaml").write_text(yaml_io.dump(PRESENT))
    return folder


def helm(probe: Path, option: str, text: str) -> subprocess.CompletedProcess[str]:
    """Lay the assignments over the file."""
    command = ["helm", "template", "r", str(probe), "--values", str(probe / "present.yaml"), option, text]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def seen_by_helm(probe: Path, option: str, text: str) -> Any:
    """What a template sees."""
    done = helm(probe, option, text)
    assert done.returncode == 0, done.stderr
    return yaml_io.load(done.stdout.split("values.json\n", 1)[1])


def without_nulls(values: dict[str, Any]) -> dict[str, Any]:
    """Some versions of helm drop a key that is null before a template sees it."""
    inner = {key: without_nulls(value) if isinstance(value, dict) else value for key, value in values.items()}
    return {key: value for key, value in inner.items() if value is not None}


@pytest.mark.parametrize("text", TYPED)
def test_set_reads_as_helm_does(text: str, probe: Path) -> None:
    """Types, escapes, lists in braces and items of lists, over what is there."""
    ours = assignments.assign(PRESENT, text, typed=True)
    assert without_nulls(ours) == without_nulls(seen_by_helm(probe, "--set", text))


@pytest.mark.parametrize(
    "text", ["a=1", "a.b=true,c=null", r"a=x\,y", "a={x,1}", "numbers[1]=1", "map.x=", "list[0].b=2"]
)
def test_set_string_reads_as_helm_does(text: str, probe: Path) -> None:
    """Every value is a text."""
    assert assignments.assign(PRESENT, text, typed=False) == seen_by_helm(probe, "--set-string", text)


@pytest.mark.parametrize("text", REFUSED)
def test_what_helm_refuses_is_refused(text: str, probe: Path) -> None:
    """With a sentence of our own: helm's speak of Go."""
    assert helm(probe, "--set", text).returncode != 0
    with pytest.raises(assignments.AssignmentError):
        assignments.assign(PRESENT, text, typed=True)


def test_the_sentence_says_what_to_write() -> None:
    """The place, and what is allowed there."""
    for text, sentence in {
        "nodes.count": "nodes.count has no value: write KEY=VALUE, and a comma that is meant as \\,",
        "map.x.y=1": "map.x is 1, which has no keys: set it to {} in a file first",
        "list[x]=1": "list[x: write an index from 0 to 65536, as in list[0]",
        "a={x": "a list ends with }: quote it for the shell, as in 'KEY={a,b}'",
    }.items():
        with pytest.raises(assignments.AssignmentError) as refusal:
            assignments.assign(PRESENT, text, typed=True)
        assert str(refusal.value) == sentence


@pytest.mark.parametrize("text", ["a.", "map.", "a[0"])
def test_what_helm_passes_over_in_silence_is_refused(text: str, probe: Path) -> None:
    """It sets nothing, which nobody can have meant."""
    assert seen_by_helm(probe, "--set", text) == PRESENT
    with pytest.raises(assignments.AssignmentError):
        assignments.assign(PRESENT, text, typed=True)


def test_what_it_is_given_stays_as_it_was() -> None:
    """The values of a file are shared."""
    before = {"a": [{"b": 1}]}
    assignments.assign(before, "a[0].b=2", typed=True)
    assert before == {"a": [{"b": 1}]}
