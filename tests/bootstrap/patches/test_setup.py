"""What a worker's start costs, and under which names the package runs."""

import json
import os
import subprocess
import sys

START = """
import json, logging, sys, time
import inspect  # as Ray's worker has imported it
before, began = set(sys.modules), time.process_time()
from rlinf_runtime.bootstrap.patches.setup import setup
setup()
setup()  # Once is enough.
print(json.dumps({"cpu_s": time.process_time() - began, "modules": sorted(set(sys.modules) - before),
    "hooks": [type(finder).__name__ for finder in sys.meta_path].count("Hook")}))
"""


def run(command, **environ):
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env={**os.environ, **environ}
    )


def started():
    done = run([sys.executable, "-c", START], RLINF_ENGINE="verl")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_start_costs_little():
    """At most 50 ms of a worker's start, measured as CPU time since machines are shared; the best of three."""
    assert min(started()["cpu_s"] for _ in range(3)) < 0.05


def test_a_second_start_changes_nothing():
    """A process has one hook."""
    assert started()["hooks"] == 1


def test_a_start_imports_no_packages():
    """Neither the engine's nor ours: they come with the modules that need them."""
    packages = {name.partition(".")[0] for name in started()["modules"]}
    assert packages - {"rlinf_runtime"} <= sys.stdlib_module_names


def test_it_runs_as_the_config_map_lays_it_out(lay_out, run_tree, tmp_path):
    """As `launch.patches`, one folder above the launch folder."""
    launch = lay_out(run_tree)
    script = tmp_path / "engine.py"
    script.write_text("import sys; print(sorted(name for name in sys.modules if name == 'launch.patches.registry'))\n")
    done = run(
        [sys.executable, "-m", "launch.patches.drive", "--script", str(script)],
        RLINF_ENGINE="rlinf",
        PYTHONPATH=str(launch.parent),
    )
    assert (done.stdout, done.stderr) == ("['launch.patches.registry']\n", "")
