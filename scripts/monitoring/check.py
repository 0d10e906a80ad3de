#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the dashboards and alerts of deploy/monitoring against the metrics that programs really give.

  check.py --metrics service=FILE --metrics operator=FILE --metrics gateway=FILE --metrics apiserver=FILE

FILE is what a program answers at /metrics, or a URL of it; collect.sh gets all four. Several of one program are taken together. Each
query has to be correct (fairway promql), each metric has to be there, with the labels and values that the query selects or groups by; a
legend and the text of an alert name labels that the result has. Prints FILE: PLACE: what is wrong, and the query. What needs an event
that is hard to cause is in rare.toml.
"""

import argparse
import json
import os
import subprocess
import sys
import urllib.request

import exposition
import places
import queries
import rare
import structure
import syntax

HERE = os.path.dirname(os.path.abspath(__file__))


def text_at(place):
    """Returns the text of a file or of a URL."""
    if place.startswith(("http://", "https://")):
        with urllib.request.urlopen(place, timeout=10) as answer:
            return answer.read().decode()
    with open(place, encoding="utf-8") as file:
        return file.read()


def collected(named):
    """Returns the metrics of each program, as {program: {name: Metric}}, of PROGRAM=PLACE texts."""
    programs = {}
    for one in named:
        program, _, place = one.partition("=")
        if program not in places.JOBS.values() or not place:
            raise ValueError(f"--metrics {one}: give it as PROGRAM=FILE, with one of {', '.join(places.JOBS.values())}")
        metrics = programs.setdefault(program, {})
        for name, metric in exposition.read(text_at(place), place).items():
            metrics.setdefault(name, metric).merge(metric)
    return programs


class Formatter:
    """Has `fairway promql` say whether queries are correct, and print them in one form."""

    def __init__(self, program):
        self.program = program

    def __call__(self, text):
        """Returns the query as Prometheus would print it; ValueError says what is wrong with it."""
        done = subprocess.run([self.program, "promql", "format", "--", text], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ValueError(done.stderr.strip().removeprefix("error: ").split("\n")[0])
        return done.stdout.strip()


def faults_of(query, programs, formatted):
    """Returns what is wrong with a query, where `programs` are the metrics of each program, and `formatted` says what it is."""
    known = {}
    for program in query.programs:
        for name, metric in programs.get(program, {}).items():
            known.setdefault(name, exposition.Metric(metric.kind)).merge(metric)
    try:
        tree = syntax.parse(formatted(query.text))
        checker = queries.Checker(known, set(places.JOBS))
        labels = checker.check(tree)
    except ValueError as error:
        return [str(error)]
    # What follows from a metric that is not there says nothing.
    unknown = [fault for fault in checker.faults if fault.startswith(queries.NO_METRIC)]
    if unknown:
        return unknown
    gone = sorted(query.named - labels)
    return checker.faults + [f"the text beside it names the label {label}, which its result does not have"
                             f"{queries.nearest(label, labels)}" for label in gone]


def report(found):
    for file, place, what, text in found:
        print(f"{file}: {place}: {what}")
        if text:
            print("  " + " ".join(text.split()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metrics", action="append", required=True, metavar="PROGRAM=FILE")
    parser.add_argument("--fairway", default=os.path.join(places.ROOT, "build/fairway"), help="the program (build/fairway)")
    arguments = parser.parse_args()
    try:
        programs = collected(arguments.metrics)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    missing = sorted(set(places.JOBS.values()) - set(programs))
    if missing:
        print(f"error: there are no metrics of {', '.join(missing)}: give --metrics {missing[0]}=FILE", file=sys.stderr)
        return 2
    with open(os.path.join(HERE, "rare.toml"), encoding="utf-8") as file:
        found = [("scripts/monitoring/rare.toml", "entry", what, "") for what in rare.add(file.read(), programs, places.ROOT)]
    formatted = Formatter(arguments.fairway)
    all_queries = places.all_queries()
    for query in all_queries:
        found += [(query.file, query.place, what, query.text) for what in faults_of(query, programs, formatted)]
    for file, _, text in places.dashboards():
        found += [(file, place, what, "") for place, what in structure.faults_of_dashboard(json.loads(text))]
    found += [(file, place, what, "") for file, place, what in structure.faults_of_rules(places.of_kind("PrometheusRule"))
              + structure.faults_of_monitors(places.of_kind("ServiceMonitor"), places.services())
              + structure.faults_of_kustomizations(places.ROOT)]
    report(found)
    print(f"monitoring: {len(all_queries)} queries, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
