# SPDX-License-Identifier: Apache-2.0
"""Checks how dashboards, alerts and monitors are put together, beside their queries.

A dashboard is one that Grafana 10 and 11 read without plugins; a panel says what it shows, in which unit, from which data source; the
first row answers whether all is well. An alert says how bad it is, what happened and what to do. A ServiceMonitor selects a Service that
deploy/ has, and a port of it.
"""

import os
import re

import yaml

import places

# Panels that come with Grafana.
CORE_PANELS = {"row", "stat", "timeseries", "table", "text", "gauge", "bargauge", "barchart", "state-timeline", "status-history", "heatmap"}
# Options that Grafana's schema requires of a panel.
OPTIONS = {
    "stat": {"colorMode", "graphMode", "justifyMode", "orientation", "percentChangeColorMode", "reduceOptions", "showPercentChange",
             "textMode", "wideLayout"},
    "timeseries": {"legend", "tooltip"},
    "state-timeline": {"legend", "mergeValues", "rowHeight", "showValue", "tooltip"},
    "table": {"cellHeight", "footer", "frameIndex", "showHeader"},
}
SCHEMA_VERSIONS = range(36, 42)
SEVERITIES = {"critical", "warning", "info"}
VARIABLE = re.compile(r"\$(?:\{(\w+)(?::\w+)?\}|(\w+))")
FIRST_ROW = "Is all well?"
COLUMNS = 24


def faults_of_dashboard(board):
    """Returns what is wrong with a dashboard, as [(place, what)]."""
    faults = []
    for key in ("title", "uid", "description", "tags"):
        if not board.get(key):
            faults.append(("dashboard", f"it has no {key}: give it one"))
    if board.get("schemaVersion") not in SCHEMA_VERSIONS:
        faults.append(("dashboard", f"schemaVersion {board.get('schemaVersion')} is not of Grafana 10 or 11: take one from "
                                    f"{SCHEMA_VERSIONS.start} to {SCHEMA_VERSIONS.stop - 1}"))
    variables = {variable.get("name") for variable in board.get("templating", {}).get("list", [])}
    faults += [("dashboard", f"it has no variable {name}: add it") for name in ("datasource", "job", "namespace") if name not in variables]
    faults += [("variable job", f"its allValue {variable['allValue']!r} takes the jobs of other programs: leave it out")
               for variable in board.get("templating", {}).get("list", []) if variable.get("name") == "job" and variable.get("allValue")]
    panels = places.panels_of(board)
    if not panels or panels[0].get("type") != "row" or panels[0].get("title") != FIRST_ROW:
        faults.append(("dashboard", f"its first row is not {FIRST_ROW!r}: begin with what tells that"))
    ids, taken = set(), {}
    for panel in panels:
        place = f"panel {panel.get('title')!r}"
        faults += [(place, what) for what in faults_of_panel(panel, variables | {"__rate_interval", "__interval", "__range"})]
        if panel.get("id") in ids or not isinstance(panel.get("id"), int):
            faults.append((place, f"its id {panel.get('id')} is missing or that of another panel: number the panels"))
        ids.add(panel.get("id"))
        for cell in cells_of(panel.get("gridPos", {})):
            if cell in taken:
                faults.append((place, f"it lies over panel {taken[cell]!r}: move it"))
                break
            taken[cell] = panel.get("title")
    return faults


def cells_of(grid):
    return [(x, y) for x in range(grid.get("x", 0), grid.get("x", 0) + grid.get("w", 0))
            for y in range(grid.get("y", 0), grid.get("y", 0) + grid.get("h", 0))]


def faults_of_panel(panel, variables):
    faults = []
    if panel.get("type") not in CORE_PANELS:
        faults.append(f"the type {panel.get('type')} does not come with Grafana: take one of {', '.join(sorted(CORE_PANELS))}")
    if not panel.get("title"):
        faults.append("it has no title: say in plain words what it shows")
    grid = panel.get("gridPos", {})
    if not all(isinstance(grid.get(key), int) for key in "hwxy") or grid["x"] + grid["w"] > COLUMNS:
        faults.append(f"its gridPos {grid} does not fit: x and w together are {COLUMNS} at most")
    used = {one or other for one, other in VARIABLE.findall(str([panel.get("datasource"), panel.get("targets")]))}
    faults += [f"it uses the variable {name}, which the dashboard does not have" for name in sorted(used - variables)]
    if panel.get("type") in ("row", "text"):
        return faults
    if (panel.get("datasource") or {}).get("uid") != "${datasource}":
        faults.append("its datasource is not ${datasource}: let people choose")
    if not panel.get("description"):
        faults.append("it has no description: say what to do about it, or how to read it")
    defaults = panel.get("fieldConfig", {}).get("defaults", {})
    if not defaults.get("unit"):
        faults.append("it has no unit: set fieldConfig.defaults.unit")
    if panel["type"] == "stat" and not (defaults.get("thresholds", {}).get("steps") and defaults.get("color")):
        faults.append("it has no thresholds: say from where on it is bad")
    absent = sorted(OPTIONS.get(panel["type"], set()) - set(panel.get("options", {})))
    if absent:
        faults.append(f"it lacks the options {', '.join(absent)}, which Grafana's schema requires")
    if not panel.get("targets"):
        faults.append("it has no query")
    references = [target.get("refId") for target in panel.get("targets", [])]
    if len(set(references)) != len(references) or None in references:
        faults.append(f"the refIds of its queries are not unique: {references}")
    for target in panel.get("targets", []):
        if not target.get("expr"):
            faults.append("one of its queries is empty")
        elif 'job=~"$job"' not in target["expr"] or 'namespace=~"$namespace"' not in target["expr"]:
            faults.append("one of its queries does not look at $job and $namespace")
        if not target.get("legendFormat"):
            faults.append("one of its queries has no legend: set legendFormat")
    return faults


def faults_of_rules(documents):
    """Returns what is wrong with the alerts of PrometheusRules, [(file, document)], as [(file, place, what)]."""
    faults, names = [], set()
    for file, document in documents:
        for group in document["spec"]["groups"]:
            for rule in group["rules"]:
                place = f"alert {rule.get('alert')}"
                if rule.get("alert") in names:
                    faults.append((file, place, "another alert has this name: give it its own"))
                names.add(rule.get("alert"))
                if rule.get("labels", {}).get("severity") not in SEVERITIES:
                    faults.append((file, place, f"it has no severity: set one of {', '.join(sorted(SEVERITIES))}"))
                for key in ("summary", "description"):
                    if not rule.get("annotations", {}).get(key, "").strip():
                        faults.append((file, place, f"it has no {key}: say what happened, and what to do"))
    return faults


def faults_of_monitors(monitors, services):
    """Returns what is wrong with ServiceMonitors, [(file, document)], where `services` are those of deploy/, as [(file, place, what)].
    A monitor without a namespaceSelector looks in its own namespace."""
    faults, jobs = [], set()
    for file, monitor in monitors:
        place = f"ServiceMonitor {monitor['metadata']['name']}"
        wanted = monitor["spec"]["selector"]["matchLabels"]
        selected = [service for service in services if service["metadata"]["namespace"] == monitor["metadata"]["namespace"]
                    and wanted.items() <= service["metadata"].get("labels", {}).items()]
        if len(selected) != 1:
            faults.append((file, place, f"its selector matches {len(selected)} Services of deploy/, and has to match one"))
            continue
        ports = {port["name"] for port in selected[0]["spec"]["ports"]}
        for endpoint in monitor["spec"]["endpoints"]:
            if endpoint.get("port") not in ports:
                faults.append((file, place, f"the Service {selected[0]['metadata']['name']} has no port {endpoint.get('port')}"))
        label = monitor["spec"].get("jobLabel")
        job = selected[0]["metadata"]["labels"].get(label) if label else selected[0]["metadata"]["name"]
        if job not in places.JOBS or job in jobs:
            faults.append((file, place, f"its job is {job!r}, and rules and dashboards expect one of {', '.join(places.JOBS)}, each once"))
        jobs.add(job)
    return faults


def faults_of_kustomizations(root):
    """Returns the files of deploy/monitoring that its kustomizations do not list, as [(file, place, what)]."""
    faults = []
    for folder, ending in ((places.MONITORING, ".yaml"), (f"{places.MONITORING}/dashboards", ".json")):
        file = f"{folder}/kustomization.yaml"
        with open(os.path.join(root, file), encoding="utf-8") as text:
            lists = yaml.safe_load(text)
        listed = set(lists.get("resources", [])) | {name for one in lists.get("configMapGenerator", []) for name in one["files"]}
        there = {name for name in os.listdir(os.path.join(root, folder)) if name.endswith(ending) and name != "kustomization.yaml"}
        faults += [(file, "resources", f"it does not list {name}: add it") for name in sorted(there - listed)]
    return faults
