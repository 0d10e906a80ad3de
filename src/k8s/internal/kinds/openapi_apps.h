// SPDX-License-Identifier: Apache-2.0

// Members of io.k8s.api.apps.v1.*. Written by scripts/k8s/openapi-tables.py; do not edit.
#pragma once

#include "k8s/internal/kinds/openapi.h"
#include "k8s/internal/kinds/openapi_core.h"
#include "k8s/internal/kinds/openapi_meta.h"

namespace fairway::k8s::openapi {

inline constexpr Member daemon_set_update_strategy_members[] = {{"rollingUpdate", Type::object},
                                                                {"type", Type::text}};
inline constexpr Definition daemon_set_update_strategy{"io.k8s.api.apps.v1.DaemonSetUpdateStrategy",
                                                       daemon_set_update_strategy_members};

inline constexpr Member daemon_set_spec_members[] = {
    {"minReadySeconds", Type::integer},
    {"revisionHistoryLimit", Type::integer},
    {"selector", Type::object, &label_selector},
    {"template", Type::object, &pod_template_spec},
    {"updateStrategy", Type::object, &daemon_set_update_strategy}};
inline constexpr Definition daemon_set_spec{"io.k8s.api.apps.v1.DaemonSetSpec", daemon_set_spec_members};

inline constexpr Member daemon_set_condition_members[] = {{"lastTransitionTime", Type::time},
                                                          {"message", Type::text},
                                                          {"reason", Type::text},
                                                          {"status", Type::text},
                                                          {"type", Type::text}};
inline constexpr Definition daemon_set_condition{"io.k8s.api.apps.v1.DaemonSetCondition",
                                                 daemon_set_condition_members};

inline constexpr Member daemon_set_status_members[] = {
    {"collisionCount", Type::integer},
    {"conditions", Type::object_list, &daemon_set_condition},
    {"currentNumberScheduled", Type::integer},
    {"desiredNumberScheduled", Type::integer},
    {"numberAvailable", Type::integer},
    {"numberMisscheduled", Type::integer},
    {"numberReady", Type::integer},
    {"numberUnavailable", Type::integer},
    {"observedGeneration", Type::integer},
    {"updatedNumberScheduled", Type::integer}};
inline constexpr Definition daemon_set_status{"io.k8s.api.apps.v1.DaemonSetStatus",
                                              daemon_set_status_members};

inline constexpr Member daemon_set_members[] = {{"apiVersion", Type::text},
                                                {"kind", Type::text},
                                                {"metadata", Type::object, &object_meta},
                                                {"spec", Type::object, &daemon_set_spec},
                                                {"status", Type::object, &daemon_set_status}};
inline constexpr Definition daemon_set{"io.k8s.api.apps.v1.DaemonSet", daemon_set_members};

inline constexpr Member deployment_strategy_members[] = {{"rollingUpdate", Type::object},
                                                         {"type", Type::text}};
inline constexpr Definition deployment_strategy{"io.k8s.api.apps.v1.DeploymentStrategy",
                                                deployment_strategy_members};

inline constexpr Member deployment_spec_members[] = {{"minReadySeconds", Type::integer},
                                                     {"paused", Type::flag},
                                                     {"progressDeadlineSeconds", Type::integer},
                                                     {"replicas", Type::integer},
                                                     {"revisionHistoryLimit", Type::integer},
                                                     {"selector", Type::object, &label_selector},
                                                     {"strategy", Type::object, &deployment_strategy},
                                                     {"template", Type::object, &pod_template_spec}};
inline constexpr Definition deployment_spec{"io.k8s.api.apps.v1.DeploymentSpec", deployment_spec_members};

inline constexpr Member deployment_condition_members[] = {{"lastTransitionTime", Type::time},
                                                          {"lastUpdateTime", Type::time},
                                                          {"message", Type::text},
                                                          {"reason", Type::text},
                                                          {"status", Type::text},
                                                          {"type", Type::text}};
inline constexpr Definition deployment_condition{"io.k8s.api.apps.v1.DeploymentCondition",
                                                 deployment_condition_members};

inline constexpr Member deployment_status_members[] = {
    {"availableReplicas", Type::integer},
    {"collisionCount", Type::integer},
    {"conditions", Type::object_list, &deployment_condition},
    {"observedGeneration", Type::integer},
    {"readyReplicas", Type::integer},
    {"replicas", Type::integer},
    {"terminatingReplicas", Type::integer},
    {"unavailableReplicas", Type::integer},
    {"updatedReplicas", Type::integer}};
inline constexpr Definition deployment_status{"io.k8s.api.apps.v1.DeploymentStatus",
                                              deployment_status_members};

inline constexpr Member deployment_members[] = {{"apiVersion", Type::text},
                                                {"kind", Type::text},
                                                {"metadata", Type::object, &object_meta},
                                                {"spec", Type::object, &deployment_spec},
                                                {"status", Type::object, &deployment_status}};
inline constexpr Definition deployment{"io.k8s.api.apps.v1.Deployment", deployment_members};

inline constexpr Member rolling_update_stateful_set_strategy_members[] = {{"maxUnavailable", Type::other},
                                                                          {"partition", Type::integer}};
inline constexpr Definition rolling_update_stateful_set_strategy{
    "io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy", rolling_update_stateful_set_strategy_members};

inline constexpr Member stateful_set_update_strategy_members[] = {
    {"rollingUpdate", Type::object, &rolling_update_stateful_set_strategy}, {"type", Type::text}};
inline constexpr Definition stateful_set_update_strategy{"io.k8s.api.apps.v1.StatefulSetUpdateStrategy",
                                                         stateful_set_update_strategy_members};

inline constexpr Member stateful_set_spec_members[] = {
    {"minReadySeconds", Type::integer},
    {"ordinals", Type::object},
    {"persistentVolumeClaimRetentionPolicy", Type::object},
    {"podManagementPolicy", Type::text},
    {"replicas", Type::integer},
    {"revisionHistoryLimit", Type::integer},
    {"selector", Type::object, &label_selector},
    {"serviceName", Type::text},
    {"template", Type::object, &pod_template_spec},
    {"updateStrategy", Type::object, &stateful_set_update_strategy},
    {"volumeClaimTemplates", Type::object_list}};
inline constexpr Definition stateful_set_spec{"io.k8s.api.apps.v1.StatefulSetSpec",
                                              stateful_set_spec_members};

inline constexpr Member stateful_set_condition_members[] = {{"lastTransitionTime", Type::time},
                                                            {"message", Type::text},
                                                            {"reason", Type::text},
                                                            {"status", Type::text},
                                                            {"type", Type::text}};
inline constexpr Definition stateful_set_condition{"io.k8s.api.apps.v1.StatefulSetCondition",
                                                   stateful_set_condition_members};

inline constexpr Member stateful_set_status_members[] = {
    {"availableReplicas", Type::integer},
    {"collisionCount", Type::integer},
    {"conditions", Type::object_list, &stateful_set_condition},
    {"currentReplicas", Type::integer},
    {"currentRevision", Type::text},
    {"observedGeneration", Type::integer},
    {"readyReplicas", Type::integer},
    {"replicas", Type::integer},
    {"updateRevision", Type::text},
    {"updatedReplicas", Type::integer}};
inline constexpr Definition stateful_set_status{"io.k8s.api.apps.v1.StatefulSetStatus",
                                                stateful_set_status_members};

inline constexpr Member stateful_set_members[] = {{"apiVersion", Type::text},
                                                  {"kind", Type::text},
                                                  {"metadata", Type::object, &object_meta},
                                                  {"spec", Type::object, &stateful_set_spec},
                                                  {"status", Type::object, &stateful_set_status}};
inline constexpr Definition stateful_set{"io.k8s.api.apps.v1.StatefulSet", stateful_set_members};

inline constexpr const Definition* apps_definitions[] = {&daemon_set,
                                                         &daemon_set_condition,
                                                         &daemon_set_spec,
                                                         &daemon_set_status,
                                                         &daemon_set_update_strategy,
                                                         &deployment,
                                                         &deployment_condition,
                                                         &deployment_spec,
                                                         &deployment_status,
                                                         &deployment_strategy,
                                                         &rolling_update_stateful_set_strategy,
                                                         &stateful_set,
                                                         &stateful_set_condition,
                                                         &stateful_set_spec,
                                                         &stateful_set_status,
                                                         &stateful_set_update_strategy};

}  // namespace fairway::k8s::openapi
