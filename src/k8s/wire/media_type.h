// SPDX-License-Identifier: Apache-2.0

// Media types and content negotiation.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "k8s/group_version.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::k8s {

/// A media type: "application/json;as=Table;v=v1;g=meta.k8s.io", or a range such as "application/*".
struct MediaType {
  /// Type and subtype, in lower case.
  std::string type = {}, subtype = {};
  /// Parameters in their order, with names in lower case; without the weight.
  std::vector<std::pair<std::string, std::string>> parameters = {};
  /// Weight, from 0 to 1.
  double weight = 1;

  std::string_view parameter(std::string_view name) const;
  /// Returns the requested representation (`as`, `g`, `v`); all empty: the objects themselves.
  GroupVersionKind as() const;
  /// Returns whether it matches `application/json`.
  bool takes_json() const;
  /// Returns whether it is `application/yaml`.
  bool takes_yaml() const { return type == "application" && subtype == "yaml"; }
  /// Returns whether it is `application/vnd.kubernetes.protobuf`.
  bool takes_protobuf() const { return type == "application" && subtype == "vnd.kubernetes.protobuf"; }
  /// Returns the text form, without the weight.
  std::string to_string() const;
  friend bool operator==(const MediaType&, const MediaType&) = default;
};

/// Returns JSON in another representation: "application/json;as=Table;v=v1;g=meta.k8s.io".
MediaType json_as(const GroupVersionKind& kind);

/// Kinds of other representations.
namespace representation {
inline constexpr std::string_view group = "meta.k8s.io", discovery_group = "apidiscovery.k8s.io",
                                  table = "Table", metadata = "PartialObjectMetadata",
                                  metadata_list = "PartialObjectMetadataList",
                                  group_discovery_list = "APIGroupDiscoveryList";
}  // namespace representation

/// Returns the clauses of an Accept header, by descending weight. Malformed clauses are ignored.
std::vector<MediaType> parse_accept(std::string_view header);

/// The result of content negotiation.
struct Representation {
  /// The kind to convert the objects to; all empty: no conversion.
  GroupVersionKind as = {};
  /// True if the JSON is indented for people.
  bool pretty = false;
  /// True if the answer is YAML.
  bool yaml = false;
  /// True if the answer is protobuf.
  bool protobuf = false;
  friend bool operator==(const Representation&, const Representation&) = default;
};

/// A kind that objects are asked for as; empty: the objects themselves.
using AsPredicate = std::function<bool(const GroupVersionKind& as)>;

/// Selects the first supported clause: JSON or YAML, without conversion or as a kind for which `supports`
/// returns true, or protobuf where `in_protobuf` returns true of that kind as well. Clauses with CBOR are
/// skipped, so a client that prefers it over JSON gets JSON. An empty header means JSON. `stream`: the reply
/// is a watch, which is never YAML. An error (406) if no clause is supported.
StatusResult<Representation> negotiate(std::string_view accept, const AsPredicate& supports,
                                       bool stream = false, const AsPredicate& in_protobuf = {});

/// Returns whether a resource supports the kind: Table, PartialObjectMetadata and PartialObjectMetadataList
/// of meta.k8s.io/v1 and v1beta1.
bool is_table_or_metadata(const GroupVersionKind& as);
/// Returns whether /api and /apis support the kind: APIGroupDiscoveryList of apidiscovery.k8s.io/v2 and
/// v2beta1.
bool is_aggregated_discovery(const GroupVersionKind& as);

/// Returns the metadata of an object as PartialObjectMetadata of this version of meta.k8s.io.
Dynamic to_partial_metadata(const Dynamic& object, std::string_view version = "v1");

}  // namespace fairway::k8s
