# SPDX-License-Identifier: Apache-2.0
"""Finds the queries of the dashboards and rules in deploy/monitoring, each with the place where it stands."""

import dataclasses
import json
import os
import re

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MONITORING = "deploy/monitoring"
# The dashboards, the program whose metrics each shows, and the job that its ServiceMonitor gives it.
PROGRAMS = {"update-service": "service", "operator": "operator", "gateway": "gateway", "apiserver": "apiserver"}
JOBS = {"fairway-updates": "service", "fairway-operator": "operator", "fairway-gateway": "gateway", "fairway-apiserver": "apiserver"}
# What Grafana puts in place of its own variables is a duration.
DURATIONS = re.compile(r"\$(?:__rate_interval|__interval|__range)\b|\$\{(?:__rate_interval|__interval|__range)\}")
LABEL_VALUES = re.compile(r"^label_values\((.+),\s*(\w+)\)$", re.S)
LEGEND_LABEL = re.compile(r"\{\{\s*(\w+)\s*\}\}")
TEMPLATE_LABEL = re.compile(r"\$labels\.(\w+)")


@dataclasses.dataclass
class Query:
    """A query at a place (a file, and a panel, a variable or an alert). `programs` are those that may give its metrics; `named` are the
    labels that texts beside it take from its result."""
    file: str
    place: str
    text: str
    programs: set
    named: set


def queries_of_dashboard(file, board, program):
    """Returns the queries of a dashboard: those of its variables, and those of its panels."""
    queries = []
    for variable in board.get("templating", {}).get("list", []):
        if variable.get("type") != "query":
            continue
        text = variable["query"]["query"] if isinstance(variable["query"], dict) else variable["query"]
        place, named = f"variable {variable.get('name')}", set()
        match = LABEL_VALUES.match(text)
        if match:
            text, named = match.group(1), {match.group(2)}
        queries.append(Query(file, place, text, {program}, named))
    for panel in panels_of(board):
        for target in panel.get("targets", []):
            named = set(LEGEND_LABEL.findall(target.get("legendFormat", "")))
            queries.append(Query(file, f"panel {panel.get('title')!r}", DURATIONS.sub("5m", target.get("expr", "")), {program}, named))
    return queries


def panels_of(board):
    """Returns the panels of a dashboard, with those inside of rows that are closed."""
    panels = []
    for panel in board.get("panels", []):
        panels += [panel] + panel.get("panels", [])
    return panels


def queries_of_rules(file, document):
    """Returns the queries of a PrometheusRule."""
    queries = []
    for group in document["spec"]["groups"]:
        for rule in group["rules"]:
            texts = " ".join(rule.get("annotations", {}).values())
            text = rule["expr"]
            jobs = {program for job, program in JOBS.items() if f'job="{job}"' in text}
            queries.append(Query(file, f"alert {rule.get('alert') or rule.get('record')}", text, jobs or set(JOBS.values()),
                                 set(TEMPLATE_LABEL.findall(texts))))
    return queries


def documents(folder, root=ROOT):
    """Returns the objects in the manifests directly in a folder of deploy/, as [(file, object)]."""
    found = []
    for name in sorted(os.listdir(os.path.join(root, folder))):
        if name.endswith(".yaml") and name != "kustomization.yaml":
            with open(os.path.join(root, folder, name), encoding="utf-8") as file:
                found += [(f"{folder}/{name}", document) for document in yaml.safe_load_all(file) if document]
    return found


def of_kind(kind, root=ROOT):
    """Returns the objects of a kind in deploy/monitoring, as [(file, object)]."""
    return [(file, document) for file, document in documents(MONITORING, root) if document["kind"] == kind]


def services(root=ROOT):
    """Returns the Services of deploy/."""
    folders = [name for name in sorted(os.listdir(os.path.join(root, "deploy"))) if os.path.isdir(os.path.join(root, "deploy", name))]
    return [document for name in folders for _, document in documents(f"deploy/{name}", root) if document["kind"] == "Service"]


def dashboards(root=ROOT):
    """Returns the dashboards, as [(file, program, text)]."""
    found, folder = [], f"{MONITORING}/dashboards"
    for name in sorted(os.listdir(os.path.join(root, folder))):
        if name.endswith(".json"):
            with open(os.path.join(root, folder, name), encoding="utf-8") as file:
                found.append((f"{folder}/{name}", PROGRAMS.get(name.removesuffix(".json"), ""), file.read()))
    return found


def all_queries(root=ROOT):
    """Returns the queries of all dashboards and rules."""
    queries = []
    for file, program, text in dashboards(root):
        queries += queries_of_dashboard(file, json.loads(text), program)
    for file, document in of_kind("PrometheusRule", root):
        queries += queries_of_rules(file, document)
    return queries
