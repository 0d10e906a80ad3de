// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/texts.h"

#include <vector>

#include "base/text.h"

namespace fairway::adm {

std::string indented(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return out;
}

std::string explain(const k8s::Condition& condition) {
  return "\n  Reason: " + std::string(condition.reason()) + "\n  Message: " + indented(condition.message());
}

std::string_view status_of(const k8s::Condition& condition) {
  return condition.text("status");
}

std::string channel_lines(const openshift::ClusterVersion& cluster, std::string_view upstream) {
  if (cluster.channel().empty()) return {};
  std::string out(upstream);
  out += cluster.upstream().empty() ? " is unset, so the cluster will use an appropriate default."
                                    : ": " + std::string(cluster.upstream());
  out += "\nChannel: " + std::string(cluster.channel());
  const std::vector<std::string_view> channels = cluster.desired().channels();
  if (!channels.empty())
    out += " (available channels: " + join({channels.begin(), channels.end()}, ", ") + ")";
  return out + "\n";
}

std::string no_cluster_version(std::string_view first) {
  return std::string(first) +
         " cluster version information available - you must be connected to an OpenShift version 4 server to "
         "fetch the current version";
}

}  // namespace fairway::adm
