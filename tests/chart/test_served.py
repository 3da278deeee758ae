"""The chart and the service together: a service started with exactly what the chart gives it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from dominohall_loadtest.server import free_ports, wait_until_served

CHART = Path(__file__).parents[2] / "helm" / "dominohall"
KEYS = {"existingSecret": "dominohall-keys"}


def answer(port: int, path: str) -> int:
    """Return the status that the service's HTTP port gives for a path; 0 while nobody listens there."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except ConnectionRefusedError:
        return 0
    finally:
        connection.close()


@pytest.mark.parametrize(("store", "transport"), [("sqlite", "grpcio"), ("none", "native")])
def test_the_service_starts_answers_its_probes_and_stops(
    store: str, transport: str, render: Callable[[dict[str, Any]], list[dict[str, Any]]], tmp_path: Path
) -> None:
    """The pod's command and environment start a service; each probe is answered 200; SIGTERM ends it with exit code 0.

    Only what belongs to the machine is replaced: the ports, and the mounted folders by empty ones.
    """
    (container,) = next(
        manifest["spec"]["template"]["spec"]["containers"]
        for manifest in render({"keys": KEYS, "store": {"kind": store}, "transport": transport})
        if manifest["kind"] == "Deployment"
    )
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    port, health_port, metrics_port = free_ports(3)
    given = {each["name"]: each["value"] for each in container["env"]}
    for name, value in given.items():
        for mount in ("keys", "data"):
            if mount in mounts and value.startswith(mounts[mount]):
                given[name] = value.replace(mounts[mount], str(tmp_path / mount))
    given |= {"DOMINOHALL_PORT": f"{port}", "DOMINOHALL_HEALTH_PORT": f"{health_port}"}
    given |= {"DOMINOHALL_METRICS_PORT": f"{metrics_port}", "DOMINOHALL_HOST": "127.0.0.1"}
    (tmp_path / "keys").mkdir()
    (tmp_path / "data").mkdir()
    command = [sys.executable, "-m", "dominohall_service.command"]
    subprocess.run([*command, "keys", "new", tmp_path / "keys" / "keyring.json"], check=True, capture_output=True)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("DOMINOHALL_")}
    with (tmp_path / "log").open("wb") as log:
        served = subprocess.Popen(
            [*command, *container["args"]], cwd="/", env=inherited | given, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        assert wait_until_served(f"127.0.0.1:{port}", served), (tmp_path / "log").read_text()
        probes = [container[probe]["httpGet"] for probe in ("startupProbe", "readinessProbe", "livenessProbe")]
        deadline = time.monotonic() + 30  # calls are taken a moment before readiness says so, as a kubelet would find
        while answer(metrics_port, probes[0]["path"]) != 200 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert [answer(metrics_port, probe["path"]) for probe in probes] == [200, 200, 200]
        assert answer(metrics_port, "/metrics") == 200
        served.send_signal(signal.SIGTERM)
        assert served.wait(30) == 0
    finally:
        served.kill()
        served.wait()
