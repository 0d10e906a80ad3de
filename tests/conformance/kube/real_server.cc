// SPDX-License-Identifier: Apache-2.0

#include <csignal>
#include <stdexcept>
#include <vector>

#include "base/json.h"
#include "conformance/kube/api_server.h"
#include "http/client.h"
#include "support/process.h"

namespace fairway::conformance {

namespace {

using namespace std::chrono_literals;

class RealServer final : public ApiServer {
 public:
  RealServer(const testing::TempDirectory& folder, const testing::TestCa& ca, std::string programs)
      : folder_(folder), programs_(std::move(programs)) {
    write_files(ca);
    // A port that was free may be taken before it is used.
    constexpr int attempts = 3;
    for (int attempt = 0; attempt < attempts && !start_etcd(); ++attempt) {
    }
    if (!etcd_->running()) throw std::runtime_error("etcd does not start:\n" + log());
  }
  ~RealServer() override {
    // Nothing of what they hold is wanted any more.
    kill();
    if (etcd_ != nullptr) etcd_->end(SIGKILL);
  }

  std::string name() const override { return "real"; }
  bool start(int port) override {
    const auto file = [&](const char* name) { return (folder_ / name).string(); };
    process_ = std::make_unique<testing::Process>(
        std::vector<std::string>{
            programs_ + "/kube-apiserver",
            "--etcd-servers=http://127.0.0.1:" + std::to_string(etcd_port_),
            "--bind-address=127.0.0.1",
            "--secure-port=" + std::to_string(port),
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
    return process_->running();
  }
  bool running() override { return process_ != nullptr && process_->running(); }
  void signal(int number) override { process_->signal(number); }
  void kill() override {
    if (process_ != nullptr) process_->end(SIGKILL);
  }

  std::string make_token(kube::Client& /*admin*/) override { return "admin-token"; }
  std::string token_user() const override { return "admin-by-token system:masters system:authenticated"; }
  bool knows_anonymous() const override { return true; }

  void compact(kube::Client& /*admin*/) override {
    const json::Value status = ask_etcd("/v3/maintenance/status", json::Object{});
    const json::Value revision = status.at("header").at("revision");
    ask_etcd("/v3/kv/compaction", json::Object{{"revision", revision}, {"physical", true}});
  }
  std::string log() const override {
    return "etcd: " + end_of(folder_ / "etcd.log") +
           "\nkube-apiserver: " + end_of(folder_ / "kube-apiserver.log");
  }

 private:
  void write_files(const testing::TestCa& ca) {
    const auto write = [&](const std::string& name, const testing::CertificateAndKey& made) {
      folder_.write(name + ".crt", made.certificate);
      folder_.write(name + ".key", made.key);
    };
    folder_.write("ca.crt", ca.certificate());
    write("server", ca.server("DNS:kubernetes.example,DNS:localhost,IP:127.0.0.1"));
    write("admin", ca.client("admin", "system:masters"));
    write("nobody", ca.client("nobody"));
    write("service-accounts", ca.client("service-accounts"));
    folder_.write("tokens.csv", "admin-token,admin-by-token,1,\"system:masters\"\n");
  }
  bool start_etcd() {
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
    for (const SteadyTime until = after(120s); etcd_->running() && Clock::system().steady() < until;
         pause()) {
      try {
        ask_etcd("/v3/maintenance/status", json::Object{});
        return true;
      } catch (const std::runtime_error&) {
        continue;  // not yet
      }
    }
    return false;
  }
  json::Value ask_etcd(const std::string& path, const json::Value& question) const {
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

  const testing::TempDirectory& folder_;
  const std::string programs_;
  int etcd_port_ = 0;
  std::unique_ptr<testing::Process> etcd_, process_;
};

}  // namespace

std::unique_ptr<ApiServer> make_real_server(const testing::TempDirectory& folder, const testing::TestCa& ca,
                                            const std::string& programs) {
  return std::make_unique<RealServer>(folder, ca, programs);
}

}  // namespace fairway::conformance
