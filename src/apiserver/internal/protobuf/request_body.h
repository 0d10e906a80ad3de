// SPDX-License-Identifier: Apache-2.0

// Bodies of requests in protobuf (application/vnd.kubernetes.protobuf), which client-go's typed clients send.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::protobuf {

struct ProtobufLimits {
  /// Depth of the document: objects and lists within each other.
  std::size_t depth = 256;
  /// Number of values in the document. Two bytes can stand for an object with many members.
  std::size_t values = 400'000;
};

struct ProtobufBody {
  k8s::GroupVersionKind kind;
  /// The object as Go's JSON has it: members in the same order, maps sorted by key, `kind` and `apiVersion`
  /// first.
  json::Value document;
  /// Fields whose number the kind does not have, which are left out: "spec.containers[0]: field 99". At most
  /// 100. A real server does not report them.
  std::vector<std::string> unknown_fields;
};

/// Returns whether a body begins as protobuf of Kubernetes: with "k8s\0".
bool is_protobuf(std::string_view body);

/// Reads the body of a request: the envelope (runtime.Unknown) and an object of a built-in kind, list,
/// options or review. If the envelope has neither kind nor apiVersion, those of `expected` are taken, which
/// is the kind of the request's path.
///
/// Errors: `invalid` (400): not an envelope, or malformed; the field is named. `unsupported` (415): the kind
/// is not a built-in one, or the content has an encoding. `too_large` (413): beyond the limits.
Result<ProtobufBody> read_protobuf(std::string_view body,
                                   const std::optional<k8s::GroupVersionKind>& expected = {},
                                   const ProtobufLimits& limits = {}, const json::Storage& storage = {});

}  // namespace fairway::apiserver::protobuf
