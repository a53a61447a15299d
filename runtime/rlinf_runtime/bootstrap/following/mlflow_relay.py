"""Sends the engine's metrics to an MLflow server, whatever happens to either: none is lost, and none is sent twice.

Everything stays in the run folder's files. `mlflow.json` beside them, written by rename after each accepted batch,
holds the marks of what the server has. Where that is not certain (an answer that did not come, a new life of this pod),
the server is asked which points it has before more is sent. A server that is down holds up nothing but this thread.
"""

import json
import os
import threading
import time
import uuid
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .. import log, whole_file
from ..exit_codes import BootstrapError, ExitCode
from ..processes import Processes
from ..run_config import RunConfig
from .metric_sources import MetricSources, Record
from .mlflow_server import Metric, MlflowError, MlflowServer, address_in

logger = log.of_step("mlflow")

_POLL_S = 2.0
_BACKOFF_S = (1.0, 60.0)
_COMPLAIN_EVERY_S = 300.0
_LAST_FLUSH_S = 30.0
# MLflow's limits for one request are 1000 metrics and 1 MB.
_BATCH_METRICS = 1000
_TAG = "rlinf.run"
# A request that is wrong in itself, and a run that is not there.
_REFUSED = (400, 404, 413)
_CURSOR = "mlflow.json"


@contextmanager
def relaying(config: RunConfig, processes: Processes) -> Generator[None]:
    """Relays while the engine runs, if the environment names a server; the run's status there follows its end here."""
    address = address_in(os.environ)
    if address is None:
        yield
        return
    relay = MlflowRelay(config, MlflowServer(address, os.environ), os.environ)
    relay.start()
    status = "FAILED"
    try:
        yield
        status = "FINISHED"
    except BootstrapError as error:
        status = "KILLED" if error.exit_code is ExitCode.TERMINATED else "FAILED"
        raise
    finally:
        relay.end(status, within_s=min(_LAST_FLUSH_S, processes.grace_s()))


class MlflowRelay:
    """The relay of one run, in a thread of its own."""

    def __init__(self, config: RunConfig, server: MlflowServer, environ: Mapping[str, str]) -> None:
        """Names the run; nothing is asked yet.

        Args:
            config: the run.
            server: where metrics go.
            environ: MLFLOW_EXPERIMENT_NAME, and MLFLOW_RUN_CONTEXT with tags as JSON, as MLflow's client reads them.
        """
        self._config = config
        self._server = server
        self._experiment = environ.get("MLFLOW_EXPERIMENT_NAME") or "Default"
        self._tags = _tags(environ)
        self._sources = MetricSources(config)
        self.cursor_file = Path(config.folder, _CURSOR)
        self._cursor = _Cursor(self.cursor_file, server.address, self._experiment)
        self._pending: list[Record] = []
        self._seen = set(self._cursor.sent)
        # Points that the server has, by metric, as far as asked; None: all that was sent is known to have arrived.
        self._points: dict[str, set[tuple[int, int]]] | None = {}
        self._run_id = ""
        self._wake = threading.Event()
        self._status = ""
        self._complained_at_s = -_COMPLAIN_EVERY_S
        self._thread = threading.Thread(target=self._run, name="mlflow", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def end(self, status: str, *, within_s: float) -> None:
        """Sends what is left, says how the run ended, and waits for that; a pod that holds on goes on trying."""
        self._status = status
        self._wake.set()
        self._thread.join(timeout=within_s)
        if self._thread.is_alive():
            logger.warning("%s does not answer; what it lacks is in %s", self._server.address, self._config.folder)

    def _run(self) -> None:
        try:
            self._relay()
        except Exception as error:  # noqa: BLE001 - metrics must not end a training
            logger.warning("the relay to MLflow has failed: %r; the metrics are in %s", error, self._config.folder)
        finally:
            self._sources.close()

    def _relay(self) -> None:
        low_s, high_s = _BACKOFF_S
        pause_s = low_s
        while True:
            is_last = bool(self._status)
            try:
                self._send()
                if is_last:
                    self._server.set_status(self._run_id, self._status, end_ms=_now_ms())
                    return
            except MlflowError as error:
                self._complain(error)
                wait_s = error.retry_after_s or pause_s
                pause_s = min(2 * pause_s, high_s)
            else:
                wait_s, pause_s = _POLL_S, low_s
            if is_last:
                time.sleep(wait_s)
            else:
                # The end of the run ends the wait.
                pause_s = low_s if self._wake.wait(wait_s) else pause_s

    def _complain(self, error: MlflowError) -> None:
        now_s = time.monotonic()
        if now_s - self._complained_at_s >= _COMPLAIN_EVERY_S:
            logger.warning("%s; metrics wait in %s", error, self._config.folder)
            self._complained_at_s = now_s

    def _send(self) -> None:
        """Sends all that is new.

        Raises:
            MlflowError: not all of it; what is left is sent later.
        """
        if not self._run_id:
            self._run_id = self._open_run()
        self._take_in()
        while self._pending:
            batch = _first_batch(self._pending)
            try:
                self._send_batch(batch)
            except MlflowError:
                # It may have taken all of it, or some.
                self._points = {}
                raise
            self._cursor.add(record.mark for record in batch)
            del self._pending[: len(batch)]
        self._points = None

    def _take_in(self) -> None:
        for record in self._sources.new():
            if record.mark not in self._seen:
                self._seen.add(record.mark)
                self._pending.append(record)

    def _send_batch(self, batch: Sequence[Record]) -> None:
        metrics = [metric for record in batch for metric in _metrics(record) if not self._has(metric)]
        for start in range(0, len(metrics), _BATCH_METRICS):
            self._log(metrics[start : start + _BATCH_METRICS])

    def _log(self, metrics: Sequence[Metric]) -> None:
        """Sends metrics; one that is refused for what it is, and would be for ever, is left out."""
        try:
            self._server.log(self._run_id, metrics)
        except MlflowError as error:
            if error.status not in _REFUSED:
                raise
            self._see_that_run_is_there()
            if len(metrics) == 1:
                logger.warning("MLflow refuses %s of step %d: %s", metrics[0].key, metrics[0].step, error)
                return
            middle = len(metrics) // 2
            self._log(metrics[:middle])
            self._log(metrics[middle:])

    def _see_that_run_is_there(self) -> None:
        """Somebody may have deleted it; another is made then, and gets everything.

        Raises:
            MlflowError: it is not there, or the server does not answer.
        """
        experiment_id = self._server.experiment(self._experiment)
        if self._server.find_run(experiment_id, _TAG, self._cursor.key) is None:
            self._run_id = ""
            raise MlflowError("the run at the server is gone")

    def _has(self, metric: Metric) -> bool:
        """Whether the server has it already, where that is not known."""
        if self._points is None:
            return False
        if metric.key not in self._points:
            self._points[metric.key] = self._server.points(self._run_id, metric.key)
        return (metric.step, metric.timestamp_ms) in self._points[metric.key]

    def _open_run(self) -> str:
        """The run at the server, made at the first time; a tag tells it, should this pod die before it has the id."""
        experiment_id = self._server.experiment(self._experiment)
        run_id = self._server.find_run(experiment_id, _TAG, self._cursor.key)
        if run_id:
            self._server.set_status(run_id, "RUNNING")
        else:
            self._forget_all()
            name = self._tags.get("mlflow.runName", self._config.name)
            tags = {**self._tags, _TAG: self._cursor.key, "rlinf.engine": self._config.engine.name}
            run_id = self._server.create_run(experiment_id, name=name, tags=tags, start_ms=_now_ms())
            self._points = None
        logger.info("metrics go to run %s of experiment %s at %s", run_id, self._experiment, self._server.address)
        return run_id

    def _forget_all(self) -> None:
        """Whatever was sent went to a run that is gone."""
        self._sources.close()
        self._sources = MetricSources(self._config)
        self._pending.clear()
        self._seen.clear()
        self._cursor.reset()


class _Cursor:
    """What the server has: the marks of records, kept in a file."""

    def __init__(self, path: Path, address: str, experiment: str) -> None:
        self._path = path
        self._where = {"address": address, "experiment": experiment}
        kept = self._read()
        is_same = all(kept.get(key) == value for key, value in self._where.items())
        self.key = str(kept["key"]) if is_same and kept.get("key") else uuid.uuid4().hex
        self.sent: set[str] = set(kept.get("sent", ())) if is_same else set()
        self._failed = False
        self._write()

    def add(self, marks: Iterator[str]) -> None:
        self.sent.update(marks)
        self._write()

    def reset(self) -> None:
        self.sent.clear()
        self._write()

    def _read(self) -> dict[str, Any]:
        try:
            tree = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return tree if isinstance(tree, dict) else {}

    def _write(self) -> None:
        try:
            whole_file.write(self._path, json.dumps({**self._where, "key": self.key, "sent": sorted(self.sent)}))
        except OSError as error:
            # The server can be asked.
            if not self._failed:
                logger.warning("cannot write %s: %s", self._path, error)
            self._failed = True


def _first_batch(records: Sequence[Record]) -> list[Record]:
    """Whole records that fit into one request; at least one."""
    batch: list[Record] = []
    count = 0
    for record in records:
        count += len(record.values)
        if batch and count > _BATCH_METRICS:
            break
        batch.append(record)
    return batch


def _metrics(record: Record) -> Iterator[Metric]:
    for key, value in record.values.items():
        yield Metric(key=key, value=value, timestamp_ms=record.timestamp_ms, step=record.step)


def _tags(environ: Mapping[str, str]) -> dict[str, str]:
    try:
        tree = json.loads(environ.get("MLFLOW_RUN_CONTEXT", "{}"))
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in tree.items()} if isinstance(tree, dict) else {}


def _now_ms() -> int:
    return round(time.time() * 1000)
