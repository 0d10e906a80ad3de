// SPDX-License-Identifier: Apache-2.0

// Options of API requests, to and from queries and bodies.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "k8s/field_selector.h"
#include "k8s/label_selector.h"
#include "k8s/status.h"
#include "k8s/wire/query.h"

namespace fairway::k8s {

struct GetOptions {
  /// Minimum version. Empty: most recent; "0": any, from the server's cache; otherwise at least this version.
  std::string resource_version = {};
  friend bool operator==(const GetOptions&, const GetOptions&) = default;
};

struct ListOptions {
  LabelSelector labels = {};
  FieldSelector fields = {};
  /// Number of objects per page; 0: all at once.
  std::int64_t limit = 0;
  /// The continue token of the previous page; the selectors must be the same.
  std::string continue_token = {};
  /// Requested version. Empty: most recent; "0": any, from the server's cache; otherwise by
  /// `resource_version_match`.
  std::string resource_version = {};
  /// Match mode: "NotOlderThan" or "Exact"; empty: the server's default.
  std::string resource_version_match = {};
  /// Time limit of the server (`timeoutSeconds`); std::nullopt: server default.
  std::optional<std::chrono::seconds> timeout = {};
  friend bool operator==(const ListOptions&, const ListOptions&) = default;
};

struct WatchOptions {
  LabelSelector labels = {};
  FieldSelector fields = {};
  /// Version after which changes are watched, from a list or the last event. Empty or "0": the server first
  /// sends all existing objects as ADDED.
  std::string resource_version = {};
  /// True to request bookmarks: periodic events that carry only the current resourceVersion.
  bool bookmarks = true;
  /// Streaming list (`sendInitialEvents`): the server sends all objects, then a bookmark that marks their
  /// end, then changes: list and watch in one request. Requires `bookmarks`. A server without support replies
  /// with a 4xx; servers before Kubernetes 1.27 ignore it, and the bookmark never arrives. False: no initial
  /// objects, even if the server would send them by default.
  std::optional<bool> initial_events = {};
  /// Time after which the server should end the watch (`timeoutSeconds`); std::nullopt: server default.
  std::optional<std::chrono::seconds> timeout = {};
  friend bool operator==(const WatchOptions&, const WatchOptions&) = default;
};

enum class FieldValidation {
  server_default,
  ignore,
  warn,
  strict  ///< unknown and duplicate fields are errors
};

struct WriteOptions {
  /// The field manager, for managedFields. Required for server-side apply.
  std::string field_manager = {};
  bool dry_run = false;
  FieldValidation validation = FieldValidation::server_default;
  friend bool operator==(const WriteOptions&, const WriteOptions&) = default;
};

enum class PatchType {
  json,       ///< a list of operations (RFC 6902)
  merge,      ///< RFC 7386
  strategic,  ///< built-in kinds only
  apply,      ///< server-side apply, as YAML
};

/// Returns the media type of a patch: "application/merge-patch+json".
std::string_view content_type(PatchType type);
/// Parses a Content-Type header, ignoring its parameters. An error (415) names the `offered` types.
StatusResult<PatchType> parse_patch_type(std::string_view header, const std::vector<PatchType>& offered);

struct ApplyOptions {
  std::string field_manager = {};
  /// True to take over fields that other managers own. std::nullopt: not sent, which means no.
  std::optional<bool> force = {};
  bool dry_run = false;
  FieldValidation validation = FieldValidation::server_default;
  friend bool operator==(const ApplyOptions&, const ApplyOptions&) = default;
};

enum class Propagation { server_default, foreground, background, orphan };

struct DeleteOptions {
  /// Preconditions: the object must have this uid and resourceVersion, otherwise a conflict. Empty: any.
  std::string uid = {}, resource_version = {};
  Propagation propagation = Propagation::server_default;
  std::optional<std::chrono::seconds> grace_period = {};
  bool dry_run = false;
  /// Deprecated form of `propagation`, and an error next to it: true is orphan, false background.
  std::optional<bool> orphan_dependents = {};
  friend bool operator==(const DeleteOptions&, const DeleteOptions&) = default;
};

/// Returns the query parameters. `Query::sort` puts them into client-go's order.
Query to_query(const GetOptions& options);
Query to_query(const ListOptions& options);
Query to_query(const WatchOptions& options);
Query to_query(const WriteOptions& options);
Query to_query(const ApplyOptions& options);
/// Returns the body of a delete (v1 DeleteOptions); "" if no option is set.
std::string to_body(const DeleteOptions& options);

// Parsing, for servers. As in kube-apiserver, a malformed value is a 400 and an invalid one a 422 with a
// cause per field; unknown parameters and those of other requests are ignored. The first of repeated
// parameters wins. A flag is false if it is "false" (in any case) or "0", and true otherwise.

StatusResult<GetOptions> parse_get_options(const Query& query);
/// Parses the options of a GET without a name: WatchOptions if `watch` is set.
StatusResult<std::variant<ListOptions, WatchOptions>> parse_list_options(const Query& query);
/// Parses the selection of objects of a DELETE of a collection. `watch` is an error (400).
StatusResult<ListOptions> parse_delete_collection_options(const Query& query);
StatusResult<WriteOptions> parse_create_options(const Query& query);
StatusResult<WriteOptions> parse_update_options(const Query& query);
/// Parses the options of all patch types but server-side apply.
StatusResult<WriteOptions> parse_patch_options(const Query& query);
StatusResult<ApplyOptions> parse_apply_options(const Query& query);
/// Parses the options of a delete from the body (JSON, DeleteOptions of any group) or, if it is empty, from
/// the query. An empty precondition in the body is an error (422), because it could be taken for none.
StatusResult<DeleteOptions> parse_delete_options(const Query& query, std::string_view body);

}  // namespace fairway::k8s
