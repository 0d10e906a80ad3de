// SPDX-License-Identifier: Apache-2.0

// One resource in one version, as the server serves it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/resources/creation_gate.h"
#include "apiserver/internal/resources/strategy.h"
#include "apiserver/internal/table/table_columns.h"
#include "base/json.h"
#include "k8s/group_version.h"
#include "k8s/names.h"
#include "k8s/patch/strategic_patch.h"

namespace fairway::apiserver::resources {

/// The handler that answers the requests for a resource, or for a subresource.
enum class Handler : std::uint8_t {
  objects,  ///< the verbs on objects, or on a part of them
  scale,
  binding,
  eviction,
  review,  ///< answered from what is sent; nothing is stored
  token,
  log,
  stream,  ///< requests to a kubelet over a connection that both sides write to
};

struct Subresource {
  std::string name;  ///< "status"
  k8s::GroupVersionKind kind;
  std::vector<std::string> verbs;
  Handler handler = Handler::objects;
};

/// Paths of the members that the subresource `scale` shows: names, joined by dots.
struct ScalePaths {
  std::string spec_replicas, status_replicas;
  /// Path of the selector. For custom resources it is a text, and the path may be empty; for built-in kinds
  /// it is a label selector.
  std::string selector;
};

/// A resource, built in or defined by a CustomResourceDefinition. Immutable once it is registered.
struct ServedResource {
  k8s::GroupVersionKind kind;
  std::string plural, singular;
  std::vector<std::string> short_names, categories;
  /// The kind of lists; empty: KIND + "List".
  std::string list_name;
  k8s::Scope scope = k8s::Scope::namespaced;
  Handler handler = Handler::objects;  ///< handler of the resource itself
  /// Verbs of the resource itself, as discovery lists them.
  std::vector<std::string> verbs;
  std::vector<Subresource> subresources;
  /// Paths of the subresource `scale`, if it has one.
  std::optional<ScalePaths> scale;

  /// Hash for plain discovery documents.
  std::string storage_version_hash;

  /// Value of `storage::Key::resource`: the same for all versions of a resource, and for events of both
  /// groups.
  std::string storage;
  /// The version in which objects are stored.
  k8s::GroupVersionKind storage_kind;

  /// The rule for names of objects.
  k8s::Faults (*check_name)(std::string_view) = &k8s::check_dns_subdomain;
  /// True if metadata.generation counts changes outside metadata and status.
  bool has_generation = false;
  /// True if changes of annotations count too (Deployment).
  bool annotations_count = false;
  /// True if an update without a resourceVersion overwrites any state.
  bool unconditional_update = false;
  /// True if an update creates an object that does not exist.
  bool create_on_update = false;
  /// True if a delete is answered with the object, not with a Status.
  bool returns_deleted = false;
  /// True if the status subresource changes labels too; that of custom resources never does.
  bool status_has_labels = false;
  /// True if who is owned by a deleted object stays, unless the delete says otherwise: the oldest kinds.
  bool orphans_by_default = false;
  /// True if the status subresource changes nothing of the metadata, as that of custom resources.
  bool status_is_all = false;
  /// Selectable fields besides metadata.name and metadata.namespace.
  std::vector<std::string> selectable_fields;
  /// Patch strategies; nullptr: no strategic merge patches.
  const k8s::PatchSchema* patch_schema = nullptr;
  /// True for custom resources: strategies, pruning and schemas are those of a definition.
  bool is_custom = false;
  std::shared_ptr<const Strategy> strategy = std::make_shared<Strategy>();
  /// Number of the state of a custom resource's definition, which is another one for each state. A record
  /// keeps it to show by which rules it was written (`storage::Record::form`). 0: the rules do not change.
  std::uint64_t form = 0;
  /// Gate of a custom resource, closed while its definition is being deleted. nullptr: always open.
  std::shared_ptr<CreationGate> creation_gate;
  /// Token that is requested when this is no longer served, or served in another form: its watches end.
  std::stop_token retired;
  /// Schema of this version of a custom resource (`openAPIV3Schema`); may be null.
  std::shared_ptr<const json::Object> open_api_schema;
  /// Warning for all users of this version; empty: it is not deprecated.
  std::string deprecation;
  /// Columns in which tables show objects.
  table::TableColumnsPtr columns = table::built_in_columns({});

  k8s::GroupResource group_resource() const { return {kind.group, plural}; }
  k8s::GroupVersionResource group_version_resource() const { return {kind.group, kind.version, plural}; }
  bool is_namespaced() const { return scope == k8s::Scope::namespaced; }
  bool has_verb(std::string_view verb) const;
  /// Finds a subresource; nullptr if there is none.
  const Subresource* find_subresource(std::string_view name) const;
  /// The kind of lists: "PodList".
  k8s::GroupVersionKind list_kind() const {
    return {kind.group, kind.version, list_name.empty() ? kind.kind + "List" : list_name};
  }
  /// Text that identifies the kind and the form. Values derived from a record for this resource are cached
  /// with it under a tag made of this text.
  std::string kind_and_form() const { return kind.to_string() + " " + std::to_string(form); }
};

using ServedResourcePtr = std::shared_ptr<const ServedResource>;

}  // namespace fairway::apiserver::resources
