"""What local needs of the machine."""

import ctypes
import socket

import pytest

from port_numbers import next_ports
from rlinf_charts.local import LocalError, free_ports
from rlinf_charts.local.machine import check_platform, check_renderer


def test_a_port_in_use_is_passed_over() -> None:
    """The next one above takes its place, and no port is given twice."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        used = server.getsockname()[1]
        first, second = free_ports([used, used])

    assert used < first < second


def test_a_free_port_is_kept() -> None:
    """So that run.json is the same from run to run."""
    assert free_ports(ports := next_ports(1)) == ports


def test_a_missing_renderer_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the library, the packages and the other choice."""

    def without_library(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", without_library)
    with pytest.raises(LocalError) as refusal:
        check_renderer("egl")

    assert str(refusal.value) == (
        "MuJoCo cannot render: MUJOCO_GL=egl needs libEGL.so.1, which this machine lacks; on Debian or Ubuntu, run "
        "`apt-get install libegl1 libgl1-mesa-dri`, or `apt-get install libosmesa6` and pass "
        "--set extraEnv.MUJOCO_GL=osmesa"
    )


def test_other_renderers_need_no_library() -> None:
    """MUJOCO_GL=disabled renders nothing."""
    check_renderer("disabled")


def test_other_systems_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Local says that it needs Linux."""
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(LocalError) as refusal:
        check_platform()

    assert str(refusal.value) == "local needs Linux (it keeps processes together by prctl); this is darwin"
