// SPDX-License-Identifier: Apache-2.0

// managedFields of the subresource `scale`, which are kept with the object that it scales: the rules of
// k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/internal/apply/path_element.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::apply {

/// The version of a Scale, as its owners have it.
inline constexpr std::string_view scale_version = "autoscaling/v1";

/// The place of the replicas in the object that is scaled.
struct ReplicasPlace {
  /// Version of the request: "apps/v1". Entries of other versions stay as they are.
  std::string api_version;
  Path path;
};

/// Returns the entries that a Scale has: those of the object that own its replicas, in terms of the Scale.
/// `entries`: the managedFields of the object; nullptr: none. Errors (`invalid`): they cannot be read.
Result<json::Array> owners_in_scale(const json::Value* entries, const ReplicasPlace& place);

/// Returns the entries of the object after a write of its Scale. Managers that no longer own the replicas in
/// `scale_entries` lose them in the object, new ones get entries of their own. Errors (`invalid`): entries
/// that cannot be read.
Result<json::Array> owners_in_object(const json::Value* entries, const json::Value* scale_entries,
                                     const ReplicasPlace& place);

}  // namespace fairway::apiserver::apply
