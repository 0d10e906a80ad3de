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

namespace fairway::apiserver {

/// The handler that answers the requests for a resource, or for a subresource.
enum class Handler : std::uint8_t {
  objects,  ///< the verbs on objects, or on a part of them
  scale,
  binding,
  eviction,
  review,  ///< answered from what is sent; nothing is stored
  token,
  log,
};

struct Subresource {
  std::string name;  ///< "status"
  k8s::GroupVersionKind kind;
  std::vector<std::string> verbs;
  Handler handler = Handler::objects;
};

/// Where an object has what its subresource `scale` shows; paths of names, joined by dots.
struct ScalePaths {
  std::string spec_replicas, status_replicas;
  /// Of custom resources: a text; may be empty. Of built-in kinds: a label selector.
  std::string selector;
};

/// Built in, or defined by a CustomResourceDefinition. Immutable once it is registered.
struct ServedResource {
  k8s::GroupVersionKind kind;
  std::string plural, singular;
  std::vector<std::string> short_names, categories;
  /// The kind of lists; empty: KIND + "List".
  std::string list_name;
  k8s::Scope scope = k8s::Scope::namespaced;
  Handler handler = Handler::objects;  ///< of the resource itself
  /// Of the resource itself, as discovery lists them.
  std::vector<std::string> verbs;
  std::vector<Subresource> subresources;
  /// Set if it has the subresource `scale`.
  std::optional<ScalePaths> scale;

  /// Of plain discovery documents.
  std::string storage_version_hash;

  /// `storage::Key::resource`: the same for all versions of a resource, and for events of both groups.
  std::string storage;
  /// The version in which objects are stored.
  k8s::GroupVersionKind storage_kind;

  /// The rule for names of objects.
  k8s::Faults (*check_name)(std::string_view) = &k8s::check_dns_subdomain;
  /// metadata.generation counts changes outside metadata and status.
  bool has_generation = false;
  /// Changes of annotations count too (Deployment).
  bool annotations_count = false;
  /// An update without a resourceVersion overwrites whatever there is.
  bool unconditional_update = false;
  /// An update of what is not there creates it.
  bool create_on_update = false;
  /// A delete is answered with the object, not with a Status.
  bool returns_deleted = false;
  /// The status subresource takes labels too; of custom resources it never does.
  bool status_has_labels = false;
  /// The status subresource takes nothing of the metadata, as that of custom resources.
  bool status_is_all = false;
  /// Selected by, beside metadata.name and metadata.namespace.
  std::vector<std::string> selectable_fields;
  /// nullptr: no strategic merge patches.
  const k8s::PatchSchema* patch_schema = nullptr;
  /// Custom resources: strategies, pruning and schemas are those of a definition.
  bool is_custom = false;
  std::shared_ptr<const Strategy> strategy = std::make_shared<Strategy>();
  /// Of custom resources: another number for each state of their definition, by which records tell by which
  /// rules they were written (`storage::Record::form`). 0: the rules do not change.
  std::uint64_t form = 0;
  /// Custom resources: closed while their definition is being deleted. nullptr: always open.
  std::shared_ptr<CreationGate> creation_gate;
  /// Requested when this is no longer served, or in another form: its watches end.
  std::stop_token retired;
  /// Custom resources: the schema of this version (`openAPIV3Schema`); may be null.
  std::shared_ptr<const json::Object> open_api_schema;
  /// A warning for all who use this version; empty: it is not deprecated.
  std::string deprecation;
  /// How objects are shown in tables.
  table::TableColumnsPtr columns = table::built_in_columns({});

  k8s::GroupResource group_resource() const { return {kind.group, plural}; }
  k8s::GroupVersionResource group_version_resource() const { return {kind.group, kind.version, plural}; }
  bool is_namespaced() const { return scope == k8s::Scope::namespaced; }
  bool has_verb(std::string_view verb) const;
  /// nullptr if there is none.
  const Subresource* find_subresource(std::string_view name) const;
  /// "PodList".
  k8s::GroupVersionKind list_kind() const {
    return {kind.group, kind.version, list_name.empty() ? kind.kind + "List" : list_name};
  }
  /// What is made of a record for this resource is kept with it under a tag of these.
  std::string kind_and_form() const { return kind.to_string() + " " + std::to_string(form); }
};

using ServedResourcePtr = std::shared_ptr<const ServedResource>;

}  // namespace fairway::apiserver
