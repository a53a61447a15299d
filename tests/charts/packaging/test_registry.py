"""Publishing into a real registry, and what it has."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from command_line import rlinf_eks
from oci_login import run_login
from oci_registry import Registry, run_registry
from rlinf_charts.helm_client import HelmError
from rlinf_charts.packaging import Packaged, RegistryError, Repository, publish, sign, versions_of
from rlinf_charts.packaging.credentials import basic_credentials
from signing_key import Key

Pack = Callable[..., Packaged]


def helm(*arguments: str | Path) -> str:
    """Run helm; its output."""
    command = ["helm", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_published_chart_is_pulled_unchanged(registry: Registry, packed: Pack, tmp_path: Path) -> None:
    """Byte for byte, by helm."""
    packaged = packed("pulled")

    done = rlinf_eks("publish", packaged.path, registry.reference, "--plain-http")

    assert done.stdout == f"published {registry.reference}/pulled:1.0.0\n"
    helm("pull", f"{registry.reference}/pulled", "--version", "1.0.0", "--plain-http", "--destination", tmp_path)
    assert (tmp_path / "pulled-1.0.0.tgz").read_bytes() == packaged.path.read_bytes()


def test_a_version_is_never_overwritten(registry: Registry, packed: Pack) -> None:
    """Other content under the same version is refused, with both digests; the first one stays."""
    first, second = packed("kept"), packed("kept", text="second")
    publish(first, registry.reference, plain_http=True)

    done = rlinf_eks("publish", second.path, registry.reference, "--plain-http")

    assert done.exit_code == 1
    assert done.stderr == (
        f"Error: {registry.reference}/kept:1.0.0 exists with other content ({first.digest}, and {second.path} is "
        f"{second.digest}): give the changed chart a new version\n"
    )
    published = Repository.from_reference(f"{registry.reference}/kept", plain_http=True).published("1.0.0")
    assert published is not None
    assert published.digest == first.digest


def test_publishing_again_changes_nothing(registry: Registry, packed: Pack) -> None:
    """A pipeline may run twice."""
    packaged = packed("twice")
    assert publish(packaged, registry.reference, plain_http=True).is_new
    assert not publish(packaged, registry.reference, plain_http=True).is_new


def test_a_provenance_goes_along_and_may_come_later(registry: Registry, packed: Pack, key: Key, tmp_path: Path) -> None:
    """`helm pull --verify` finds it."""
    packaged = packed("signed")
    publish(packaged, registry.reference, plain_http=True)
    sign(packaged, key=key.name)

    assert publish(packaged, registry.reference, plain_http=True).is_new
    options = ("--plain-http", "--verify", "--keyring", key.keyring, "--destination", tmp_path)
    helm("pull", f"{registry.reference}/signed", "--version", "1.0.0", *options)
    # Signing again gives other bytes, but the chart is the same and has its signature.
    sign(packaged, key=key.name)
    assert not publish(packaged, registry.reference, plain_http=True).is_new


def test_versions_come_newest_first(registry: Registry, packed: Pack) -> None:
    """By semantic precedence, with what builds add to a version; programs get JSON."""
    for version in ("1.10.0", "1.9.0", "1.10.0-rc.1", "1.2.0+build.7"):
        publish(packed("many", version), registry.reference, plain_http=True)

    chart = f"{registry.reference}/many"
    rows = json.loads(rlinf_eks("versions", chart, "--plain-http", "--json").stdout)
    assert [row["version"] for row in rows] == ["1.10.0", "1.10.0-rc.1", "1.9.0", "1.2.0+build.7"]
    assert rows[0]["digest"].startswith("sha256:")
    assert rows[0]["is_signed"] is False
    assert rlinf_eks("versions", chart, "--plain-http").stdout.splitlines()[1].startswith("1.10.0 ")


def test_all_pages_of_tags_are_read(registry: Registry, packed: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry gives a part at a time."""
    monkeypatch.setattr("rlinf_charts.packaging.registry._PAGE_SIZE", 2)
    for version in ("1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"):
        publish(packed("paged", version), registry.reference, plain_http=True)

    assert len(Repository.from_reference(f"{registry.reference}/paged", plain_http=True).tags()) == 5


def test_a_chart_that_nobody_has_published(registry: Registry) -> None:
    """It has no versions, which is no error."""
    done = rlinf_eks("versions", f"{registry.reference}/nothing", "--plain-http")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == f"{registry.reference}/nothing has no versions\n"


@pytest.fixture(params=["password", "token"])
def closed_registry(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Registry]:
    """Only `robot` may come in, by its password or by a token from a login service; helm's logins are kept apart."""
    monkeypatch.setenv("HELM_REGISTRY_CONFIG", str(tmp_path / "logins.json"))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "docker"))
    with ExitStack() as stack:
        if request.param == "token":
            auth = stack.enter_context(run_login(tmp_path, user="robot", password="sesame")).registry_auth
        else:
            # htpasswd -Bbn robot sesame
            (tmp_path / "users").write_text("robot:$2y$05$abcdefghijklmnopqrstuuKcS.CYWVYVaLiiCKrrc0A5s3mGesJ9O\n")
            auth = {"htpasswd": {"realm": "charts", "path": str(tmp_path / "users")}}
        yield stack.enter_context(run_registry(tmp_path, auth=auth))


def test_the_login_of_helm_is_used(closed_registry: Registry, packed: Pack) -> None:
    """Nobody logs in twice; who has not is told how."""
    packaged = packed("closed")
    with pytest.raises(RegistryError, match=rf"401 .*; run `helm registry login {closed_registry.host}`"):
        publish(packaged, closed_registry.reference, plain_http=True)

    helm("registry", "login", closed_registry.host, "--username", "robot", "--password", "sesame", "--plain-http")

    assert publish(packaged, closed_registry.reference, plain_http=True).is_new
    assert not publish(packaged, closed_registry.reference, plain_http=True).is_new


def test_a_credential_helper_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for Amazon ECR, by docker's protocol: the host on stdin, JSON on stdout."""
    helper = tmp_path / "docker-credential-test"
    helper.write_text('#!/bin/sh\nread -r host\necho \'{"Username": "robot", "Secret": "\'$host\'"}\'\n')
    helper.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("HELM_REGISTRY_CONFIG", str(tmp_path / "logins.json"))
    (tmp_path / "logins.json").write_text('{"credHelpers": {"ecr.example.test": "test", "other.example.test": "none"}}')

    assert basic_credentials("ecr.example.test") == base64.b64encode(b"robot:ecr.example.test").decode()
    assert basic_credentials("other.example.test") is None


def test_logins_that_nobody_can_read(closed_registry: Registry, tmp_path: Path, packed: Pack) -> None:
    """Their file is named; the registry is not to blame."""
    (tmp_path / "docker").mkdir()
    (tmp_path / "docker" / "config.json").write_text("{")
    done = rlinf_eks("publish", packed("unread").path, closed_registry.reference, "--plain-http")
    assert done.exit_code == 1
    assert f"{tmp_path}/docker/config.json is no JSON, as a login makes it: " in done.stderr


def test_a_registry_that_is_not_there(packed: Pack) -> None:
    """Refused at once, with the address."""
    with pytest.raises(RegistryError, match=r"http://127.0.0.1:1/v2/charts/lost/manifests/1.0.0: .*refused"):
        publish(packed("lost"), "oci://127.0.0.1:1/charts", plain_http=True)


@pytest.mark.parametrize("reference", ["https://example.test/charts", "oci://example.test/Charts", "oci://"])
def test_what_is_no_reference(reference: str, packed: Pack) -> None:
    """The sentence says how to write one."""
    with pytest.raises(RegistryError, match="write oci://HOST/PATH, in lower case and without a tag"):
        publish(packed("nowhere"), reference, plain_http=False)


def test_helm_says_why_it_could_not_push(
    registry: Registry, packed: Pack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its own words are handed on."""
    packaged = packed("broken")
    packaged.path.with_name(f"{packaged.path.name}.prov").mkdir()
    with pytest.raises(HelmError, match=r"helm push .*broken-1.0.0.tgz .*: Error: "):
        publish(packaged, registry.reference, plain_http=True)


def test_the_order_of_versions() -> None:
    """The example of semver.org, among tags that are no versions."""
    ordered = ["1.0.0", "1.0.0-rc.1", "1.0.0-beta.11", "1.0.0-beta.2", "1.0.0-beta", "1.0.0-alpha.beta"]
    ordered += ["1.0.0-alpha.1", "1.0.0-alpha"]
    assert versions_of([*reversed(ordered), "latest", "v2.0.0"]) == ordered
