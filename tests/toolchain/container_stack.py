"""container_stack.py COMPOSE-FILE SERVICE: what podman needs to run that service of the file: one argument a line.

The image and its command come last. Addresses, networks and the real files of the secrets are the caller's.
"""

import sys

import yaml


def arguments(service, secrets):
    yield "--hostname"
    yield service["hostname"]
    if service.get("init"):
        yield "--init"
    for name, value in service.get("environment", {}).items():
        yield "--env"
        yield f"{name}={value}"
    for volume in service["volumes"]:
        yield "--volume"
        yield volume
    for secret in service.get("secrets", []):
        yield "--volume"
        yield f"SECRETS/{secrets[secret['source']]['file']}:/run/secrets/{secret['target']}:ro"
    yield service["image"]
    yield from service["command"]


with open(sys.argv[1], encoding="utf-8") as file:
    stack = yaml.safe_load(file)
print("\n".join(arguments(stack["services"][sys.argv[2]], stack["secrets"])))
