// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/alerts.h"

#include <chrono>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "http/access.h"
#include "http/client.h"

namespace fairway::cli {
namespace {

constexpr k8s::Resource routes{"route.openshift.io", "v1", "Route", "routes", k8s::Scope::namespaced};
constexpr const char *monitoring = "openshift-monitoring", *querier = "thanos-querier";
constexpr std::chrono::seconds time_limit{10};
constexpr std::size_t max_token_bytes = 1 << 20;

/// Returns the host at which the Route is reached: one that a router has admitted, if there is any.
std::string host_of(const k8s::Dynamic& route) {
  for (const k8s::View& ingress : route.items("status.ingress"))
    if (!ingress.text("host").empty()) return std::string(ingress.text("host"));
  return std::string(route.text("spec.host"));
}

Result<std::string> token_of(const kube::ClientConfig& config) {
  std::string token = config.token;
  if (!config.token_file.empty()) {
    auto read = read_file(config.token_file, max_token_bytes);
    if (!read) return fail(read.error());
    token = std::string(trim(*read));
  }
  if (token.empty())
    return fail(ErrorCode::unauthenticated,
                "no token is currently in use for this session: the monitoring of the cluster takes no other "
                "credentials");
  return token;
}

Result<std::string> ask(const kube::ClientConfig& config, const std::string& host) {
  auto url = http::Url::parse("https://" + host + "/api/v1/alerts");
  if (!url) return fail(url.error().within("reading the host of its Route"));
  const auto token = token_of(config);
  if (!token) return fail(token.error());
  http::ClientOptions options{.user_agent = "fairway/" FAIRWAY_VERSION};
  if (!config.ca.empty()) options.ca_texts.emplace_back(config.ca, config.cluster_origin);
  if (!config.ca_file.empty()) options.ca_files.push_back(config.ca_file);
  const auto client = http::Client::create(options);
  if (!client) return fail(client.error());
  http::Call call;
  call.url = *std::move(url);
  call.headers.add("Authorization", "Bearer " + *token);
  call.headers.add("Accept", "application/json");
  call.limits = Limits::within(Clock::system(), time_limit);
  auto reply = (*client)->send(call);
  if (!reply) return fail(reply.error());
  if (reply->status != 200) return fail(http::refused(call, *reply));
  return std::move(reply->body);
}

}  // namespace

Result<std::string> read_alerts(const Cluster& cluster, const std::string& file) {
  if (!file.empty()) return read_file(file);
  const kube::Client* client = cluster.client();
  const auto route = client == nullptr ? Result<std::optional<k8s::Dynamic>>(std::nullopt)
                                       : cluster.find(routes, {monitoring, querier}, "");
  constexpr const char* what = "reading the alerts of the cluster";
  if (!route) return fail(route.error().within(what));
  if (!*route) {
    return fail(ErrorCode::not_found,
                "no alerts: the cluster has no Route openshift-monitoring/thanos-querier; pass the answer of "
                "Prometheus's /api/v1/alerts as --alerts");
  }
  auto answer = ask(client->config(), host_of(**route));
  if (!answer) return fail(answer.error().within(what));
  return answer;
}

}  // namespace fairway::cli
