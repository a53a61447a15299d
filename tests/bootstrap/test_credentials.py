"""Credentials as people put them into Secrets."""

from rlinf_runtime.bootstrap import credentials


def test_line_breaks_around_credentials_are_left_out(caplog):
    """All that the chart takes from Secrets, with a line in the log for each that was wrong."""
    environ = {name: f"{name.lower()}\n" for name in credentials.NAMES} | {"OTHER": "kept\n"}
    credentials.strip_line_breaks(environ)
    assert environ == {name: name.lower() for name in credentials.NAMES} | {"OTHER": "kept\n"}
    credentials.strip_line_breaks(environ)
    assert len(caplog.records) == len(credentials.NAMES)


def test_a_token_with_a_line_break_starts_ray(run_tree, start_pod):
    """`kubectl create secret --from-file` keeps the one that ends the file, and no HTTP header may have it."""
    run_tree["nodes"]["count"] = 1
    head = start_pod(run_tree, 0, RAY_AUTH_TOKEN="0123456789abcdef0123456789abcdef\n")
    assert head.exit_code() == 0
    assert "RAY_AUTH_TOKEN has a line break" in head.output
