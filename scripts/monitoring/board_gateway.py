# SPDX-License-Identifier: Apache-2.0
"""The dashboard of the gateway controller, and of its Envoys as far as it knows."""

from board import GREEN, ORANGE, RED, board, quantiles, series, stat
from board_controllers import controllers


def gateway():
    return board("fairway-gateway", "Fairway / Gateway", "Whether Gateways and routes reach the Envoys, and what these refuse.",
                 "fairway_gateway_envoys", [
        ("Is all well?", [
            stat("Replicas that do not answer", "none", "count(up{SELECTED} == 0) or vector(0)", {None: GREEN, 1: RED},
                 "Prometheus does not reach them. Look at their Pods."),
            stat("Envoys", "none", "sum(fairway_gateway_envoys{SELECTED})", {None: RED, 1: GREEN},
                 "Connected to any replica. Without one nothing is programmed."),
            stat("Replicas without Envoy", "none", "count(fairway_gateway_envoys{SELECTED} == 0) or vector(0)", {None: GREEN, 1: RED},
                 "Requests to these Pods fail. The log of the controller has the end of its Envoy."),
            stat("Refused by Envoys in the last hour", "none", "round(sum(increase(fairway_gateway_xds_refusals_total{SELECTED}[1h])))",
                 {None: GREEN, 1: ORANGE}, "The status and the Events of the Gateway or route have Envoy's words."),
            stat("Statuses not written in the last hour", "none",
                 'round(sum(increase(fairway_gateway_status_writes_total{SELECTED, result="failed"}[1h])))', {None: GREEN, 1: ORANGE},
                 "Conditions are out of date. The log says what the API server answers."),
            stat("Time of a pass, 90 %", "s",
                 "histogram_quantile(0.9, sum by (le) (rate(fairway_gateway_pass_duration_seconds_bucket{SELECTED}[$__rate_interval])))"
                 " >= 0 or vector(0)",
                 {None: GREEN, 1: ORANGE, 3: RED}, "Changes reach Envoys that much later.", decimals=3),
        ]),
        ("Envoys", [
            series("Connected Envoys", "short", [("sum by (instance) (fairway_gateway_envoys{SELECTED})", "{{instance}}")],
                   "Each replica has one of its own, or those that start by themselves.", 8, steps={None: RED, 1: GREEN}),
            series("Resources that are served", "short", [
                ("max by (type) (fairway_gateway_xds_resources{SELECTED})", "{{type}}")],
                "What Envoys get: listeners and routes of Gateways, clusters and endpoints of backends, secrets of certificates.", 8),
            series("Resources that replicas differ in", "short", [
                ("max by (type) (fairway_gateway_xds_resources{SELECTED}) - min by (type) (fairway_gateway_xds_resources{SELECTED})",
                 "{{type}}")], "For moments this is normal. If it stays, one replica does not hear of changes.", 8),
            series("Refused by Envoys", "short", [
                ("sum by (instance, type) (increase(fairway_gateway_xds_refusals_total{SELECTED}[$__rate_interval]))",
                 "{{instance}} {{type}}")],
                "Trials that look for the rule that is refused count, too.", 12),
            series("Resources by replica", "short", [
                ("sum by (instance) (fairway_gateway_xds_resources{SELECTED})", "{{instance}}")], "Of all types.", 12),
        ]),
        ("Passes and statuses", [
            series("Passes", "ops", [
                ("sum by (instance, over) (rate(fairway_gateway_passes_total{SELECTED}[$__rate_interval]))", "{{instance}} {{over}}")],
                "Over all objects, and over the answers of Envoys alone.", 8),
            series("Time of a pass", "s", quantiles("fairway_gateway_pass_duration_seconds", ["instance"], ""),
                   "From the objects to what Envoys get.", 8),
            series("Statuses written", "ops", [
                ("sum by (instance, result) (rate(fairway_gateway_status_writes_total{SELECTED}[$__rate_interval]))",
                 "{{instance}} {{result}}")],
                "By the replica that leads. Many without a change of objects: another controller writes the same statuses.", 8),
            series("Events", "ops", [
                ("sum by (result) (rate(fairway_events_total{SELECTED}[$__rate_interval]))", "{{result}}")],
                "dropped: the API server takes none. limited: too many about one object.", 12),
            series("Objects that are known", "short", [
                ("max by (resource) (fairway_informer_objects{SELECTED})", "{{resource}}")], "Of each kind that matters.", 12),
        ]),
        controllers(),
    ])
