// SPDX-License-Identifier: Apache-2.0

// Annotations of Pods that mean something.
#pragma once

#include "apiserver/internal/validation/scope.h"

namespace fairway::apiserver::validation {

/// Checks the annotations `annotations` of a Pod or template with that spec, which the errors call a member
/// of `metadata`.
void check_pod_annotations(const Scope& metadata, const k8s::StringMap& annotations, const Scope& spec);
/// Returns whether the cost of a Pod's deletion is none.
bool has_bad_deletion_cost(const k8s::StringMap& annotations);
/// Checks that the annotations that were used before there were fields agree with these.
void check_profiles_agree(const k8s::StringMap& annotations, const Scope& spec);
/// Checks that an update leaves the annotations alone that nodes rely on.
void check_annotation_changes(const Scope& metadata, const k8s::StringMap& annotations,
                              const k8s::StringMap& old);

}  // namespace fairway::apiserver::validation
