// SPDX-License-Identifier: Apache-2.0

// Deprecated APIs that are still requested, as an API server's metrics and the objects' managedFields say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adm/plan/cluster_facts.h"
#include "base/limits.h"
#include "base/result.h"
#include "kube/client/client.h"

namespace fairway::cli {

/// Contents of an API server's metrics that matter to a plan.
struct ApiServerMetrics {
  /// Deprecated APIs with a release that removes them, in the order of their names, each once.
  std::vector<adm::DeprecatedApi> deprecated_apis = {};
  /// Minor version of Kubernetes, of `kubernetes_build_info`.
  std::optional<std::uint64_t> kubernetes_minor = {};
};

/// Reads the text exposition of the metrics. Errors: a line of one of the two metrics that cannot be parsed.
Result<ApiServerMetrics> read_api_server_metrics(std::string_view text);

/// Asks the API server for its metrics. Errors: those of the request, more than 256 MiB.
Result<ApiServerMetrics> ask_api_server_metrics(kube::Client& client, const Limits& limits);

/// Adds to a deprecated API who has written objects by it: managers in the managedFields of objects of the
/// resource, read by another version of its group, since a request by this one would be counted, too. Looks
/// at the first 500 objects. Errors: those of the requests.
Result<void> add_writers(kube::Client& client, adm::DeprecatedApi& api, const Limits& limits);

/// Returns the minor version of a text such as "29" or "29+"; std::nullopt if it begins with no number.
std::optional<std::uint64_t> minor_of(std::string_view text);

}  // namespace fairway::cli
