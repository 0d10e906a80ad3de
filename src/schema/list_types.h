// SPDX-License-Identifier: Apache-2.0

// Uniqueness in lists that are sets or maps.
#pragma once

#include <string_view>

#include "base/json.h"
#include "schema/problem.h"

namespace fairway::schema {

/// Reports duplicate items of sets (x-kubernetes-list-type `set`), duplicate keys of maps (`map`), and items
/// of maps that are not objects. A value that occurs more than twice is reported once. On updates the API
/// server checks this only if the old object passes. Rules:
/// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype.
Violations check_list_types(const json::Object& object, const json::Object& schema,
                            std::string_view prefix = {});

}  // namespace fairway::schema
