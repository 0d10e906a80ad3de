// SPDX-License-Identifier: Apache-2.0

#include "envtest/stand_in_etcd.h"

#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include "base/json.h"
#include "envtest/internal/store_folder.h"
#include "http/url.h"

namespace fairway::envtest {
namespace {

/// Version of etcd's interface: the one that kube-apiserver 1.37 is released with.
constexpr std::string_view version = "3.7.0";
constexpr std::string_view usual_url = "http://localhost:2379";

http::Response json_reply(const json::Value& value) {
  return http::Response::json(200, json::to_text(value));
}

Result<std::string> address_of(const std::string& text) {
  const auto url = http::Url::parse(text);
  if (!url || url->scheme != "http") {
    return fail(
        ErrorCode::unsupported,
        "listening at " + text + ": write http://HOST:PORT, as there is neither TLS nor another scheme");
  }
  std::string host = url->host == "localhost" ? "127.0.0.1" : url->host;
  if (host.contains(':') && !host.starts_with('[')) host = "[" + host + "]";
  return host + ":" + std::to_string(url->port);
}

}  // namespace

GivenFlags given_etcd_flags(std::span<const std::string> words) {
  return read_flags(words, [](std::string_view name) -> std::optional<bool> {
    if (name == "help" || name == "h" || name == "version" || name == "unsafe-no-fsync") return true;
    return std::nullopt;
  });
}

EtcdOptions read_etcd_flags(const GivenFlags& given) {
  EtcdOptions options{.urls = given.list("listen-client-urls"), .durable = !given.is_set("unsafe-no-fsync")};
  if (options.urls.empty()) options.urls.emplace_back(usual_url);
  std::string name = given.value("name"), data = given.value("data-dir");
  if (name.empty()) name = "default";
  options.data = std::filesystem::absolute(data.empty() ? name + ".etcd" : data);
  return options;
}

std::string etcd_help() {
  return "etcd as Fairway has it, for tests: it keeps the store of the kube-apiserver beside it, and nothing "
         "else.\n\nUsage:\n  etcd [flags]\n\n"
         "  --data-dir 'default.etcd'\n    Path to the data directory.\n"
         "  --listen-client-urls 'http://localhost:2379'\n    URLs to listen at.\n"
         "  --unsafe-no-fsync 'false'\n    Do not sync writes to the disk.\n"
         "  --version 'false'\n    Print the version and exit.\n\n"
         "Other flags have no effect.\n";
}

std::string etcd_version() {
  return "etcd Version: " + std::string(version) + "\nFairway's, for tests\n";
}

Result<std::unique_ptr<StandInEtcd>> StandInEtcd::start(const EtcdOptions& options) {
  const auto folder = make_store_folder(options.data);
  if (!folder) return fail(folder.error().within("the store of --data-dir"));
  http::Router router;
  router.immediate("/health", "GET HEAD", [](const http::Request&) {
    return json_reply(json::Object{{"health", "true"}, {"reason", ""}});
  });
  router.immediate("/version", "GET HEAD", [](const http::Request&) {
    return json_reply(json::Object{{"etcdserver", version}, {"etcdcluster", version}});
  });
  router.immediate(std::string(store_path), "GET HEAD",
                   [folder = *folder, durable = options.durable](const http::Request& request) {
                     const std::string challenge(request.header(challenge_header).value_or(""));
                     return json_reply(json::Object{{"folder", folder.path.string()},
                                                    {"durable", durable},
                                                    {"answer", answer_to(challenge, folder)}});
                   });
  auto made = std::make_unique<StandInEtcd>();
  for (const std::string& url : options.urls) {
    auto address = address_of(url);
    if (!address) return fail(address.error());
    auto server = http::Server::start(
        {.listen = *std::move(address), .io_threads = 1, .blocking_threads = 1, .server_name = "etcd"},
        router);
    if (!server) return fail(server.error().within("listening at " + url));
    made->servers_.push_back(*std::move(server));
  }
  return made;
}

std::vector<std::string> StandInEtcd::addresses() const {
  std::vector<std::string> addresses;
  for (const auto& server : servers_) addresses.push_back(server->address());
  return addresses;
}

}  // namespace fairway::envtest
