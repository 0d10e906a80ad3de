// SPDX-License-Identifier: Apache-2.0

// Pruning of unknown fields in metadata.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace fairway::schema {

/// Removes fields that metadata does not have from the metadata of an object, and of the embedded resources
/// in it (x-kubernetes-embedded-resource), as the API server does on writes beside `prune`. A value that
/// should be an object and is none is kept: `check_headers` reports it.
///
/// Returns the paths of the removed fields, in the form of strict decoding errors: those of the object, then
/// those of embedded resources, each sorted: "metadata.x", "metadata.ownerReferences[0].y",
/// "spec.template.metadata.z". Fields beyond a megabyte of paths are removed without being named.
std::vector<std::string> prune_metadata(json::Object& object, const json::Object& schema);

}  // namespace fairway::schema
