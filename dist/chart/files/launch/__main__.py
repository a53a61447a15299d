"""`python3 -u -m launch [head|worker|submit|preflight|stop|verify]`: one pod of a run, from start to exit code."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from . import attempt, credentials, finish, leftovers, log, pod, ready, run_config
from .engines.launch import launch
from .exit_codes import BootstrapError, ExitCode
from .head import Head
from .pod_status import PodStatus
from .preflight import checks
from .preflight.preflight import run_checks
from .processes import Processes
from .run_folder import RunFolder
from .stop import stop
from .submit import Submit
from .verify import verify
from .worker import Worker

_NODES = {"head": Head, "worker": Worker}
_SUBMIT = "submit"
_PREFLIGHT = "preflight"
_STOP = "stop"
_VERIFY = "verify"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one pod's part, and returns the exit code."""
    watch = log.Stopwatch()
    options = _parser().parse_args(arguments)
    role = options.role or ("head" if os.environ.get("RLINF_NODE_RANK") == "0" else "worker")
    log.configure(role)
    credentials.strip_line_breaks()
    try:
        run = run_config.from_base64(options.run) if options.run else run_config.from_file(options.config)
        if options.print:
            sys.stdout.write(launch(run.config, attempt.preview(run.config), os.environ).to_shell())
            return ExitCode.FINISHED
        if role == _STOP:
            stop(run.config, Processes(stop_s=run.config.deadlines.stop_s))
            return ExitCode.FINISHED
        if role == _PREFLIGHT:
            return _preflight(run)
        return _verify(run) if role == _VERIFY else _run_pod(role, run, watch)
    except BootstrapError as error:
        finish.explain(error, os.environ)
        return error.exit_code


def _run_pod(role: str, run: run_config.Run, watch: log.Stopwatch) -> int:
    config = run.config
    status = PodStatus(role, watch, run_folder=config.folder)
    processes = Processes(stop_s=config.deadlines.stop_s, on_wait=status.beat)
    ready.unmark()
    leftovers.remove()
    try:
        with watch.step("check", "run.json, the pod and the run folder", ours=True):
            folder = RunFolder(config.folder, digest=run.digest, pod_name=os.environ.get("POD_NAME", role))
            part = _part(role, config, folder, processes, watch)
            folder.check()
        if folder.is_finished():
            log.of_step("finish").info("this run is finished already: %s has its digest", config.folder)
        else:
            with watch.step("check", "this node", ours=True):
                # A job's process may be on a head that takes no ranks.
                run_checks(config, checks.OF_THE_RUN if role == _SUBMIT else checks.ALL, processes)
            part.run()
            log.of_step("finish").info("the run is finished")
    finally:
        ready.unmark()
        processes.kill_all()
        watch.log_overhead()
    return finish.after_success(processes, config)


def _part(
    role: str, config: run_config.RunConfig, folder: RunFolder, processes: Processes, watch: log.Stopwatch
) -> Head | Worker | Submit:
    if role == _SUBMIT:
        return Submit(config, folder, processes, watch)
    return _NODES[role](config, pod.from_environment(os.environ, config), folder, processes, watch)


def _preflight(run: run_config.Run) -> int:
    """The checks alone, where the bootstrap is not what starts Ray: as an init container of KubeRay's pods."""
    RunFolder(run.config.folder, digest=run.digest, pod_name=os.environ.get("POD_NAME", _PREFLIGHT)).check()
    run_checks(run.config, checks.ALL, Processes(stop_s=run.config.deadlines.stop_s))
    return ExitCode.FINISHED


def _verify(run: run_config.Run) -> int:
    folder = RunFolder(run.config.folder, digest=run.digest, pod_name=os.environ.get("POD_NAME", _VERIFY))
    processes = Processes(stop_s=run.config.deadlines.stop_s)
    verify(run.config, token=os.environ.get("RAY_AUTH_TOKEN"), folder=folder, processes=processes)
    return ExitCode.FINISHED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="launch", description="Run one pod of a training run.")
    roles = (*_NODES, _SUBMIT, _PREFLIGHT, _STOP, _VERIFY)
    parser.add_argument("role", nargs="?", choices=roles, help="by default from RLINF_NODE_RANK: 0 is the head")
    parser.add_argument("--config", type=Path, default=Path(__file__).with_name("run.json"), help="the run.json")
    parser.add_argument("--run", metavar="BASE64", help="a run.json in the command line, instead of a file")
    parser.add_argument("--print", action="store_true", help="print the engine's start and run nothing")
    return parser


if __name__ == "__main__":
    sys.exit(main())
