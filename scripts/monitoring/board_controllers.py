# SPDX-License-Identifier: Apache-2.0
"""The row about controllers and the client of the API server, which the dashboards of the operator and the gateway share."""

from board import GREEN, ORANGE, series


def controllers():
    return ("Controllers and the API server", [
        series("Reconciles that fail", "ops", [
            ("sum by (controller) (rate(controller_runtime_reconcile_errors_total{SELECTED}[$__rate_interval]))", "{{controller}}")],
            "Errors are in the log; what they are about is tried again, later each time.", 8),
        series("Reconciles", "ops", [
            ("sum by (controller, result) (rate(controller_runtime_reconcile_total{SELECTED}[$__rate_interval]))",
             "{{controller}} {{result}}")], "How often each controller looks at an object, by what came of it.", 8),
        series("Objects that wait for a controller", "short", [
            ("sum by (controller) (workqueue_depth{SELECTED})", "{{controller}}")],
            "A queue that only grows belongs to a controller that is too slow, or that hangs.", 8),
        series("Time of a reconcile, 90 %", "s", [
            ("histogram_quantile(0.9, sum by (controller, le) "
             "(rate(controller_runtime_reconcile_time_seconds_bucket{SELECTED}[$__rate_interval])))", "{{controller}}")],
            "How long a controller takes for one object.", 8),
        series("Requests to the API server", "reqps", [
            ("sum by (method, code) (rate(rest_client_requests_total{SELECTED}[$__rate_interval]))", "{{method}} {{code}}")],
            "<error> has no answer: the API server is not reached. 429 says that it is overloaded, 403 that rights are missing.", 8),
        series("Kinds that are not read yet", "short", [
            ("sum by (instance, resource) (fairway_informers{SELECTED} - fairway_informers_synced{SELECTED}) > 0",
             "{{instance}} {{resource}}")],
            "Kinds whose first list has not come. A right is missing, or the API server does not answer.", 8,
            steps={None: GREEN, 1: ORANGE}),
    ])
