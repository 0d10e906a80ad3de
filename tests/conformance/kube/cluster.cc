#include "conformance/kube/cluster.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "base/base64.h"
#include "base/file.h"
#include "http/client.h"
#include "k8s/object.h"
#include "kube/client/kubeconfig.h"

namespace fairway::conformance {

namespace {

using namespace std::chrono_literals;

SteadyTime after(std::chrono::nanoseconds time) {
  return Clock::system().steady() + time;
}

void pause() {
  Clock::system().wait_until(after(20ms), {});
}

/// The last lines of a file, as far as an error may quote them.
std::string end_of(const std::filesystem::path& file) {
  const std::string text = read_file(file).value_or("");
  constexpr std::size_t most = 4000;
  return text.size() <= most ? text : "..." + text.substr(text.size() - most);
}

}  // namespace

Cluster::Cluster() {
  const char* programs = std::getenv("FAIRWAY_KUBERNETES");
  if (programs == nullptr) {
    throw std::runtime_error(
        "FAIRWAY_KUBERNETES names no folder with kube-apiserver: start this by ./dev conformance kube");
  }
  programs_ = programs;
  write_files();
  // A port that was free may be taken before it is used.
  constexpr int attempts = 3;
  for (int attempt = 0; attempt < attempts && !start_etcd(); ++attempt) {
  }
  if (!etcd_->running()) throw std::runtime_error("etcd does not start:\n" + log());
  for (int attempt = 0; attempt < attempts; ++attempt) {
    port_ = testing::free_loopback_port();
    write_kubeconfig();
    if (start_api_server()) return;
  }
  throw std::runtime_error("kube-apiserver does not become ready:\n" + log());
}

Cluster::~Cluster() {
  // Nothing of what they hold is wanted any more.
  for (const auto& process : {api_server_.get(), etcd_.get()}) {
    if (process != nullptr) process->end(SIGKILL);
  }
}

Cluster& Cluster::shared() {
  static Cluster cluster;
  return cluster;
}

void Cluster::write_files() {
  const auto write = [&](const std::string& name, const testing::CertificateAndKey& made) {
    folder_.write(name + ".crt", made.certificate);
    folder_.write(name + ".key", made.key);
  };
  folder_.write("ca.crt", ca_.certificate());
  write("server", ca_.server("DNS:kubernetes.example,DNS:localhost,IP:127.0.0.1"));
  write("admin", ca_.client("admin", "system:masters"));
  write("service-accounts", ca_.client("service-accounts"));
  folder_.write("tokens.csv", "admin-token,admin-by-token,1,\"system:masters\"\nnobody-token,nobody,2\n");
  folder_.write("token", "admin-token\n");
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
      R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"admin-token"}})";
  folder_.write(
      "kubeconfig",
      "apiVersion: v1\nkind: Config\ncurrent-context: admin\nclusters:\n" + cluster("real", "") +
          cluster("real-by-other-name", "    tls-server-name: kubernetes.example\n") +
          "users:\n- name: certificate\n  user:\n    client-certificate-data: " + data("admin.crt") +
          "\n    client-key-data: " + data("admin.key") +
          "\n- name: certificate-files\n  user:\n    client-certificate: admin.crt\n    client-key: "
          "admin.key\n"
          "- name: token\n  user:\n    token: admin-token\n"
          "- name: token-file\n  user:\n    tokenFile: token\n"
          "- name: program\n  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1\n"
          "      interactiveMode: Never\n      command: /bin/echo\n      args: ['" +
          credential +
          "']\n"
          "- name: nobody\n  user:\n    token: nobody-token\n"
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

bool Cluster::start_etcd() {
  etcd_port_ = testing::free_loopback_port();
  const std::string url = "http://127.0.0.1:" + std::to_string(etcd_port_);
  // For others who keep their state there too, under a prefix of their own.
  folder_.write("etcd-address", url);
  const std::string peer = "http://127.0.0.1:" + std::to_string(testing::free_loopback_port());
  etcd_ = std::make_unique<testing::Process>(
      std::vector<std::string>{"etcd", "--name=one", "--data-dir=" + (folder_ / "etcd").string(),
                               "--listen-client-urls=" + url, "--advertise-client-urls=" + url,
                               "--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
                               "--initial-cluster=one=" + peer, "--unsafe-no-fsync", "--logger=zap",
                               "--log-level=warn"},
      (folder_ / "etcd.log").string());
  for (const SteadyTime until = after(120s); etcd_->running() && Clock::system().steady() < until; pause()) {
    try {
      ask_etcd("/v3/maintenance/status", json::Object{});
      return true;
    } catch (const std::runtime_error&) {
      continue;  // not yet
    }
  }
  return false;
}

bool Cluster::start_api_server() {
  const auto file = [&](const char* name) { return (folder_ / name).string(); };
  api_server_ = std::make_unique<testing::Process>(
      std::vector<std::string>{
          programs_ + "/kube-apiserver",
          "--etcd-servers=http://127.0.0.1:" + std::to_string(etcd_port_),
          "--bind-address=127.0.0.1",
          "--secure-port=" + std::to_string(port_),
          // It will have none of loopback. Nobody asks there.
          "--advertise-address=192.0.2.1",
          "--endpoint-reconciler-type=none",
          "--tls-cert-file=" + file("server.crt"),
          "--tls-private-key-file=" + file("server.key"),
          "--client-ca-file=" + file("ca.crt"),
          "--token-auth-file=" + file("tokens.csv"),
          "--cert-dir=" + file("made"),
          "--authorization-mode=RBAC",
          // Pods would wait for service accounts that no controller makes.
          "--disable-admission-plugins=ServiceAccount",
          // OpenShift has it: who owns with blockOwnerDeletion needs a right for it.
          "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
          "--service-account-issuer=https://kubernetes.example",
          // It takes no EC key in PKCS #8 to verify with, but a certificate.
          "--service-account-key-file=" + file("service-accounts.crt"),
          "--service-account-signing-key-file=" + file("service-accounts.key"),
          "--service-cluster-ip-range=10.0.0.0/24",
          "--profiling=false",
      },
      file("kube-apiserver.log"));
  const auto client = this->client();
  const kube::ApiRequest ready{.path = "/readyz"};
  for (const SteadyTime until = after(300s); api_server_->running() && Clock::system().steady() < until;
       pause()) {
    std::string body;
    if (client->send(ready, body, Limits::within(Clock::system(), 2s))) return true;
  }
  api_server_->end(SIGKILL);
  return false;
}

kube::ClientConfig Cluster::config(const std::string& context) const {
  auto config = kube::load_client_config({.file = kubeconfig().string(), .context = context});
  if (!config) throw std::runtime_error(config.error().message);
  return *std::move(config);
}

std::shared_ptr<kube::Client> Cluster::client(const std::string& context,
                                              kube::ClientSettings settings) const {
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
  api_server_->end(SIGKILL);
  if (!start_api_server()) throw std::runtime_error("kube-apiserver does not start again:\n" + log());
}

json::Value Cluster::ask_etcd(const std::string& path, const json::Value& question) const {
  const auto client = http::Client::create({.system_cas = false, .proxy_environment = false}).value();
  http::Call call;
  call.method = "POST";
  call.url = http::Url::parse("http://127.0.0.1:" + std::to_string(etcd_port_) + path).value();
  call.body = json::to_text(question);
  call.limits.deadline = after(60s);
  const auto reply = client->send(call);
  if (!reply) throw std::runtime_error(reply.error().message);
  const auto answer = json::parse(reply->body);
  if (reply->status != 200 || !answer) throw std::runtime_error("etcd: " + path + ": " + reply->body);
  return *answer;
}

void Cluster::compact() {
  const json::Value status = ask_etcd("/v3/maintenance/status", json::Object{});
  const json::Value revision = status.at("header").at("revision");
  ask_etcd("/v3/kv/compaction", json::Object{{"revision", revision}, {"physical", true}});
}

std::string Cluster::log() const {
  return "etcd: " + end_of(folder_ / "etcd.log") +
         "\nkube-apiserver: " + end_of(folder_ / "kube-apiserver.log");
}

}  // namespace fairway::conformance
