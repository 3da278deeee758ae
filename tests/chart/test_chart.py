"""What the chart promises, shown on rendered objects."""

import json
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import helm_python
import kubernetes_validate
import pytest
import yaml
from dominohall_service.settings import Settings, Transport, settings_from
from dominohall_service.transport import check_transport

Values = dict[str, Any]
Manifest = dict[str, Any]
Render = Callable[[Values], list[Manifest]]

CHART = Path(__file__).parents[2] / "helm" / "dominohall"
EXAMPLES = {path.name.removesuffix("-values.yaml"): path for path in sorted((CHART / "ci").glob("*-values.yaml"))}
KEYS: Values = {"keys": {"existingSecret": "dominohall-keys"}}
NOT_FOR_VALUES = {
    "port", "health_port", "metrics_port", "keyring", "insecure_dev_keys", "store", "store_path", "store_url",
    "durability", "transport", "auth", "trust_network", "auth_jwks", "auth_issuer", "auth_audience",
    "tls_cert", "tls_key", "tls_client_ca",
    "replay_dir", "grace_seconds", "trace_endpoint",
}  # fmt: skip
"""Settings that the chart makes itself, or (development keys, traces, which the image can't send) never makes."""


FROM_SECRETS = {"DOMINOHALL_STORE_URL": "postgresql://hall@database/hall"}
"""What the operator's secrets would hold."""


def example(name: str) -> Values:
    """Read one of the chart's example values."""
    values: Values = yaml.safe_load(EXAMPLES[name].read_text())
    return values


def of_kind(manifests: list[Manifest], kind: str) -> list[Manifest]:
    """Pick the objects of one kind."""
    return [manifest for manifest in manifests if manifest["kind"] == kind]


def pod_of(manifests: list[Manifest]) -> Manifest:
    """Return the pod that the one Deployment makes."""
    (deployment,) = of_kind(manifests, "Deployment")
    pod: Manifest = deployment["spec"]["template"]["spec"]
    return pod


def environment_of(manifests: list[Manifest]) -> dict[str, str]:
    """Return the environment of the one container."""
    (container,) = pod_of(manifests)["containers"]
    return {each["name"]: each["value"] if "value" in each else FROM_SECRETS[each["name"]] for each in container["env"]}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_passes_the_strict_lint(name: str) -> None:
    """Helm's strict lint has nothing to say of any example but that a chart may have an icon."""
    report = helm_python.lint(CHART, example(name), strict=True)
    assert report["errors"] == []
    assert [message["error"] for message in report["messages"]] == ["icon is recommended"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_object_is_valid_for_kubernetes(name: str, render: Render) -> None:
    """Each object of each example passes the strict upstream schema: no unknown field, no wrong type."""
    manifests = render(example(name))
    assert of_kind(manifests, "Deployment")
    for version in ("1.30", "1.37"):
        for manifest in manifests:
            kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({}, "existingSecret"),
        ({"keys": {"existingSecret": ""}}, "existingSecret"),
        ({**KEYS, "replicaCount": 2}, "replicaCount"),
        ({**KEYS, "autoscaling": {"enabled": True}}, "enabled"),
        ({**KEYS, "store": {"kind": "postgresql"}}, "postgresql"),
        ({**KEYS, "store": {"kind": "postgresql", "postgresql": {"existingSecret": ""}}}, "existingSecret"),
        ({**KEYS, "store": {"kind": "oracle"}}, "kind"),
        ({**KEYS, "replicas": 1}, "replicas"),
        ({**KEYS, "store": {"kind": "none", "url": "x"}}, "url"),
        ({**KEYS, "settings": {"insecureDevKeys": True}}, "insecureDevKeys"),
        ({**KEYS, "settings": {"workers": 0}}, "workers"),
        ({**KEYS, "image": {"digest": "latest"}}, "digest"),
        ({**KEYS, "transport": "quic"}, "transport"),
        ({**KEYS, "transport": "native", "tls": {"existingSecret": "certificates"}}, "existingSecret"),
        ({**KEYS, "transport": "native", "auth": {"kind": "mtls"}}, "kind"),
    ],
)
def test_the_schema_refuses(values: Values, complaint: str) -> None:
    """A release that could not work, or lose records, is refused before it starts, and the complaint names the key."""
    with (
        helm_python.Chart.load(CHART) as loaded,
        pytest.raises(helm_python.HelmValuesError, match=complaint),
    ):
        loaded.validate_schema(values)


def test_several_pods_are_allowed_without_a_store(render: Render) -> None:
    """`store.kind: none` takes any number of pods, spreads them and protects them from node drains."""
    manifests = render({**KEYS, "store": {"kind": "none"}, "replicaCount": 3})
    assert of_kind(manifests, "Deployment")[0]["spec"]["replicas"] == 3
    assert len(pod_of(manifests)["topologySpreadConstraints"]) == 2
    assert of_kind(manifests, "PodDisruptionBudget")
    assert not of_kind(manifests, "PersistentVolumeClaim")


def test_several_pods_share_a_database(render: Render) -> None:
    """`store.kind: postgresql` takes any number of pods and no volume; the address is nowhere but in its secret."""
    manifests = render(example("shared"))
    (container,) = pod_of(manifests)["containers"]
    (address,) = (each for each in container["env"] if each["name"] == "DOMINOHALL_STORE_URL")
    assert address["valueFrom"] == {"secretKeyRef": {"name": "dominohall-database", "key": "url"}}
    assert of_kind(manifests, "Deployment")[0]["spec"]["strategy"]["type"] == "RollingUpdate"
    assert of_kind(manifests, "PodDisruptionBudget")
    assert not of_kind(manifests, "PersistentVolumeClaim")
    assert settings_from(environment_of(manifests)).store_patience_seconds == 2.5


def test_one_pod_has_no_disruption_budget(render: Render) -> None:
    """A budget over a single pod would only block the drain of its node."""
    assert not of_kind(render(KEYS), "PodDisruptionBudget")


def test_the_embedded_store_changes_hands(render: Render) -> None:
    """The old pod is gone before the new one opens the store, and the volume outlives the release."""
    manifests = render(KEYS)
    assert of_kind(manifests, "Deployment")[0]["spec"]["strategy"] == {"type": "Recreate"}
    (claim,) = of_kind(manifests, "PersistentVolumeClaim")
    assert claim["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"
    data = next(volume for volume in pod_of(manifests)["volumes"] if volume["name"] == "data")
    assert data["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_pod_is_restricted(name: str, render: Render) -> None:
    """Every rule of Kubernetes' restricted profile holds, the root is read-only and no API token is mounted."""
    pod = pod_of(render(example(name)))
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["runAsUser"] == 10001
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod["automountServiceAccountToken"] is False
    assert {mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")} <= {
        "/tmp",  # noqa: S108 - the pod's own
        "/var/lib/dominohall",
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_service_understands_its_environment(name: str, render: Render) -> None:
    """Every variable of the pod is a setting in range: `dominohall serve` would start with it."""
    settings = settings_from(environment_of(render(example(name))))
    assert settings.keyring is not None
    assert not settings.insecure_dev_keys


def test_the_native_transport_is_one_value(render: Render) -> None:
    """It is off by default; with it, the service would start on every interface, and the notes say what it needs."""
    assert settings_from(environment_of(render(KEYS))).transport is Transport.GRPCIO
    jwks = {"kind": "jwt", "issuer": "i", "audience": "a", "jwks": {"existingSecret": "jwks"}}
    check_transport(settings_from(environment_of(render({**KEYS, "transport": "native", "auth": jwks}))))
    with helm_python.Chart.load(CHART) as loaded:
        notes = loaded.render(example("native"), name="tables", namespace="games")["dominohall/templates/NOTES.txt"]
    assert "no TLS" in notes


def test_large_numbers_arrive_whole(render: Render) -> None:
    """Helm reads numbers as floats; four mebibytes must not arrive as 4.194304e+06."""
    assert settings_from(environment_of(render(example("everything")))).max_message_bytes == 4 << 20


@pytest.mark.parametrize("name", EXAMPLES)
def test_ports_and_probes_agree_with_the_settings(name: str, render: Render) -> None:
    """The container's named ports are the ones that the service listens on, and probes ask the metrics server."""
    manifests = render(example(name))
    (container,) = pod_of(manifests)["containers"]
    settings = settings_from(environment_of(manifests))
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports == {"grpc": settings.port, "health": settings.health_port, "metrics": settings.metrics_port}
    for probe, path in (("startupProbe", "/readyz"), ("readinessProbe", "/readyz"), ("livenessProbe", "/livez")):
        assert container[probe]["httpGet"] == {"path": path, "port": "metrics"}


def test_one_service_is_headless(render: Render) -> None:
    """Clients that balance by call find every pod; the headless port is the pod's own, because nothing maps it."""
    services = {
        service["metadata"]["name"]: service["spec"] for service in of_kind(render(example("everything")), "Service")
    }
    assert services["hall-headless"]["clusterIP"] == "None"
    assert services["hall-headless"]["ports"][0]["port"] == 50051
    assert "clusterIP" not in services["hall"]
    assert services["hall"]["ports"][0]["port"] == 443


def test_a_neighbouring_service_sets_no_variable(render: Render) -> None:
    """Kubernetes would set DOMINOHALL_PORT to `tcp://...` for a service named dominohall; the pod opts out."""
    assert pod_of(render(KEYS))["enableServiceLinks"] is False


@pytest.mark.parametrize(("pause", "drain"), [(5, 20), (30, 300)])
def test_the_grace_period_outlasts_the_drain(pause: int, drain: int, render: Render) -> None:
    """Kubernetes kills only after the pause and the drain had their time."""
    manifests = render({**KEYS, "preStopSeconds": pause, "drainSeconds": drain})
    pod = pod_of(manifests)
    assert pod["containers"][0]["lifecycle"]["preStop"] == {"sleep": {"seconds": pause}}
    assert settings_from(environment_of(manifests)).grace_seconds == drain
    assert pod["terminationGracePeriodSeconds"] > pause + drain


def test_the_keyring_is_a_whole_folder(render: Render) -> None:
    """A secret mounted by `subPath` is never renewed, and a rotation would need a restart."""
    (container,) = pod_of(render(KEYS))["containers"]
    mount = next(mount for mount in container["volumeMounts"] if mount["name"] == "keys")
    assert mount == {"name": "keys", "mountPath": "/etc/dominohall/keys", "readOnly": True}


def test_the_schema_knows_every_setting_and_its_range() -> None:
    """`settings` in the schema is what `dominohall serve` takes, less what the chart decides, with the same ranges."""
    schema = json.loads((CHART / "values.schema.json").read_text())["properties"]["settings"]["properties"]
    known = {re.sub("[A-Z]", lambda match: "_" + match[0].lower(), name): rule for name, rule in schema.items()}
    wanted = {each.name: each for each in fields(Settings) if each.name not in NOT_FOR_VALUES}
    assert known.keys() == wanted.keys()
    for name, rule in known.items():
        if "minimum" in rule:
            metadata = wanted[name].metadata
            assert (rule["minimum"], rule["maximum"]) == (metadata["low"], metadata["high"]), name


def leaves(values: Values, prefix: str = "") -> dict[str, str]:
    """Flatten values to `a.b` and the JSON of the value."""
    flat: dict[str, str] = {}
    for key, value in values.items():
        if isinstance(value, dict) and value:
            flat |= leaves(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = json.dumps(value)
    return flat


def test_the_readme_lists_every_value_with_its_default() -> None:
    """The table of the chart's README is values.yaml: same keys, same order, same defaults."""
    rows = re.findall(r"^\| `([\w.]+)` \| `(.*?)` \| \S.*\|$", (CHART / "README.md").read_text(), re.MULTILINE)
    assert rows == list(leaves(yaml.safe_load((CHART / "values.yaml").read_text())).items())


def test_the_notes_tell_how_to_connect() -> None:
    """What Helm prints after an installation names both addresses, and warns of a store that is lost with its pod."""
    with helm_python.Chart.load(CHART) as loaded:
        notes = loaded.render(example("fleeting"), name="tables", namespace="games")["dominohall/templates/NOTES.txt"]
    assert "dns:///tables-dominohall-headless.games.svc:50051" in notes
    assert "WARNING" in notes


def test_the_versions_are_those_of_the_package() -> None:
    """The chart runs the version it is released with."""
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    pyproject = (CHART.parents[1] / "pyproject.toml").read_text()
    assert f'version = "{chart["appVersion"]}"' in pyproject


def test_the_gate_comes_from_secrets_of_its_own(render: Render) -> None:
    """With tokens and TLS the pod mounts those secrets and no network is trusted; by default it says that one is."""
    guarded, plain = render(example("guarded")), render(KEYS)
    settings = settings_from(environment_of(guarded))
    assert (settings.auth, settings.trust_network) == ("jwt", False)
    mounts = {each["mountPath"] for each in pod_of(guarded)["containers"][0]["volumeMounts"]}
    files = (settings.auth_jwks, settings.tls_cert, settings.tls_key, settings.tls_client_ca)
    assert all(path is not None and str(path.parent) in mounts for path in files)
    secrets = {each["secret"]["secretName"] for each in pod_of(guarded)["volumes"] if "secret" in each}
    assert secrets == {"dominohall-keys", "dominohall-jwks", "dominohall-tls"}
    settings = settings_from(environment_of(plain))
    assert (settings.auth, settings.trust_network, settings.tls_cert) == ("none", True, None)


@pytest.mark.parametrize(
    "wrong",
    [
        {"auth": {"kind": "jwt"}},
        {"auth": {"kind": "mtls"}},
        {"auth": {"kind": "open"}},
        {"tls": {"clientCA": True}},
    ],
)
def test_half_a_gate_is_refused(wrong: Values, render: Render) -> None:
    """Tokens without their keys, and client certificates without an authority, are refused before anything is made."""
    with pytest.raises(helm_python.HelmValuesError):
        render({**KEYS, **wrong})
