// Server-side apply and managedFields, as the REST layer calls them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/internal/apply/field_filter.h"
#include "apiserver/internal/apply/type.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "k8s/group_version.h"
#include "k8s/status.h"

namespace fairway::apiserver::apply {

/// The kind and the endpoint that a request is for.
struct ManagedKind {
  /// The version is the request's: live objects, documents and results are of it.
  k8s::GroupVersionKind kind;
  /// "status", "scale"; empty for the object itself.
  std::string subresource;
  /// The type of the kind in a version: "apps/v1". No type: the version does not exist (any more), and what
  /// managers own in it is dropped. What is returned must outlive the call.
  std::function<TypeRef(std::string_view api_version)> type_of;
  /// Converts an object to another version, for managers that own fields in it. `not_found`: the version does
  /// not exist. May be absent: there is one version.
  std::function<Result<json::Value>(const json::Value& object, const std::string& api_version)> convert;
  /// The object before it is created, besides apiVersion and kind: what is there already is not "added" by
  /// who creates it. `zero_object` for built-in kinds, empty for custom resources.
  json::Object zero;
  /// The fields that requests to this endpoint cannot own, by version: `ignored_of_object`,
  /// `ignored_of_status`.
  FieldFilters ignored;
};

/// The stored object that a request changes; it is read where it is. nullptr: there is none.
struct Live {
  Live(std::nullptr_t) {}
  Live(const json::Object* stored) : object(stored) {}
  Live(const json::Value* stored) : object(stored != nullptr ? stored->if_object() : nullptr) {}

  const json::Object* object = nullptr;
};

/// `next` with the managedFields that it is to be stored with, after a create (`live` is nullptr), an update
/// or a patch other than an apply. `next` is what is stored, in the request's version, with what the client
/// sent as managedFields: an empty list, or one empty entry, clears them; valid ones are taken (not at
/// subresources); otherwise those of `live` go on. `manager`: `manager_or_user_agent`. A fault of what is
/// stored (a value that does not fit the type) costs the managedFields and not the write, as in
/// kube-apiserver. Rules: k8s.io/apimachinery/pkg/util/managedfields.
json::Value note_update(const ManagedKind& kind, Live live, json::Value next, std::string_view manager,
                        WallTime now);

/// The object after `document` was applied to `live` (nullptr: it is created), with managedFields, before
/// defaults. If nothing changes, the result equals `live`. `manager` is the request's fieldManager. The
/// Status to reply with: 409 with a cause `FieldManagerConflict` for each field that another manager owns and
/// that would change, unless `force`; 400 for a document of another kind or version, or with managedFields;
/// 500 for one that does not fit the type, as kube-apiserver has it.
k8s::StatusResult<json::Value> apply(const ManagedKind& kind, Live live, const json::Value& document,
                                     std::string_view manager, bool force, WallTime now);

/// Returns whether two objects differ in no more than the times of managedFields: the write then leaves
/// `live` as it is and raises no resourceVersion. What `next` lacks of resourceVersion does not count.
bool differ_only_in_times(const json::Object& live, const json::Object& next);

/// The manager of a request: its fieldManager, or else the printable beginning of its User-Agent up to the
/// first slash, of at most 128 bytes.
std::string manager_or_user_agent(std::string_view field_manager, std::string_view user_agent);

/// What requests to the object itself cannot own where it has a status subresource.
FieldFilters ignored_of_object(const std::string& api_version);
/// What requests to the status subresource of custom resources cannot own.
FieldFilters ignored_of_status(const std::string& api_version);

}  // namespace fairway::apiserver::apply
