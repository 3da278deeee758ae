"""The load test that a release can run against itself, shown on rendered objects."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import helm_python
import pytest
import yaml

Values = dict[str, Any]
Manifest = dict[str, Any]
Render = Callable[[Values], list[Manifest]]

CHART = Path(__file__).parents[2] / "helm" / "dominohall"
EXAMPLE: Values = yaml.safe_load((CHART / "ci" / "loadtest-values.yaml").read_text())
KEYS: Values = {"keys": {"existingSecret": "dominohall-keys"}}


def jobs_of(manifests: list[Manifest]) -> dict[str, Manifest]:
    """Return the jobs by their role."""
    return {
        each["metadata"]["labels"]["app.kubernetes.io/component"]: each for each in manifests if each["kind"] == "Job"
    }


def arguments_of(job: Manifest) -> list[str]:
    """Return what the one container of a job is told."""
    (container,) = job["spec"]["template"]["spec"]["containers"]
    arguments: list[str] = container["args"]
    return arguments


def chosen(manifests: list[Manifest], labels: dict[str, str]) -> set[str]:
    """Return the kinds and names of what makes pods that these labels select."""
    templates = {
        f"{each['kind']} {each['metadata']['name']}": each["spec"]["template"]["metadata"]["labels"]
        for each in manifests
        if "template" in each.get("spec", {})
    }
    return {name for name, has in templates.items() if labels.items() <= has.items()}


def test_it_is_off_by_default(render: Render) -> None:
    """A release makes no job unless it is asked to."""
    assert jobs_of(render(KEYS)) == {}


def test_players_and_master_find_each_other_and_the_service(render: Render) -> None:
    """As many players as the master waits for look for it under the name of its service, and load the plain service."""
    manifests = render(EXAMPLE)
    jobs = jobs_of(manifests)
    workers = jobs["worker"]["spec"]["parallelism"]
    assert jobs["worker"]["spec"]["completions"] == workers == 2
    master = arguments_of(jobs["master"])
    assert {"--master", f"--expect-workers={workers}", "--host=tables-dominohall:50051"} <= set(master)
    assert {"--shape=ramp", "--users=48", "--run-time=600", "--max-p95-ms=250"} <= set(master)
    services = {each["metadata"]["name"]: each["spec"] for each in manifests if each["kind"] == "Service"}
    (master_host,) = re.findall(r"--master-host=(\S+)", " ".join(arguments_of(jobs["worker"])))
    assert chosen(manifests, services[master_host]["selector"]) == {f"Job {jobs['master']['metadata']['name']}"}
    assert services[master_host]["ports"][0]["port"] == 5557


def test_its_pods_are_nobodys_service(render: Render) -> None:
    """Neither service, policy nor deployment of the hall selects a pod of the load test."""
    manifests = render(EXAMPLE)
    services = {each["metadata"]["name"]: each["spec"] for each in manifests if each["kind"] == "Service"}
    for name in ("tables-dominohall", "tables-dominohall-headless"):
        assert chosen(manifests, services[name]["selector"]) == {"Deployment tables-dominohall"}


def test_the_masters_exit_code_is_the_jobs(render: Render) -> None:
    """A threshold that was not reached fails the job at once; a player that fell over is started again."""
    jobs = jobs_of(render(EXAMPLE))
    assert jobs["master"]["spec"]["backoffLimit"] == 0
    assert jobs["master"]["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    assert jobs["worker"]["spec"]["template"]["spec"]["restartPolicy"] == "OnFailure"
    for job in jobs.values():
        assert job["spec"]["activeDeadlineSeconds"] > 600
        assert job["metadata"]["name"].endswith("-1"), "a job can't be changed: each revision has its own"


def test_the_network_policies_let_it_in(render: Render) -> None:
    """With a list of clients the load test's pods are on it; they themselves reach the service and each other alone."""
    manifests = render(EXAMPLE)
    policies = {each["metadata"]["name"]: each["spec"] for each in manifests if each["kind"] == "NetworkPolicy"}
    peers = policies["tables-dominohall"]["ingress"][0]["from"]
    both = {f"Job {each['metadata']['name']}" for each in jobs_of(manifests).values()}
    assert [chosen(manifests, each["podSelector"]["matchLabels"]) for each in peers] == [set(), both]
    own = policies["tables-dominohall-loadtest"]
    assert chosen(manifests, own["podSelector"]["matchLabels"]) == both
    reached = [
        chosen(manifests, peer["podSelector"]["matchLabels"]) for each in own["egress"] for peer in each.get("to", [])
    ]
    assert reached == [both, {"Deployment tables-dominohall"}]
    open_to_all = render({**EXAMPLE, "networkPolicy": {"enabled": True, "clients": []}})
    (hall,) = (
        each["spec"]
        for each in open_to_all
        if each["kind"] == "NetworkPolicy" and each["metadata"]["name"] == "tables-dominohall"
    )
    assert "from" not in hall["ingress"][0]


def test_its_pods_are_restricted(render: Render) -> None:
    """They run as nobody, write nowhere but to a small /tmp, and hold no token of the cluster."""
    for job in jobs_of(render(EXAMPLE)).values():
        pod = job["spec"]["template"]["spec"]
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"]
        (container,) = pod["containers"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert [each["mountPath"] for each in container["volumeMounts"]] == ["/tmp"]  # noqa: S108 - the pod's own


@pytest.mark.parametrize(
    "wrong",
    [
        {"loadtest": {"enabled": True}, "tls": {"existingSecret": "tls"}},
        {
            "loadtest": {"enabled": True},
            "auth": {"kind": "jwt", "issuer": "i", "audience": "a", "jwks": {"existingSecret": "j"}},
        },
        {"loadtest": {"enabled": True, "workers": 0}},
        {"loadtest": {"enabled": True, "shape": "square"}},
        {"loadtest": {"enabled": True, "threshold": 1}},
    ],
)
def test_what_could_not_run_is_refused(wrong: Values, render: Render) -> None:
    """A test that the gate would turn away, that nobody plays in, or that is misspelt, is refused before it starts."""
    with pytest.raises(helm_python.HelmValuesError):
        render({**KEYS, **wrong})


def test_the_schema_knows_the_shapes() -> None:
    """The shapes that the chart takes are those of the load test."""
    schema = json.loads((CHART / "values.schema.json").read_text())
    source = (CHART.parents[1] / "loadtest/dominohall_loadtest/shape.py").read_text()
    shapes = re.findall(
        r'^    "(\w+)": Plan\(', source, re.MULTILINE
    )  # importing it would bring Locust's patches along
    assert schema["properties"]["loadtest"]["properties"]["shape"]["enum"] == shapes
