// What may be asked of an API server beside the object itself.
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

/// How long a call may take, retries included, and who may end it.
struct Limits {
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  std::stop_token stop;
};

struct ListOptions {
  k8s::LabelSelector labels;
  k8s::FieldSelector fields;
  /// Objects a page; 0: all at once.
  std::int64_t limit = 0;
  /// Where to go on, from the page before; the selectors must be the same.
  std::string continue_token;
  /// Empty: the newest; "0": what the server has at hand; else as `resource_version_match` says.
  std::string resource_version;
  /// "NotOlderThan" or "Exact"; empty: the server's default.
  std::string resource_version_match;
};

struct ObjectList {
  std::vector<k8s::Dynamic> items;
  /// Of the list as a whole: where a watch begins.
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
  /// Who writes, for managedFields. Server-side apply needs it.
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
  /// Take over fields that others own.
  bool force = false;
  bool dry_run = false;
  FieldValidation validation = FieldValidation::server_default;
};

enum class Propagation { server_default, foreground, background, orphan };

struct DeleteOptions {
  /// Only the object with this uid, and at this resourceVersion: otherwise a conflict. Empty: any.
  std::string uid, resource_version;
  Propagation propagation = Propagation::server_default;
  std::optional<std::chrono::seconds> grace_period;
  bool dry_run = false;
};

}  // namespace fairway::kube
