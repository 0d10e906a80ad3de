// SPDX-License-Identifier: Apache-2.0

#include "conformance/kube/embedded_server.h"

#include <pthread.h>

#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "apiserver/server.h"
#include "base/file.h"
#include "conformance/kube/api_server.h"
#include "k8s/core.h"
#include "support/process.h"

namespace fairway::conformance {

namespace {

using namespace std::chrono_literals;

/// Time that is longer than the server keeps past revisions.
constexpr auto leap = 11min;

/// The machine's clock plus an offset.
class LeapingClock final : public Clock {
 public:
  explicit LeapingClock(std::chrono::minutes ahead) : ahead_(ahead) {}

  WallTime now() const override { return system().now() + ahead(); }
  SteadyTime steady() const override { return system().steady() + ahead(); }
  bool wait_until(SteadyTime until, std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      const auto then = ahead_;
      if (system().steady() + then >= until) return true;
      if (until == SteadyTime::max()) {
        changed_.wait(lock, stop, [&] { return ahead_ != then; });
      } else {
        changed_.wait_until(lock, stop, until - then, [&] { return ahead_ != then; });
      }
    }
    return system().steady() + ahead_ >= until;
  }
  void move_on() {
    const std::lock_guard lock(mutex_);
    ahead_ += leap;
    changed_.notify_all();
  }

 private:
  std::chrono::minutes ahead() const {
    const std::lock_guard lock(mutex_);
    return ahead_;
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::chrono::minutes ahead_;
};

class EmbeddedServer final : public ApiServer {
 public:
  explicit EmbeddedServer(const testing::TempDirectory& folder) : folder_(folder) {}
  ~EmbeddedServer() override { kill(); }

  std::string name() const override { return "embedded"; }
  bool start(int port) override {
    process_ = std::make_unique<testing::Process>(
        std::vector<std::string>{"/proc/self/exe", api_server_role, folder_.text(), std::to_string(port),
                                 std::to_string(leaps_ * leap.count())},
        log_file().string());
    for (const SteadyTime until = after(120s); process_->running() && Clock::system().steady() < until;
         pause()) {
      if (std::filesystem::remove(ready_file())) return true;
    }
    return false;
  }
  bool running() override { return process_ != nullptr && process_->running(); }
  void signal(int number) override { process_->signal(number); }
  void kill() override {
    if (process_ != nullptr) process_->end(SIGKILL);
  }

  std::string make_token(kube::Client& admin) override {
    const auto made = [](const auto& result) {
      if (!result) throw std::runtime_error(result.error().message);
      return *result;
    };
    const auto object = [](const char* text) { return k8s::Dynamic(json::parse(text).value().as_object()); };
    made(admin.create({"", "v1", "serviceaccounts"}, object(R"({"apiVersion":"v1","kind":"ServiceAccount",
        "metadata":{"name":"admin-by-token","namespace":"kube-system"}})")));
    made(admin.create({"rbac.authorization.k8s.io", "v1", "clusterrolebindings"},
                      object(R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",
        "metadata":{"name":"admin-by-token"},
        "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"},
        "subjects":[{"kind":"ServiceAccount","name":"admin-by-token","namespace":"kube-system"}]})")));
    std::string body;
    const auto answered = admin.send(
        {.method = "POST",
         .path = "/api/v1/namespaces/kube-system/serviceaccounts/admin-by-token/token",
         .body =
             R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"expirationSeconds":86400}})"},
        body);
    if (!answered) throw std::runtime_error(answered.error().message);
    return std::string(k8s::Dynamic(json::parse(body).value().as_object()).text("status.token"));
  }
  std::string token_user() const override {
    return "system:serviceaccount:kube-system:admin-by-token system:serviceaccounts "
           "system:serviceaccounts:kube-system system:authenticated";
  }
  bool knows_anonymous() const override { return false; }

  void compact(kube::Client& admin) override {
    const k8s::GroupVersionResource config_maps{"", "v1", "configmaps"};
    const auto before = admin.list(config_maps, "kube-system");
    if (!before) throw std::runtime_error(before.error().message);
    const auto move_on = [&] {
      auto moves = k8s::make<k8s::ConfigMap>("", "kube-system");
      moves.set("metadata.generateName", "moves-on-");
      if (const auto made = admin.create(config_maps, moves); !made)
        throw std::runtime_error(made.error().message);
    };
    // Only what is older than the newest of what is old is forgotten, and only when something is written.
    move_on();
    ++leaps_;
    process_->signal(SIGUSR1);
    kube::ListOptions then;
    then.resource_version = before->resource_version;
    then.resource_version_match = "Exact";
    for (const SteadyTime until = after(60s); Clock::system().steady() < until; pause()) {
      move_on();
      const auto list = admin.list(config_maps, "kube-system", then);
      if (!list && list.error().is_expired()) return;
    }
    throw std::runtime_error("the embedded API server does not forget:\n" + log());
  }
  std::string log() const override { return "the embedded API server: " + end_of(log_file()); }

 private:
  std::filesystem::path log_file() const { return folder_ / "api-server.log"; }
  std::filesystem::path ready_file() const { return folder_ / "ready"; }

  const testing::TempDirectory& folder_;
  int leaps_ = 0;
  std::unique_ptr<testing::Process> process_;
};

int failed(const std::string& why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  return 1;
}

Result<void> write_certificate(const apiserver::EmbeddedServer& server, const std::filesystem::path& folder,
                               const std::string& user, const std::vector<std::string>& groups) {
  if (std::filesystem::exists(folder / (user + ".crt"))) return {};
  const auto made = server.client_certificate(user, groups);
  if (!made) return fail(made.error());
  if (auto key = write_file_atomically(folder / (user + ".key"), made->key); !key) return key;
  return write_file_atomically(folder / (user + ".crt"), made->certificate);
}

}  // namespace

std::unique_ptr<ApiServer> make_embedded_server(const testing::TempDirectory& folder) {
  return std::make_unique<EmbeddedServer>(folder);
}

int run_api_server(const std::vector<std::string>& arguments) {
  if (arguments.size() != 3) return failed("an API server takes three arguments");
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const std::filesystem::path folder = arguments[0];
  LeapingClock clock{std::chrono::minutes(std::stoi(arguments[2]))};
  apiserver::ServerOptions options;
  options.listen = "127.0.0.1:" + arguments[1];
  options.data = folder / "embedded";
  options.names = {"kubernetes.example"};
  if (std::getenv("FAIRWAY_HTTP2") != nullptr) options.limits.http2 = http::Http2::tls;
  options.clock = &clock;
  // As the real one is here: nobody does for it what controllers do.
  options.garbage_collector = options.namespace_controller = options.namespace_defaults = false;
  const auto server = apiserver::EmbeddedServer::start(std::move(options));
  if (!server) return failed(server.error().message);
  auto written = write_file_atomically(folder / "ca.crt", (*server)->authority());
  if (written) written = write_certificate(**server, folder, "admin", {"system:masters"});
  if (written) written = write_certificate(**server, folder, "nobody", {});
  if (written) written = write_file_atomically(folder / "ready", "ready");
  if (!written) return failed(written.error().message);
  for (int signal = 0; signal != SIGTERM;) {
    sigwait(&signals, &signal);
    if (signal == SIGUSR1) clock.move_on();
  }
  return 0;
}

}  // namespace fairway::conformance
