// SPDX-License-Identifier: Apache-2.0

// Validation of label selectors in objects.
#pragma once

#include <string>
#include <vector>

#include "k8s/view.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::validation {

/// Returns the problems of a LabelSelector; `path` is its own. `is_strict`: values in expressions have to be
/// valid, too.
/// Rules: ValidateLabelSelector of k8s.io/apimachinery/pkg/apis/meta/v1/validation.
std::vector<k8s::FieldError> check_selector(const k8s::View& selector, const std::string& path,
                                            bool is_strict);

}  // namespace fairway::apiserver::validation
