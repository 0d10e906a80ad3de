// SPDX-License-Identifier: Apache-2.0

// Pruning of unknown fields.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace fairway::schema {

/// Removes members that are not in the schema from a custom resource, as the API server does on writes and
/// after a conversion. apiVersion, kind and metadata are kept, in embedded resources too. Below
/// x-kubernetes-preserve-unknown-fields unknown members are kept, except in members that have a schema of
/// their own. Below `additionalProperties: true` there is no schema, so objects there lose all members.
///
/// Returns the paths of the removed fields, sorted, in the form of strict decoding errors: "spec.x",
/// "spec.list[0].y". Fields beyond a megabyte of paths are removed without being named.
std::vector<std::string> prune(json::Object& object, const json::Object& schema);

/// Prunes a part of an object. apiVersion, kind and metadata are kept only if the schema is that of an
/// embedded resource. Paths begin at the part.
std::vector<std::string> prune_part(json::Value& value, const json::Object& schema);

}  // namespace fairway::schema
