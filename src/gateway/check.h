// SPDX-License-Identifier: Apache-2.0

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
  /// Reasons why the CRDs of v1.7.0 would refuse objects, which are judged all the same; and parents of
  /// routes that do not exist.
  std::vector<std::string> warnings;
};

/// The administrator's settings, as the controller has them in flags of these names: addresses and ranges,
/// separated by commas.
struct OfflineSettings {
  /// Addresses for Gateways. A Gateway may have a loopback or link-local address only if it is listed here.
  std::string addresses = {};
  /// Ranges in which endpoints are permitted although they are refused by default.
  std::string endpoint_cidrs = {};
};

/// Judges the objects of YAML or JSON files (Lists are taken apart) as if they were all that a cluster has,
/// and Envoy had acknowledged the configuration: addresses count as assigned. New timestamps are
/// 1970-01-01T00:00:00Z; `now` decides which certificates have expired. Objects of other kinds are ignored.
/// No ports of the controller itself are taken into account. Errors name the file and line of text that
/// cannot be read or of a document that is not an object, or the setting that cannot be read.
Result<CheckedObjects> check(const std::vector<SourceText>& sources, WallTime now,
                             const OfflineSettings& settings = {});

/// Returns the conditions of a list of `check` as a table for people, its header first: object, part of the
/// object, condition, status, reason, message.
std::vector<std::vector<std::string>> condition_rows(const json::Value& list);

}  // namespace fairway::gateway
