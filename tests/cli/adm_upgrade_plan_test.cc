// SPDX-License-Identifier: Apache-2.0

// `adm upgrade plan` on a cluster: which channels it asks, what it finds at the API server, what it does
// about a service that is slow, dead or hostile, and how it follows its plan.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "http/url.h"
#include "support/eventually.h"
#include "support/loopback_server.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

constexpr const char* graph_path = "/api/upgrades_info/graph";

http::Response not_found() {
  return http::Response::json(404, R"({"kind": "Status", "apiVersion": "v1", "status": "Failure",
      "message": "not found", "reason": "NotFound", "code": 404})");
}

/// An API server of texts by path, and an update service of graphs by channel, in one.
class Server {
 public:
  Server() {
    texts_["/metrics"] = "";
    http::ServerOptions options;
    options.blocking_threads = 32;
    server_ = testing::serve_on_loopback(
        "GET", [this](const http::Request& asked) { return answer(asked); }, options);
  }
  ~Server() {
    {
      const std::lock_guard lock(mutex_);
      hanging_.clear();
    }
    changed_.notify_all();
    server_.reset();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }
  /// URL of the update service.
  std::string graph_url() const { return url() + "/api/upgrades_info/graph"; }
  void set(const std::string& path, std::string text) {
    const std::lock_guard lock(mutex_);
    texts_[path] = std::move(text);
  }
  /// From now on a path is answered by 503.
  void break_down(const std::string& path) {
    const std::lock_guard lock(mutex_);
    broken_.insert(path);
  }
  /// From now on a path has no answer until this ends.
  void hang(const std::string& path) {
    const std::lock_guard lock(mutex_);
    hanging_.insert(path);
  }
  /// Sets the graph of a channel: its nodes, edges and conditional edges.
  void set_graph(const std::string& channel, const std::string& versions, const std::string& edges,
                 const std::string& conditional = "", std::size_t spaces = 0) {
    std::string nodes;
    for (const std::string_view version : split(versions))
      nodes += std::string(nodes.empty() ? "" : ", ") + R"({"version": ")" + std::string(version) +
               R"(", "payload": "example.com/r@sha256:)" + std::string(version) + "\"}";
    const std::lock_guard lock(mutex_);
    graphs_[channel] = std::string(spaces, ' ') + R"({"nodes": [)" + nodes + R"(], "edges": [)" + edges +
                       R"(], "conditionalEdges": [)" + conditional + "]}";
  }
  void set_version(const std::string& spec, const std::string& status) {
    set("/apis/config.openshift.io/v1/clusterversions/version",
        R"({"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
            "spec": {)" +
            spec + R"(}, "status": {)" + status + "}}");
  }
  std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  /// Returns how often a path was asked for.
  std::size_t asked_for(const std::string& path) const {
    const std::vector<std::string> all = asked();
    return static_cast<std::size_t>(std::ranges::count(all, path));
  }

 private:
  static std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      words.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
  }
  http::Response answer(const http::Request& asked) {
    std::unique_lock lock(mutex_);
    asked_.emplace_back(asked.path);
    changed_.wait(lock, [&] { return !hanging_.contains(asked.path); });
    if (broken_.contains(asked.path)) return http::Response::json(503, "{}");
    if (asked.path == graph_path) {
      for (const auto& [name, value] : http::parse_query(asked.query)) {
        if (name != "channel") continue;
        const auto graph = graphs_.find(value);
        return graph == graphs_.end() ? not_found() : http::Response::json(200, graph->second);
      }
    }
    const auto text = texts_.find(asked.path);
    return text == texts_.end() ? not_found() : http::Response::json(200, text->second);
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string, std::less<>> texts_, graphs_;
  std::set<std::string, std::less<>> broken_, hanging_;
  std::vector<std::string> asked_;
  std::unique_ptr<http::Server> server_;
};

struct Shown {
  int exit_code = -1;
  std::string out, err;
};

Shown plan(const Server& server, const std::string& flags) {
  const testing::TempDirectory folder;
  const auto out = folder.path() / "out", err = folder.path() / "err";
  const std::string line = "HOME='" + folder.path().string() +
                           "' KUBECONFIG= '" FAIRWAY_BINARY "' adm upgrade plan --server " + server.url() +
                           " " + flags + " > '" + out.string() + "' 2> '" + err.string() + "'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out).value_or(""),
          read_file(err).value_or("")};
}

constexpr const char* well = R"("conditions": [{"type": "Failing", "status": "False"},
    {"type": "Progressing", "status": "False", "message": "Cluster version is 4.6.1"}])";

void set_at(Server& server, const std::string& version) {
  server.set_version(R"("channel": "stable-4.6", "upstream": ")" + server.graph_url() + "\"",
                     R"("desired": {"version": ")" + version + R"(", "image": "i"},
                        "history": [{"state": "Completed", "version": ")" +
                         version + R"("}], )" + well);
}

TEST(AdmUpgradePlan, goes_over_all_channels_that_the_service_lists) {
  Server server;
  set_at(server, "4.6.1");
  server.set("/api/upgrades_info/channels",
             R"({"channels": {"stable-4.6": {}, "stable-4.7": {}, "fast-4.8": {}}})");
  server.set_graph("stable-4.6", "4.6.1 4.6.2", "[0, 1]");
  server.set_graph("stable-4.7", "4.6.2 4.7.3", "[0, 1]");
  server.set_graph("fast-4.8", "4.7.3 4.8.4", "[0, 1]");
  Shown shown = plan(server, "--to 4.8.4 -o json");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  const auto document = json::parse(shown.out);
  ASSERT_TRUE(document) << shown.out;
  json::Array hops;
  for (const json::Value& hop : document->at("paths").at(0).at("hops").as_array())
    hops.push_back(json::Array{hop.at("to"), hop.at("channel"), hop.at("image")});
  EXPECT_EQ(json::to_text(hops),
            R"([["4.6.2","stable-4.6","example.com/r@sha256:4.6.2"],["4.7.3","stable-4.7",)"
            R"("example.com/r@sha256:4.7.3"],["4.8.4","fast-4.8","example.com/r@sha256:4.8.4"]])");
  EXPECT_EQ(shown.err, "");
  // Two of the three are named on the command line: no more is asked, and there is no path.
  shown = plan(server, "--to 4.8.4 --channels stable-4.6,stable-4.7");
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_EQ(
      shown.err,
      "error: no path from 4.6.1 to 4.8.4: no release 4.8.4 is in the 2 channels that were asked, whose "
      "highest is 4.7.3\n");
}

TEST(AdmUpgradePlan, takes_the_channels_that_the_cluster_knows_where_the_service_has_no_list) {
  Server server;
  set_at(server, "4.6.1");
  server.set_graph("stable-4.6", "4.6.1 4.6.2", "[0, 1]");
  const Shown shown = plan(server, "--to 4.6.2");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(shown.out.contains("1. 4.6.1 -> 4.6.2 in stable-4.6")) << shown.out;
  EXPECT_TRUE(shown.err.starts_with(
      "warning: Only channels that the cluster knows are planned over: the service gave no list: "))
      << shown.err;
}

TEST(AdmUpgradePlan, names_the_channels_that_do_not_answer) {
  Server server;
  set_at(server, "4.6.1");
  server.set("/api/upgrades_info/channels", R"({"channels": {"stable-4.6": {}, "stable-4.7": {}}})");
  server.set_graph("stable-4.6", "4.6.1 4.6.2", "[0, 1]");
  Shown shown = plan(server, "--to 4.6.2");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(shown.err.starts_with("warning: These channels are not planned over: stable-4.7: "))
      << shown.err;
  shown = plan(server, "--to 4.6.2 --upstream http://127.0.0.1:1/graph");
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_TRUE(shown.err.starts_with("error: reading the graphs of stable-4.6: ") &&
              shown.err.contains("Connection refused"))
      << shown.err;
  server.set_version(R"("channel": "stable-4.6")", R"("desired": {"version": "4.6.1"})");
  shown = plan(server, "--to 4.6.2");
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_EQ(
      shown.err,
      "error: spec.upstream is unset, and the operator's default is not known here: give --upstream URL, or "
      "--graph-data with --releases\n");
}

TEST(AdmUpgradePlan, finds_who_still_uses_an_api_that_a_hop_removes) {
  Server server;
  set_at(server, "4.6.1");
  server.set("/api/upgrades_info/channels", R"({"channels": {"stable-4.6": {}}})");
  server.set_graph("stable-4.6", "4.6.1 4.6.2 4.7.1", "[0, 1], [1, 2]");
  server.set("/version", R"({"major": "1", "minor": "21+"})");
  std::string metrics = "# TYPE apiserver_request_total counter\n";
  for (int i = 0; i < 20'000; ++i)
    metrics += "apiserver_request_total{code=\"200\",n=\"" + std::to_string(i) + "\"} 1\n";
  server.set("/metrics", metrics +
                             "apiserver_requested_deprecated_apis{group=\"extensions\",version=\"v1beta1\","
                             "resource=\"ingresses\","
                             "subresource=\"\",removed_release=\"1.22\"} 1\n"
                             "apiserver_requested_deprecated_apis{group=\"extensions\",version=\"v1beta1\","
                             "resource=\"ingresses\","
                             "subresource=\"status\",removed_release=\"1.22\"} 1\n");
  server.set("/apis/extensions", R"({"kind": "APIGroup", "apiVersion": "v1", "name": "extensions",
      "versions": [{"groupVersion": "extensions/v1beta1", "version": "v1beta1"},
                   {"groupVersion": "extensions/v1", "version": "v1"}],
      "preferredVersion": {"groupVersion": "extensions/v1beta1", "version": "v1beta1"}})");
  server.set("/apis/extensions/v1/ingresses", R"({"kind": "IngressList", "apiVersion": "extensions/v1",
      "metadata": {"resourceVersion": "1"}, "items": [
        {"metadata": {"name": "web", "namespace": "shop", "managedFields": [
          {"manager": "helm", "apiVersion": "extensions/v1beta1"}, {"manager": "kubectl", "apiVersion": "extensions/v1"}]}},
        {"metadata": {"name": "api", "namespace": "shop", "managedFields": [
          {"manager": "kubectl", "apiVersion": "extensions/v1"}]}}]})");
  const Shown shown = plan(server, "--to 4.7.1 -o json");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  const auto document = json::parse(shown.out);
  ASSERT_TRUE(document) << shown.out;
  const json::Array& hops = document->at("paths").at(0).at("hops").as_array();
  EXPECT_TRUE(hops.at(0).at("waitsFor").as_array().empty());
  const json::Array& waits = hops.at(1).at("waitsFor").as_array();
  ASSERT_EQ(waits.size(), 1u) << shown.out;
  EXPECT_EQ(waits.at(0).at("kind"), "deprecatedApi");
  EXPECT_EQ(waits.at(0).at("holdsUp"), true);
  EXPECT_EQ(waits.at(0).at("message"),
            "Kubernetes 1.22 does not serve it any more. Objects were written by it: helm (shop/web).");
  for (const std::string& path : server.asked())
    EXPECT_NE(path, "/apis/extensions/v1beta1/ingresses") << "the question itself counts as a use";
}

TEST(AdmUpgradePlan, gives_no_command_for_an_update_that_the_operator_does_not_offer) {
  Server server;
  server.set_version(R"("channel": "stable-4.6", "upstream": ")" + server.graph_url() + "\"",
                     R"("desired": {"version": "4.6.0", "image": "i"},
                        "availableUpdates": [{"version": "4.6.1", "image": "i:1"}],
                        "conditions": [{"type": "RetrievedUpdates", "status": "True"}])");
  server.set_graph("stable-4.6", "4.6.0 4.6.1 4.6.5", "[0, 1], [0, 2]");
  Shown shown = plan(server, "--to 4.6.5");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(
      shown.out.contains("  1. 4.6.0 -> 4.6.5 in stable-4.6: not offered by the operator (yet)\n"
                         "     Risks, as they are now:\n"
                         "     - NotOffered: not offered by the operator (yet): the lists of ClusterVersion "
                         "do not have it\n"))
      << shown.out;
  EXPECT_TRUE(
      shown.out.contains("     Commands: none\n     The client refuses this update while the operator "
                         "does not offer it. What it offers: `fairway adm upgrade --server=" +
                         server.url() + "`.\n"))
      << shown.out;
  EXPECT_FALSE(shown.out.contains("--to 4.6.5")) << shown.out;
  shown = plan(server, "--to 4.6.1");
  EXPECT_TRUE(shown.out.contains("4.6.1 in stable-4.6: recommended to all clusters")) << shown.out;
}

TEST(AdmUpgradePlan, says_that_the_operator_asks_another_service) {
  Server server;
  server.set_version(R"("channel": "stable-4.6", "upstream": "https://me:hidden@updates.example.com/graph")",
                     R"("desired": {"version": "4.6.1", "image": "i"})");
  server.set_graph("stable-4.6", "4.6.1 4.6.2", "[0, 1]");
  const Shown shown = plan(server, "--to 4.6.2 --upstream " + server.graph_url());
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(shown.out.contains("The cluster's operator asks another service, https://") &&
              shown.out.contains("updates.example.com/graph, and offers the updates of that one only.\n"))
      << shown.out;
  EXPECT_FALSE(shown.out.contains("hidden")) << shown.out;
}

TEST(AdmUpgradePlan, has_commands_for_its_cluster) {
  Server server;
  set_at(server, "4.6.1");
  server.set_graph("stable-4.6", "4.6.1 4.6.2", "[0, 1]");
  const Shown shown = plan(server, "--to 4.6.2 --token hidden");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(
      shown.out.contains("       fairway adm upgrade --to 4.6.2 --wait --server=" + server.url() + "\n"))
      << shown.out;
  EXPECT_FALSE(shown.out.contains("hidden")) << shown.out;
}

TEST(AdmUpgradePlan, is_not_steered_by_texts_of_the_service) {
  Server server;
  set_at(server, "4.6.1");
  server.set("/api/upgrades_info/channels",
             R"({"channels": {"stable-4.6": {}, "--force": {}, "a;reboot": {}, "b\u001b[2J": {}}})");
  server.set_graph(
      "stable-4.6", "4.6.1 4.6.2", "",
      R"({"edges": [{"from": "4.6.1", "to": "4.6.2"}], "risks": [{"url": "https://e/\u001b]0;x\u0007",
                       "name": "Risk\u001b[2J\nfake line", "message": "One\n  2. 4.6.2 -> 9.9.9\u001b[1A",
                       "matchingRules": [{"type": "Always"}]}]})");
  const Shown shown = plan(server, "--to 4.6.2");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ((shown.out + shown.err).find_first_of("\x1b\x07"), std::string::npos) << shown.out << shown.err;
  EXPECT_FALSE(shown.out.contains("\nfake line")) << shown.out;
  EXPECT_FALSE(shown.out.contains("\n  2. ")) << shown.out;
  EXPECT_FALSE(shown.out.contains("reboot")) << shown.out;
  EXPECT_TRUE(shown.err.contains("2 channels are left out, since their names are not safe to type"))
      << shown.err;
}

TEST(AdmUpgradePlan, takes_no_name_of_graph_data_that_a_shell_could_misread) {
  const Server server;
  const testing::TempDirectory folder;
  const std::string data = FAIRWAY_SOURCE_DIR "/tests/cli/data/plan/";
  std::filesystem::copy(data + "graph-data", folder / "graph-data", std::filesystem::copy_options::recursive);
  // The only channel that has the update under a name that makes two commands of one.
  std::filesystem::remove(folder / "graph-data/channels/candidate-4.8.yaml");
  folder.write("graph-data/channels/other.yaml", "name: \"a-4.8;reboot\"\nversions: [4.7.9, 4.8.3]\n");
  const std::string flags = " --mock-clusterversion " + data + "cluster-cv.yaml --graph-data '" +
                            (folder / "graph-data").string() + "' --releases " + data + "releases.json";
  Shown shown = plan(server, "--to 4.8.3" + flags);
  EXPECT_EQ(shown.exit_code, 1) << shown.out;
  EXPECT_FALSE(shown.out.contains("reboot")) << shown.out;
  shown = plan(server, "--to 4.7.9" + flags);
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(shown.err.contains("warning: 1 channel is left out, since its name is not safe to type\n"))
      << shown.err;
}

/// The cluster on its way: the update to `version` runs, and says `message`.
void set_running(Server& server, const std::string& version, const std::string& message) {
  server.set_version(R"("channel": "stable-4.6", "upstream": ")" + server.graph_url() + "\"",
                     R"("desired": {"version": ")" + version + R"(", "image": "i"},
                        "history": [{"state": "Partial", "version": ")" +
                         version + R"("}],
                        "conditions": [{"type": "Progressing", "status": "True", "message": ")" +
                         message + "\"}]");
}

TEST(AdmUpgradePlan, is_made_again_until_the_cluster_is_at_the_release) {
  Server server;
  const testing::TempDirectory folder;
  set_at(server, "4.6.1");
  server.set("/api/upgrades_info/channels", R"({"channels": {"stable-4.6": {}}})");
  server.set_graph("stable-4.6", "4.6.1 4.6.2 4.6.3", "[0, 1], [1, 2]");
  const std::string file = (folder / "out").string();
  testing::Process watch({FAIRWAY_BINARY, "adm", "upgrade", "plan", "--to", "4.6.3", "--watch", "--every",
                          "1s", "--server", server.url()},
                         file);
  const auto text = [&] { return read_file(file).value_or(""); };
  const auto shows = [&](std::string_view what) {
    return testing::eventually([&] { return text().contains(what); });
  };
  ASSERT_TRUE(shows("2. 4.6.2 -> 4.6.3")) << text();
  // The first update runs: the plan begins at it.
  set_running(server, "4.6.2", "Working towards 4.6.2: 1 of 3 done");
  ASSERT_TRUE(shows("Z Working towards 4.6.2: 1 of 3 done\n")) << text();
  ASSERT_TRUE(shows("1. 4.6.2 -> 4.6.3")) << text();
  ASSERT_TRUE(shows("- the update to 4.6.2 runs")) << text();
  // What it says is a line, and no plan: two more are made, and neither is shown.
  const std::size_t before = text().size();
  set_running(server, "4.6.2", "Working towards 4.6.2: 2 of 3 done");
  ASSERT_TRUE(shows("2 of 3 done\n")) << text();
  const std::size_t made = server.asked_for(graph_path);
  ASSERT_TRUE(testing::eventually([&] { return server.asked_for(graph_path) >= made + 2; })) << text();
  EXPECT_LT(text().size(), before + 100) << text();
  EXPECT_FALSE(text().contains("warning: ")) << text();
  // The service finds a risk.
  server.set_graph(
      "stable-4.6", "4.6.1 4.6.2 4.6.3", "[0, 1]",
      R"({"edges": [{"from": "4.6.2", "to": "4.6.3"}], "risks": [{"url": "https://e/r", "name": "RiskA",
                       "message": "It hurts.", "matchingRules": [{"type": "Always"}]}]})");
  ASSERT_TRUE(shows("RiskA applies to every cluster")) << text();
  // The service is gone: the plan that there is stays.
  server.set_graph("stable-4.6", "", "");
  ASSERT_TRUE(shows("warning: ")) << text();
  server.set_graph("stable-4.6", "4.6.2 4.6.3", "[0, 1]");
  set_running(server, "4.6.3", "Working towards 4.6.3: 1 of 3 done");
  ASSERT_TRUE(shows("Working towards 4.6.3: 1 of 3 done\n")) << text();
  EXPECT_TRUE(watch.running());
  set_at(server, "4.6.3");
  const int status = watch.wait();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text();
}

TEST(AdmUpgradePlan, that_is_watched_ends_at_a_signal_with_an_error) {
  Server server;
  const testing::TempDirectory folder;
  set_at(server, "4.6.1");
  server.set_graph("stable-4.6", "4.6.1 4.6.2", "[0, 1]");
  const std::string file = (folder / "out").string();
  testing::Process watch({FAIRWAY_BINARY, "adm", "upgrade", "plan", "--to", "4.6.2", "--watch", "-o", "json",
                          "--server", server.url()},
                         file);
  const auto text = [&] { return read_file(file).value_or(""); };
  ASSERT_TRUE(testing::eventually([&] { return text().contains("\"from\":\"4.6.1\""); })) << text();
  const int status = watch.end(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << text();
  EXPECT_TRUE(text().ends_with("error: stopped watching the plan to 4.6.2\n")) << text();
}

/// A plan that is watched, and what it has printed.
class Watch {
 public:
  Watch(const Server& server, const std::string& to, const std::vector<std::string>& flags = {})
      : process_(line(server, to, flags), file()) {}
  std::string text() const { return read_file(file()).value_or(""); }
  bool shows(std::string_view what, std::size_t from = 0) const {
    return testing::eventually([&] { return text().find(what, from) != std::string::npos; });
  }
  /// Waits for the end; returns the exit code, or -1 if there is none.
  int exit_code() {
    if (!testing::eventually([&] { return !process_.running(); })) return -1;
    const int status = process_.wait();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  testing::Process& process() { return process_; }

 private:
  static std::vector<std::string> line(const Server& server, const std::string& to,
                                       const std::vector<std::string>& flags) {
    std::vector<std::string> words{FAIRWAY_BINARY, "adm",     "upgrade", "plan",     "--to",      to,
                                   "--watch",      "--every", "1s",      "--server", server.url()};
    words.insert(words.end(), flags.begin(), flags.end());
    return words;
  }
  std::string file() const { return (folder_ / "out").string(); }

  testing::TempDirectory folder_;
  testing::Process process_;
};

TEST(AdmUpgradePlan, that_is_watched_ends_when_the_cluster_has_passed_the_release) {
  Server server;
  set_at(server, "4.6.1");
  server.set_graph("stable-4.6", "4.6.1 4.6.3 4.6.5", "[0, 1], [0, 2]");
  Watch watch(server, "4.6.3");
  ASSERT_TRUE(watch.shows("1. 4.6.1 -> 4.6.3")) << watch.text();
  set_at(server, "4.6.5");
  EXPECT_EQ(watch.exit_code(), 1) << watch.text();
  EXPECT_TRUE(
      watch.text().ends_with("error: the plan to 4.6.3 has no end: the cluster has passed it, and has "
                             "4.6.5 or is being updated to it\n"))
      << watch.text();
}

TEST(AdmUpgradePlan, that_is_watched_ends_well_where_the_cluster_has_gone_on_from_the_release) {
  Server server;
  set_at(server, "4.6.1");
  server.set_graph("stable-4.6", "4.6.1 4.6.3 4.6.5", "[0, 1], [1, 2]");
  Watch watch(server, "4.6.3");
  ASSERT_TRUE(watch.shows("1. 4.6.1 -> 4.6.3")) << watch.text();
  server.set_version(R"("channel": "stable-4.6", "upstream": ")" + server.graph_url() + "\"",
                     std::string(R"("desired": {"version": "4.6.5", "image": "i"},
                        "history": [{"state": "Partial", "version": "4.6.5"},
                                    {"state": "Completed", "version": "4.6.3"}], )") +
                         well);
  EXPECT_EQ(watch.exit_code(), 0) << watch.text();
}

TEST(AdmUpgradePlan, that_is_watched_ends_at_another_build_of_the_release) {
  Server server;
  set_at(server, "4.6.1");
  server.set_graph("stable-4.6", "4.6.1 4.6.3", "[0, 1]");
  Watch watch(server, "4.6.3");
  ASSERT_TRUE(watch.shows("1. 4.6.1 -> 4.6.3")) << watch.text();
  set_at(server, "4.6.3+amd64");
  EXPECT_EQ(watch.exit_code(), 0) << watch.text();
}

TEST(AdmUpgradePlan, that_is_watched_asks_a_prometheus_that_failed_again) {
  Server server;
  set_at(server, "4.6.1");
  server.set_graph("stable-4.6", "4.6.1 4.6.2", "",
                   R"({"edges": [{"from": "4.6.1", "to": "4.6.2"}], "risks": [{"url": "https://e/r",
                       "name": "RiskA", "message": "It hurts.",
                       "matchingRules": [{"type": "PromQL", "promql": {"promql": "up"}}]}]})");
  const Watch watch(server, "4.6.2", {"--prometheus", server.url() + "/prometheus"});
  ASSERT_TRUE(watch.shows("RiskA cannot be judged: ")) << watch.text();
  server.set("/prometheus/api/v1/query", R"({"status": "success", "data": {"resultType": "vector",
      "result": [{"metric": {}, "value": [1, "0"]}]}})");
  EXPECT_TRUE(watch.shows("RiskA does not apply")) << watch.text();
  // What has succeeded is not asked again.
  const std::size_t made = server.asked_for(graph_path);
  const std::size_t queries = server.asked_for("/prometheus/api/v1/query");
  ASSERT_TRUE(testing::eventually([&] { return server.asked_for(graph_path) >= made + 2; })) << watch.text();
  EXPECT_EQ(server.asked_for("/prometheus/api/v1/query"), queries);
}

TEST(AdmUpgradePlan, that_is_watched_keeps_what_it_knows_while_the_api_server_fails) {
  Server server;
  set_at(server, "4.6.1");
  server.set_graph("stable-4.6", "4.6.1 4.6.2", "[0, 1]");
  server.set("/apis/policy/v1/poddisruptionbudgets",
             R"({"kind": "PodDisruptionBudgetList", "apiVersion": "policy/v1",
      "metadata": {"resourceVersion": "1"}, "items": [{"metadata": {"name": "db", "namespace": "shop"},
        "status": {"expectedPods": 1, "disruptionsAllowed": 0}}]})");
  const Watch watch(server, "4.6.2");
  ASSERT_TRUE(watch.shows("- a PodDisruptionBudget allows no disruption")) << watch.text();
  server.break_down("/apis/policy/v1/poddisruptionbudgets");
  ASSERT_TRUE(watch.shows("warning: What the PodDisruptionBudgets say is not known")) << watch.text();
  const std::size_t before = watch.text().size();
  // Another plan, which still has it.
  server.set_graph("stable-4.6", "4.6.1 4.6.2", "",
                   R"({"edges": [{"from": "4.6.1", "to": "4.6.2"}], "risks": [{"url": "https://e/r",
                       "name": "RiskA", "message": "It hurts.", "matchingRules": [{"type": "Always"}]}]})");
  ASSERT_TRUE(watch.shows("Commands:\n       fairway adm upgrade --to 4.6.2 --allow-not-recommended", before))
      << watch.text();
  EXPECT_NE(watch.text().find("- a PodDisruptionBudget allows no disruption", before), std::string::npos)
      << watch.text();
}

TEST(AdmUpgradePlan, that_is_watched_ends_at_a_signal_while_the_api_server_does_not_answer) {
  Server server;
  set_at(server, "4.6.1");
  server.set_graph("stable-4.6", "4.6.1 4.6.2", "[0, 1]");
  // One after the other, these would take minutes.
  for (const char* path : {"/apis/config.openshift.io/v1/clusteroperators",
                           "/apis/machineconfiguration.openshift.io/v1/machineconfigpools",
                           "/apis/policy/v1/poddisruptionbudgets",
                           "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "/metrics"})
    server.hang(path);
  Watch watch(server, "4.6.2");
  ASSERT_TRUE(testing::eventually(
      [&] { return server.asked_for("/apis/config.openshift.io/v1/clusteroperators") > 0; }));
  const auto began = std::chrono::steady_clock::now();
  watch.process().signal(SIGTERM);
  EXPECT_EQ(watch.exit_code(), 1) << watch.text();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60)) << watch.text();
}

TEST(AdmUpgradePlan, leaves_out_channels_whose_graphs_are_too_large_together) {
  Server server;
  set_at(server, "4.6.1");
  std::string channels = R"("stable-4.6": {})";
  constexpr int large = 12;  // of 12 MiB each: ten of them fit
  for (int i = 0; i < large; ++i) {
    const std::string name = "large-" + std::to_string(i);
    channels += ", \"" + name + "\": {}";
    server.set_graph(name, "4.6.1 4.6.2", "[0, 1]", "", std::size_t{12} << 20);
  }
  server.set("/api/upgrades_info/channels", R"({"channels": {)" + channels + "}}");
  server.set_graph("stable-4.6", "4.6.1 4.6.2", "[0, 1]");
  const Shown shown = plan(server, "--to 4.6.2");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(shown.out.contains("1. 4.6.1 -> 4.6.2 in stable-4.6")) << shown.out;
  EXPECT_TRUE(shown.err.starts_with("warning: These channels are not planned over: large-") &&
              shown.err.contains("the graphs of all channels have more than 128 MiB"))
      << shown.err;
}

}  // namespace
}  // namespace fairway
