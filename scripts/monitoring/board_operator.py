# SPDX-License-Identifier: Apache-2.0
"""The dashboard of the operator: the cluster's version and updates, risks, components, and its controllers."""

from board import BLUE, GREEN, ORANGE, RED, board, names, series, stat, states, table
from board_controllers import controllers


def operator():
    return board("fairway-operator", "Fairway / Operator", "What the cluster runs and may move to, and whether updates go on.",
                 "fairway_operator_release_keys", [
        ("Is all well?", [
            stat("Operators that lead", "none", 'sum(leader_election_master_status{SELECTED, name="fairway-operator"})',
                 {None: RED, 1: GREEN, 2: RED}, "One has to. With --leader-elect=false there is no number."),
            stat("Since the last answer of the update service", "s",
                 "time() - max(cluster_version_operator_update_retrieval_timestamp_seconds{SELECTED})",
                 {None: GREEN, 600: ORANGE, 3600: RED}, "`fairway adm upgrade` says what stands against it (RetrievedUpdates).",
                 decimals=0),
            stat("Components that are down", "none", "count(cluster_operator_up{SELECTED} == 0) or vector(0)", {None: GREEN, 1: RED},
                 "Components, below, names them."),
            stat("Components that are degraded", "none",
                 'count(cluster_operator_conditions{SELECTED, condition=~"Degraded|Failing"} == 1) or vector(0)',
                 {None: GREEN, 1: ORANGE}, "Failing is the cluster as a whole: an update, or what keeps it as it is."),
            stat("Risks that cannot be evaluated", "none", 'sum(fairway_operator_risks{SELECTED, outcome="failed"})',
                 {None: GREEN, 1: ORANGE}, "Their updates are not recommended. `fairway risk status` says why."),
            stat("Keys that verify releases", "none", "max(fairway_operator_release_keys{SELECTED})", {None: RED, 1: GREEN},
                 "Without one no update can be verified: docs/release-keys.md."),
        ]),
        ("Version and updates", [
            names("Version", 'max by (version) (cluster_version{SELECTED, type="current"})', "{{version}}",
                  "The release that runs, or is being applied."),
            names("Asked for, and not accepted", 'max by (version, image) (cluster_version{SELECTED, type="desired"})',
                  "{{version}} {{image}}",
                  "Empty if the release that is asked for was accepted. ReleaseAccepted of ClusterVersion says why not."),
            stat("Recommended updates", "none", "max(cluster_version_available_updates{SELECTED})", {None: BLUE},
                 "`fairway adm upgrade` shows them."),
            stat("Manifests applied", "percentunit",
                 'sum(cluster_version_payload{SELECTED, type="applied"}) / sum(cluster_version_payload{SELECTED})',
                 {None: ORANGE, 1: GREEN}, "Of the release that runs, or is being applied.", decimals=0),
            stat("Releases without a signature", "none", "max(fairway_operator_unsigned_releases_allowed{SELECTED})",
                 {None: GREEN, 1: ORANGE}, "Whether they are applied: --allow-unsigned-releases, and no keys.",
                 mappings={"0": "refused", "1": "applied"}),
            stat("Updates that were not verified", "none", "sum(fairway_operator_unverified_releases{SELECTED}) or vector(0)",
                 {None: GREEN, 1: ORANGE}, "Since the start: forced, or allowed by the flag."),
            states("State of the update", [("fairway_operator_update_state{SELECTED} == 1", "{{state}}")],
                   {1: ("so it is", BLUE)},
                   "docs/operator-reference.md explains the states. refused and retrying do not last if all is well."),
            series("Manifests of the release", "short", [
                ("sum by (version, type) (cluster_version_payload{SELECTED})", "{{version}} {{type}}")],
                "An update goes on while applied grows.", stack=True),
            series("Since the last answer of the update service", "s", [
                ("time() - max by (instance) (cluster_version_operator_update_retrieval_timestamp_seconds{SELECTED})", "{{instance}}")],
                "A saw of two to four minutes (--poll-interval).", 8, steps={None: GREEN, 3600: RED}),
            series("Recommended and conditional updates", "short", [
                ("max by (channel) (cluster_version_available_updates{SELECTED})", "{{channel}} recommended"),
                ('count by (reason) (cluster_version_conditional_update_condition_seconds{SELECTED, condition="Recommended", '
                 'status!="True"})', "not recommended: {{reason}}")], "Why an update is not recommended is its reason.", 8),
            series("Requests to the update service", "short", [
                ("max by (instance) (fairway_operator_update_service_requests{SELECTED})", "{{instance}}")],
                "Since the start. Flat for more than four minutes: the operator does not ask.", 8),
        ]),
        ("Risks", [
            table("Verdicts", "none", "max by (risk, verdict) (fairway_operator_risk_verdict{SELECTED})",
                  {"risk": "Risk", "verdict": "Verdict"}, "Now", "`fairway risk status` explains each."),
            table("Last evaluations", "dateTimeAsIso", "max by (risk) (fairway_operator_risk_evaluated_timestamp_seconds{SELECTED}) * 1000",
                  {"risk": "Risk"}, "Evaluated", "A risk that is not here was never evaluated."),
            series("Risks by outcome", "short", [
                ("sum by (outcome) (fairway_operator_risks{SELECTED})", "{{outcome}}")],
                "matches: the risk concerns this cluster. failed: its query has no answer.", 8),
            series("Place in the queue", "short", [
                ("max by (risk) (fairway_operator_risk_queue_place{SELECTED})", "{{risk}}")],
                "Queries are sent one after the other (--risk-query-interval).", 8),
            series("Risks that apply", "short", [
                ('max by (risk, reason) (cluster_version_risk_conditions{SELECTED, condition="Applies"})', "{{risk}} {{reason}}")],
                "1 applies, 0 does not, -1 is not known. With the feature gate ClusterUpdateAcceptRisks.", 8, low=-1),
        ]),
        ("Components", [
            states("Available", [("min by (name) (cluster_operator_up{SELECTED})", "{{name}}")],
                   {1: ("up", GREEN), 0: ("down", RED)}, "By its ClusterOperator; version is the cluster as a whole."),
            states("Degraded, failing or progressing", [
                ('max by (name, condition) (cluster_operator_conditions{SELECTED, condition=~"Degraded|Failing|Progressing"}) == 1',
                 "{{name}} {{condition}}")], {1: ("True", ORANGE)}, "Only while it is True."),
            series("Changes of conditions", "short", [
                ("sum by (name, condition) (cluster_operator_condition_transitions{SELECTED})", "{{name}} {{condition}}")],
                "Since the start of the operator. A component that climbs goes up and down.", 12),
            table("Components", "none", "max by (name, version, reason) (cluster_operator_up{SELECTED})",
                  {"name": "Component", "version": "Version", "reason": "Reason"}, "Available", "1 is available, 0 is not.",
                  steps={None: RED, 1: GREEN}),
        ]),
        controllers(),
    ])
