// Media types of requests and answers, and which one an Accept header asks for.
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

/// "application/json;as=Table;v=v1;g=meta.k8s.io", or a range such as "application/*".
struct MediaType {
  /// In lower case.
  std::string type, subtype;
  /// Names in lower case, in their order; without the weight.
  std::vector<std::pair<std::string, std::string>> parameters;
  /// From 0 to 1.
  double weight = 1;

  std::string_view parameter(std::string_view name) const;
  /// What the objects are to be turned into (`as`, `g`, `v`); all empty: nothing.
  GroupVersionKind as() const;
  /// Whether what is sent as `application/json` is meant.
  bool takes_json() const;
  /// Without the weight.
  std::string to_string() const;
  friend bool operator==(const MediaType&, const MediaType&) = default;
};

/// JSON as another kind: "application/json;as=Table;v=v1;g=meta.k8s.io".
MediaType json_as(const GroupVersionKind& kind);

/// Usual kinds to ask for instead of the objects themselves.
namespace representation {
inline constexpr std::string_view group = "meta.k8s.io", discovery_group = "apidiscovery.k8s.io",
                                  table = "Table", metadata = "PartialObjectMetadata",
                                  metadata_list = "PartialObjectMetadataList",
                                  group_discovery_list = "APIGroupDiscoveryList";
}  // namespace representation

/// The clauses of an Accept header, those of more weight first and else in their order; what is no media type
/// is passed over. An Accept-like header without any gives none.
std::vector<MediaType> parse_accept(std::string_view header);

/// What an answer is to be.
struct Representation {
  /// The kind that the objects are turned into; all empty: they stay what they are.
  GroupVersionKind as;
  /// Indented for people.
  bool pretty = false;
  friend bool operator==(const Representation&, const Representation&) = default;
};

/// Chooses the first clause that can be answered: JSON, as it is or as a kind that `offers` says yes to.
/// Protobuf, YAML and CBOR are passed over, so that a client that asks for them first and for JSON second
/// gets JSON. No header at all means JSON. `stream`: the answer is a watch. An error (406) where there is
/// none.
StatusResult<Representation> negotiate(std::string_view accept,
                                       const std::function<bool(const GroupVersionKind& as)>& offers,
                                       bool stream = false);

/// `offers` of resources: Table and, of one object or of a list, PartialObjectMetadata(List), of
/// meta.k8s.io/v1 and v1beta1.
bool is_table_or_metadata(const GroupVersionKind& as);
/// `offers` of /api and /apis: APIGroupDiscoveryList of apidiscovery.k8s.io/v2 and v2beta1.
bool is_aggregated_discovery(const GroupVersionKind& as);

/// An object without all but its metadata: PartialObjectMetadata of meta.k8s.io and that version.
Dynamic to_partial_metadata(const Dynamic& object, std::string_view version = "v1");

}  // namespace fairway::k8s
