// SPDX-License-Identifier: Apache-2.0

// What an operator costs.
//
//   bench_operator updates FAIRWAY   500 conditional updates with 9 risks each, from the answer of the update
//                                    service to the status written: the operator is a process, the API server
//                                    the embedded one of this process. Prints milliseconds (median of 7
//                                    answers that change every verdict's message), the operator's memory at
//                                    most in MiB, and its writes of the status in a quiet hour
//   bench_operator manifests FOLDER COUNT
//                                    writes a release of so many manifests, without what takes a kubelet
//   bench_operator apply KUBECONFIG FOLDER
//                                    applies them as an update does, and prints milliseconds
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/server.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "openshift/cluster_version.h"
#include "operators/definitions.h"
#include "payload/apply_plan.h"
#include "payload/manifest.h"
#include "payload/plan.h"
#include "release/contents.h"
#include "support/fake_service.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace {

using namespace fairway;
using namespace std::chrono_literals;

constexpr int update_count = 500, risks_each = 9, distinct_risks = 59, answers = 7;
/// Image of a previous release, which has to be in the history and need not be pulled.
constexpr const char* image = "registry.invalid/release@sha256:";

std::string image_of(int number) {
  const std::string digits = std::to_string(number);
  return image + std::string(64 - digits.size(), '0') + digits;
}

/// Returns an answer with other messages in each round, so that every update is written anew.
std::string answer_of(int round) {
  json::Array nodes{json::Object{{"version", "4.6.0"}, {"payload", image_of(0)}}}, conditional;
  for (int u = 1; u <= update_count; ++u) {
    const std::string version = "4.7." + std::to_string(u);
    nodes.push_back(json::Object{{"version", version}, {"payload", image_of(u)}});
    json::Array risks;
    for (int r = 0; r < risks_each; ++r) {
      const std::string name = "Risk" + std::to_string((u * 7 + r) % distinct_risks);
      risks.push_back(json::Object{
          {"url", "https://example.com/risks/" + name},
          {"name", name},
          {"message", "Clusters of round " + std::to_string(round) + " may lose " + name + "."},
          {"matchingRules",
           json::Array{json::Object{
               {"type", "PromQL"},
               {"promql",
                json::Object{{"promql", "group(cluster_operator_conditions{name=\"" + name +
                                            "\"} == 1)\nor\n0 * group(cluster_operator_conditions)"}}}}}}});
    }
    conditional.push_back(
        json::Object{{"edges", json::Array{json::Object{{"from", "4.6.0"}, {"to", version}}}},
                     {"risks", std::move(risks)}});
  }
  return json::to_text(
      json::Object{{"nodes", nodes}, {"edges", json::Array()}, {"conditionalEdges", conditional}});
}

/// Returns the metrics of the operator's Prometheus: a file.
std::string metrics() {
  std::string text = "# TYPE cluster_operator_conditions gauge\n";
  for (int r = 0; r < distinct_risks; ++r) {
    text += "cluster_operator_conditions{name=\"Risk" + std::to_string(r) + "\"} " +
            std::to_string(r % 5 == 0 ? 1 : 0) + "\n";
  }
  return text;
}

/// Returns "VmHWM" of a process, in MiB.
double peak_memory(const std::string& status_file) {
  const auto text = read_file(status_file);
  const std::size_t at = text ? text->find("VmHWM:") : std::string::npos;
  return at == std::string::npos ? 0 : std::strtod(text->c_str() + at + 6, nullptr) / 1024;
}

template <class T>
T need(Result<T> result) {
  if (result) return *std::move(result);
  std::cerr << "error: " << result.error().message << "\n";
  std::exit(1);
}

void need(const Result<void>& result) {
  if (result) return;
  std::cerr << "error: " << result.error().message << "\n";
  std::exit(1);
}

/// Serves the answers, and records when it last sent a new one.
class Service {
 public:
  Service() : server_([this](const http::Request& request) { return answer(request); }) {}
  std::string url() const { return server_.url("/api/upgrades_info/v1/graph"); }
  void begin(int round) {
    const std::lock_guard lock(mutex_);
    text_ = answer_of(round);
    etag_ = "\"" + std::to_string(round) + "\"";
    sent_.reset();
  }
  std::optional<SteadyTime> sent() const {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  int requests() const { return requests_; }

 private:
  http::Response answer(const http::Request& request) {
    if (!request.path.ends_with("/graph")) return http::Response::text(404, "none");
    const std::lock_guard lock(mutex_);
    ++requests_;
    if (request.header("If-None-Match") == etag_) return http::Response::text(304, "");
    http::Response response = http::Response::json(200, text_);
    response.headers.set("ETag", etag_);
    if (!sent_) sent_ = Clock::system().steady();
    return response;
  }

  mutable std::mutex mutex_;
  std::string text_, etag_;
  std::optional<SteadyTime> sent_;
  std::atomic<int> requests_ = 0;
  fairway::testing::FakeService server_;
};

/// Watch of ClusterVersion: its last status, and when that was written.
class Writes {
 public:
  /// Starts the watch. `log` is the operator's, for the error if nothing comes.
  Writes(std::shared_ptr<kube::Client> client, std::string log)
      : log_(std::move(log)), thread_([this, client = std::move(client)](const std::stop_token& stop) {
          const auto kind = openshift::ClusterVersion::resource.group_version_resource();
          while (!stop.stop_requested()) {
            [[maybe_unused]] const auto ended = client->watch(
                kind, "", {}, [this](const kube::WatchEvent& event) { return record(event.object); },
                {.stop = stop});
          }
        }) {}

  /// Waits for a status that contains a text. Returns when it came.
  SteadyTime wait_for(const std::string& part) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 60s, [&] { return status_.contains(part); })) {
      std::cerr << "error: no status came with: " << part << "\n"
                << status_.substr(0, 2000) << "\n"
                << read_file(log_).value_or("").substr(0, 4000) << "\n";
      std::exit(1);
    }
    return at_;
  }
  int count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  Result<void> record(const k8s::Dynamic& object) {
    const SteadyTime now = Clock::system().steady();
    const json::Value* status = object.find("status");
    const std::lock_guard lock(mutex_);
    status_ = status == nullptr ? "" : json::to_text(*status);
    at_ = now;
    ++count_;
    changed_.notify_all();
    return {};
  }

  const std::string log_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string status_;
  SteadyTime at_;
  int count_ = 0;
  std::jthread thread_;
};

int measure_updates(const std::string& fairway) {
  const testing::TempDirectory folder;
  auto server = need(apiserver::EmbeddedServer::start());
  need(server->apply(operators::definitions(), "definitions"));
  server->wait_until_current();
  const std::string kubeconfig = folder.write("kubeconfig", server->kubeconfig()).string();
  auto client = need(kube::Client::create(need(kube::load_client_config({.file = kubeconfig}))));
  auto cluster = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
  cluster.set("spec.clusterID", "897f0a22-33ca-4106-a2c4-29b75250255a");
  cluster.set("spec.channel", "stable-4.7");
  const auto kind = openshift::ClusterVersion::resource.group_version_resource();
  if (const auto created = client->create(kind, cluster); !created) {
    std::cerr << "error: " << created.error().message << "\n";
    return 1;
  }
  const std::string clock = folder.write("clock", "0").string();
  const std::string file = folder.write("metrics", metrics()).string();
  setenv("FAIRWAY_TEST_CLOCK", clock.c_str(), 1);
  // Nobody is asked for the release.
  setenv("https_proxy", "http://127.0.0.1:1", 1);
  setenv("no_proxy", "127.0.0.1", 1);
  Service service;
  service.begin(0);
  Writes writes(client, (folder / "log").string());
  // The shell tells the number of the process that becomes the operator.
  const std::string command = "echo $$ >" + (folder / "pid").string() + "; exec \"$0\" \"$@\"";
  testing::Process process(
      {"sh", "-c", command, fairway, "operator", "--kubeconfig", kubeconfig, "--leader-elect=false",
       "--status-listen=127.0.0.1:0", "--upstream", service.url(), "--risk-evaluator=local", "--local-file",
       file, "--risk-query-interval=0s", "--risk-repeat-interval=0s", "--release", "4.6.0=" + image_of(0)},
      (folder / "log").string());
  writes.wait_for("round 0 ");
  std::vector<double> times;
  int seconds = 0;
  for (int round = 1; round <= answers; ++round) {
    service.begin(round);
    seconds += 300;
    folder.write("clock", std::to_string(seconds));
    const SteadyTime written = writes.wait_for("round " + std::to_string(round) + " ");
    times.push_back(std::chrono::duration<double, std::milli>(written - *service.sent()).count());
  }
  const auto pid = read_file(folder / "pid");
  const double memory = peak_memory("/proc/" + (pid ? pid->substr(0, pid->find('\n')) : "") + "/status");
  // The release cannot be pulled: a settled ClusterVersion is waited for, and then an hour passes.
  const auto pass = [&](int step) {
    const int before = service.requests();
    seconds += step;
    folder.write("clock", std::to_string(seconds));
    for (int i = 0; i < 2'000 && service.requests() == before; ++i) std::this_thread::sleep_for(5ms);
  };
  // It is tried again and again, with the same outcome.
  writes.wait_for("UpdatePayloadRetrievalFailed");
  pass(600);
  std::this_thread::sleep_for(1s);
  const int writes_before = writes.count(), requests_before = service.requests();
  for (int minute = 0; minute < 60; minute += 5) pass(300);
  std::this_thread::sleep_for(1s);
  std::ranges::sort(times);
  std::cout << "answer to status " << times[times.size() / 2] << " ms, memory " << memory
            << " MiB, writes in an hour " << writes.count() - writes_before << " (after "
            << service.requests() - requests_before << " requests)\n";
  process.end(SIGTERM);
  return 0;
}

std::string manifest_of(int number) {
  const std::string id = std::to_string(number), space = "bench-" + std::to_string(number % 20);
  const std::string named = "metadata:\n  name: part-" + id + "\n  namespace: " + space +
                            "\n  labels: {app.kubernetes.io/part-of: bench, part: p" + id + "}\n";
  switch (number % 6) {
    case 0:
      return "apiVersion: v1\nkind: ServiceAccount\n" + named;
    case 1:
      return "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n" + named +
             "rules:\n- apiGroups: [\"\"]\n  resources: [configmaps, secrets]\n  verbs: [get, list, watch]\n"
             "- apiGroups: [apps]\n  resources: [deployments]\n  verbs: [get, list, watch, update, patch]\n";
    case 2:
      return "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n" + named +
             "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: part-" + id +
             "}\nsubjects:\n- {kind: ServiceAccount, name: part-" + id + ", namespace: " + space + "}\n";
    case 3:
      return "apiVersion: v1\nkind: Service\n" + named + "spec:\n  selector: {part: p" + id +
             "}\n  ports:\n  - {name: https, port: 443, targetPort: 8443}\n";
    default: {
      std::string text = "apiVersion: v1\nkind: ConfigMap\n" + named + "data:\n  config.yaml: |\n";
      for (int line = 0; line < 40; ++line)
        text +=
            "    option" + std::to_string(line) + ": value of " + std::to_string(number * 31 + line) + "\n";
      return text;
    }
  }
}

int write_manifests(const std::string& folder, int count) {
  std::filesystem::create_directories(folder);
  for (int space = 0; space < 20; ++space) {
    const std::string name = "bench-" + std::to_string(space);
    need(write_file_atomically(folder + "/0000_00_bench_" + std::to_string(100 + space) + "_namespace.yaml",
                               "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + "}\n"));
  }
  for (int number = 20; number < count; ++number) {
    // Levels, components in each, and files of each, as releases have them.
    const std::string name = "/0000_" + std::to_string(10 + number % 9 * 10) + "_part" +
                             std::to_string(number % 90) + "_" + std::to_string(1'000 + number) + ".yaml";
    need(write_file_atomically(folder + name, manifest_of(number)));
  }
  return 0;
}

int apply(const std::string& kubeconfig, const std::string& folder) {
  release::Files files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename().string()] = need(read_file(entry.path()));
  const SteadyTime began = Clock::system().steady();
  auto client = need(kube::Client::create(need(kube::load_client_config({.file = kubeconfig}))));
  const auto plan =
      payload::make_plan("1.0.0", need(payload::read_manifests(files)), payload::Mode::updating);
  const kube::DynamicClient objects(client, std::make_shared<kube::ResourceMapper>(client));
  const auto report = need(payload::apply_plan(objects, plan, {}, {}));
  if (!report.is_done()) {
    std::cerr << "error: " << (report.progress.error ? report.progress.error->message : "it ended early")
              << "\n";
    return 1;
  }
  std::cout << std::chrono::duration<double, std::milli>(Clock::system().steady() - began).count() << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "updates") return measure_updates(words[1]);
  if (words.size() == 3 && words[0] == "manifests")
    return write_manifests(words[1], static_cast<int>(std::strtol(words[2].c_str(), nullptr, 10)));
  if (words.size() == 3 && words[0] == "apply") return apply(words[1], words[2]);
  std::cerr << "usage: bench_operator updates FAIRWAY | manifests FOLDER COUNT | apply KUBECONFIG FOLDER\n";
  return 2;
}
