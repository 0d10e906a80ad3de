# SPDX-License-Identifier: Apache-2.0
"""Puts a Grafana dashboard together: rows of panels, laid out from left to right, as the JSON that Grafana 10 and 11 read.

In queries, SELECTED stands for the matchers of the variables $job and $namespace.
"""

import string

SCHEMA_VERSION = 39
SELECTED = 'job=~"$job", namespace=~"$namespace"'
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
COLUMNS = 24
GREEN, ORANGE, RED, BLUE = "green", "orange", "red", "blue"


def stat(title, unit, query, steps, description, legend="now", decimals=None, mappings=None):
    """Returns a number with a color. `steps` are {from: color}; the color of None is that of anything below."""
    thresholds = [{"color": color, "value": value} for value, color in steps.items()]
    defaults = {"unit": unit, "color": {"mode": "thresholds"}, "thresholds": {"mode": "absolute", "steps": thresholds}, "mappings": []}
    if decimals is not None:
        defaults["decimals"] = decimals
    if mappings:
        defaults["mappings"] = [{"type": "value", "options": {value: {"text": text} for value, text in mappings.items()}}]
    return {
        "type": "stat", "title": title, "description": description, "size": (4, 4), "targets": [(query, legend)], "instant": True,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": {"colorMode": "background", "graphMode": "none", "justifyMode": "auto", "orientation": "auto", "textMode": "value",
                    "wideLayout": True, "showPercentChange": False, "percentChangeColorMode": "standard",
                    "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}},
    }


def names(title, query, legend, description):
    """Returns a panel that shows the legends of a query, such as versions, in place of its values."""
    panel = stat(title, "none", query, {None: BLUE}, description, legend)
    panel["options"]["textMode"] = "name"
    return panel


def series(title, unit, targets, description, width=12, stack=False, steps=None, low=0):
    """Returns curves over time. `targets` are (query, legend); `steps` are thresholds that are drawn as lines."""
    custom = {"drawStyle": "line", "lineInterpolation": "linear", "lineWidth": 1, "fillOpacity": 25 if stack else 8, "showPoints": "never",
              "spanNulls": False, "stacking": {"mode": "normal" if stack else "none", "group": "A"},
              "thresholdsStyle": {"mode": "dashed" if steps else "off"}}
    thresholds = [{"color": color, "value": value} for value, color in (steps or {None: GREEN}).items()]
    defaults = {"unit": unit, "color": {"mode": "palette-classic"}, "custom": custom,
                "thresholds": {"mode": "absolute", "steps": thresholds}, "mappings": []}
    if low is not None:
        defaults["min"] = low
    return {
        "type": "timeseries", "title": title, "description": description, "size": (width, 8), "targets": targets,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
                    "tooltip": {"mode": "multi", "sort": "desc"}},
    }


def states(title, targets, meanings, description, width=12):
    """Returns bands over time, one a series. `meanings` are {value: (text, color)}."""
    options = {str(value): {"text": text, "color": color, "index": index}
               for index, (value, (text, color)) in enumerate(meanings.items())}
    return {
        "type": "state-timeline", "title": title, "description": description, "size": (width, 8), "targets": targets,
        "fieldConfig": {"defaults": {"unit": "none", "color": {"mode": "thresholds"}, "custom": {"fillOpacity": 70, "lineWidth": 0},
                                     "mappings": [{"type": "value", "options": options}],
                                     "thresholds": {"mode": "absolute", "steps": [{"color": GREEN, "value": None}]}}, "overrides": []},
        "options": {"alignValue": "left", "mergeValues": True, "rowHeight": 0.8, "showValue": "auto",
                    "legend": {"displayMode": "list", "placement": "bottom", "showLegend": False, "calcs": []},
                    "tooltip": {"mode": "single", "sort": "none"}},
    }


def table(title, unit, query, columns, value, description, width=12, steps=None):
    """Returns a table of the series that there are now. `columns` are {label: heading}, `value` is the heading of the values."""
    defaults = {"unit": unit, "color": {"mode": "thresholds"},
                "custom": {"align": "left", "cellOptions": {"type": "auto"}, "inspect": False},
                "thresholds": {"mode": "absolute",
                               "steps": [{"color": color, "value": at} for at, color in (steps or {None: GREEN}).items()]},
                "mappings": []}
    renamed = dict(columns) | {"Value": value}
    return {
        "type": "table", "title": title, "description": description, "size": (width, 8), "targets": [(query, "now")], "instant": True,
        "format": "table", "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": {"showHeader": True, "frameIndex": 0, "cellHeight": "sm", "footer": {"show": False, "reducer": ["sum"], "fields": ""}},
        "transformations": [{"id": "organize", "options": {
            "excludeByName": {"Time": True}, "renameByName": renamed, "indexByName": {name: at for at, name in enumerate(renamed)}}}],
    }


def quantiles(metric, by, what):
    """Returns targets for the median and the 90th and 99th percentile of a histogram, for each combination of the labels `by`."""
    groups = ", ".join(by + ["le"])
    legend = " ".join(["{{%s}}" % label for label in by] + [what]).strip()
    rate = f"sum by ({groups}) (rate({metric}_bucket{{SELECTED}}[$__rate_interval]))"
    return [(f"histogram_quantile({part}, {rate})", f"{legend} {name}".strip())
            for part, name in ((0.5, "median"), (0.9, "90 %"), (0.99, "99 %"))]


def written(panel, number, x, y):
    """Returns a panel as Grafana reads it, with its place."""
    width, height = panel.pop("size")
    instant, form = panel.pop("instant", False), panel.pop("format", "time_series")
    targets = []
    for letter, (query, legend) in zip(string.ascii_uppercase, panel["targets"]):
        targets.append({"refId": letter, "datasource": DATASOURCE, "editorMode": "code", "expr": query.replace("SELECTED", SELECTED),
                        "legendFormat": legend, "instant": instant, "range": not instant, "format": form})
    return {"id": number, "type": panel["type"], "title": panel["title"], "description": panel["description"], "datasource": DATASOURCE,
            "gridPos": {"h": height, "w": width, "x": x, "y": y}, "targets": targets,
            **{key: panel[key] for key in ("fieldConfig", "options", "transformations") if key in panel}}


def laid_out(rows):
    """Returns the panels of rows, [(title, [panel])], numbered and with their places. A row of panels ends where it is full."""
    panels, number, y = [], 1, 0
    for title, members in rows:
        panels.append({"id": number, "type": "row", "title": title, "collapsed": False, "panels": [],
                       "gridPos": {"h": 1, "w": COLUMNS, "x": 0, "y": y}})
        number, y, x, height = number + 1, y + 1, 0, 0
        for panel in members:
            if x + panel["size"][0] > COLUMNS:
                x, y, height = 0, y + height, 0
            size = panel["size"]
            panels.append(written(panel, number, x, y))
            number, x, height = number + 1, x + size[0], max(height, size[1])
        y += height
    return panels


def variable(name, label, query, everything=None):
    """Returns a variable whose values Prometheus has. "All" is each of the values, or the regular expression `everything`."""
    return {"name": name, "label": label, "type": "query", "datasource": DATASOURCE, "definition": query,
            "query": {"qryType": 1, "query": query, "refId": "PrometheusVariableQueryEditor-VariableQuery"},
            "refresh": 2, "sort": 1, "multi": True, "includeAll": True, "allValue": everything, "hide": 0, "regex": "",
            "skipUrlSync": False, "current": {"selected": True, "text": ["All"], "value": ["$__all"]}, "options": []}


def board(uid, title, description, metric, rows):
    """Returns a dashboard. Its jobs and namespaces are those of a metric that only this program gives."""
    return {
        "uid": uid, "title": title, "description": description, "tags": ["fairway"], "schemaVersion": SCHEMA_VERSION, "version": 1,
        "editable": True, "graphTooltip": 1, "fiscalYearStartMonth": 0, "weekStart": "", "timezone": "browser", "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"}, "timepicker": {}, "annotations": {"list": []},
        "links": [{"type": "dashboards", "tags": ["fairway"], "title": "Fairway", "asDropdown": True, "includeVars": False,
                   "keepTime": True, "targetBlank": False, "icon": "external link", "tooltip": "", "url": ""}],
        "templating": {"list": [
            {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "refresh": 1, "hide": 0,
             "includeAll": False, "multi": False, "regex": "", "skipUrlSync": False,
             "current": {"selected": True, "text": "default", "value": "default"}, "options": []},
            # "All" must not take the jobs of other programs, which have `up`, too. Outside of clusters there is no namespace.
            variable("job", "Job", f"label_values({metric}, job)"),
            variable("namespace", "Namespace", f'label_values({metric}{{job=~"$job"}}, namespace)', ".*"),
        ]},
        "panels": laid_out(rows),
    }
