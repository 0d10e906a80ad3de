// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adm/blockers.h"
#include "adm/other_channels.h"
#include "adm/status/status.h"
#include "adm/why.h"
#include "base/clock.h"
#include "cli/adm/cluster.h"
#include "cli/adm/commands.h"
#include "cli/adm/upstream.h"
#include "openshift/cluster_operator.h"

namespace fairway::cli {
namespace {

struct WhyOptions {
  ClusterFlags cluster;
  std::string version;
  UpstreamFlags upstream;
  const CLI::App* command = nullptr;
};

/// Requests the service's own explanation, at a path beside the graph's. Only Fairway's services have one.
Result<std::string> ask_service(const WhyOptions& options, const Cluster& cluster,
                                const openshift::ClusterVersion& version) {
  if (cluster.is_recorded()) return fail(ErrorCode::unavailable, "a recorded cluster asks nothing");
  if (version.upstream().empty()) return fail(ErrorCode::unavailable, "spec.upstream is unset");
  constexpr std::string_view graph = "/graph";
  std::string url(version.upstream());
  const std::size_t end = std::min(url.find_first_of("?#"), url.size());
  const std::size_t at = end - std::min(end, graph.size());
  const std::size_t scheme = url.find("://");
  const std::size_t path = scheme == url.npos ? url.npos : url.find('/', scheme + 3);
  // A host may begin with "graph", too.
  if (path == url.npos || at < path || url.compare(at, graph.size(), graph) != 0)
    return fail(ErrorCode::unavailable, "spec.upstream has no path that ends in /graph");
  url.replace(at, graph.size(), "/explain");
  constexpr std::chrono::seconds limit(10);
  const auto upstream =
      open_upstream(cluster, options.upstream, url, limit, Limits::within(Clock::system(), limit));
  if (!upstream) return fail(upstream.error());
  const auto body = upstream->service.fetch_graph(
      {.channel = std::string(version.channel()),
       .arch = adm::architecture_of(version),
       .others = {{"from", std::string(version.desired().version())}, {"to", options.version}}});
  if (!body) {
    Error error = body.error();
    if (!upstream->without_credentials.empty())
      error.message += "; it was asked without credentials: " + upstream->without_credentials;
    return fail(std::move(error));
  }
  if (!*body) return fail(ErrorCode::invalid, "the update service sent no body");
  return (*body)->text;
}

/// Reads the ClusterOperators; without them, what they would say is missing, and nothing else.
std::vector<openshift::ClusterOperator> read_operators(const Cluster& cluster, adm::CommandResult& answer) {
  constexpr std::string_view suffix = "-co.yaml";
  std::vector<openshift::ClusterOperator> operators;
  if (cluster.is_recorded() && !std::filesystem::exists(cluster.file(suffix))) return operators;
  auto read = cluster.list(openshift::ClusterOperator::resource, suffix);
  if (!read) {
    answer.err += "warning: What the cluster operators say is not known: " + read.error().message + "\n";
    return operators;
  }
  for (k8s::Dynamic& one : *read) operators.emplace_back(one.release());
  return operators;
}

int why(WhyOptions& options) {
  if (const auto refused = refuse_arguments(*options.command)) return print_answer(*refused);
  if (const auto checked = adm::check_why(options.version); checked.failed()) return print_answer(checked);
  return with_cluster_version(
      options.cluster, true, [&](const Cluster& cluster, const openshift::ClusterVersion& version) {
        adm::CommandResult answer;
        const bool is_unfinished = adm::is_unfinished(version, options.version);
        if (!options.version.empty())
          answer = adm::why(options.version, version, ask_service(options, cluster, version));
        if (options.version.empty() || is_unfinished) {
          const auto operators = read_operators(cluster, answer);
          // Recorded objects are looked at when the last of them changed.
          const WallTime now =
              cluster.is_recorded() ? adm::latest_transition(version, operators) : Clock::system().now();
          adm::explain_update(version, operators, now, caller_of(*options.command), answer);
        }
        return answer;
      });
}

}  // namespace

void add_upgrade_why(CLI::App& upgrade, Context& context) {
  auto options = std::make_shared<WhyOptions>();
  CLI::App* command =
      add_command(upgrade, context, "why",
                  "Show what an update waits for, or why a release is offered to a cluster or is not",
                  "fairway adm upgrade why 4.7.4", [options] { return why(*options); });
  options->command = command;
  command
      ->add_option("version", options->version,
                   "The release (default: the update that is asked for, or runs)")
      ->type_name("VERSION")
      ->configurable(false);
  add_upstream_flags(*command, options->upstream);
  add_cluster_flags(*command, options->cluster);
}

}  // namespace fairway::cli
