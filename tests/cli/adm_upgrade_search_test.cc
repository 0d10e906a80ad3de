// SPDX-License-Identifier: Apache-2.0

// A cluster whose release is not in its channel: the client looks for it in the other channels of the
// service.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "http/certificate.h"
#include "http/url.h"
#include "k8s/view.h"
#include "support/loopback_server.h"
#include "support/loopback_tls.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

constexpr std::string_view forbidden =
    R"({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "secrets is forbidden: User eve",
        "reason": "Forbidden", "code": 403})";

http::Response not_found() {
  return http::Response::json(404, R"({"kind": "Status", "apiVersion": "v1", "status": "Failure",
      "message": "not found", "reason": "NotFound", "code": 404})");
}

/// Returns a graph with the release, or another.
http::Response graph(bool has) {
  return http::Response::json(200, R"({"nodes": [{"version": ")" + std::string(has ? "4.6.1" : "4.7.0") +
                                       R"(", "payload": "example.com/r@sha256:1"}], "edges": []})");
}

bool has_credentials(const http::Request& asked) {
  return asked.header("Authorization") == "Bearer t0ken";
}

/// State of the cluster and the service.
struct World {
  /// Upstream of the ClusterVersion; "here": the service itself; empty: unset.
  std::string upstream = "here";
  /// Names of Channel objects.
  std::vector<std::string> objects;
  /// The condition RetrievedChannels, with a comma in front.
  std::string retrieved_channels;
  /// Channels that the service lists.
  std::vector<std::string> listed = {"fast-4.6", "stable-4.5", "stable-4.7"};
  /// False if it has no list at all.
  bool lists = true;
  std::function<http::Response(const std::string& channel, const http::Request&)> answer =
      [](const std::string& channel, const http::Request&) { return graph(channel == "fast-4.6"); };
  /// Returns the Secret for the URL of the service.
  std::function<http::Response(const std::string& url)> secret = [](const std::string&) {
    return not_found();
  };
};

/// An API server and an update service in one.
class Service {
 public:
  explicit Service(World world, http::ServerOptions options = {})
      : world_(std::move(world)), scheme_(options.tls ? "https" : "http") {
    options.blocking_threads = 64;
    server_ = testing::serve_on_loopback(
        "GET", [this](const http::Request& asked) { return answer(asked); }, options);
    port_ = server_->port();
  }

  std::string url() const { return scheme_ + "://127.0.0.1:" + std::to_string(port_); }

 private:
  http::Response answer(const http::Request& asked) const {
    constexpr std::string_view api = "/apis/config.openshift.io/v1/";
    if (asked.path == std::string(api) + "clusterversions/version")
      return http::Response::json(200, cluster_version());
    if (asked.path == std::string(api) + "channels") return http::Response::json(200, channels());
    if (asked.path == "/api/v1/namespaces/fairway-system/secrets/fairway-upstream")
      return world_.secret(here());
    if (world_.lists && asked.path == "/api/upgrades_info/channels") {
      std::string text;
      for (const std::string& name : world_.listed)
        text += std::string(text.empty() ? "" : ", ") + "\"" + name + R"(": {"description": "Listed."})";
      return http::Response::json(200, R"({"channels": {)" + text + "}}");
    }
    if (asked.path == "/api/upgrades_info/explain" && has_credentials(asked))
      return http::Response::json(200, R"({"verdict": "private"})");
    if (asked.path != "/api/upgrades_info/graph") return not_found();
    for (const auto& [name, value] : http::parse_query(asked.query))
      if (name == "channel") return world_.answer(value, asked);
    return not_found();
  }
  std::string here() const { return url() + "/api/upgrades_info/graph"; }
  std::string cluster_version() const {
    return R"({"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
        "spec": {"channel": "stable-4.5", "upstream": ")" +
           (world_.upstream == "here" ? here() : world_.upstream) +
           R"("}, "status": {"desired": {"version": "4.6.1"}, "conditions": [
        {"type": "Failing", "status": "False"}, {"type": "Progressing", "status": "False", "message": "4.6.1"},
        {"type": "RetrievedUpdates", "status": "False", "reason": "VersionNotFound", "message": "not found"})" +
           world_.retrieved_channels + "]}}";
  }
  std::string channels() const {
    std::string items;
    for (const std::string& name : world_.objects)
      items += std::string(items.empty() ? "" : ", ") +
               R"({"apiVersion": "config.openshift.io/v1", "kind": "Channel", "metadata": {"name": ")" +
               name + R"("}, "spec": {}, "status": {"description": "From the cluster."}})";
    return R"({"apiVersion": "config.openshift.io/v1", "kind": "ChannelList", "metadata": {}, "items": [)" +
           items + "]}";
  }

  const World world_;
  const std::string scheme_;
  std::atomic<int> port_;  // requests read it in the server's threads
  std::unique_ptr<http::Server> server_;
};

struct Shown {
  int exit_code = -1;
  std::string out, err;
};

Shown run(const std::string& server, const std::string& words = "", const std::string& flags = "") {
  const testing::TempDirectory folder;
  const auto out = folder.path() / "out", err = folder.path() / "err";
  const std::string line = "HOME='" + folder.path().string() +
                           "' KUBECONFIG= '" FAIRWAY_BINARY "' adm upgrade " + words + " --server " + server +
                           " " + flags + " > '" + out.string() + "' 2> '" + err.string() + "'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out).value_or(""),
          read_file(err).value_or("")};
}

/// Returns channels that do not have the release.
std::vector<std::string> many_channels(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("other-" + std::to_string(100 + i));
  return names;
}

TEST(AdmUpgradeSearch, LooksForAReleaseInTheChannelsOfTheService) {
  const Service service({});
  const Shown shown = run(service.url());
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_TRUE(shown.out.contains("4.6.1 is not in `stable-4.5`, but we have found it in `fast-4.6`.\n"))
      << shown.out;
  EXPECT_TRUE(shown.out.contains("\n  fast-4.6: Listed.\n")) << shown.out;
}

TEST(AdmUpgradeSearch, PrefersTheChannelsThatTheClusterKnows) {
  const Service service({.objects = {"fast-4.6"}});
  const Shown shown = run(service.url());
  EXPECT_TRUE(shown.out.contains("\n  fast-4.6: From the cluster.\n")) << shown.out;
}

TEST(AdmUpgradeSearch, AsksChannelsThatNoObjectCanBeNamedAfter) {
  constexpr std::string_view names_refused =
      R"(, {"type": "RetrievedChannels", "status": "True", "reason": "NamesRefused", "message": "Fast_4.6"})";
  constexpr std::string_view failing =
      R"(, {"type": "RetrievedChannels", "status": "False", "reason": "RemoteFailed", "message": "later"})";
  for (const std::string_view condition : {names_refused, failing}) {
    const Service service(
        {.objects = {"stable-4.6"},
         .retrieved_channels = std::string(condition),
         .listed = {"Fast_4.6", "stable-4.6"},
         .answer = [](const std::string& channel, const auto&) { return graph(channel == "Fast_4.6"); }});
    const Shown shown = run(service.url());
    EXPECT_TRUE(shown.out.contains("we have found it in `Fast_4.6`.\n")) << shown.out << shown.err;
    EXPECT_TRUE(shown.out.contains("\n  Fast_4.6: Listed.\n")) << shown.out;
  }
}

TEST(AdmUpgradeSearch, NamesNoChannelThatCannotBeTyped) {
  const Service service(
      {.listed = {"fast-4.6", R"(evil\u001b]0;x`\nwarning: all is well)", std::string(300, 'a')},
       .answer = [](const auto&, const auto&) { return graph(true); }});
  const Shown shown = run(service.url());
  EXPECT_TRUE(shown.out.contains("we have found it in `fast-4.6`.\n")) << shown.out << shown.err;
  EXPECT_FALSE((shown.out + shown.err).contains("all is well")) << shown.out << shown.err;
}

TEST(AdmUpgradeSearch, AsksTheClustersChannelsWhereTheServiceListsNone) {
  const std::string refused =
      R"(, {"type": "RetrievedChannels", "status": "False", "reason": "RemoteFailed", "message": "later"})";
  const Service service({.objects = {"fast-4.6"}, .retrieved_channels = refused, .lists = false});
  const Shown shown = run(service.url());
  EXPECT_TRUE(shown.out.contains("we have found it in `fast-4.6`.\n")) << shown.out << shown.err;
  EXPECT_TRUE(
      shown.err.contains("warning: Channels that the cluster does not list could not be searched: "
                         "unexpected HTTP status: 404 Not Found\n"))
      << shown.err;
}

TEST(AdmUpgradeSearch, NamesChannelsInTheOrderOfTheSpecification) {
  const Service service({.listed = {"candidate-4.6", "fast-4.6", "stable-4.5", "stable-4.6"},
                         .answer = [](const auto&, const auto&) { return graph(true); }});
  const Shown shown = run(service.url());
  EXPECT_TRUE(shown.out.contains("we have found it in `stable-4.6`, `fast-4.6`, and `candidate-4.6`.\n"))
      << shown.out;
}

/// Holds requests until enough of them have come, or nobody waits any more.
class Gate {
 public:
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    ++come_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_ || come_ >= count; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t come_ = 0;
  bool open_ = false;
};

TEST(AdmUpgradeSearch, AsksSeveralChannelsAtOnce) {
  Gate gate;
  const Service service({.listed = many_channels(16), .answer = [&gate](const auto& channel, const auto&) {
                           gate.wait_for(16);
                           return graph(channel == "other-103");
                         }});
  const Shown shown = run(service.url());
  gate.open();
  EXPECT_TRUE(shown.out.contains("we have found it in `other-103`.\n")) << shown.out << shown.err;
  EXPECT_EQ(shown.err.find("could not be searched"), std::string::npos) << shown.err;
}

TEST(AdmUpgradeSearch, FindsTheOneThatAnswersAmongFortyThatHang) {
  Gate gate;
  std::vector<std::string> listed = many_channels(40);
  listed.push_back("a-last-one");
  const Service service({.listed = listed, .answer = [&gate](const auto& channel, const auto&) {
                           if (channel != "a-last-one") gate.wait_for(1000);
                           return graph(channel == "a-last-one");
                         }});
  const Shown shown = run(service.url());
  gate.open();
  EXPECT_TRUE(shown.out.contains("we have found it in `a-last-one`.\n")) << shown.out << shown.err;
  EXPECT_TRUE(shown.err.contains("`other-139`, ")) << shown.err;
}

TEST(AdmUpgradeSearch, NamesAChannelThatGaveNoAnswerAndAsksTheOthers) {
  Gate gate;
  std::vector<std::string> listed = many_channels(40);
  listed.push_back("a-slow-one");
  listed.push_back("z-slow-one");
  const Service service({.listed = listed, .answer = [&gate](const auto& channel, const auto&) {
                           if (channel.ends_with("-slow-one")) gate.wait_for(3);
                           return graph(channel == "other-103" || channel == "other-138");
                         }});
  const Shown shown = run(service.url());
  gate.open();
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_TRUE(shown.out.contains("we have found it in `other-138` and `other-103`.\n")) << shown.out;
  EXPECT_TRUE(shown.err.contains(
      "warning: 4.6.1 is not in `stable-4.5`, and may be in more channels: `z-slow-one` and "
      "`a-slow-one` could not be searched. Of the first: no answer within 3s\n"))
      << shown.err;
}

http::Response secret_for(const std::string& url) {
  return http::Response::json(
      200, R"({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "fairway-upstream", "namespace":
      "fairway-system"}, "data": {"url": ")" +
               base64_encode(url) + R"(", "token": ")" + base64_encode("t0ken") + R"("}})");
}

http::Response private_graph(const std::string& channel, const http::Request& asked) {
  return graph(channel == "stable-4.7" && has_credentials(asked));
}

TEST(AdmUpgradeSearch, OpensPrivateChannelsWithTheCredentialsOfTheOperator) {
  const Service service({.answer = private_graph, .secret = secret_for});
  const Shown shown = run(service.url());
  EXPECT_TRUE(shown.out.contains("we have found it in `stable-4.7`.\n")) << shown.out << shown.err;
  EXPECT_FALSE(shown.err.contains("credentials")) << shown.err;
  const Shown why = run(service.url(), "why 4.6.2");
  EXPECT_TRUE(why.out.contains("The update service says of 4.6.1 to 4.6.2 in stable-4.5: private\n"))
      << why.out << why.err;
  // Another service does not get them.
  const Service elsewhere({.answer = private_graph,
                           .secret = [](const std::string&) { return secret_for("http://127.0.0.1:1"); }});
  EXPECT_FALSE(run(elsewhere.url()).out.contains("found it")) << "credentials went to another service";
}

TEST(AdmUpgradeSearch, GoesOnWithoutCredentialsThatTheUserMayNotRead) {
  const Service service(
      {.secret = [](const std::string&) { return http::Response::json(403, std::string(forbidden)); }});
  const Shown shown = run(service.url());
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_TRUE(shown.out.contains("we have found it in `fast-4.6`.\n")) << shown.out;
  EXPECT_TRUE(shown.err.contains("warning: Channels that need credentials could not be searched: "))
      << shown.err;
  EXPECT_TRUE(shown.err.contains("User eve")) << shown.err;
  const Shown why = run(service.url(), "why 4.6.2");
  EXPECT_TRUE(why.err.contains("; it was asked without credentials: ")) << why.err;
}

TEST(AdmUpgradeSearch, TellsProgramsWhatItFound) {
  const Service service({.answer = [](const std::string& channel, const http::Request&) {
    return channel == "stable-4.7" ? http::Response::text(503, "later") : graph(channel == "fast-4.6");
  }});
  const Shown shown = run(service.url(), "", "-o json");
  const auto document = json::parse(shown.out);
  ASSERT_TRUE(document) << shown.out;
  const k8s::View search = k8s::View(document->as_object()).at("channelSearch");
  EXPECT_EQ(search.text("version"), "4.6.1");
  ASSERT_EQ(search.items("found").size(), 1u) << shown.out;
  EXPECT_EQ(search.items("found").front().text("name"), "fast-4.6");
  EXPECT_EQ(search.items("found").front().text("description"), "Listed.");
  ASSERT_EQ(search.items("notSearched").size(), 1u) << shown.out;
  EXPECT_EQ(search.items("notSearched").front().text("name"), "stable-4.7");
  EXPECT_TRUE(run(service.url(), "", "-o yaml").out.contains("channelSearch:\n"));
}

TEST(AdmUpgradeSearch, SaysWhereTheServiceIsUnsetOrGone) {
  constexpr std::string_view sentence =
      "warning: 4.6.1 is not in `stable-4.5`, and cannot be looked for in other channels: ";
  const Service without({.upstream = ""});
  const Shown unset = run(without.url());
  EXPECT_EQ(unset.exit_code, 0);
  EXPECT_TRUE(unset.err.contains(std::string(sentence) + "spec.upstream is unset")) << unset.err;
  const std::string nobody = "http://127.0.0.1:" + std::to_string(testing::free_loopback_port()) + "/graph";
  const Service gone({.upstream = nobody});
  const Shown unreachable = run(gone.url());
  EXPECT_EQ(unreachable.exit_code, 0);
  EXPECT_TRUE(unreachable.err.contains(sentence)) << unreachable.err;
  const Service known({.upstream = nobody, .objects = {"fast-4.6", "stable-4.6"}});
  const Shown all = run(known.url());
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_TRUE(
      all.err.contains("warning: 4.6.1 is not in `stable-4.5`, and none of the other channels could be "
                       "searched: `stable-4.6` and `fast-4.6`. Of the first: "))
      << all.err;
}

TEST(AdmUpgradeSearch, TrustsTheAuthoritiesOfItsFlag) {
  const auto [authority, options] = testing::loopback_tls("updates");
  const Service updates({}, options);
  const Service cluster({.upstream = updates.url() + "/api/upgrades_info/graph"});
  const testing::TempDirectory folder;
  folder.write("ca.pem", authority.certificate);
  const Shown without = run(cluster.url());
  EXPECT_TRUE(
      without.err.contains("4.6.1 is not in `stable-4.5`, and cannot be looked for in other channels: "))
      << without.err;
  const Shown with = run(cluster.url(), "", "--ca-file '" + (folder / "ca.pem").string() + "'");
  EXPECT_TRUE(with.out.contains("we have found it in `fast-4.6`.\n")) << with.out << with.err;
}

}  // namespace
}  // namespace fairway
