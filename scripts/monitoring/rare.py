# SPDX-License-Identifier: Apache-2.0
"""Reads rare.toml: metrics and values of labels that need an event which is hard to cause, with the source that has each name."""

import os
import re
import tomllib

import exposition


def add(text, programs, root):
    """Adds what the text of rare.toml names to `programs`, {program: {name: Metric}}. Returns what is wrong with it: where `root` has
    the sources, each name stands in its source, in quotes. Values of a label that is open are not looked for."""
    faults = []
    entries = tomllib.loads(text)
    for entry in entries.get("metric", []):
        metrics = programs.setdefault(entry["program"], {})
        metric = exposition.Metric(entry["type"])
        metric.add(dict.fromkeys(entry["labels"], ""))
        metrics.setdefault(entry["name"], exposition.Metric(entry["type"])).merge(metric)
        faults += missing(entry, [entry["name"]] + entry["labels"], root)
    for entry in entries.get("value", []):
        metric = programs.get(entry["program"], {}).get(entry["metric"])
        if metric is None or entry["label"] not in metric.values:
            faults.append(f"{entry['program']} does not give {entry['metric']} with the label {entry['label']}: correct the entry")
            continue
        metric.values[entry["label"]].update(entry["values"])
        faults += missing(entry, entry["values"], root)
    for entry in entries.get("open", []):
        metric = programs.get(entry["program"], {}).get(entry["metric"])
        if metric is None or entry["label"] not in metric.values:
            faults.append(f"{entry['program']} does not give {entry['metric']} with the label {entry['label']}: correct the entry")
            continue
        metric.open.add(entry["label"])
    return faults


def missing(entry, names, root):
    """Returns a fault for each name that the source of an entry does not have."""
    path = os.path.join(root, entry["source"])
    if not os.path.isfile(path):
        return [f"there is no {entry['source']}: name the file that has {names[0]} now"]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return [f"{entry['source']} has no \"{name}\": name what is there now" for name in names if not stands(name, text)]


def stands(name, text):
    """Returns whether a text has a name in quotes, or a number by itself."""
    return f'"{name}"' in text or (name.isdigit() and re.search(rf"\b{name}\b", text) is not None)
