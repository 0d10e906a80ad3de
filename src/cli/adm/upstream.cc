// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/upstream.h"

#include <optional>
#include <utility>

#include "cli/ca_file_option.h"
#include "k8s/core.h"
#include "operators/upstream_credentials.h"

namespace fairway::cli {
namespace {

/// Returns the value of Authorization; empty if the operator has none for this service.
Result<std::string> read_credentials(const Cluster& cluster, const std::string& namespace_name,
                                     std::string_view url, const Limits& limits) {
  auto found = cluster.find(k8s::Secret::resource, {namespace_name, operators::upstream_secret}, "", limits);
  if (!found) return fail(found.error());
  if (!*found) return "";
  return operators::authorization_of(k8s::Secret((*found)->release()), url);
}

}  // namespace

void add_upstream_flags(CLI::App& command, UpstreamFlags& flags) {
  constexpr const char* group = "Update service";
  add_ca_file_option(command, "--ca-file", flags.ca_files, group);
  command
      .add_option("--operator-namespace", flags.operator_namespace,
                  "Where the operator runs: its Secret fairway-upstream opens private channels")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
}

Result<Upstream> open_upstream(const Cluster& cluster, const UpstreamFlags& flags, std::string_view url,
                               std::chrono::seconds deadline, const Limits& limits,
                               std::size_t max_body_bytes) {
  upstream::Options options{
      .ca_files = flags.ca_files, .deadline = deadline, .max_body_bytes = max_body_bytes};
  options.user_agent = "fairway/" FAIRWAY_VERSION;
  auto credentials = read_credentials(cluster, flags.operator_namespace, url, limits);
  if (credentials) options.authorization = *credentials;
  auto service = upstream::UpdateService::create(url, options);
  if (!service) return fail(service.error());
  return Upstream{*std::move(service), credentials ? std::string() : credentials.error().message};
}

}  // namespace fairway::cli
