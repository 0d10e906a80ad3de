// `fairway gateway check`: the statuses that objects of files would get, without a cluster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::gateway {

/// A file of objects, and how messages call it.
struct SourceText {
  std::string name, text;
};

struct CheckedObjects {
  /// `{"items": [{apiVersion, kind, metadata: {name, namespace, generation}, status}]}`: each object of
  /// Gateway API whose kind has a status, in the order of the input.
  json::Value list;
  /// Objects that the CRDs of v1.6.3 would refuse: they are judged all the same.
  std::vector<std::string> warnings;
};

/// What an administrator tells the controller by flags of these names: addresses and ranges, with commas
/// between them.
struct OfflineSettings {
  /// Addresses for Gateways; of those that are local the only ones that they may have.
  std::string addresses = {};
  /// Ranges that endpoints may be of although they are refused otherwise.
  std::string endpoint_cidrs = {};
};

/// Judges the objects of YAML or JSON files (Lists are taken apart) as if they were all that a cluster has,
/// and Envoy had acknowledged the configuration: addresses count as assigned. Times that have to be new are
/// 1970-01-01T00:00:00Z; `now` decides which certificates have expired. Objects of kinds that do not matter
/// are ignored. The controller has no ports of its own here. Errors name file and line: text that cannot be
/// read, a document that is no object; or they name the setting that cannot be read.
Result<CheckedObjects> check(const std::vector<SourceText>& sources, WallTime now,
                             const OfflineSettings& settings = {});

/// The conditions of a list of `check` as a table for people, its header first: object, what of it,
/// condition, status, reason, message.
std::vector<std::vector<std::string>> condition_rows(const json::Value& list);

}  // namespace fairway::gateway
