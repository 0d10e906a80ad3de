# SPDX-License-Identifier: Apache-2.0
"""Steps of requests, sent to a real API server and printed with its answers: record-builtin.py, -kind-rules.py, -custom-rules.py."""
import http.client
import json
import re
import ssl
import time

steps = []


def step(method, path, body=None, show=(), user="root", patch="merge"):
    """`show`: the members of the answer that count; of failures all do."""
    steps.append({"method": method, "path": path, "show": list(show), "user": user} | ({"body": body} if body is not None else {}) |
                 ({"type": f"application/{patch}-patch+json"} if method == "PATCH" else {}))


def expanded(value):
    """"x*3" is "xxx": for bodies that are large."""
    if isinstance(value, dict):
        return {key: expanded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [expanded(one) for one in value]
    if isinstance(value, str) and re.fullmatch(r"x\*\d+", value):
        return "x" * int(value[2:])
    return value


def step_of_text(path, text, media_type):
    """A POST of a body that is not JSON, or not as `json.dumps` writes it."""
    steps.append({"method": "POST", "path": path, "show": ["spec"], "user": "root", "text": text, "type": media_type})


def connect(url):
    return http.client.HTTPSConnection(url.removeprefix("https://"), context=ssl._create_unverified_context())


def send(connection, one):
    """Status, answer and warnings."""
    body = one.get("text", json.dumps(expanded(one["body"])) if "body" in one else None)
    connection.request(one["method"], one["path"], body,
                       {"Authorization": f"Bearer {one['user']}-token", "Content-Type": one.get("type", "application/json")})
    reply = connection.getresponse()
    text = reply.read().decode()
    if one["path"].startswith("/apis/apiextensions.k8s.io") and "dryRun" not in one["path"]:
        time.sleep(5)  # for it to be served
    warnings = [value for name, value in reply.getheaders() if name.lower() == "warning"]
    return reply.status, json.loads(text) if text.startswith("{") else text, warnings


def without_chance(value):
    """What the server chose, and times, as "any"."""
    if isinstance(value, dict):
        return {key: without_chance(one) for key, one in value.items() if key not in ("managedFields", "uid")}
    if isinstance(value, list):
        return [without_chance(one) for one in value]
    if isinstance(value, int) and 30086 <= value <= 32767:
        return "any"
    if isinstance(value, str):
        # Values with Go's own names of fields, and Go's report of what differs.
        value = re.sub(r'Invalid value: [{[](?=.*?"[A-Z]\w*":).*?[}\]]: (?=field is immutable)', "Invalid value: any: ", value)
        value = value.split("\n")[0]
        value = re.sub(r"\b10\.(?!96\.0\.|111\.255\.255)(9[6-9]|1\d\d)\.\d+\.\d+\b", "any", value)
        value = re.sub(r"\b\d{4}-\d\d-\d\dT[0-9:.]+Z", "any", value)
        return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "any", value)
    return value


def part(answer, path):
    if path == "names":
        return sorted(one["metadata"]["name"] for one in answer["items"])
    if path == "managers":
        return sorted(f"{one['manager']} {one['operation']} {one.get('subresource', '')} {json.dumps(one['fieldsV1'], sort_keys=True)}"
                      for one in answer["metadata"].get("managedFields", []) if one["manager"] == "finalizers")
    for name in path.split("."):
        if not isinstance(answer, dict) or name not in answer:
            return None
        answer = answer[name]
    return answer


def record(url):
    """Sends all steps and prints them as a JSON list."""
    connection = connect(url)
    for one in steps:
        # A server knows classes some time after they are made.
        if one["path"].endswith("/pods"):
            time.sleep(0.2)
        status, answer, warnings = send(connection, one)
        one["status"] = status
        if warnings:
            one["warnings"] = warnings
        if isinstance(answer, str):
            one["answer"] = answer
        elif status >= 400:
            one["answer"] = without_chance(answer)
            one["show"] = []
        else:
            one["answer"] = {path: without_chance(part(answer, path)) for path in one["show"]}
    print("[\n" + ",\n".join(map(json.dumps, steps)) + "\n]")
