"""A worker: wait for the head, join its Ray, stay until it goes away, and join again until the run is finished."""

import socket
import time

from . import log, ready
from .exit_codes import BootstrapError, ExitCode
from .pod import Pod
from .processes import Processes, TerminatedError
from .ray_process import RayProcess
from .run_config import RunConfig
from .run_folder import RunFolder

logger = log.of_step("wait")

_CONNECT_S = 3.0
_POLL_S = 1.0
_PROGRESS_S = 5.0
# A refused connection says that the head's Ray is gone; silence may be the network, for a while.
_SILENCE_S = 15.0


class Worker:
    """A worker's part of a run."""

    def __init__(
        self, config: RunConfig, pod: Pod, folder: RunFolder, processes: Processes, watch: log.Stopwatch
    ) -> None:
        self._config = config
        self._folder = folder
        self._processes = processes
        self._watch = watch
        self._ray = RayProcess(processes, config, pod)
        self._head = _HeadPort(config.ray.head_host, config.ray.port)

    def run(self) -> None:
        """Serves the head's cluster until the marker says that the run is finished.

        Raises:
            BootstrapError: the head did not come in time, refused the token, or Ray failed here.
        """
        ready.mark()
        while self._wait_for_head():
            self._serve_head()

    def _serve_head(self) -> None:
        """One life of Ray on this node."""
        try:
            with self._watch.step("ray", "joined the head", ours=False):
                self._ray.start()
            with self._watch.step("ray", "served the head", ours=False):
                self._stay()
        except BootstrapError as error:
            # It may notice the head's end before we do.
            if error.exit_code is not ExitCode.RAY_FAILED or not self._head.is_gone():
                raise
            logger.info("Ray here ended with the head's")
        finally:
            with self._watch.step("ray", "stopped", ours=True):
                self._ray.stop(sign_off=not self._head.is_gone())

    def _wait_for_head(self) -> bool:
        with self._watch.step("wait", "for the head", ours=False):
            return self._find_head()

    def _find_head(self) -> bool:
        """Waits until the head's port answers (True), or the run turns out to be finished (False)."""
        began_s = time.monotonic()
        next_line_s = began_s + _PROGRESS_S
        while not self._folder.is_finished():
            try:
                self._head.find()
            except OSError as error:
                words = f"no Ray head at {self._head} after {time.monotonic() - began_s:.0f} s ({error})"
            else:
                return True
            if time.monotonic() - began_s >= self._config.deadlines.join_s:
                raise BootstrapError(
                    ExitCode.JOIN_DEADLINE, f"{words}: training.deadlines.joinSeconds is over, look at the head's pod"
                )
            if time.monotonic() >= next_line_s:
                logger.info("%s", words)
                next_line_s += _PROGRESS_S
            self._processes.sleep(_POLL_S)
        return False

    def _stay(self) -> None:
        """Stays while the head is there; after SIGTERM too, for the engine needs its ranks here to save."""
        try:
            while not self._head.is_gone():
                self._ray.check_alive()
                self._processes.sleep(_POLL_S)
            logger.info("the head's Ray is gone")
        except TerminatedError:
            logger.info("told to stop: staying until the head is done, at most %.0f s", self._processes.grace_s())
            self._processes.wait_until(self._head.is_gone, within_s=self._processes.grace_s())
            raise


class _HeadPort:
    """The head's port, as seen from here."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._ip: str | None = None
        self._heard_at_s = 0.0

    def __str__(self) -> str:
        return "{}:{}".format(*self._address)

    def find(self) -> None:
        """Connects to the port, and remembers at which IP address it was.

        Raises:
            OSError: nobody is there; a name that does not resolve yet is as normal as a port that is not open yet.
        """
        self._ip = self._connect()
        self._heard_at_s = time.monotonic()

    def is_gone(self) -> bool:
        """Whether the head that was found has gone: nobody listens, another pod does, or silence lasts."""
        try:
            ip = self._connect()
        except ConnectionRefusedError:
            return True
        except OSError:
            return time.monotonic() - self._heard_at_s > _SILENCE_S
        self._heard_at_s = time.monotonic()
        return ip != self._ip

    def _connect(self) -> str:
        with socket.create_connection(self._address, timeout=_CONNECT_S) as connection:
            return connection.getpeername()[0]
