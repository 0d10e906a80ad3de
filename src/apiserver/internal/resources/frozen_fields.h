// SPDX-License-Identifier: Apache-2.0

// Fields of built-in kinds that never change.
#pragma once

#include <vector>

#include "k8s/group_version.h"
#include "k8s/object.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::resources {

/// Returns an error for each field that an update of an object of the kind would change and must not, in the
/// words of kube-apiserver. Rules that depend on more than one field are in the kinds' strategies.
std::vector<k8s::FieldError> check_frozen_fields(const k8s::GroupKind& kind, const k8s::View& object,
                                                 const k8s::View& old);

}  // namespace fairway::apiserver::resources
