"""Overrides are read back by Hydra's own parser as the values they were made from."""

import math
import shlex

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import QuotedString
from hypothesis import given
from hypothesis import strategies as st

from rlinf_runtime.bootstrap import hydra
from rlinf_runtime.bootstrap.exit_codes import BootstrapError

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)
ITEM_NAMES = NAMES.filter(lambda name: name.lower() not in {"null", "true", "false", "inf", "nan"})
# What a program's argument can carry: no NUL, no lone surrogates.
TEXTS = (
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])) | st.text("\\'\"${}[](),:=~+ \n\t.a1")
).filter(lambda text: text != "null")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(ITEM_NAMES, inner), max_leaves=12)


def parsed(override):
    """Key and value as Hydra reads them, with quoted strings as plain ones."""
    result = OverridesParser.create().parse_override(override)
    return result.key_or_group, plain(result.value())


def plain(value):
    if isinstance(value, QuotedString):
        return value.text
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


@given(NAMES, VALUES)
def test_hydra_reads_back_what_was_written(name, value):
    """The law: parse(override(key, value)) == (key, value), types included."""
    [override] = hydra.overrides({f"group.{name}": value})
    key, back = parsed(override)
    assert key == f"group.{name}"
    assert repr(back) == repr(value)


@given(st.sampled_from(["", "+", "++", "~"]), NAMES, VALUES)
def test_hydra_reads_back_marks(mark, name, value):
    """Keys to add, to add or set, and to take away; what is taken away needs no value."""
    [override] = hydra.overrides({f"{mark}group.{name}": value})
    result = OverridesParser.create().parse_override(override)
    assert (result.is_add(), result.is_force_add(), result.is_delete()) == (mark == "+", mark == "++", mark == "~")
    assert result.key_or_group == f"group.{name}"
    is_bare = mark == "~" and value in (None, "")
    assert repr(plain(result.value())) == repr(None if is_bare else value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (16, "16"),
        (1e-6, "1e-06"),
        (math.inf, "inf"),
        (None, "null"),
        (True, "true"),
        ("/models/openvla-oft", "/models/openvla-oft"),
        ("no", "no"),
        ("null", "null"),
        ("Null", "'Null'"),
        ("1e3", "'1e3'"),
        ("", "''"),
        ("it's", r"'it\'s'"),
        ("a\\", r"'a\\'"),
        ("console,wandb", "'console,wandb'"),
        (["console", "a b"], "[console,'a b']"),
        ([{"lr": 0.1}], "[{lr:0.1}]"),
        ({}, "{}"),
    ],
)
def test_values_are_quoted_only_where_they_must_be(value, text):
    """What people read in the log is close to what they typed."""
    assert list(hydra.overrides({"key": value})) == [f"key={text}"]


def test_a_tree_becomes_dotted_keys():
    """Objects nest keys; lists and empty objects are values."""
    tree = {"data": {"train_batch_size": 16, "files": [1, 2], "extra": {}}, "+seed": 3}
    assert hydra.flatten(tree) == {"data.train_batch_size": 16, "data.files": [1, 2], "data.extra": {}, "+seed": 3}


@pytest.mark.parametrize(
    ("leaves", "sentence"),
    [
        ({"a b": 1}, "training.hydra.a b is no key"),
        ({"a.b=c": 1}, "training.hydra.a.b=c is no key"),
        ({"a": "x\0y"}, "training.hydra.a is 'x.x00y', but NUL"),
        ({"a": [{"1": 2}]}, r"training.hydra.a\[0\].1 is no name"),
        ({"a": [{"null": 2}]}, r"training.hydra.a\[0\].null is no name"),
    ],
)
def test_what_the_grammar_cannot_say_is_refused(leaves, sentence):
    """The sentence names the key."""
    with pytest.raises(BootstrapError, match=sentence):
        list(hydra.overrides(leaves))


@given(TEXTS)
def test_a_shell_reads_back_what_print_shows(text):
    """`launch.sh --print` can be pasted into a shell."""
    assert shlex.split(shlex.join([f"key={text}"])) == [f"key={text}"]


@pytest.mark.parametrize("text", ["5e-6", "0.28", ".5", "1.", "-1e5", "1E3", "1e+06"])
def test_numbers_of_helms_set_are_numbers_to_hydra(text):
    """Helm's `--set lr=5e-6` hands a text on, at which optimizers fail; in lists as well."""
    [one, many] = hydra.overrides(hydra.with_decimals({"optim.lr": text, "betas": [text, "a"]}))
    assert parsed(one) == ("optim.lr", float(text))
    assert parsed(many) == ("betas", [float(text), "a"])


@pytest.mark.parametrize("text", ["8", "v1.5", "1.2.3", "5e", "e5", ".", "0x10", "1_0.5", "nan", "1.5 "])
def test_other_texts_stay_texts(text):
    """And so does what a name is made of."""
    assert hydra.with_decimals({"key": text, "trainer.experiment_name": "1.5"}) == {
        "key": text,
        "trainer.experiment_name": "1.5",
    }
