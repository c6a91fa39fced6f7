"""What no schema says about the files of infra/: that they agree with each other and with the settings of Annals. scripts/check-infra runs it.

Prints each fault and exits with 1 if there are any.
"""

import json
import pathlib
import re
import sys
import tomllib

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
INFRA = ROOT / "infra"
# Variables of Annals that are no settings.
OTHER = {"ANNALS_CONFIG", "ANNALS_DATA"}
# Seconds that a wait= adds to a request, and that a standby node holds one.
WAIT, HELD = 60, 25

faults = []


def expect(condition, fault):
    if not condition:
        faults.append(fault)


def text(file):
    return (INFRA / file).read_text()


def schema():
    return json.loads((ROOT / "docs/config.schema.json").read_text())


def table(of, name):
    """Returns the keys of a table of annals.toml with their schemas."""
    reference = of["properties"][name]
    reference = reference.get("$ref") or reference["allOf"][0]["$ref"]
    return of["definitions"][reference.rsplit("/", 1)[1]]["properties"]


def variables(of):
    """Returns the environment variables of all settings, with those of the tables below a table."""
    return {f"ANNALS_{name}_{key}".upper() for name in of["properties"] for key in table(of, name)}


def seconds(duration):
    number, unit = re.fullmatch(r"(\d+)(s|m)", duration).groups()
    return int(number) * {"s": 1, "m": 60}[unit]


def check_variables(known):
    files = ["Containerfile", "compose.yaml", "cluster/compose.yaml", "cluster/annals.toml", "systemd/annals.service", "systemd/annals-node.conf"]
    for file in [*files, *(f"kubernetes/{path.name}" for path in (INFRA / "kubernetes").iterdir())]:
        for name in set(re.findall(r"\bANNALS_[A-Z_]*[A-Z]\b", text(file))):
            expect(name in known | OTHER, f"infra/{file}: {name} is no setting of Annals")


def check_stops(settings, compose, pod):
    """A process that is stopped gets the time that it may take: requests, then jobs, then the last write and the release of the lease."""
    longest = 2 * settings["server"]["drain_seconds"] + settings["cluster"]["lease_seconds"] * 2 / 3
    for name, node in nodes(compose).items():
        expect(seconds(node["stop_grace_period"]) > longest, f"compose.yaml: {name} is killed before it has to end, after {longest} s")
    pause = pod["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"]
    grace = pod["terminationGracePeriodSeconds"] - pause
    expect(grace > longest, f"kubernetes/annals.yaml: a pod is killed before it has to end, after {longest} s")
    unit = int(re.search(r"^TimeoutStopSec=(\d+)$", text("systemd/annals.service"), re.M)[1])
    expect(unit > longest, f"annals.service is killed before it has to end, after {longest} s")


def nodes(compose):
    return {name: service for name, service in compose["services"].items() if "ANNALS_CLUSTER_ADDRESS" in service.get("environment", {})}


def check_compose(compose, request_seconds):
    services = compose["services"]
    for name, node in nodes(compose).items():
        expect(node["environment"]["ANNALS_CLUSTER_ADDRESS"] == f"http://{name}:7411", f"compose.yaml: the address of {name} is another one")
    balanced = dict(re.findall(r"^ +server (\S+) (\S+)", text("cluster/haproxy.cfg"), re.M))
    expect(balanced == {name: f"{name}:7411" for name in nodes(compose)}, f"haproxy.cfg has {balanced}, not the nodes of compose.yaml")
    for side in ("client", "server"):
        limit = int(re.search(rf"timeout {side} (\d+)s", text("cluster/haproxy.cfg"))[1])
        expect(limit > request_seconds + WAIT + HELD, f"haproxy.cfg: an answer may take longer than timeout {side}")
    expect(services["bucket"]["image"] == services["objects"]["image"], "compose.yaml: the shell of the bucket is of another version")
    for name, service in services.items():
        expect(":" in service["image"].rsplit("/", 1)[-1] or "build" in service, f"compose.yaml: {name} has no version")
        for variable, value in (service.get("environment") or {}).items():
            is_secret = re.search("PASSWORD|SECRET|KEY|_URL$", variable)
            expect(not is_secret or "${" in value, f"compose.yaml: {variable} of {name} does not come from the environment")


def check_kubernetes(settings, config, service, headless, stateful, budget, key):
    expect(tomllib.loads(config["data"]["annals.toml"]) == settings, "kubernetes/settings.yaml differs from cluster/annals.toml")
    template = stateful["spec"]["template"]
    labels = template["metadata"]["labels"]
    for selector in (service["spec"]["selector"], headless["spec"]["selector"], stateful["spec"]["selector"]["matchLabels"],
                     budget["spec"]["selector"]["matchLabels"]):
        expect(selector.items() <= labels.items(), f"kubernetes/annals.yaml: {selector} selects no pod")
    is_for_nodes = headless["spec"]["clusterIP"] == "None" and headless["spec"]["publishNotReadyAddresses"]
    expect(is_for_nodes and headless["metadata"]["name"] == stateful["spec"]["serviceName"], "kubernetes/annals.yaml: pods have no names")
    probes = {name: template["spec"]["containers"][0][f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")}
    expect(probes == {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}, f"kubernetes/annals.yaml: probes ask {probes}")
    address = next(entry["value"] for entry in template["spec"]["containers"][0]["env"] if entry["name"] == "ANNALS_CLUSTER_ADDRESS")
    expect(f".{stateful['spec']['serviceName']}." in address, f"kubernetes/annals.yaml: {address} is no name of a pod")
    for pod in (template["spec"], key["spec"]):
        check_pod(pod, config)


def check_pod(pod, config):
    container = pod["containers"][0]
    rights = container["securityContext"]
    is_closed = not rights["allowPrivilegeEscalation"] and rights["readOnlyRootFilesystem"] and rights["capabilities"] == {"drop": ["ALL"]}
    expect(is_closed and pod["securityContext"]["runAsNonRoot"], "kubernetes: a pod has rights that it does not need")
    # A variable of a Service can look like a setting.
    expect(pod["enableServiceLinks"] is False, "kubernetes: a pod gets the variables of Services")
    user = re.search(r"^USER (\d+)", text("Containerfile"), re.M)[1]
    expect(str(pod["securityContext"]["runAsUser"]) == user, f"kubernetes: a pod does not run as {user}, to whom the image belongs")
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    expect(mounted == {volume["name"] for volume in pod["volumes"]}, f"kubernetes: a pod mounts {mounted}, which are not its volumes")
    for entry in container["env"]:
        reference = entry.get("valueFrom", {}).get("configMapKeyRef")
        expect(not reference or reference["key"] in config["data"], f"kubernetes/settings.yaml has no {entry['name']}")


def main():
    of = schema()
    settings = tomllib.loads(text("cluster/annals.toml"))
    compose = yaml.safe_load(text("cluster/compose.yaml"))
    documents = list(yaml.safe_load_all(text("kubernetes/annals.yaml")))
    config, key = yaml.safe_load(text("kubernetes/settings.yaml")), yaml.safe_load(text("kubernetes/key.yaml"))
    check_variables(variables(of))
    check_stops(settings, compose, documents[2]["spec"]["template"]["spec"])
    check_compose(compose, table(of, "server")["request_seconds"]["default"])
    check_kubernetes(settings, config, *documents, key)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
