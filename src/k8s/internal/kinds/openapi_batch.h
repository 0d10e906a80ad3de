// SPDX-License-Identifier: Apache-2.0

// Members of io.k8s.api.batch.v1.*. Written by scripts/k8s/openapi-tables.py; do not edit.
#pragma once

#include "k8s/internal/kinds/openapi.h"
#include "k8s/internal/kinds/openapi_core.h"
#include "k8s/internal/kinds/openapi_meta.h"

namespace fairway::k8s::openapi {

inline constexpr Member job_spec_members[] = {{"activeDeadlineSeconds", Type::integer},
                                              {"backoffLimit", Type::integer},
                                              {"backoffLimitPerIndex", Type::integer},
                                              {"completionMode", Type::text},
                                              {"completions", Type::integer},
                                              {"managedBy", Type::text},
                                              {"manualSelector", Type::flag},
                                              {"maxFailedIndexes", Type::integer},
                                              {"parallelism", Type::integer},
                                              {"podFailurePolicy", Type::object},
                                              {"podReplacementPolicy", Type::text},
                                              {"selector", Type::object, &label_selector},
                                              {"successPolicy", Type::object},
                                              {"suspend", Type::flag},
                                              {"template", Type::object, &pod_template_spec},
                                              {"ttlSecondsAfterFinished", Type::integer}};
inline constexpr Definition job_spec{"io.k8s.api.batch.v1.JobSpec", job_spec_members};

inline constexpr Member job_condition_members[] = {
    {"lastProbeTime", Type::time}, {"lastTransitionTime", Type::time},
    {"message", Type::text},       {"reason", Type::text},
    {"status", Type::text},        {"type", Type::text}};
inline constexpr Definition job_condition{"io.k8s.api.batch.v1.JobCondition", job_condition_members};

inline constexpr Member job_status_members[] = {{"active", Type::integer},
                                                {"completedIndexes", Type::text},
                                                {"completionTime", Type::time},
                                                {"conditions", Type::object_list, &job_condition},
                                                {"failed", Type::integer},
                                                {"failedIndexes", Type::text},
                                                {"ready", Type::integer},
                                                {"startTime", Type::time},
                                                {"succeeded", Type::integer},
                                                {"terminating", Type::integer},
                                                {"uncountedTerminatedPods", Type::object}};
inline constexpr Definition job_status{"io.k8s.api.batch.v1.JobStatus", job_status_members};

inline constexpr Member job_members[] = {{"apiVersion", Type::text},
                                         {"kind", Type::text},
                                         {"metadata", Type::object, &object_meta},
                                         {"spec", Type::object, &job_spec},
                                         {"status", Type::object, &job_status}};
inline constexpr Definition job{"io.k8s.api.batch.v1.Job", job_members};

inline constexpr const Definition* batch_definitions[] = {&job, &job_condition, &job_spec, &job_status};

}  // namespace fairway::k8s::openapi
