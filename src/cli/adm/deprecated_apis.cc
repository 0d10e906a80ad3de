// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/deprecated_apis.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "k8s/view.h"
#include "promql/engine/exposition.h"
#include "promql/engine/series.h"

namespace fairway::cli {
namespace {

constexpr std::string_view requested = "apiserver_requested_deprecated_apis", build = "kubernetes_build_info";
constexpr std::size_t max_metrics_bytes = std::size_t{256} << 20;
/// Longest line that is kept of the metrics.
constexpr std::size_t max_line_bytes = std::size_t{64} << 10;
constexpr std::int64_t max_objects = 500;
constexpr std::size_t max_writers = 5;

bool is_of_interest(std::string_view line) {
  return line.starts_with(requested) || line.starts_with(build);
}

/// Returns the minor version that a release such as "1.25" names.
std::optional<std::uint64_t> minor_of_release(std::string_view release) {
  return release.starts_with("1.") ? minor_of(release.substr(2)) : std::nullopt;
}

/// Returns the versions of a group but one, the preferred one first.
Result<std::vector<std::string>> other_versions(kube::Client& client, const adm::DeprecatedApi& api,
                                                const Limits& limits) {
  std::string body;
  const auto sent = client.send({.path = "/apis/" + api.group}, body, limits);
  if (!sent) return fail(sent.error());
  const auto document = json::parse(body);
  if (!document || !document->is_object())
    return fail(ErrorCode::invalid, "/apis/" + api.group + " is no JSON object");
  const k8s::View group(document->get_object());
  std::vector<std::string> versions{std::string(group.text("preferredVersion.version"))};
  for (const k8s::View& one : group.items("versions"))
    if (one.text("version") != versions.front()) versions.emplace_back(one.text("version"));
  std::erase_if(versions, [&](const std::string& one) { return one.empty() || one == api.version; });
  return versions;
}

}  // namespace

std::optional<std::uint64_t> minor_of(std::string_view text) {
  std::uint64_t minor = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && digits < 6 && text[digits] >= '0' && text[digits] <= '9'; ++digits)
    minor = minor * 10 + static_cast<std::uint64_t>(text[digits] - '0');
  if (digits == 0) return std::nullopt;
  return minor;
}

Result<ApiServerMetrics> read_api_server_metrics(std::string_view text) {
  std::string lines;
  for (const std::string_view line : split(text, '\n'))
    if (is_of_interest(line)) lines += std::string(line) + "\n";
  promql::SeriesStore store;
  if (const auto read = promql::read_exposition(lines, 1, store); !read) return fail(read.error());
  ApiServerMetrics metrics;
  std::map<std::tuple<std::string, std::string, std::string>, adm::DeprecatedApi> apis;
  for (const promql::Series* series : store.select({})) {
    const promql::LabelSet& labels = *series->labels;
    if (labels.get("__name__") == build) metrics.kubernetes_minor = minor_of(labels.get("minor"));
    // A value of 0 would say that it was not requested.
    if (labels.get("__name__") != requested || series->points.empty() || series->points.back().value == 0)
      continue;
    adm::DeprecatedApi api{.group = std::string(labels.get("group")),
                           .version = std::string(labels.get("version")),
                           .resource = std::string(labels.get("resource")),
                           .removed_in = minor_of_release(labels.get("removed_release"))};
    if (!api.removed_in) continue;
    apis.emplace(std::tuple(api.group, api.resource, api.version), std::move(api));
  }
  for (auto& [key, api] : apis) metrics.deprecated_apis.push_back(std::move(api));
  return metrics;
}

Result<ApiServerMetrics> ask_api_server_metrics(kube::Client& client, const Limits& limits) {
  // Metrics may have many megabytes: only the lines that matter are kept.
  std::string lines, line, none;
  const auto take = [&](std::string_view piece) -> Result<void> {
    for (const char c : piece) {
      if (c != '\n') {
        if (line.size() < max_line_bytes) line += c;
        continue;
      }
      if (is_of_interest(line)) lines += line + "\n";
      line.clear();
    }
    return {};
  };
  const auto sent = client.send({.path = "/metrics",
                                 .accept = "text/plain;version=0.0.4, */*;q=0.1",
                                 .on_body = take,
                                 .max_body_bytes = max_metrics_bytes},
                                none, limits);
  if (!sent) return fail(sent.error());
  if (is_of_interest(line)) lines += line + "\n";
  return read_api_server_metrics(lines);
}

Result<void> add_writers(kube::Client& client, adm::DeprecatedApi& api, const Limits& limits) {
  if (api.group.empty()) return {};  // the core group has no other version
  const auto versions = other_versions(client, api, limits);
  if (!versions) return fail(versions.error());
  const std::string written_by = api.group + "/" + api.version;
  for (const std::string& version : *versions) {
    const auto list = client.list({api.group, version, api.resource}, "", {.limit = max_objects}, limits,
                                  kube::Content::metadata);
    if (!list && list.error().is_not_found()) continue;  // this version does not have the resource
    if (!list) return fail(list.error());
    std::map<std::string, std::string> writers;
    for (const k8s::Dynamic& object : list->items) {
      for (const k8s::View& entry : object.items("metadata.managedFields")) {
        if (entry.text("apiVersion") != written_by) continue;
        const std::string place =
            object.namespace_name().empty() ? "" : std::string(object.namespace_name()) + "/";
        writers.emplace(entry.text("manager"), place + std::string(object.name()));
      }
    }
    for (const auto& [manager, object] : writers) {
      if (api.writers.size() == max_writers) break;
      api.writers.push_back(printable(manager, 80) + " (" + object + ")");
    }
    api.has_more_writers = writers.size() > max_writers || !list->continue_token.empty();
    return {};
  }
  return {};
}

}  // namespace fairway::cli
