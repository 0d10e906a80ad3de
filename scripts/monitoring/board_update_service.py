# SPDX-License-Identifier: Apache-2.0
"""The dashboard of the update service."""

from board import GREEN, ORANGE, RED, board, quantiles, series, stat, states


def update_service():
    return board("fairway-update-service", "Fairway / Update service",
                 "Whether clusters are told their updates, from a graph that is up to date.", "fairway_ready", [
        ("Is all well?", [
            stat("Replicas that do not answer", "none", "count(up{SELECTED} == 0) or vector(0)", {None: GREEN, 1: RED},
                 "Prometheus does not reach them. Look at their Pods."),
            stat("Replicas without a graph", "none", "count(fairway_ready{SELECTED} == 0) or vector(0)", {None: GREEN, 1: RED},
                 "They answer 503. The first line of their /readyz is the reason."),
            stat("Age of the oldest graph", "s", "max(fairway_graph_age_seconds{SELECTED})", {None: GREEN, 3600: ORANGE, 86400: RED},
                 "Time since all sources were read. Risks that are newer are not known to clusters. /problems says what fails.",
                 decimals=0),
            stat("Blocks that are held", "none", "max(fairway_widening_held_blocks{SELECTED})", {None: GREEN, 1: ORANGE},
                 "A refresh would lift so many blocks at once. Accept it, or restore the graph data: docs/service-held.md."),
            stat("Problems in the inputs", "none", "max(sum by (instance) (fairway_problems{SELECTED}))", {None: GREEN, 1: ORANGE},
                 "The API's /problems names them, with file and line."),
            stat("Requests that fail", "percentunit",
                 '(sum(rate(fairway_http_requests_total{SELECTED, code=~"500|503"}[$__rate_interval])) or vector(0)) '
                 "/ (sum(rate(fairway_http_requests_total{SELECTED}[$__rate_interval])) > 0) or vector(0)",
                 {None: GREEN, 0.01: ORANGE, 0.05: RED}, "503 while there is no graph, 500 for a fault of the service.", decimals=1),
        ]),
        ("Graph", [
            states("Replicas", [("min by (instance) (fairway_ready{SELECTED} - fairway_graph_stale{SELECTED} * 0.5)", "{{instance}}")],
                   {1: ("serves", GREEN), 0.5: ("serves the last good graph", ORANGE), 0: ("serves nothing", RED),
                    -0.5: ("serves nothing", RED)},
                   "The last good graph is served while a source fails, or a refresh is refused or held.", 8),
            series("Releases", "short", [("max by (instance) (fairway_releases{SELECTED})", "{{instance}}")],
                   "Replicas that differ for long do not read the same sources.", 8),
            series("Channels", "short", [("max by (instance) (fairway_channels{SELECTED})", "{{instance}}")],
                   "Private channels count.", 8),
            series("Problems by kind", "short", [("max by (kind) (fairway_problems{SELECTED}) > 0", "{{kind}}")],
                   "docs/metrics.md says what each kind means; /problems names the places.", 8),
            series("Age of the graph", "s", [("max by (instance) (fairway_graph_age_seconds{SELECTED})", "{{instance}}")],
                   "Grows to the interval between two refreshes, and falls to 0. If it only grows, no refresh succeeds.", 8,
                   steps={None: GREEN, 3600: ORANGE, 86400: RED}),
            series("Not compared, or not kept", "short", [
                ("sum(fairway_graph_compared{SELECTED} == bool 0)", "not compared with an earlier graph"),
                ("sum(fairway_graph_kept{SELECTED} == bool 0)", "not kept on disk")],
                "Replicas whose graph may open more than it should, and replicas that would start again with an old graph.", 8,
                steps={None: GREEN, 1: ORANGE}),
            series("Refreshes", "short", [
                ("sum by (result) (increase(fairway_refreshes_total{SELECTED}[$__rate_interval]))", "{{result}}")],
                "Looks at the sources, by what came of them.", 8, stack=True),
            series("Requests to sources that fail", "short", [
                ("sum by (instance) (increase(fairway_upstream_errors_total{SELECTED}[$__rate_interval]))", "{{instance}}")],
                "Registries, Git hosts and other update services that do not answer as they should. The log names them.", 8),
            series("Time of a refresh", "s", quantiles("fairway_refresh_duration_seconds", [], "refresh")
                   + quantiles("fairway_publish_duration_seconds", [], "publishing"),
                   "To read all sources, and of that to render all answers.", 8),
        ]),
        ("Requests", [
            series("Requests by endpoint", "reqps", [
                ("sum by (endpoint) (rate(fairway_http_requests_total{SELECTED}[$__rate_interval]))", "{{endpoint}}")],
                "Clusters ask for graph; people for explain, path and problems.", 8, stack=True),
            series("Requests by code", "reqps", [
                ("sum by (code) (rate(fairway_http_requests_total{SELECTED}[$__rate_interval]))", "{{code}}")],
                "304 is a client that has the graph already.", 8, stack=True),
            series("Time of an answer", "s", quantiles("cincinnati_pe_graph_serve_duration_seconds", [], ""),
                   "In the handler, without the network.", 8),
            series("Errors by kind", "reqps", [
                ("sum by (code, kind) (rate(cincinnati_pe_graph_response_errors_total{SELECTED}[$__rate_interval]))", "{{code}} {{kind}}")],
                "Answers with an error body. missing_params and the like are faults of clients.", 8),
            series("Requests refused before they are read", "reqps", [
                ("sum by (instance) (rate(fairway_http_refused_total{SELECTED}[$__rate_interval]))", "{{instance}}")],
                "Malformed, too large, too slow, or too many.", 8),
        ]),
        ("Connections and limits", [
            series("Open connections", "short", [("sum by (instance) (fairway_http_connections_open{SELECTED})", "{{instance}}")],
                   "--max-connections is the most.", 8),
            series("New connections", "cps", [
                ("sum by (instance) (rate(fairway_http_connections_total{SELECTED}[$__rate_interval]))", "{{instance}}")],
                "Many for few requests: a proxy that does not reuse them.", 8),
            series("Connections closed early", "cps", [
                ("sum by (reason) (rate(fairway_http_shed_total{SELECTED}[$__rate_interval]))", "{{reason}}")],
                "idle makes room and is harmless. slow, address, full and memory say which limit a client is at.", 8),
            series("Limits in use", "short", [("max by (instance, limit) (fairway_http_overloaded{SELECTED})", "{{instance}} {{limit}}")],
                   "1 if nine tenths of a limit are in use.", 8, steps={None: GREEN, 1: ORANGE}),
            series("Unfinished requests", "short", [
                ("sum by (instance) (fairway_http_unfinished_requests{SELECTED})", "{{instance}}")],
                "Requests that have not arrived completely.", 8),
            series("Memory of replies", "bytes", [
                ("sum by (instance) (fairway_http_unread_bytes{SELECTED})", "{{instance}} waits for readers"),
                ("sum by (instance) (fairway_published_bytes{SELECTED})", "{{instance}} rendered")],
                "Replies that wait for their readers, and all that are rendered.", 8),
        ]),
        ("Settings and disk", [
            series("Writes of the last good graph", "short", [
                ("sum by (result) (increase(fairway_store_writes_total{SELECTED}[$__rate_interval]))", "{{result}}")],
                "failed: --data is full, or cannot be written.", 12),
            series("Reloads of settings", "short", [
                ("sum by (instance, result) (increase(fairway_reloads_total{SELECTED}[$__rate_interval]))", "{{instance}} {{result}}")],
                "failed: the old settings stay in force. The log says why.", 12),
        ]),
    ])
