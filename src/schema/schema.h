// Structural schemas (openAPIV3Schema) of versions.
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

/// Prunes members that are not in the schema from a custom resource, as the API server does after a
/// conversion. apiVersion, kind and metadata are kept. Without a schema for a part, all of it is
/// kept.
void prune(json::Object& object, const json::Object& schema);

/// Sets the defaults of a schema, as the API server does on writes and on reads from etcd: where a member is
/// absent, or null but not nullable. False if nothing was missing.
bool fill_in_defaults(json::Object& object, const json::Object& schema);

}  // namespace fairway::schema
