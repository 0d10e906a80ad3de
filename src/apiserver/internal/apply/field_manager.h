// SPDX-License-Identifier: Apache-2.0

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
  /// Kind in the version of the request: live objects, documents and results are of it.
  k8s::GroupVersionKind kind;
  /// Name of the subresource: "status", "scale"; empty for the object itself.
  std::string subresource;
  /// Returns the type of the kind in a version: "apps/v1". No type: the version does not exist (any more),
  /// and the fields that managers own in it are dropped. The type must outlive the call.
  std::function<TypeRef(std::string_view api_version)> type_of;
  /// True for custom resources: fields that are owned in a version that does not exist (any more) end an
  /// apply, and an update loses all managedFields. Otherwise they are dropped.
  bool refuses_unknown_versions = false;
  /// Converts an object to another version, for managers that own fields in it. `not_found`: the version does
  /// not exist. May be absent if there is only one version.
  std::function<Result<json::Value>(const json::Value& object, const std::string& api_version)> convert;
  /// Members of the object before it is created, besides apiVersion and kind: its creator does not "add"
  /// those that have the same value here. `zero_object` for built-in kinds, empty for custom resources.
  json::Object zero;
  /// The fields that requests to this endpoint cannot own, by version: `ignored_of_object`,
  /// `ignored_of_status`.
  FieldFilters ignored;
};

/// The stored object that a request changes, read in place. nullptr: there is none.
struct Live {
  Live(std::nullptr_t) {}
  Live(const json::Object* stored) : object(stored) {}
  Live(const json::Value* stored) : object(stored != nullptr ? stored->if_object() : nullptr) {}

  const json::Object* object = nullptr;
};

/// Returns `next` with the managedFields to store, after a create (`live` is nullptr), an update or a patch
/// other than an apply. `next` is the object to store, in the request's version, with the managedFields that
/// the client sent: an empty list, or one empty entry, clears them; valid ones are taken (not at
/// subresources); otherwise those of `live` are kept. `manager`: `manager_or_user_agent`. If the stored
/// object is at fault (a value that does not fit the type), the managedFields are lost and the write goes on,
/// as in kube-apiserver.
/// Rules: k8s.io/apimachinery/pkg/util/managedfields.
json::Value record_update(const ManagedKind& kind, Live live, json::Value next, std::string_view manager,
                          WallTime now);

/// Applies `document` to `live` (nullptr: the object is created). Returns the object with managedFields,
/// before defaults. If nothing changes, the result equals `live`. `manager` is the request's fieldManager.
/// Errors: 409 with a cause `FieldManagerConflict` for each field that another manager owns and that would
/// change, unless `force`; 400 for a document of another kind or version, or with managedFields; 500 for one
/// that does not fit the type, as in kube-apiserver.
k8s::StatusResult<json::Value> apply(const ManagedKind& kind, Live live, const json::Value& document,
                                     std::string_view manager, bool force, WallTime now);

/// Returns whether two objects differ only in the times of managedFields: the write then leaves `live` as it
/// is, with its resourceVersion. A resourceVersion that `next` lacks does not count.
bool differ_only_in_times(const json::Object& live, const json::Object& next);

/// Returns the manager of a request: its fieldManager, or else the printable beginning of its User-Agent up
/// to the first slash, of at most 128 bytes.
std::string manager_or_user_agent(std::string_view field_manager, std::string_view user_agent);

/// Returns the fields that requests to the object itself cannot own if it has a status subresource.
FieldFilters ignored_of_object(const std::string& api_version);
/// Returns the fields that requests to the status subresource of custom resources cannot own.
FieldFilters ignored_of_status(const std::string& api_version);

}  // namespace fairway::apiserver::apply
