"""What an OCI registry has of a chart: tags and manifests, which helm cannot list.

Reading needs two requests of the distribution specification; pushing is helm's.
"""

from __future__ import annotations

import functools
import http.client
import json
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any

from rlinf_charts.packaging.credentials import basic_credentials

_CHART_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
_PROVENANCE_LAYER = "application/vnd.cncf.helm.chart.provenance.v1.prov"
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_REFERENCE = re.compile(
    r"oci://(?P<host>([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:[0-9]{1,5})?)/(?P<path>[a-z0-9]+([._/-]+[a-z0-9]+)*)/?"
)
_PARAMETER = re.compile(r'(\w+)="([^"]*)"')
_PAGE_SIZE = 100
_TIMEOUT_S = 30


class RegistryError(RuntimeError):
    """A registry that cannot be asked, or does not answer as one."""


@dataclass(frozen=True, kw_only=True)
class Published:
    """One version in a registry.

    Attributes:
        digest: of the packed chart.
        created: when it was pushed, as the registry says it.
        is_signed: whether it has a provenance.
    """

    digest: str
    created: str
    is_signed: bool


@dataclass(frozen=True, kw_only=True)
class Repository:
    """A chart's repository in a registry."""

    host: str
    path: str
    plain_http: bool = False

    @classmethod
    def from_reference(cls, reference: str, *, plain_http: bool) -> Repository:
        """The repository oci://HOST/PATH.

        Raises:
            RegistryError: when it is no such reference.
        """
        match = _REFERENCE.fullmatch(reference)
        if match is None:
            raise RegistryError(f"{reference}: write oci://HOST/PATH, in lower case and without a tag")
        return cls(host=match["host"], path=match["path"], plain_http=plain_http)

    def tags(self) -> list[str]:
        """All tags, none when there is no such repository yet.

        Raises:
            RegistryError: when the registry cannot be asked.
        """
        return [tag for page in self._pages(f"/v2/{self.path}/tags/list?n={_PAGE_SIZE}") for tag in page["tags"] or []]

    def published(self, tag: str) -> Published | None:
        """What is there under a tag, if anything is.

        Raises:
            RegistryError: when the registry cannot be asked, or something else than a chart is there.
        """
        answer = self._get(f"/v2/{self.path}/manifests/{tag}", accept=_MANIFEST)
        if answer is None:
            return None
        manifest, _ = answer
        digests = {layer["mediaType"]: layer["digest"] for layer in manifest.get("layers", [])}
        if _CHART_LAYER not in digests:
            raise RegistryError(f"{self.host}/{self.path}:{tag} is no Helm chart")
        return Published(
            digest=digests[_CHART_LAYER],
            created=manifest.get("annotations", {}).get("org.opencontainers.image.created", ""),
            is_signed=_PROVENANCE_LAYER in digests,
        )

    def _pages(self, path: str) -> Iterator[dict[str, Any]]:
        following: str | None = path
        while following is not None:
            answer = self._get(following)
            if answer is None:
                return
            page, headers = answer
            yield page
            link = re.match(r"<([^>]+)>", headers.get("Link", ""))
            following = None if link is None else _path_of(link[1])

    def _get(self, path: str, *, accept: str = "application/json") -> tuple[dict[str, Any], Message] | None:
        """The JSON at a path and its headers, None when nothing is there."""
        url = f"{'http' if self.plain_http else 'https'}://{self.host}{path}"
        try:
            try:
                return _request(url, {"Accept": accept})
            except urllib.error.HTTPError as error:
                if error.code != 401:
                    raise
                challenge = error.headers.get("WWW-Authenticate", "")
            return _request(url, {"Accept": accept, "Authorization": _answer(challenge, self._credentials)})
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            hint = f"; run `helm registry login {self.host}`" if error.code in (401, 403) else ""
            raise RegistryError(f"{url}: {error.code} {error.reason}{hint}") from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            hint = "; --plain-http if it has no TLS" if isinstance(reason, ssl.SSLError) else ""
            raise RegistryError(f"{url}: {reason}{hint}") from error
        except (json.JSONDecodeError, KeyError) as error:
            raise RegistryError(f"{url}: this is no OCI registry: {error}") from error

    @functools.cached_property
    def _credentials(self) -> str | None:
        return basic_credentials(self.host)


def _answer(challenge: str, credentials: str | None) -> str:
    """The authorization that a registry asks for: our login, or a token that its login service gives for it."""
    scheme, _, rest = challenge.partition(" ")
    if scheme.lower() != "bearer":
        return f"Basic {credentials or ''}"
    parameters = dict(_PARAMETER.findall(rest))
    query = urllib.parse.urlencode({key: parameters[key] for key in ("service", "scope") if key in parameters})
    login = {"Authorization": f"Basic {credentials}"} if credentials else {}
    answer, _ = _request(f"{parameters['realm']}?{query}", login)
    return f"Bearer {answer.get('token') or answer['access_token']}"


def _request(url: str, headers: Mapping[str, str]) -> tuple[dict[str, Any], Message]:
    request = urllib.request.Request(url)  # noqa: S310 - http or https by Repository, or the registry's own login
    for name, value in headers.items():
        # Not on redirects: storage that a registry redirects to must not see our login.
        request.add_unredirected_header(name, value)
    with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response:  # noqa: S310 - likewise
        return json.load(response), response.headers


def _path_of(link: str) -> str:
    """The next page, which a registry may give with or without its own address."""
    parts = urllib.parse.urlsplit(link)
    return f"{parts.path}?{parts.query}"
