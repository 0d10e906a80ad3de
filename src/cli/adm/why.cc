#include <chrono>
#include <memory>
#include <string>

#include "cli/adm/cluster.h"
#include "cli/adm/commands.h"
#include "client/other_channels.h"
#include "client/why.h"
#include "upstream/update_service.h"

namespace fairway::cli {
namespace {

struct Options {
  ClusterFlags cluster;
  std::string version;
  const CLI::App* command = nullptr;
};

/// The service's own explanation, which lies beside the graph. Only Fairway's services have one.
Result<std::string> ask_service(const Cluster& cluster, const openshift::ClusterVersion& version,
                                const std::string& target) {
  if (cluster.is_recorded()) return fail(ErrorCode::unavailable, "a recorded cluster asks nothing");
  if (version.upstream().empty()) return fail(ErrorCode::unavailable, "spec.upstream is unset");
  constexpr std::string_view graph = "/graph";
  std::string url(version.upstream());
  const std::size_t at = url.rfind(graph);
  if (at == url.npos) return fail(ErrorCode::unavailable, "spec.upstream has no path that ends in /graph");
  url.replace(at, graph.size(), "/explain");
  const auto service = upstream::UpdateService::create(url, {.deadline = std::chrono::seconds(10)});
  if (!service) return fail(service.error());
  const auto body =
      service->fetch_graph({.channel = std::string(version.channel()),
                            .arch = client::architecture_of(version),
                            .others = {{"from", std::string(version.desired().version())}, {"to", target}}});
  if (!body) return fail(body.error());
  if (!*body) return fail(ErrorCode::invalid, "the update service sent no body");
  return (*body)->text;
}

int why(Options& options) {
  if (const auto refused = refuse_arguments(*options.command)) return print_answer(*refused);
  if (const auto checked = client::check_why(options.version); checked.failed()) return print_answer(checked);
  return with_cluster_version(
      options.cluster, true, [&](const Cluster& cluster, const openshift::ClusterVersion& version) {
        return client::why(options.version, version, ask_service(cluster, version, options.version));
      });
}

}  // namespace

void add_upgrade_why(CLI::App& upgrade, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(upgrade, context, "why", "Show why a release is offered to a cluster, or is not",
                  "fairway adm upgrade why 4.7.4", [options] { return why(*options); });
  options->command = command;
  command->add_option("version", options->version, "The release")->type_name("VERSION")->configurable(false);
  add_cluster_flags(*command, options->cluster);
}

}  // namespace fairway::cli
