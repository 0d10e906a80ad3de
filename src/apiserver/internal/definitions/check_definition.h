// SPDX-License-Identifier: Apache-2.0

// Validation of CustomResourceDefinitions.
#pragma once

#include <string_view>

#include "base/json.h"
#include "schema/problem.h"

namespace fairway::apiserver::definitions {

/// Returns the problems for which kube-apiserver refuses to create a definition, in its order and words,
/// except those of metadata in general. `definition` has the types of its API and is defaulted
/// (`fill_in_definition_defaults`).
/// Rules: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation.
schema::Violations check_definition(const json::Object& definition);

/// Returns the problems of an update of `old`, including changes of immutable fields.
schema::Violations check_definition_update(const json::Object& definition, const json::Object& old);

}  // namespace fairway::apiserver::definitions
