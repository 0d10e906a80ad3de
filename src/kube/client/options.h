// Options of API calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "k8s/field_selector.h"
#include "k8s/label_selector.h"
#include "k8s/object.h"

namespace fairway::kube {

/// The timeout of a call, retries included, and its stop token.
struct Limits {
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  std::stop_token stop;
};

struct ListOptions {
  k8s::LabelSelector labels;
  k8s::FieldSelector fields;
  /// Objects per page; 0: all at once.
  std::int64_t limit = 0;
  /// The continue token of the previous page; the selectors must be the same.
  std::string continue_token;
  /// Empty: most recent; "0": any, from the server's cache; otherwise by `resource_version_match`.
  std::string resource_version;
  /// "NotOlderThan" or "Exact"; empty: the server's default.
  std::string resource_version_match;
};

struct ObjectList {
  std::vector<k8s::Dynamic> items;
  /// Of the list; a watch starts from it.
  std::string resource_version;
  /// Empty: this was the last page.
  std::string continue_token;
  std::optional<std::int64_t> remaining;
};

enum class FieldValidation {
  server_default,
  ignore,
  warn,
  strict  ///< unknown and duplicate fields are errors
};

struct WriteOptions {
  /// The field manager, for managedFields. Required for server-side apply.
  std::string field_manager;
  bool dry_run = false;
  FieldValidation validation = FieldValidation::server_default;
};

enum class PatchType {
  json,       ///< a list of operations (RFC 6902)
  merge,      ///< RFC 7386
  strategic,  ///< built-in kinds only
};

struct ApplyOptions {
  std::string field_manager;
  /// Take over fields owned by other managers.
  bool force = false;
  bool dry_run = false;
  FieldValidation validation = FieldValidation::server_default;
};

enum class Propagation { server_default, foreground, background, orphan };

struct DeleteOptions {
  /// Preconditions: the object must have this uid and resourceVersion, otherwise a conflict. Empty: any.
  std::string uid, resource_version;
  Propagation propagation = Propagation::server_default;
  std::optional<std::chrono::seconds> grace_period;
  bool dry_run = false;
};

}  // namespace fairway::kube
