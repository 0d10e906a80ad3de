// SPDX-License-Identifier: Apache-2.0

// The method, path and query of a request, read once.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "apiserver/internal/access/attributes.h"
#include "http/message.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"
#include "k8s/wire/query.h"
#include "k8s/wire/resource_path.h"

namespace fairway::apiserver::access {

/// The options of a request to a collection: a list or a watch.
using CollectionOptions = std::variant<k8s::ListOptions, k8s::WatchOptions>;

/// The meaning of a request's method, path and query. Flow, authorization, audit, metrics and verbs all read
/// this one value, as in kube-apiserver.
struct RequestInfo {
  /// The attributes for authorization; empty if the path cannot be read.
  Attributes attributes;
  /// Parsed path. Errors (400): as `k8s::ApiPath::parse`.
  k8s::StatusResult<k8s::ApiPath> path;
  /// Parsed query. Errors (400): as `k8s::Query::parse`.
  k8s::StatusResult<k8s::Query> query;
  /// Options of a read of a collection; errors (400): as `k8s::parse_list_options`.
  std::optional<k8s::StatusResult<CollectionOptions>> collection;

  /// Reads a request. `path` is encoded, `query` is the text after "?".
  static RequestInfo read(std::string_view method, std::string_view path, std::string_view query);
  /// Returns whether the query has `dryRun`, whatever its value.
  bool is_dry_run() const { return query && query->find("dryRun").has_value(); }
};

/// Returns what the server has read of a request already (`http::Request::context`), or reads it now.
std::shared_ptr<const RequestInfo> request_info(const http::Request& request);

}  // namespace fairway::apiserver::access
