// SPDX-License-Identifier: Apache-2.0

#include "cli/gateway/program/explain.h"

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "command_line/input.h"
#include "command_line/kube_options.h"
#include "command_line/terminal.h"
#include "gateway/controller.h"
#include "gateway/explain.h"

namespace fairway::cli {

namespace {

/// Returns all objects that matter, as one List.
Result<gateway::SourceText> read_cluster(const kube::KubeconfigOverrides& cluster) {
  const auto client = command_line::make_kube_client(cluster);
  if (!client) return fail(client.error());
  json::Array items;
  for (const k8s::ApiResource& kind : gateway::kinds_that_matter()) {
    auto list = (*client)->list(kind.group_version_resource(), "");
    // Its CRD is not there.
    if (!list && list.error().is_not_found()) continue;
    // Few may read them, and fewer routes need them: those that do say that there is none.
    if (!list && kind.kind.kind == "ClusterTrustBundle" && list.error().status.code() == 403) continue;
    if (!list) return fail(list.error().within("reading the " + kind.plural + " of the cluster"));
    for (k8s::Dynamic& object : list->items) items.push_back(std::move(object).json());
  }
  json::Object all;
  all["apiVersion"] = "v1";
  all["kind"] = "List";
  all["items"] = std::move(items);
  return gateway::SourceText{"the cluster", json::to_text(all)};
}

}  // namespace

int explain_gateway_route(const GatewayExplainOptions& options) {
  std::vector<gateway::SourceText> sources;
  for (const std::string& file : options.files) {
    auto text = command_line::read_input(file);
    if (!text) return command_line::report(text.error());
    sources.push_back({file == "-" ? "standard input" : file, *std::move(text)});
  }
  if (options.files.empty()) {
    auto cluster = read_cluster(options.cluster);
    if (!cluster) return command_line::report(cluster.error());
    sources.push_back(*std::move(cluster));
  }
  const auto explained =
      gateway::explain(sources, options.route, Clock::system().now(),
                       {.addresses = options.addresses, .endpoint_cidrs = options.endpoint_cidrs});
  if (!explained) return command_line::report(explained.error());
  command_line::print(*explained);
  return command_line::exit_ok;
}

}  // namespace fairway::cli
