# SPDX-License-Identifier: Apache-2.0
"""Compares a parsed query with the metrics that programs give: names, labels, values of labels, and what is counted.

`Checker(known).check(tree)` returns the labels that the result may have; `faults` has what is wrong, each with what to do.
"""

import difflib
import re

import exposition
import syntax

# Labels that a Prometheus in a cluster adds to each series of a target.
OF_TARGETS = {"job", "instance", "namespace", "pod", "service", "endpoint", "container", "node"}
# What a Prometheus has without any program.
OF_PROMETHEUS = {"up": [], "scrape_duration_seconds": [], "scrape_samples_scraped": [], "ALERTS": ["alertname", "alertstate", "severity"]}
OF_COUNTERS = {"rate", "irate", "increase", "resets"}
OF_GAUGES = {"delta", "idelta", "deriv", "predict_linear"}
NO_METRIC = "no program gives the metric"
SET_OPERATORS = {"and", "or", "unless"}


def nearest(name, names):
    """Returns a hint at a name that is like this one."""
    near = difflib.get_close_matches(name, sorted(names), 1)
    return f"; did you mean {near[0]}?" if near else ""


class Checker:
    """`known` is {name: exposition.Metric}; `jobs` are the values that `job` may have."""

    def __init__(self, known, jobs=frozenset()):
        self.known, self.jobs, self.faults = known, jobs, []

    def check(self, node):
        if isinstance(node, syntax.Literal):
            return set()
        if isinstance(node, syntax.Selector):
            return self.selector(node)
        if isinstance(node, syntax.Call):
            return self.call(node)
        if isinstance(node, syntax.Aggregation):
            return self.aggregation(node)
        return self.binary(node)

    def metric(self, name):
        """Returns the metric of a name; None, and a fault, if there is none."""
        if name in OF_PROMETHEUS:
            metric = exposition.Metric("gauge")
            metric.add(dict.fromkeys(OF_PROMETHEUS[name], ""))
            return metric
        if name not in self.known:
            self.faults.append(f"{NO_METRIC} {name}{nearest(name, self.known)}")
        return self.known.get(name)

    def selector(self, node):
        metric = self.metric(node.name)
        if metric is None:
            return set(OF_TARGETS)
        labels = OF_TARGETS | set(metric.values)
        for label, operator, value in node.matchers:
            if label == "job":
                self.value(node.name, label, operator, value, self.jobs)
            elif label not in labels:
                self.faults.append(f"{node.name} has no label {label}{nearest(label, labels)}")
            elif label not in OF_TARGETS and label not in metric.open and node.name not in OF_PROMETHEUS:
                self.value(node.name, label, operator, value, metric.values[label])
        return labels

    def value(self, name, label, operator, value, seen):
        """Looks for a value of a label among those that were seen. That of a variable of a dashboard is not known."""
        if not value or "$" in value:
            return
        if operator in ("=", "!="):
            found = value in seen
        else:
            # A regular expression of plain alternatives names each of them.
            alternatives = value.split("|") if re.fullmatch(r"[\w<>/ |-]+", value) else [value]
            found = all(any(re.fullmatch(one, other) for other in seen) for one in alternatives)
        if not found:
            self.faults.append(f"no series of {name} has {label}{operator}{value!r}{nearest(value, seen)}; a value that is hard to cause "
                               "belongs into scripts/monitoring/rare.toml")

    def call(self, node):
        labels = [self.check(argument) for argument in node.arguments]
        if node.function in OF_COUNTERS or node.function in OF_GAUGES:
            self.counts(node)
        if node.function in ("label_replace", "label_join"):
            # label_replace has one label that it reads, and a pattern after it; label_join has any number.
            sources = node.arguments[3:4] if node.function == "label_replace" else node.arguments[3:]
            for source in sources:
                self.has(labels[0], source.value, node.function)
            return labels[0] | {node.arguments[1].value}
        if node.function == "histogram_quantile":
            self.has(labels[1], "le", "histogram_quantile")
            return labels[1] - {"le"}
        if node.function in ("absent", "absent_over_time"):
            (argument,) = node.arguments
            matchers = argument.matchers if isinstance(argument, syntax.Selector) else []
            return {label for label, operator, _ in matchers if operator == "="}
        if node.function == "scalar":
            return set()
        return set().union(*labels)

    def counts(self, node):
        """Looks whether a function of counters is called for one, or a function of gauges for a gauge."""
        for argument in node.arguments:
            if not isinstance(argument, syntax.Selector) or argument.name not in self.known:
                continue
            kind = self.known[argument.name].kind
            if node.function in OF_COUNTERS and kind == "gauge":
                self.faults.append(f"{node.function} is for counters, and {argument.name} is a gauge: use delta, changes or the value")
            if node.function in OF_GAUGES and kind == "counter":
                self.faults.append(f"{node.function} is for gauges, and {argument.name} is a counter: use rate or increase")

    def has(self, labels, label, who):
        if label not in labels:
            self.faults.append(f"{who} names the label {label}, which no series there has{nearest(label, labels)}")

    def aggregation(self, node):
        inner = [self.check(argument) for argument in node.arguments][-1]
        for label in node.labels:
            self.has(inner, label, f"{node.operator} {node.grouping}")
        if node.operator in ("topk", "bottomk", "limitk", "limit_ratio"):
            return inner
        made = {node.arguments[0].value} if node.operator == "count_values" else set()
        if node.grouping == "without":
            return inner - set(node.labels) | made
        return set(node.labels) | made

    def binary(self, node):
        left, right = self.check(node.left), self.check(node.right)
        for label in node.labels:
            if node.matching == "on":
                self.has(left, label, "the left side of on")
                self.has(right, label, "the right side of on")
            else:
                self.has(left | right, label, "ignoring")
        one = left if node.side == "group_right" else right
        for label in node.included:
            self.has(one, label, node.side)
        if node.operator == "or":
            return left | right
        if node.operator in SET_OPERATORS or not right:
            return left
        if not left:
            return right
        if node.side:
            return (right if node.side == "group_right" else left) | set(node.included)
        if node.matching == "on":
            return set(node.labels)
        if node.matching == "ignoring":
            return left - set(node.labels)
        return left
