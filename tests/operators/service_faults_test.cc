// SPDX-License-Identifier: Apache-2.0

// An update service that is slow, lies or says too much: what is recommended stays true, and ClusterVersion
// is written.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>

#include "http/script_server.h"
#include "operators/updates.h"
#include "operators/updating_case.h"
#include "risk/evaluators/remote.h"

namespace fairway::operators::testing {
namespace {

using fairway::testing::FakeService;
using fairway::testing::never;

class ServiceFaults : public Updating {
 protected:
  static bool asks_for_graph(const http::Request& request) { return request.path.ends_with("/graph"); }
  /// Returns whether a request for a graph came with this parameter.
  bool was_asked(const std::string& parameter) const {
    return std::ranges::any_of(service_.seen(),
                               [&](const auto& one) { return one.target.contains(parameter); });
  }
  std::string node(const std::string& version, const std::string& image, const std::string& channels = "") {
    std::string text = R"({"version":")" + version + R"(","payload":")" + image + '"';
    if (!channels.empty()) {
      text += R"(,"metadata":{"url":"https://example.com/of-the-service",)"
              R"("io.openshift.upgrades.graph.release.channels":")" +
              channels + "\"}";
    }
    return text + "}";
  }
  /// Returns an answer in which 4.6.23 may be updated to 4.6.24.
  std::string good() {
    return R"({"nodes":[)" + node("4.6.23", releases_.image("4.6.23")) + "," +
           node("4.6.24", releases_.image("4.6.24"), "fast-4.6,stable-4.6") + R"(],"edges":[[0,1]]})";
  }
  void answer(const std::string& text) {
    service_.answer([text](const http::Request& request) {
      return asks_for_graph(request) ? http::Response::json(200, text) : http::Response::text(404, "none");
    });
  }
  /// Does not answer requests for the graph. The list of channels may still be requested, in a round that has
  /// begun.
  static http::Response no_graph(const http::Request& request) {
    return asks_for_graph(request) ? never(request) : http::Response::text(404, "none");
  }
  void begin_with_service() {
    for (const char* version : {"4.6.23", "4.6.24"})
      add_release(version, {{"0000_10_a_1.yaml", map_yaml("a", version)}});
    answer(good());
    write_cluster(spec());
    start_operator({"--upstream", service_.url("/api/upgrades_info/graph")});
    ASSERT_TRUE(eventually([&] { return available() == std::vector<std::string>{"4.6.24"}; })) << why();
    ASSERT_TRUE(eventually([&] { return said("ReleaseAccepted").starts_with("True PayloadLoaded"); }))
        << why();
  }
  std::vector<std::string> available() const {
    std::vector<std::string> versions;
    const json::Value now = status();
    const json::Value& list = member(now, "availableUpdates");
    if (!list.is_array()) return versions;
    for (const json::Value& release : list.as_array()) versions.push_back(text(release, "version"));
    return versions;
  }
  std::string channels_of_desired() const {
    return json::to_text(member(member(status(), "desired"), "channels"));
  }

  FakeService service_{[](const http::Request&) { return http::Response::text(404, "none"); }};
};

TEST_F(ServiceFaults, ASlowServiceHoldsUpNoUpdateAndNoOtherQuestion) {
  begin_with_service();
  service_.answer(no_graph);
  std::size_t asked = service_.seen().size();
  set_clock(300);
  ASSERT_TRUE(eventually([&] { return service_.seen().size() > asked; })) << why();
  // The lists of before are kept meanwhile.
  EXPECT_EQ(available(), std::vector<std::string>{"4.6.24"});
  EXPECT_TRUE(said("RetrievedUpdates").starts_with("True"));
  // Another channel is asked for at once, and not when the deadline of the other request has passed.
  json::Object other = spec();
  other["channel"] = "fast-4.7";
  write_spec(other);
  ASSERT_TRUE(eventually([&] { return was_asked("channel=fast-4.7"); })) << why();
  // The lists of the channel that was left went before the question.
  EXPECT_EQ(available(), std::vector<std::string>{});
  EXPECT_TRUE(said("RetrievedUpdates").starts_with("Unknown AskingAnew")) << said("RetrievedUpdates");
  write_spec(spec());
  asked = service_.seen().size();
  ask_for({{"version", "4.6.24"}, {"image", releases_.image("4.6.24")}});
  ASSERT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
  ASSERT_TRUE(eventually([&] { return was_asked("version=4.6.24"); })) << why();
  answer(good());
  set_clock(900);
  EXPECT_TRUE(process_->running());
}

TEST_F(ServiceFaults, ASlowListOfChannelsHoldsUpNoListOfUpdates) {
  begin_with_service();
  const std::string nothing =
      R"({"nodes":[)" + node("4.6.23", releases_.image("4.6.23")) + R"(],"edges":[]})";
  // What was asked before is answered still: a question of the start may be under way.
  service_.answer(
      [nothing, is_new = std::make_shared<std::atomic<bool>>(false)](const http::Request& request) {
        if (asks_for_graph(request)) {
          *is_new = true;
          return http::Response::json(200, nothing);
        }
        return *is_new ? never(request) : http::Response::text(404, "none");
      });
  set_clock(300);
  EXPECT_TRUE(eventually([&] { return available().empty(); })) << why();
  // It is not known yet that there is no answer.
  EXPECT_TRUE(said("RetrievedChannels").contains("ChannelsNotServed")) << why();
  answer(good());
  set_clock(900);
}

TEST_F(ServiceFaults, ASlowPrometheusHoldsUpNoUpdateWithoutRisks) {
  for (const char* version : {"4.6.23", "4.6.24"})
    add_release(version, {{"0000_10_a_1.yaml", map_yaml("a", version)}});
  const FakeService prometheus([](const http::Request& request) { return never(request); });
  answer(R"({"nodes":[)" + node("4.6.23", releases_.image("4.6.23")) + "," +
         node("4.6.24", releases_.image("4.6.24")) + "," + node("4.6.25", "example.com/r@sha256:5") +
         R"(],"edges":[[0,1]],"conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.6.25"}],"risks":[
           {"url":"https://example.com/R","name":"R","message":"M.",
            "matchingRules":[{"type":"PromQL","promql":{"promql":"q"}}]}]}]})");
  write_cluster(spec());
  start_operator(
      {"--upstream", service_.url("/api/upgrades_info/graph"), "--prometheus", prometheus.url("")});
  ASSERT_TRUE(eventually([&] { return available() == std::vector<std::string>{"4.6.24"}; })) << why();
  // Prometheus has not answered: it never does.
  const json::Value risky = member(status(), "conditionalUpdates").as_array().at(0);
  EXPECT_TRUE(json::to_text(risky).contains("evaluation has not ended yet")) << json::to_text(risky);
}

TEST_F(ServiceFaults, AClusterWithoutAHistoryDoesNotWaitForASlowService) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  service_.answer(never);
  write_cluster(spec());
  start_operator({"--upstream", service_.url("/api/upgrades_info/graph")});
  ASSERT_TRUE(eventually([&] { return value("a") == "1"; })) << why();
  EXPECT_EQ(history(), "Completed 4.6.23");
  EXPECT_EQ(text(member(status(), "desired"), "version"), "4.6.23");
}

TEST_F(ServiceFaults, AStatusIsCalledWhatTheServiceCallsIt) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  // One request a connection: of the graph and of the channels.
  const http::ScriptServer service({[](http::ScriptedConnection& connection) {
    if (!connection.read_head().empty())
      connection.send("HTTP/1.1 413 Gone \tfor\xffLunch\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  }});
  write_cluster(spec());
  start_operator({"--upstream", service.url("/api/upgrades_info/graph")});
  EXPECT_TRUE(eventually([&] { return said("RetrievedChannels").starts_with("False"); })) << why();
  EXPECT_EQ(said("RetrievedUpdates"),
            "False ResponseFailed: Unable to retrieve available updates: unexpected HTTP status: 413 Gone "
            "\\tfor\\xffLunch");
  EXPECT_EQ(said("RetrievedChannels"),
            "False ResponseFailed: Unable to retrieve channels: unexpected HTTP status: 413 Gone "
            "\\tfor\\xffLunch");
}

TEST_F(ServiceFaults, WhatWasOnOfferTellsOfTheDesiredReleaseAtOnce) {
  begin_with_service();
  // It says nothing more.
  service_.answer(no_graph);
  ask_for({{"version", "4.6.24"}});
  ASSERT_TRUE(eventually([&] { return history().ends_with("4.6.24, Completed 4.6.23"); })) << why();
  EXPECT_EQ(channels_of_desired(), R"(["fast-4.6","stable-4.6"])");
  // Nor is it forgotten where the service fails.
  service_.answer([](const http::Request&) { return http::Response::text(503, "Service Unavailable"); });
  set_clock(300);
  process_->end(SIGKILL);
  start_operator({"--upstream", service_.url("/api/upgrades_info/graph")});
  ASSERT_TRUE(eventually([&] { return said("RetrievedUpdates").contains("ResponseFailed"); })) << why();
  EXPECT_EQ(channels_of_desired(), R"(["fast-4.6","stable-4.6"])");
}

TEST_F(ServiceFaults, ALieRecommendsNothingThatIsNotThere) {
  begin_with_service();
  const std::string a = releases_.image("4.6.23"), b = releases_.image("4.6.24"),
                    other = b.substr(0, b.find('@')) + "@sha256:" + std::string(64, '0');
  const std::string risks = R"("risks":[{"url":"https://example.com/R","name":"R","message":"R message.",)"
                            R"("matchingRules":[{"type":"Always"}]}])";
  struct Lie {
    const char* name;
    std::string text;
    std::vector<std::string> available;
    std::string incomplete;
  };
  const Lie lies[] = {
      {"one image under two versions, one of which has risks",
       R"({"nodes":[)" + node("4.6.23", a) + "," + node("4.6.24", b) + "," + node("4.7.4", b) +
           R"(],"edges":[[0,1]],"conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.7.4"}],)" + risks +
           "}]}",
       {},
       ""},
      {"one version with two images",
       R"({"nodes":[)" + node("4.6.23", a) + "," + node("4.6.24", b) + "," + node("4.6.24", other) +
           R"(],"edges":[[0,1],[0,2]]})",
       {"4.6.24"},
       "nodes[2]"},
      {"the release that runs twice",
       R"({"nodes":[)" + node("4.6.23", a) + "," + node("4.6.23", a) + "," + node("4.6.24", b) +
           R"(],"edges":[[0,2],[1,2]]})",
       {"4.6.24"},
       "nodes[1]"},
      {"an update with risks and without",
       R"({"nodes":[)" + node("4.6.23", a) + "," + node("4.6.24", b) +
           R"(],"edges":[[0,1]],"conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.6.24"}],)" + risks +
           "}]}",
       {},
       ""},
      {"an update to where it comes from",
       R"({"nodes":[)" + node("4.6.23", a) + "," + node("4.6.24", b) + R"(],"edges":[[0,0],[0,1],[0,7]]})",
       {"4.6.24"},
       "edges[2]"},
  };
  int clock = 0;
  for (const Lie& lie : lies) {
    SCOPED_TRACE(lie.name);
    answer(lie.text);
    set_clock(clock += 300);
    ASSERT_TRUE(eventually([&] {
      return available() == lie.available &&
             said("fairway.dev/IncompleteUpdates").contains(lie.incomplete.empty() ? "none" : lie.incomplete);
    })) << why();
    EXPECT_TRUE(said("RetrievedUpdates").starts_with("True")) << why();
    // Known to be the answer to this one.
    answer(good());
    set_clock(clock += 300);
    ASSERT_TRUE(eventually([&] {
      return available() == std::vector<std::string>{"4.6.24"} &&
             said("fairway.dev/IncompleteUpdates") == "none" &&
             !member(status(), "conditionalUpdates").is_array();
    })) << why();
  }
  // The image that is asked for is of another version than the service said.
  answer(R"({"nodes":[)" + node("4.6.23", a) + "," + node("4.6.99", b) + R"(],"edges":[[0,1]]})");
  set_clock(clock + 300);
  ASSERT_TRUE(eventually([&] { return available() == std::vector<std::string>{"4.6.99"}; })) << why();
  ask_for({{"version", "4.6.99"}});
  EXPECT_TRUE(eventually([&] { return said("ReleaseAccepted").starts_with("False VerifyPayloadVersion"); }))
      << why();
  EXPECT_EQ(history(), "Completed 4.6.23");
  EXPECT_EQ(value("a"), "4.6.23");
}

TEST_F(ServiceFaults, AHugeAnswerIsWrittenAsFarAsItFits) {
  begin_with_service();
  const std::string a = releases_.image("4.6.23"), b = releases_.image("4.6.24");
  const std::string megabytes(3 << 20, 'x');
  // Texts of megabytes.
  answer(R"({"nodes":[)" + node("4.6.23", a, megabytes + ",stable-4.7") + "," +
         node("4.6.24", b, "fast-4.6,stable-4.6," + megabytes) + "," + node("4.7.4", b + "0") +
         R"(],"edges":[[0,1]],"conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.7.4"}],"risks":[)"
         R"({"url":"https://example.com/)" +
         megabytes + R"(","name":"R","message":")" + megabytes +
         R"(","matchingRules":[{"type":"Always"}]}]}]})");
  set_clock(300);
  // An update without the URL of its risk is another one: it is not listed, and counts all the same.
  ASSERT_TRUE(eventually([&] {
    return said("fairway.dev/IncompleteUpdates").contains("risk R of the update to 4.7.4: its URL is none");
  })) << why();
  EXPECT_FALSE(member(status(), "conditionalUpdates").is_array());
  EXPECT_TRUE(said("fairway.dev/UnlistedUpdates").contains(R"("status":"False","reason":"R")")) << why();
  EXPECT_EQ(available(), std::vector<std::string>{"4.6.24"});
  EXPECT_EQ(channels_of_desired(), R"(["stable-4.7"])");
  EXPECT_TRUE(said("fairway.dev/IncompleteUpdates").contains("release 4.6.24")) << why();
  EXPECT_LT(json::to_text(status()).size(), 200'000U);
  // More updates than an object can hold.
  std::string nodes = node("4.6.23", a), edges;
  for (int i = 1; i <= 20'000; ++i) {
    nodes += "," + node("4.6." + std::to_string(100 + i), "registry.example.com/r:" + std::to_string(i));
    edges += (i > 1 ? ",[0," : "[0,") + std::to_string(i) + "]";
  }
  answer(R"({"nodes":[)" + nodes + R"(],"edges":[)" + edges + "]}");
  set_clock(600);
  ASSERT_TRUE(eventually([&] { return available().size() > 100; })) << why();
  EXPECT_EQ(available().front(), "4.6.20100");
  EXPECT_TRUE(said("fairway.dev/IncompleteUpdates").contains("more updates are recommended")) << why();
  EXPECT_LT(json::to_text(status()).size(), 1'400'000U);
  // More than are read at all: the lists stay.
  const std::size_t before = available().size();
  std::string many = node("4.6.23", a);
  for (int i = 1; i <= 100'001; ++i)
    many += R"(,{"version":"4.7.)" + std::to_string(i) + R"(","payload":"p"})";
  answer(R"({"nodes":[)" + many + R"(],"edges":[]})");
  set_clock(900);
  ASSERT_TRUE(eventually([&] { return said("RetrievedUpdates").starts_with("False ResponseInvalid"); }))
      << why();
  EXPECT_TRUE(said("RetrievedUpdates").contains("Unable to retrieve available updates: ")) << why();
  EXPECT_EQ(available().size(), before);
  EXPECT_TRUE(process_->running());
}

/// Tests of the library, in which a test can set the deadline.
class SlowAnswers : public ::testing::Test {
 protected:
  SlowAnswers() {
    settings_.query.upstream = service_.url("/api/upgrades_info/graph");
    settings_.upstream.deadline = std::chrono::seconds(1);
    cluster_.set("spec.clusterID", "897f0a22-33ca-4106-a2c4-29b75250255a");
    cluster_.set("spec.channel", "stable-4.6");
    current_.version = "4.6.23";
    current_.image = "example.com/release:4.6.23";
    auto api = risk::PrometheusApi::create({.url = "http://127.0.0.1:1", .proxy_environment = false});
    evaluator_ = risk::make_remote(*std::move(api));
  }
  std::unique_ptr<Updates> make() {
    return std::make_unique<Updates>(settings_, registry_, *evaluator_, clock_, [] { return 0.0; });
  }
  static http::Response graph(const std::string& nodes) {
    return http::Response::json(200, R"({"nodes":[)" + nodes + R"(],"edges":[]})");
  }
  static constexpr const char* node = R"({"version":"4.6.23","payload":"example.com/release:4.6.23"})";

  FakeService service_{[](const http::Request&) { return graph(node); }};
  FakeClock clock_{parse_time("2026-02-19T12:00:00Z").value()};
  const risk::Registry registry_ = risk::standard_registry();
  std::unique_ptr<risk::Evaluator> evaluator_;
  UpdateSettings settings_;
  openshift::ClusterVersion cluster_ =
      k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
  ListedRelease current_;
};

TEST_F(SlowAnswers, ThatComeAfterTheDeadlineLeaveTheListsAndSayWhy) {
  const auto updates = make();
  const auto first = updates->run(cluster_, current_, {});
  ASSERT_TRUE(first && first->available != nullptr);
  service_.answer(never);
  clock_.advance(std::chrono::minutes(3));
  const auto late = updates->run(cluster_, current_, {});
  ASSERT_TRUE(late);
  EXPECT_EQ(late->retrieved.reason, "RemoteFailed");
  EXPECT_TRUE(late->retrieved.message.starts_with("Unable to retrieve available updates: "))
      << late->retrieved.message;
  EXPECT_TRUE(late->retrieved.message.contains("no answer in time")) << late->retrieved.message;
  EXPECT_NE(late->available, nullptr);
  EXPECT_TRUE(late->stale_since.has_value());
}

TEST_F(SlowAnswers, OfAReleaseOutsideOfTheChannelAreLookedForInThoseThatItNames) {
  service_.answer([](const http::Request& request) {
    if (!request.query.contains("channel=fast-4.6")) return graph("");
    return graph(
        R"({"version":"4.6.23","payload":"example.com/release:4.6.23","metadata":{"url":"https://example.com/23",)"
        R"("io.openshift.upgrades.graph.release.channels":"fast-4.6"}})");
  });
  const auto updates = make();
  const auto before = updates->run(cluster_, current_, {});
  ASSERT_TRUE(before);
  EXPECT_EQ(before->retrieved.reason, "VersionNotFound");
  EXPECT_FALSE(before->elsewhere);
  EXPECT_EQ(updates->requests(), 1U);
  // Its image has been read.
  current_.channels = {"candidate-4.6", "fast-4.6", "stable-4.6"};
  for (int i = 0; i < 2; ++i) {
    auto found = updates->run(cluster_, current_, {});
    ASSERT_TRUE(found);
    // What is known can be written before it is looked for.
    EXPECT_EQ(found->searching, i == 0);
    EXPECT_EQ(found->elsewhere.has_value(), i == 1);
    EXPECT_EQ(updates->search_elsewhere(*found, {}), i == 0);
    ASSERT_TRUE(found->elsewhere);
    EXPECT_EQ(found->elsewhere->url, "https://example.com/23");
    EXPECT_EQ(found->retrieved.reason, "VersionNotFound");
    // It is not asked for once more.
    EXPECT_EQ(updates->requests(), 3U);
    write_updates(cluster_, *found);
    EXPECT_EQ(cluster_.desired().url(), "https://example.com/23");
  }
  // Where the other channel does not answer this time, what it said is kept.
  service_.answer([](const http::Request& request) {
    return request.query.contains("channel=stable-4.6") ? graph("") : http::Response::text(503, "");
  });
  clock_.advance(std::chrono::minutes(3));
  auto kept = updates->run(cluster_, current_, {});
  ASSERT_TRUE(kept && kept->elsewhere);
  EXPECT_TRUE(updates->search_elsewhere(*kept, {}));
  ASSERT_TRUE(kept->elsewhere);
  EXPECT_EQ(kept->elsewhere->url, "https://example.com/23");
  EXPECT_EQ(updates->requests(), 6U);
  // What its image says is enough.
  current_.url = "https://example.com/of-the-image";
  clock_.advance(std::chrono::minutes(3));
  auto enough = updates->run(cluster_, current_, {});
  ASSERT_TRUE(enough);
  EXPECT_FALSE(updates->search_elsewhere(*enough, {}));
  EXPECT_EQ(updates->requests(), 7U);
}

}  // namespace
}  // namespace fairway::operators::testing
