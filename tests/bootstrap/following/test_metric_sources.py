"""Metrics are found wherever an engine writes them, once, with a mark that survives a new life of the reader."""

import base64
import json
import struct

from event_files import event, record
from rlinf_runtime.bootstrap.following.event_file import EventFile, Scalar
from rlinf_runtime.bootstrap.following.metric_sources import MetricSources

TORCH_WROTE = (
    "SAAAAAAAAAD+kkidCcyE+v5mw9pBGg1icmFpbi5FdmVudDoyUi4KLHRlbnNvcmJvYXJkLnN1bW1hcnkud3JpdGVyLmV2ZW50X2ZpbGVfd3Jp"
    "dGVyYpcbJyQAAAAAAAAAQiuATQkAACBQWcPaQSoZChcKEHRyYWluL2FjdG9yL2xvc3MVAAAAAJTjy+cnAAAAAAAAALvhsUYJAAAgm1nD2kEQ"
    "rAIqGQoXChB0cmFpbi9hY3Rvci9sb3NzFQAAFkNA4uc9"
)

VERSION = b"\x09" + struct.pack("<d", 1.0) + b"\x1a\x0dbrain.Event:2"


def test_scalars_are_read_from_an_event_file(tmp_path):
    """The file's version is none."""
    file = tmp_path / "events"
    file.write_bytes(record(VERSION) + record(event("env/success_once", 0.5, 3, 17.25)))
    [(_, scalar)] = EventFile(file).new()
    assert scalar == Scalar(name="env/success_once", value=0.5, step=3, time_s=17.25)


def test_a_record_that_is_not_whole_waits(tmp_path):
    """The writer is in the middle of it."""
    file = tmp_path / "events"
    whole = record(event("a", 1.0, 1, 1.0)) + record(event("b", 2.0, 2, 2.0))
    follower = EventFile(file)
    seen = []
    for end in range(len(whole) + 1):
        file.write_bytes(whole[:end])
        seen += [scalar.name for _, scalar in follower.new()]
    assert seen == ["a", "b"]


def test_a_damaged_record_is_left_out(tmp_path):
    """The one behind it is read."""
    file = tmp_path / "events"
    file.write_bytes(record(b"\xff\xff") + record(event("a", 1.0, 1, 1.0)))
    assert [scalar.name for _, scalar in EventFile(file).new()] == ["a"]


def test_a_file_that_torch_wrote_is_read(tmp_path):
    """Of two calls of SummaryWriter.add_scalar, with torch 2.15 and tensorboard 2.21."""
    (tmp_path / "events").write_bytes(base64.b64decode(TORCH_WROTE))
    scalars = [scalar for _, scalar in EventFile(tmp_path / "events").new()]
    assert scalars == [
        Scalar(name="train/actor/loss", value=0.0, step=0, time_s=1796040000.5),
        Scalar(name="train/actor/loss", value=150.0, step=300, time_s=1796040300.5),
    ]


def test_each_engines_files_are_found(config_of, verl_log, attempt_began_at, tmp_path):
    """RLinf's in a folder of each start, without those of single workers; steps are its own."""
    attempt_began_at(1, 0)
    folder = tmp_path / "run/attempts/1/tensorboard"
    folder.mkdir()
    (folder / "events.out.tfevents.1.host").write_bytes(record(event("a", 1.0, 7, 2.0)))
    sources = MetricSources(config_of("rlinf"))
    [found] = sources.new()
    assert (found.step, found.timestamp_ms, found.values) == (7, 2000, {"a": 1.0})
    assert sources.new() == []


def test_marks_are_the_same_in_another_life(config_of, verl_log, tmp_path):
    """And different for lines that say the same of another start."""
    verl_log(0, {"loss": 1})
    verl_log(0, {"loss": 1})
    line = (tmp_path / "run/attempts/1/checkpoints/run_20261130_120000.log").read_text()
    other = tmp_path / "run/attempts/2/checkpoints"
    other.mkdir(parents=True)
    (other / "run_20261130_120000.log").write_text(line)
    config = config_of("verl")
    marks = [each.mark for each in MetricSources(config).new()]
    assert len(set(marks)) == 4
    assert [each.mark for each in MetricSources(config).new()] == marks


def test_what_is_no_metric_is_left_out(config_of, tmp_path):
    """Broken lines, and lines of an older trainer without a time."""
    config = config_of("native")
    lines = ["{", "[]", '{"step": 1}', json.dumps({"step": 2, "timestamp_s": 3.5, "loss": 1, "flag": True, "text": ""})]
    (tmp_path / "run/metrics.jsonl").write_text("".join(f"{line}\n" for line in lines))
    [found] = MetricSources(config).new()
    assert (found.step, found.timestamp_ms, found.values) == (2, 3500, {"loss": 1.0, "flag": 1.0})
