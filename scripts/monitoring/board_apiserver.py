# SPDX-License-Identifier: Apache-2.0
"""The dashboard of the embedded API server."""

from board import GREEN, ORANGE, RED, board, series, stat

VERB_TIMES = "sum by (verb, le) (rate(apiserver_request_duration_seconds_bucket{SELECTED, verb!=\"WATCH\"}[$__rate_interval]))"


def apiserver():
    return board("fairway-apiserver", "Fairway / API server", "Whether fairway apiserver answers, and has room.",
                 "apiserver_storage_quota_exceeded", [
        ("Is all well?", [
            stat("Servers that do not answer", "none", "count(up{SELECTED} == 0) or vector(0)", {None: GREEN, 1: RED},
                 "Prometheus does not reach them, or may not read /metrics."),
            stat("Writes", "none", "max(apiserver_storage_quota_exceeded{SELECTED})", {None: GREEN, 1: RED},
                 "Refused if there is no room: delete objects, or raise --disk-quota.", mappings={"0": "taken", "1": "refused"}),
            stat("Disk quota in use", "percentunit",
                 "max(etcd_mvcc_db_total_size_in_use_in_bytes{SELECTED} / (etcd_server_quota_backend_bytes{SELECTED} > 0)) or vector(0)",
                 {None: GREEN, 0.7: ORANGE, 0.9: RED}, "Of --disk-quota; without a limit it is 0.", decimals=1),
            stat("Requests that fail", "percentunit",
                 '(sum(rate(apiserver_request_total{SELECTED, code=~"5.."}[$__rate_interval])) or vector(0)) '
                 "/ (sum(rate(apiserver_request_total{SELECTED}[$__rate_interval])) > 0) or vector(0)",
                 {None: GREEN, 0.01: ORANGE, 0.05: RED}, "Answers with 500 and above. Requests by code, below, says which.", decimals=1),
            stat("Requests refused (429) in the last hour", "none",
                 "round(sum(increase(apiserver_flowcontrol_rejected_requests_total{SELECTED}[1h])) "
                 "+ sum(increase(fairway_waiting_requests_refused_total{SELECTED}[1h])))", {None: GREEN, 1: ORANGE},
                 "Somebody sends too much, or a webhook or kubelet does not answer: docs/apiserver-operations.md."),
            stat("Requests that wait for others", "none", "sum(fairway_waiting_requests{SELECTED})", {None: GREEN, 16: ORANGE, 48: RED},
                 "For a kubelet or a webhook; --max-requests-waiting (64) is the most."),
        ]),
        ("Requests", [
            series("Requests by verb", "reqps", [
                ("sum by (verb) (rate(apiserver_request_total{SELECTED}[$__rate_interval]))", "{{verb}}")],
                "LIST should be rare: clients that list all the time do not watch.", 8, stack=True),
            series("Requests by code", "reqps", [
                ("sum by (code) (rate(apiserver_request_total{SELECTED}[$__rate_interval]))", "{{code}}")],
                "409 is two writers of one object, 410 a client that lists again, 429 an overload.", 8, stack=True),
            series("Time of an answer, 90 %", "s", [
                (f"histogram_quantile(0.9, {VERB_TIMES})", "{{verb}}")], "Without watches, which take as long as clients want.", 8),
            series("Time of an answer, 99 %", "s", [
                (f"histogram_quantile(0.99, {VERB_TIMES})", "{{verb}}")], "Webhooks are in it.", 8),
            series("Requests of the busiest resources", "reqps", [
                ("topk(10, sum by (group, resource) (rate(apiserver_request_total{SELECTED}[$__rate_interval])))",
                 "{{resource}} {{group}}")], "The ten resources with the most requests.", 8),
            series("Requests and watches under way", "short", [
                ("sum by (request_kind) (apiserver_current_inflight_requests{SELECTED})", "{{request_kind}}"),
                ("sum(apiserver_longrunning_requests{SELECTED})", "watches")], "Now, of all clients.", 8),
        ]),
        ("Levels and waiting", [
            series("Requests by level", "reqps", [
                ("sum by (priority_level) (rate(apiserver_flowcontrol_dispatched_requests_total{SELECTED}[$__rate_interval]))",
                 "{{priority_level}}")], "health, leases, system (administrators) and workload.", 8, stack=True),
            series("Requests under way and in queues", "short", [
                ("sum by (priority_level) (apiserver_flowcontrol_current_executing_requests{SELECTED})", "{{priority_level}} under way"),
                ("sum by (priority_level) (apiserver_flowcontrol_current_inqueue_requests{SELECTED})", "{{priority_level}} in the queue")],
                "A queue that stays long: the level has too few threads (--max-requests-inflight), or the disk is slow.", 8),
            series("Requests refused by level", "reqps", [
                ("sum by (priority_level, reason) (rate(apiserver_flowcontrol_rejected_requests_total{SELECTED}[$__rate_interval]))",
                 "{{priority_level}} {{reason}}")], "These clients get 429.", 8),
            series("Requests that wait for a kubelet or a webhook", "short", [
                ("sum by (instance) (fairway_waiting_requests{SELECTED})", "{{instance}}")], "They hold no thread.", 12),
            series("Such requests refused", "reqps", [
                ("sum by (share) (rate(fairway_waiting_requests_refused_total{SELECTED}[$__rate_interval]))", "{{share}}")],
                "By the share that was used up: party is one webhook or kubelet that does not answer.", 12),
        ]),
        ("Storage", [
            series("Disk", "bytes", [
                ("max by (instance) (etcd_mvcc_db_total_size_in_bytes{SELECTED})", "{{instance}} files"),
                ("max by (instance) (etcd_mvcc_db_total_size_in_use_in_bytes{SELECTED})", "{{instance}} in use"),
                ("max by (instance) (etcd_server_quota_backend_bytes{SELECTED})", "{{instance}} quota")],
                "The database with its log, what of it is not free, and --disk-quota.", 8),
            series("Past revisions", "bytes", [
                ("max by (instance) (apiserver_storage_history_bytes{SELECTED})", "{{instance}}")],
                "--history-bytes is the most. At the most, clients that are slow get 410 and list again.", 8),
            series("Objects of the largest resources", "short", [
                ("topk(10, max by (resource) (apiserver_storage_objects{SELECTED}))", "{{resource}}")],
                "What takes the room.", 8),
        ]),
    ])
