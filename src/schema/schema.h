// SPDX-License-Identifier: Apache-2.0

// Parts of structural schemas (openAPIV3Schema).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::schema {

/// The schema of a member, or nullptr if there is none.
const json::Object* member_schema(const json::Object& schema, std::string_view name);
/// The schema of a list's items, or nullptr.
const json::Object* item_schema(const json::Object& schema);
/// The keys that identify items of a list (x-kubernetes-list-map-keys); empty for other lists.
std::vector<std::string> list_keys(const json::Object& schema);
/// Returns whether the schema requires a member.
bool is_required(const json::Object& schema, std::string_view member);

}  // namespace fairway::schema
