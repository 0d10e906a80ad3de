// SPDX-License-Identifier: Apache-2.0

// Validation of the kinds that make no Pods: Services, Ingresses, volumes, quotas and the like.
#pragma once

#include <string_view>
#include <vector>

#include "k8s/view.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::validation {

/// Returns the problems of an object. `type`: its kind, a type of the table. `old` is null for a create.
/// Objects have the form of `kinds::read_typed`.
std::vector<k8s::FieldError> check_object(std::string_view type, const k8s::View& object,
                                          const k8s::View* old);

}  // namespace fairway::apiserver::validation
