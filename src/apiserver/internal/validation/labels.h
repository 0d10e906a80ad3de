// SPDX-License-Identifier: Apache-2.0

// Labels, annotations and selectors within an object.
#pragma once

#include <string_view>

#include "apiserver/internal/validation/scope.h"

namespace fairway::apiserver::validation {

/// Checks the keys and values of labels. Rule: ValidateLabels of
/// k8s.io/apimachinery/pkg/apis/meta/v1/validation.
void check_labels(const Scope& scope, std::string_view name);
/// Checks the labels of `from`, which the errors call a member of `scope`.
void check_labels(const Scope& scope, std::string_view shown, const k8s::StringMap& labels);
/// Checks the keys of annotations, and the size of all.
void check_annotations(const Scope& scope, std::string_view shown, const k8s::StringMap& annotations);
/// Checks a label selector that is a member.
void check_selector_at(const Scope& scope, std::string_view name);

}  // namespace fairway::apiserver::validation
