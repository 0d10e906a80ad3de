#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the Grafana dashboards of deploy/monitoring/dashboards from board_*.py; with --check says which are not what would be written.

Change the Python, run this, and look at the JSON's difference; scripts/monitoring/check.py looks whether the queries are right.
"""

import json
import os
import sys

import board_apiserver
import board_gateway
import board_operator
import board_update_service
import places

BOARDS = {"apiserver": board_apiserver.apiserver, "gateway": board_gateway.gateway, "operator": board_operator.operator,
          "update-service": board_update_service.update_service}


def text_of(name):
    """Returns the JSON of a dashboard, the same each time."""
    return json.dumps(BOARDS[name](), indent=2, ensure_ascii=False) + "\n"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(f"error: dashboards.py takes --check or nothing, not {' '.join(sys.argv[1:])}", file=sys.stderr)
        return 2
    status = 0
    for name in BOARDS:
        path = os.path.join(places.ROOT, places.MONITORING, "dashboards", f"{name}.json")
        old = None
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                old = file.read()
        new = text_of(name)
        if old == new:
            continue
        if sys.argv[1:]:
            print(f"{places.MONITORING}/dashboards/{name}.json: it is not what its Python says: run scripts/monitoring/dashboards.py")
            status = 1
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)
        print(f"wrote {places.MONITORING}/dashboards/{name}.json")
    return status


if __name__ == "__main__":
    sys.exit(main())
