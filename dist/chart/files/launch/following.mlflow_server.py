"""An MLflow server, by its REST interface: https://mlflow.org/docs/latest/rest-api.html.

Credentials, certificates and proxies come from the variables that MLflow's own client reads.
"""

import base64
import http.client
import json
import math
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_REQUEST_S = 15.0
_API = "api/2.0/mlflow/"
_PAGE = 10_000
_REFUSAL_MAX_BYTES = 10_000
_WORDS = 200
_TRUE = ("1", "true", "yes")


class MlflowError(Exception):
    """The server did not do what it was asked.

    Attributes:
        status: of HTTP; 0: there was no answer.
        code: MLflow's own, such as RESOURCE_DOES_NOT_EXIST.
        retry_after_s: seconds after which the server wants to be asked again; None: it does not say.
    """

    def __init__(self, words: str, *, status: int = 0, code: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(words)
        self.status = status
        self.code = code
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """One number of a run."""

    key: str
    value: float
    timestamp_ms: int
    step: int


def address_in(environ: Mapping[str, str]) -> str | None:
    """The address of the server that the environment names; None: none, or one that does not speak HTTP."""
    address = environ.get("MLFLOW_TRACKING_URI", "")
    return address if address.startswith(("http://", "https://")) else None


class MlflowServer:
    """The server behind an address."""

    def __init__(self, address: str, environ: Mapping[str, str]) -> None:
        self.address = address.rstrip("/")
        self._headers: dict[str, str] = {"Content-Type": "application/json", **_authorization(environ)}
        self._opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=_tls(environ)))

    def check(self) -> None:
        """Asks for something that every server has.

        Raises:
            MlflowError: the server refuses, or does not answer.
        """
        self._get("experiments/get", experiment_id="0")

    def experiment(self, name: str) -> str:
        """The id of an experiment, which is made if need be.

        Raises:
            MlflowError: the server refuses, or does not answer.
        """
        try:
            return self._get("experiments/get-by-name", experiment_name=name)["experiment"]["experiment_id"]
        except MlflowError as error:
            if error.code != "RESOURCE_DOES_NOT_EXIST":
                raise
        try:
            return self._post("experiments/create", {"name": name})["experiment_id"]
        except MlflowError as error:
            if error.code != "RESOURCE_ALREADY_EXISTS":
                raise
        # Somebody was faster.
        return self._get("experiments/get-by-name", experiment_name=name)["experiment"]["experiment_id"]

    def find_run(self, experiment_id: str, tag: str, value: str) -> str | None:
        """The id of the run that has a tag of this value; None: there is none.

        Raises:
            MlflowError: the server refuses, or does not answer.
        """
        query = {"experiment_ids": [experiment_id], "filter": f"tags.`{tag}` = '{value}'", "max_results": 1}
        runs = self._post("runs/search", query).get("runs", [])
        return runs[0]["info"]["run_id"] if runs else None

    def create_run(self, experiment_id: str, *, name: str, tags: Mapping[str, str], start_ms: int) -> str:
        """Starts a run and returns its id.

        Raises:
            MlflowError: the server refuses, or does not answer.
        """
        body = {
            "experiment_id": experiment_id,
            "run_name": name,
            "start_time": start_ms,
            "tags": [{"key": key, "value": value} for key, value in tags.items()],
        }
        return self._post("runs/create", body)["run"]["info"]["run_id"]

    def log(self, run_id: str, metrics: Sequence[Metric]) -> None:
        """Adds metrics to a run; a server with a database takes all of them or none.

        Raises:
            MlflowError: the server refuses, or does not answer.
        """
        body = [
            {"key": each.key, "value": _number(each.value), "timestamp": each.timestamp_ms, "step": each.step}
            for each in metrics
        ]
        self._post("runs/log-batch", {"run_id": run_id, "metrics": body})

    def points(self, run_id: str, key: str) -> set[tuple[int, int]]:
        """Step and timestamp in ms of all that a run has of a metric.

        Raises:
            MlflowError: the server refuses, or does not answer.
        """
        found: set[tuple[int, int]] = set()
        token = ""
        while True:
            page = {"page_token": token} if token else {}
            answer = self._get("metrics/get-history", run_id=run_id, metric_key=key, max_results=str(_PAGE), **page)
            found.update((int(each.get("step", 0)), int(each["timestamp"])) for each in answer.get("metrics", []))
            token = answer.get("next_page_token", "")
            if not token:
                return found

    def set_status(self, run_id: str, status: str, *, end_ms: int | None = None) -> None:
        """Says that a run is RUNNING, or has FINISHED, FAILED or been KILLED.

        Raises:
            MlflowError: the server refuses, or does not answer.
        """
        end = {} if end_ms is None else {"end_time": end_ms}
        self._post("runs/update", {"run_id": run_id, "status": status, **end})

    def _get(self, path: str, **query: str) -> Any:
        return self._ask("GET", f"{path}?{urllib.parse.urlencode(query)}", None)

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._ask("POST", path, json.dumps(body).encode())

    def _ask(self, method: str, path: str, data: bytes | None) -> Any:
        # The address is one of http or https: see `address_in`.
        request = urllib.request.Request(  # noqa: S310
            f"{self.address}/{_API}{path}", data=data, method=method, headers=self._headers
        )
        try:
            with self._opener.open(request, timeout=_REQUEST_S) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error) from error
        except (OSError, http.client.HTTPException) as error:
            raise MlflowError(f"no answer from {self.address}: {getattr(error, 'reason', error)}") from error
        except ValueError as error:
            raise MlflowError(f"{self.address} answers no JSON: is it an MLflow server?") from error


def _refusal(error: urllib.error.HTTPError) -> MlflowError:
    text = _text(error)
    try:
        answer = json.loads(text)
        code, words = str(answer["error_code"]), str(answer.get("message", ""))
    except (ValueError, KeyError, TypeError):
        # A proxy, or the server's own guard of the Host header, answers in a line of plain text.
        code, words = "", f"{error.reason} {'' if text.lstrip().startswith('<') else text.strip()[:_WORDS]}".strip()
    retry_after = error.headers.get("Retry-After", "")
    return MlflowError(
        f"HTTP {error.code} {code} {words}".replace("  ", " "),
        status=error.code,
        code=code,
        retry_after_s=float(retry_after) if retry_after.isdecimal() else None,
    )


def _text(error: urllib.error.HTTPError) -> str:
    try:
        return error.read(_REFUSAL_MAX_BYTES).decode(errors="replace")
    except OSError:
        return ""


def _authorization(environ: Mapping[str, str]) -> dict[str, str]:
    if token := environ.get("MLFLOW_TRACKING_TOKEN"):
        return {"Authorization": f"Bearer {token}"}
    user, password = environ.get("MLFLOW_TRACKING_USERNAME"), environ.get("MLFLOW_TRACKING_PASSWORD")
    if user and password:
        return {"Authorization": f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"}
    return {}


def _tls(environ: Mapping[str, str]) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=environ.get("MLFLOW_TRACKING_SERVER_CERT_PATH") or None)
    if certificate := environ.get("MLFLOW_TRACKING_CLIENT_CERT_PATH"):
        context.load_cert_chain(certificate)
    if environ.get("MLFLOW_TRACKING_INSECURE_TLS", "").lower() in _TRUE:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _number(value: float) -> float | str:
    """JSON has no NaN and no infinity; protocol buffers write them as texts."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
