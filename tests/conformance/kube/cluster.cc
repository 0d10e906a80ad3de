// SPDX-License-Identifier: Apache-2.0

#include "conformance/kube/cluster.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "base/base64.h"
#include "base/file.h"
#include "k8s/object.h"
#include "kube/client/kubeconfig.h"
#include "support/process.h"

namespace fairway::conformance {

using namespace std::chrono_literals;

SteadyTime after(std::chrono::nanoseconds time) {
  return Clock::system().steady() + time;
}

void pause() {
  Clock::system().wait_until(after(20ms), {});
}

std::string end_of(const std::filesystem::path& file) {
  const std::string text = read_file(file).value_or("");
  constexpr std::size_t most = 4000;
  return text.size() <= most ? text : "..." + text.substr(text.size() - most);
}

Cluster::Cluster() {
  const char* programs = std::getenv("FAIRWAY_KUBERNETES");
  if (programs == nullptr) {
    throw std::runtime_error(
        "FAIRWAY_KUBERNETES names no folder with kube-apiserver: start this by ./dev conformance kube");
  }
  programs_ = programs;
  const char* server = std::getenv("FAIRWAY_SERVER");
  api_server_ = server != nullptr && std::string_view(server) == "embedded"
                    ? make_embedded_server(folder_)
                    : make_real_server(folder_, ca_, programs_);
  // A port that was free may be taken before it is used.
  constexpr int attempts = 3;
  bool ready = false;
  for (int attempt = 0; attempt < attempts && !ready; ++attempt) {
    port_ = testing::free_loopback_port();
    ready = start_api_server();
  }
  if (!ready) throw std::runtime_error("the API server does not become ready:\n" + api_server_->log());
  token_ = api_server_->make_token(*client());
  folder_.write("token", token_ + "\n");
  write_kubeconfig();
}

Cluster::~Cluster() = default;

Cluster& Cluster::shared() {
  static Cluster cluster;
  return cluster;
}

std::string Cluster::authority() const {
  return read_file(folder_ / "ca.crt").value();
}

void Cluster::write_kubeconfig() {
  const auto data = [&](const std::string& name) { return base64_encode(*read_file(folder_ / name)); };
  const auto cluster = [&](const std::string& name, const std::string& more) {
    return "- name: " + name + "\n  cluster:\n    server: " + server() +
           "\n    certificate-authority-data: " + data("ca.crt") + "\n" + more;
  };
  const auto context = [](const std::string& name, const std::string& cluster, const std::string& user) {
    return "- name: " + name + "\n  context:\n    cluster: " + cluster + "\n    user: " + user + "\n";
  };
  const std::string credential =
      R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":")" +
      token_ + R"("}})";
  folder_.write(
      "kubeconfig",
      "apiVersion: v1\nkind: Config\ncurrent-context: admin\nclusters:\n" + cluster("real", "") +
          cluster("real-by-other-name", "    tls-server-name: kubernetes.example\n") +
          "users:\n- name: certificate\n  user:\n    client-certificate-data: " + data("admin.crt") +
          "\n    client-key-data: " + data("admin.key") +
          "\n- name: certificate-files\n  user:\n    client-certificate: admin.crt\n    client-key: "
          "admin.key\n"
          "- name: token\n  user:\n    token: '" +
          token_ +
          "'\n"
          "- name: token-file\n  user:\n    tokenFile: token\n"
          "- name: program\n  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1\n"
          "      interactiveMode: Never\n      command: /bin/echo\n      args: ['" +
          credential +
          "']\n"
          "- name: nobody\n  user:\n    client-certificate: nobody.crt\n    client-key: nobody.key\n"
          "- name: unknown\n  user:\n    token: no-such-token\n"
          "- name: anonymous\n  user: {}\n"
          "contexts:\n" +
          context("admin", "real", "certificate") + context("admin-by-files", "real", "certificate-files") +
          context("admin-by-token", "real", "token") + context("admin-by-token-file", "real", "token-file") +
          context("admin-by-program", "real", "program") +
          context("admin-by-other-name", "real-by-other-name", "certificate") +
          context("nobody", "real", "nobody") + context("unknown", "real", "unknown") +
          context("anonymous", "real", "anonymous"));
}

bool Cluster::start_api_server() {
  if (!api_server_->start(port_)) return false;
  write_kubeconfig();
  const auto client = this->client();
  const kube::ApiRequest ready{.path = "/readyz"};
  for (const SteadyTime until = after(300s); api_server_->running() && Clock::system().steady() < until;
       pause()) {
    std::string body;
    if (client->send(ready, body, Limits::within(Clock::system(), 2s))) return true;
  }
  api_server_->kill();
  return false;
}

kube::ClientConfig Cluster::config(const std::string& context) const {
  auto config = kube::load_client_config({.file = kubeconfig().string(), .context = context});
  if (!config) throw std::runtime_error(config.error().message);
  return *std::move(config);
}

std::shared_ptr<kube::Client> Cluster::client(const std::string& context,
                                              kube::ClientSettings settings) const {
  settings.http2 = settings.http2 || std::getenv("FAIRWAY_HTTP2") != nullptr;
  auto client = kube::Client::create(config(context), std::move(settings));
  if (!client) throw std::runtime_error(client.error().message);
  return *std::move(client);
}

std::string Cluster::make_namespace() {
  k8s::Dynamic object;
  object.set_resource({"", "v1", "Namespace", "namespaces", k8s::Scope::cluster});
  object.set_name("test-" + std::to_string(++namespaces_));
  const auto made = client()->create({"", "v1", "namespaces"}, object);
  if (!made) throw std::runtime_error(made.error().message);
  return std::string(object.name());
}

void Cluster::apply(const std::string& yaml) {
  const auto file = folder_.write("manifest-" + std::to_string(++manifests_) + ".yaml", yaml);
  const auto result = kubectl({"apply", "--server-side", "-f", file.string()});
  if (result.exit_code != 0) throw std::runtime_error("kubectl apply: " + result.errors);
}

kube::ProgramResult Cluster::kubectl(std::vector<std::string> arguments) const {
  auto result = kube::run_program(
      {.command = programs_ + "/kubectl",
       .args = std::move(arguments),
       .env = {{"KUBECONFIG", kubeconfig().string()}, {"HOME", folder_.text()}},  // where it keeps its caches
       .max_output = std::size_t{64} << 20,
       .limits = {.deadline = after(300s)}});
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

void Cluster::restart_api_server(int signal) {
  api_server_->signal(signal);
  for (const SteadyTime until = after(120s); api_server_->running() && Clock::system().steady() < until;)
    pause();
  api_server_->kill();
  if (!start_api_server())
    throw std::runtime_error("the API server does not start again:\n" + api_server_->log());
}

void Cluster::compact() {
  api_server_->compact(*client());
}

}  // namespace fairway::conformance
