// What the structural schema of a version (openAPIV3Schema) says about its objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::schema {

/// The schema of a member, or nullptr where the schema says nothing of it.
const json::Object* member_schema(const json::Object& schema, std::string_view name);
/// The schema of a list's items, or nullptr.
const json::Object* item_schema(const json::Object& schema);
/// The keys by which items of a list are told apart (x-kubernetes-list-map-keys); none for other lists.
std::vector<std::string> list_keys(const json::Object& schema);

/// Removes from an object of a custom kind what its version cannot hold, as the API server does after a
/// conversion: members that the schema does not name. apiVersion, kind and metadata stay. Where the schema
/// says nothing, everything stays.
void prune(json::Object& object, const json::Object& schema);

/// Fills in the defaults of a schema, as the API server does with what is written and with what it reads from
/// etcd: where a member is absent, or null and may not be. False: nothing was missing.
bool fill_in_defaults(json::Object& object, const json::Object& schema);

}  // namespace fairway::schema
