// SPDX-License-Identifier: Apache-2.0

// The program `fairway operator`, with an API server, and stubs of the update service and of Prometheus.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "k8s/core.h"
#include "openshift/cluster_operator.h"
#include "operators/operator_case.h"
#include "operators/seeded.h"
#include "operators/upstream_credentials.h"
#include "operators/widened.h"

namespace fairway::operators::testing {
namespace {

using fairway::testing::eventually;

constexpr const char* cluster_id = "897f0a22-33ca-4106-a2c4-29b75250255a";

json::Value node(const std::string& version) {
  return json::Object{
      {"version", version},
      {"payload", "registry.example.com/release:" + version},
      {"metadata", json::Object{{"url", "https://example.com/" + version},
                                {"io.openshift.upgrades.graph.release.channels", "stable-4.7,fast-4.7"}}}};
}

/// Returns a round in which 4.6.23 may be updated to 4.6.24, and to 4.7.4 unless `q` gives 1.
json::Value round_of(int q) {
  json::Object risk{{"url", "https://example.com/R"},
                    {"name", "R"},
                    {"message", "R message."},
                    {"matchingRules", json::Array{json::Object{{"type", "PromQL"},
                                                               {"promql", json::Object{{"promql", "q"}}}}}}};
  json::Object body{
      {"nodes", json::Array{node("4.6.23"), node("4.6.24"), node("4.7.4")}},
      {"edges", json::Array{json::Value(json::Array{0, 1})}},
      {"conditionalEdges",
       json::Array{json::Object{{"edges", json::Array{json::Object{{"from", "4.6.23"}, {"to", "4.7.4"}}}},
                                {"risks", json::Array{std::move(risk)}}}}}};
  return json::Object{{"cincinnati", json::Object{{"body", std::move(body)}}},
                      {"promql", json::Object{{"q", q}}}};
}

json::Value spec() {
  return json::Object{{"clusterID", cluster_id}, {"channel", "stable-4.7"}};
}

std::vector<std::string> versions(const json::Value& status) {
  std::vector<std::string> found;
  const json::Value& list = member(status, "availableUpdates");
  if (!list.is_array()) return found;
  for (const json::Value& release : list.as_array()) found.push_back(text(release, "version"));
  return found;
}

using Versions = std::vector<std::string>;

TEST_F(OperatorCase, WritesWhatTheRisksLeaveAndChangesItWhenTheyDo) {
  Stubs stubs;
  stubs.begin(round_of(1));
  write_cluster(spec());
  const auto process = start({"--upstream", stubs.upstream(), "--prometheus", stubs.prometheus(), "--release",
                              "4.6.23=registry.example.com/release:4.6.23"});
  ASSERT_TRUE(eventually([&] { return versions(status()) == Versions{"4.6.24"}; })) << log();
  EXPECT_EQ(text(condition_of(status(), "RetrievedUpdates"), "status"), "True");
  const json::Value update = member(status(), "conditionalUpdates").as_array().at(0);
  EXPECT_EQ(text(condition_of(update, "Evaluating"), "reason"), "PeriodicallyEvaluating");
  EXPECT_EQ(text(condition_of(update, "Recommended"), "reason"), "R");
  EXPECT_EQ(text(member(status(), "history").as_array().at(0), "version"), "4.6.23");

  stubs.begin(round_of(0));
  set_clock(300);
  EXPECT_TRUE(eventually([&] { return versions(status()) == Versions{"4.7.4", "4.6.24"}; })) << log();
}

TEST_F(OperatorCase, KeepsTheListsOfAServiceThatIsGoneForADay) {
  Stubs stubs;
  stubs.begin(round_of(0));
  write_cluster(spec());
  const auto process = start({"--upstream", stubs.upstream(), "--prometheus", stubs.prometheus(), "--release",
                              "4.6.23=registry.example.com/release:4.6.23"});
  ASSERT_TRUE(eventually([&] { return versions(status()).size() == 2; })) << log();
  json::Value gone = round_of(0);
  gone.as_object()["cincinnati"] = json::Object{{"status", 503}, {"body", json::Object()}};
  stubs.begin(gone);
  set_clock(300);
  ASSERT_TRUE(eventually([&] {
    return text(condition_of(status(), "RetrievedUpdates"), "reason") == "ResponseFailed";
  })) << log();
  EXPECT_EQ(versions(status()).size(), 2U);
  EXPECT_EQ(text(condition_of(status(), "fairway.dev/StaleUpdates"), "status"), "True");
  set_clock(25 * 3600);
  EXPECT_TRUE(eventually([&] { return versions(status()).empty(); })) << log();
  EXPECT_EQ(condition_of(status(), "fairway.dev/StaleUpdates"), json::Value());
  EXPECT_EQ(condition_of(status(), "RetrievedUpdates").as_object().at("message"),
            "Unable to retrieve available updates: unexpected HTTP status: 503 Service Unavailable");
}

TEST_F(OperatorCase, CreatesTheClusterVersionOfItsRelease) {
  Stubs stubs;
  stubs.begin(round_of(1));
  const auto process = start({"--upstream", stubs.upstream(), "--prometheus", stubs.prometheus(), "--release",
                              "4.6.23=registry.example.com/release:4.6.23"});
  ASSERT_TRUE(eventually([&] {
    return text(condition_of(status(), "RetrievedUpdates"), "reason") == "NoChannel";
  })) << log();
  EXPECT_EQ(text(member(status(), "desired"), "version"), "4.6.23");
}

TEST_F(OperatorCase, KeepsAChannelForEachOfTheService) {
  const auto channels = [&] {
    std::vector<std::string> found;
    const auto list = client_->list(openshift::Channel::resource.group_version_resource(), {});
    if (!list) return found;
    for (const k8s::Dynamic& channel : list->items)
      found.push_back(std::string(channel.name()) + ": " + std::string(channel.text("status.description")));
    return found;
  };
  Stubs stubs;
  stubs.begin(round_of(1));
  stubs.serve_channels(
      R"({"version":7,"channels":{"stable-4.7":{"description":"For all."},"No Name":{},"fast-4.7":{}}})");
  write_cluster(spec());
  const auto process = start({"--upstream", stubs.upstream(), "--prometheus", stubs.prometheus()});
  EXPECT_TRUE(eventually([&] { return channels() == Versions{"fast-4.7: ", "stable-4.7: For all."}; }))
      << log();
  EXPECT_TRUE(eventually([&] {
    return text(condition_of(status(), "RetrievedChannels"), "message").contains("No Name");
  })) << json::to_text(status());

  stubs.serve_channels(R"({"channels":{"stable-4.7":{"description":"For most."}}})");
  set_clock(300);
  EXPECT_TRUE(eventually([&] { return channels() == Versions{"stable-4.7: For most."}; })) << log();

  stubs.serve_channels("");
  set_clock(600);
  EXPECT_TRUE(eventually([&] {
    return text(condition_of(status(), "RetrievedChannels"), "reason") == "ChannelsNotServed";
  })) << json::to_text(status());
  EXPECT_EQ(channels(), Versions{"stable-4.7: For most."});
}

TEST_F(OperatorCase, SendsTheCredentialsOfItsSecretToTheServiceThatTheyAreFor) {
  std::mutex mutex;
  std::vector<std::string> graphs, channels;
  fairway::testing::FakeService service([&](const http::Request& request) {
    const std::lock_guard lock(mutex);
    (request.path.ends_with("/channels") ? channels : graphs)
        .emplace_back(request.header("Authorization").value_or("none"));
    return http::Response::text(404, "none");
  });
  const auto last = [&](const std::vector<std::string>& all) {
    const std::lock_guard lock(mutex);
    return all.empty() ? std::string() : all.back();
  };
  const auto secrets = k8s::Secret::resource.group_version_resource();
  const auto put = [&](const std::string& url, const std::string& token) {
    [[maybe_unused]] const auto removed = client_->remove(secrets, {"default", upstream_secret});
    auto secret = k8s::make<k8s::Secret>(upstream_secret, "default");
    secret.set_data("url", url);
    secret.set_data("token", token);
    const auto made = client_->create(secrets, secret);
    ASSERT_TRUE(made) << made.error().message;
  };
  put(service.url("/"), "first-token\n");
  write_cluster(spec());
  const auto process =
      start({"--upstream", service.url("/api/upgrades_info/graph"), "--prometheus", "http://127.0.0.1:1",
             "--release", "4.6.23=registry.example.com/release:4.6.23"});
  EXPECT_TRUE(eventually([&] { return last(graphs) == "Bearer first-token"; })) << last(graphs) << log();
  EXPECT_TRUE(eventually([&] { return last(channels) == "Bearer first-token"; })) << last(channels) << log();
  put(service.url("/"), "second-token");
  set_clock(300);
  EXPECT_TRUE(eventually([&] { return last(graphs) == "Bearer second-token"; })) << last(graphs) << log();
  EXPECT_TRUE(eventually([&] { return last(channels) == "Bearer second-token"; })) << last(channels) << log();
  // For another service.
  put("https://updates.example.com", "second-token");
  set_clock(600);
  EXPECT_TRUE(eventually([&] { return last(graphs) == "none" && last(channels) == "none"; })) << log();
  EXPECT_FALSE(log().contains("-token")) << log();
}

TEST_F(OperatorCase, PrintsWhatItWouldWrite) {
  Stubs stubs;
  stubs.begin(round_of(0));
  write_cluster(spec());
  const auto operators = openshift::ClusterOperator::resource.group_version_resource();
  auto etcd = k8s::make<openshift::ClusterOperator>("etcd");
  etcd.object("spec");
  auto created = client_->create(operators, etcd);
  ASSERT_TRUE(created) << created.error().message;
  created->set("status.conditions",
               json::Array{json::Object{{"type", "Upgradeable"},
                                        {"status", "False"},
                                        {"reason", "NotYet"},
                                        {"message", "Not yet."},
                                        {"lastTransitionTime", "2026-01-01T00:00:00Z"}}});
  ASSERT_TRUE(client_->replace(operators, *created, "status"));
  const auto process = start({"--upstream", stubs.upstream(), "--prometheus", stubs.prometheus(), "--release",
                              "4.6.23=registry.example.com/release:4.6.23", "--dry-run"});
  EXPECT_EQ(process->wait(), 0) << log();
  const auto printed = json::parse(log());
  ASSERT_TRUE(printed) << log();
  EXPECT_EQ(versions(*printed), (Versions{"4.7.4", "4.6.24"}));
  EXPECT_EQ(text(condition_of(*printed, "Upgradeable"), "message"),
            "Cluster operator etcd should not be upgraded between minor versions: Not yet.");
  EXPECT_EQ(status(), json::Value());
}

/// Result of a case with the program.
struct Judged {
  /// Differences from the recording, and updates that must never be available.
  std::vector<std::string> faults, widened;
  bool may_differ = false;
};

class RecordedCases : public OperatorCase {
 protected:
  Judged judge(const UpdateCase& one, const json::Value* difference) {
    Stubs stubs;
    stubs.begin(one.rounds().at(0));
    set_clock(0);
    write_cluster(one.input("spec"), one.input("priorStatus"));
    const json::Value& current = one.input("current");
    std::vector<std::string> flags{"--upstream",   stubs.upstream(),
                                   "--prometheus", stubs.prometheus(),
                                   "--release",    text(current, "version") + "=" + text(current, "image")};
    if (text(current, "architecture") == "Multi") flags.push_back("--arch=multi");
    if (one.flag("acceptRisksFeatureGate")) flags.push_back("--feature-gates=ClusterUpdateAcceptRisks=true");
    is_throttled_ = one.flag("throttledCache");
    const auto process = start(flags);
    Judged judged;
    int ahead = 0;
    for (std::size_t i = 0; i < one.rounds().size(); ++i) {
      const json::Value& round = one.rounds()[i];
      if (i > 0) {
        stubs.begin(round);
        const bool changes = member(round, "spec").is_object();
        if (changes) write_spec(member(round, "spec"));
        // Two to four minutes after the last request it asks again, and not before.
        const bool asks = changes || member(round, "forceRefetch") == true;
        ahead += asks ? 300 : 90;
        set_clock(ahead);
        if (!asks) pass_unasked(one.input("spec"));
      }
      const json::Value* others = difference == nullptr ? nullptr : json::find(*difference, "rounds");
      const json::Value& other =
          others != nullptr && i < others->as_array().size() ? others->as_array()[i] : null_value();
      // What may come out otherwise is not waited for longer than it takes to come out at all.
      Unchanged unchanged;
      const bool as_expected = eventually([&] {
        return faults_of(one, i, stubs, other).empty() ||
               (difference == nullptr && may_differ(one, i, status()) && unchanged.holds(status()));
      });
      judged.may_differ = judged.may_differ || may_differ(one, i, status());
      for (const std::string& fault : widened(one, i, status())) judged.widened.push_back(fault);
      if (as_expected && faults_of(one, i, stubs, other).empty()) continue;
      for (const std::string& fault : faults_of(one, i, stubs, other))
        judged.faults.push_back("round " + std::to_string(i + 1) + ": " + fault);
    }
    return judged;
  }

 private:
  /// Waits until the operator has looked at ClusterVersion, which it has no reason to ask the service for.
  void pass_unasked(const json::Value& spec) {
    json::Object with_override = spec.as_object();
    with_override["overrides"] = json::Array{json::Object{{"group", ""},
                                                          {"kind", "ConfigMap"},
                                                          {"namespace", "default"},
                                                          {"name", "none"},
                                                          {"unmanaged", true}}};
    write_spec(with_override);
    EXPECT_TRUE(eventually([&] { return condition_of(status(), "Upgradeable").is_object(); })) << log();
  }

  /// Recognizes a status that has stayed the same for a while.
  class Unchanged {
   public:
    bool holds(json::Value status) {
      const auto now = std::chrono::steady_clock::now();
      if (status != status_) {
        status_ = std::move(status);
        since_ = now;
      }
      return now - since_ > std::chrono::seconds(3);
    }

   private:
    json::Value status_;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  };

  std::vector<std::string> faults_of(const UpdateCase& one, std::size_t round, const Stubs& stubs,
                                     const json::Value& different) {
    json::Value written = status();
    if (!written.is_object()) return {"there is no status"};
    RoundResult result = stubs.result(std::move(written));
    // What failed is asked again, as nothing limits it here.
    std::vector<std::string> once;
    for (std::string& query : result.evaluated) {
      if (std::ranges::find(once, query) == once.end()) once.push_back(std::move(query));
    }
    result.evaluated = std::move(once);
    return compare(one, round, result, different);
  }
};

TEST_F(RecordedCases, AreTheSameWithTheProgram) {
  FAIRWAY_NEEDS_SHARED(cases_folder());
  const json::Value differences = deliberate_differences();
  std::size_t passed = 0, all = 0, otherwise = 0, seen = seed();
  const std::size_t every = one_of_so_many();
  for (const UpdateCase& one : read_update_cases()) {
    if (seen++ % every != 0) continue;
    ++all;
    const json::Value* difference = json::find(differences, one.name);
    const Judged judged = judge(one, difference);
    EXPECT_TRUE(judged.widened.empty()) << one.name << "\n" << join(judged.widened, "\n") << "\n" << log();
    if (judged.faults.empty()) {
      ++passed;
    } else if (difference == nullptr && judged.may_differ) {
      ++otherwise;
      std::printf("%s differs, as it may:\n%s\n", one.name.c_str(), join(judged.faults, "\n").c_str());
    } else {
      ADD_FAILURE() << one.name << "\n" << join(judged.faults, "\n") << "\n" << log();
    }
  }
  std::printf(
      "available-updates with the program: %zu of %zu passed (FAIRWAY_SEED=%zu, one of %zu); %zu more are "
      "not as recorded where they may differ, and make nothing available that may not be\n",
      passed, all, seed(), every, otherwise);
}

}  // namespace
}  // namespace fairway::operators::testing
